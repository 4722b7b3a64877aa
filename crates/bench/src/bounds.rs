//! How exactly the bound on a run's time is kept: distributions, since a single figure would hide the tail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use codemode_executor::{ExecuteRequest, IsolateExecutor};
use codemode_protocol::{Fault, ProviderDescriptor, ToolCall, dispatch_fn};

use crate::TRIVIAL;
use crate::figures::Latency;

/// The bound that the measured programs run under.
pub const BOUND: Duration = Duration::from_millis(500);
/// Headroom past it, after which the host kills.
pub const GRACE: Duration = Duration::from_millis(250);

/// A program that waits for tools, which answer after 0 to 30 ms, and computes for about 20 ms between.
const WAITS: &str = "async () => {
  for (;;) {
    await tools.wait();
    const until = performance.now() + 20;
    while (performance.now() < until);
  }
}";
/// A program that never lets the engine go.
const SPINS: &str = "async () => { for (;;); }";

/// How late programs ended.
pub struct Lateness {
    /// A program that waits for tools: counted time at its end, by the worker's own clock, past the bound.
    pub counted: Latency,
    /// The same by this process's clock: the wall minus the time inside the tools, past the bound. It counts the way of
    /// every call and answer too.
    pub outside: Latency,
    /// A program that spins: the wall at the result, past the bound and the grace.
    pub killed: Latency,
}

/// Measures `runs` of each program, with this many programs beside it that run one after another without a pause.
///
/// # Errors
/// The fault of the first run that meets one.
pub async fn lateness(runs: usize, neighbours: usize) -> Result<Lateness, Fault> {
    let executor = IsolateExecutor::builder()
        .max_workers(neighbours + 1)
        .spares(2)
        .timeout(BOUND)
        .grace(GRACE)
        .deny_outbound()
        .build()?;
    executor.warm_up().await?;
    let over = Arc::new(AtomicBool::new(false));
    let neighbours: Vec<_> =
        (0..neighbours).map(|_| tokio::spawn(neighbour(executor.clone(), over.clone()))).collect();
    let delays = Arc::new(AtomicU64::new(0x9e37_79b9_7f4a_7c15));
    let (mut counted, mut outside, mut killed) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        let (by_worker, by_host) = waits(&executor, &delays).await?;
        counted.push(by_worker.saturating_sub(BOUND));
        outside.push(by_host.saturating_sub(BOUND));
        let started = Instant::now();
        executor.execute(ExecuteRequest::new(SPINS)).await?;
        killed.push(started.elapsed().saturating_sub(BOUND + GRACE));
    }
    over.store(true, Ordering::Relaxed);
    for neighbour in neighbours {
        neighbour.await.expect("a measuring task does not panic")?;
    }
    executor.dispose().await;
    Ok(Lateness {
        counted: Latency::new(counted),
        outside: Latency::new(outside),
        killed: Latency::new(killed),
    })
}

async fn neighbour(executor: IsolateExecutor, over: Arc<AtomicBool>) -> Result<(), Fault> {
    while !over.load(Ordering::Relaxed) {
        executor.execute(ExecuteRequest::new(TRIVIAL)).await?;
    }
    Ok(())
}

/// The counted time of one program that waits, by the worker's clock and by this process's.
async fn waits(executor: &IsolateExecutor, delays: &Arc<AtomicU64>) -> Result<(Duration, Duration), Fault> {
    let inside_us = Arc::new(AtomicU64::new(0));
    let delays = Arc::clone(delays);
    let inside = Arc::clone(&inside_us);
    let request = ExecuteRequest::new(WAITS).provider(ProviderDescriptor::new("tools", ["wait"])).dispatch(
        dispatch_fn(move |_: ToolCall| {
            let (inside, delays) = (Arc::clone(&inside), Arc::clone(&delays));
            async move {
                let called = Instant::now();
                tokio::time::sleep(Duration::from_micros(next(&delays) % 30_000)).await;
                inside.fetch_add(called.elapsed().as_micros() as u64, Ordering::Relaxed);
                Ok(r#"{"result":null}"#.to_owned())
            }
        }),
    );
    let started = Instant::now();
    let result = executor.execute(request).await?;
    let wall = started.elapsed();
    let by_worker = Duration::from_secs_f64(result.usage.counted_ms / 1e3);
    Ok((by_worker, wall.saturating_sub(Duration::from_micros(inside_us.load(Ordering::Relaxed)))))
}

/// A xorshift: delays that differ, and are the same in every measurement.
fn next(state: &AtomicU64) -> u64 {
    let step = |mut x: u64| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    step(state.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |x| Some(step(x))).unwrap_or(1))
}
