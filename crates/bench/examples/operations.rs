//! Measures `crypto.subtle`: what short operations and the second thread cost, and how the program and its bound fare
//! while a long one goes on.

use std::time::{Duration, Instant};

use codemode_bench::executor;
use codemode_bench::figures::Latency;
use codemode_executor::IsolateExecutor;
use codemode_protocol::{ExecuteRequest, Fault};

/// The same program with the name of `crypto.subtle` hidden has no second thread.
const ONE_DIGEST: &str = "async () => (await crypto.subtle.digest('SHA-256', new Uint8Array(64))).byteLength";
const ONE_HIDDEN: &str =
    "async () => (await crypto['sub' + 'tle'].digest('SHA-256', new Uint8Array(64))).byteLength";

const MANY_DIGESTS: &str = "async () => {
    const data = new Uint8Array(64)
    for (let index = 0; index < 5000; index++) await crypto.subtle.digest('SHA-256', data)
}";

/// A derivation that takes hours.
const ENDLESS: &str = "
    const key = await crypto.subtle.importKey('raw', new Uint8Array(8), 'PBKDF2', false, ['deriveBits'])
    const hash = 'SHA-512', salt = new Uint8Array(8), iterations = 1e9
    const derived = crypto.subtle.deriveBits({ name: 'PBKDF2', hash, salt, iterations }, key, 512)";

/// How late timers of five milliseconds are, in milliseconds.
const TIMERS: &str = "
    const late = []
    for (let index = 0; index < 100; index++) {
        const due = performance.now() + 5
        await new Promise((resolve) => setTimeout(resolve, 5))
        late.push(performance.now() - due)
    }
    late.sort((a, b) => a - b)
    return `p50 ${late[50].toFixed(2)} ms  p99 ${late[98].toFixed(2)} ms`";

fn main() -> Result<(), Fault> {
    codemode_executor::run_worker_if_requested();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("the runtime of a measuring program starts");
    runtime.block_on(measure())
}

async fn measure() -> Result<(), Fault> {
    let warm = executor(1)?;
    warm.warm_up().await?;
    repeated(&warm, ONE_DIGEST, 200).await?;
    // Alternating, so that the machine treats both alike.
    let (mut named, mut hidden) = (Vec::new(), Vec::new());
    for _ in 0..20 {
        named.extend(repeated(&warm, ONE_DIGEST, 100).await?);
        hidden.extend(repeated(&warm, ONE_HIDDEN, 100).await?);
    }
    row("a run with one digest", &latency(named));
    row("the same without a second thread", &latency(hidden));
    let many = Latency::new(repeated(&warm, MANY_DIGESTS, 20).await?);
    row("one digest of 64 bytes", &format!("{:.2} us", many.percentile_ms(50.0) / 5.0));
    for (name, program) in [("alone", String::new()), ("beside a derivation", ENDLESS.to_owned())] {
        let request = ExecuteRequest::new(format!("async () => {{{program}{TIMERS}}}"));
        let late = format!("{:?}", warm.execute(request).await?.result);
        row(&format!("lateness of timers, {name}"), &late);
    }
    let waits = "async () => new Promise(() => {})".to_owned();
    for (name, program) in
        [("waits", waits), ("derives", format!("async () => {{{ENDLESS}\nawait derived}}"))]
    {
        let bound = Duration::from_millis(100);
        let mut over = Vec::new();
        for _ in 0..30 {
            let started = Instant::now();
            warm.execute(ExecuteRequest::new(program.clone()).timeout(bound)).await?;
            over.push(started.elapsed().saturating_sub(bound));
        }
        row(&format!("past a bound of 100 ms, a program that {name}"), &latency(over));
    }
    warm.dispose().await;
    Ok(())
}

async fn repeated(warm: &IsolateExecutor, program: &str, runs: usize) -> Result<Vec<Duration>, Fault> {
    let mut samples = Vec::with_capacity(runs);
    for _ in 0..runs {
        let started = Instant::now();
        warm.execute(ExecuteRequest::new(program)).await?;
        samples.push(started.elapsed());
    }
    Ok(samples)
}

fn latency(samples: Vec<Duration>) -> String {
    let latency = Latency::new(samples);
    let [p50, p99] = [50.0, 99.0].map(|percent| latency.percentile_ms(percent));
    format!("p50 {p50:.3} ms  p99 {p99:.3} ms")
}

fn row(name: &str, value: &str) {
    println!("{name:50} {value}");
}
