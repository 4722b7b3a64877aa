//! Measures `crypto.subtle`: what short operations and the second thread cost, and how the program and its bound fare
//! while a long one goes on.

use std::time::{Duration, Instant};

use codemode_bench::executor;
use codemode_bench::figures::Latency;
use codemode_executor::IsolateExecutor;
use codemode_protocol::{ExecuteRequest, Fault, Value};

/// The same program with the name of `crypto.subtle` hidden has no second thread.
const ONE_DIGEST: &str = "async () => (await crypto.subtle.digest('SHA-256', new Uint8Array(64))).byteLength";
const ONE_HIDDEN: &str =
    "async () => (await crypto['sub' + 'tle'].digest('SHA-256', new Uint8Array(64))).byteLength";

const MANY_DIGESTS: &str = "async () => {
    const data = new Uint8Array(64)
    for (let index = 0; index < 5000; index++) await crypto.subtle.digest('SHA-256', data)
}";

/// The least time of each of these, in milliseconds: the largest that are performed on the program's own thread, and some
/// that are not.
const OPERATIONS: &str = "async () => {
    const { subtle } = crypto
    const data = new Uint8Array(128 << 10), iv = new Uint8Array(16), some = new Uint8Array(32)
    const aes = async (name) => subtle.importKey('raw', some, name, false, ['encrypt'])
    const [cbc, gcm, ctr] = await Promise.all(['AES-CBC', 'AES-GCM', 'AES-CTR'].map(aes))
    const hmac = await subtle.importKey('raw', some, { name: 'HMAC', hash: 'SHA-512' }, false, ['sign'])
    const pbkdf2 = await subtle.importKey('raw', some, 'PBKDF2', false, ['deriveBits'])
    const derive = (hash, iterations) => subtle.deriveBits({ name: 'PBKDF2', hash, salt: iv, iterations }, pbkdf2, 160)
    const pairs = {}
    for (const namedCurve of ['P-256', 'P-384', 'P-521']) {
        pairs[namedCurve] = await subtle.generateKey({ name: 'ECDSA', namedCurve }, true, ['sign', 'verify'])
    }
    const rsa = async (modulusLength) => subtle.generateKey(
        { name: 'RSA-PSS', modulusLength, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, true, ['sign', 'verify'])
    const small = await rsa(2048), ed = await subtle.generateKey('Ed25519', true, ['sign', 'verify'])
    const pss = { name: 'RSA-PSS', saltLength: 32 }, ecdsa = { name: 'ECDSA', hash: 'SHA-256' }
    const signature = await subtle.sign(ecdsa, pairs['P-256'].privateKey, some)
    const rows = {
        'SHA-1 of 128 KiB': () => subtle.digest('SHA-1', data),
        'SHA-512 of 128 KiB': () => subtle.digest('SHA-512', data),
        'HMAC of 128 KiB': () => subtle.sign('HMAC', hmac, data),
        'AES-CBC of 128 KiB': () => subtle.encrypt({ name: 'AES-CBC', iv }, cbc, data),
        'AES-GCM of 128 KiB': () => subtle.encrypt({ name: 'AES-GCM', iv }, gcm, data),
        'AES-CTR of 128 KiB': () => subtle.encrypt({ name: 'AES-CTR', counter: iv, length: 64 }, ctr, data),
        'PBKDF2, 500 times SHA-1': () => derive('SHA-1', 500),
        'PBKDF2, 500 times SHA-512': () => derive('SHA-512', 500),
        'PBKDF2, 100 000 times SHA-256': () => derive('SHA-256', 100000),
        'a key of P-256': () => subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']),
        'a signature of P-256': () => subtle.sign(ecdsa, pairs['P-256'].privateKey, some),
        'a check of P-256': () => subtle.verify(ecdsa, pairs['P-256'].publicKey, signature, some),
        'a signature of P-384': () => subtle.sign(ecdsa, pairs['P-384'].privateKey, some),
        'a signature of P-521': () => subtle.sign(ecdsa, pairs['P-521'].privateKey, some),
        'a signature of Ed25519': () => subtle.sign('Ed25519', ed.privateKey, some),
        'a signature of RSA 2048': () => subtle.sign(pss, small.privateKey, some),
        'a check of RSA 2048': () => subtle.verify(pss, small.publicKey, new Uint8Array(256), some),
    }
    for (const [name, operation] of Object.entries(rows)) {
        let least = Infinity
        for (let turn = 0; turn < 20; turn++) {
            const began = performance.now()
            await operation()
            least = Math.min(least, performance.now() - began)
        }
        rows[name] = least.toFixed(2)
    }
    return JSON.stringify(rows, null, 1)
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
    row("processor time of a run with one digest", &latency(named));
    row("the same without a second thread", &latency(hidden));
    let many = Latency::new(repeated(&warm, MANY_DIGESTS, 20).await?);
    row("processor time of one digest of 64 bytes", &format!("{:.2} us", many.percentile_ms(50.0) / 5.0));
    if let Some(Value::String(rows)) = warm.execute(ExecuteRequest::new(OPERATIONS)).await?.result {
        println!("{rows}");
    }
    for (name, program) in [("alone", String::new()), ("beside a derivation", ENDLESS.to_owned())] {
        let request = ExecuteRequest::new(format!("async () => {{{program}{TIMERS}}}"));
        if let Some(Value::String(late)) = warm.execute(request).await?.result {
            row(&format!("lateness of timers, {name}"), &late);
        }
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

/// The processor time of each run.
async fn repeated(warm: &IsolateExecutor, program: &str, runs: usize) -> Result<Vec<Duration>, Fault> {
    let mut samples = Vec::with_capacity(runs);
    for _ in 0..runs {
        let result = warm.execute(ExecuteRequest::new(program)).await?;
        samples.push(Duration::from_secs_f64(result.usage.cpu_ms / 1e3));
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
