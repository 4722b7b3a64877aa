//! The measurements.

use std::time::{Duration, Instant};

use codemode_executor::IsolateExecutor;
use codemode_protocol::{ExecuteRequest, Fault, ToolCall, dispatch_fn};

use crate::{TRIVIAL, executor};

/// Times of single runs, in order of size.
#[derive(Clone, Debug)]
pub struct Latency(Vec<Duration>);

impl Latency {
    /// Sorts the samples.
    pub fn new(mut samples: Vec<Duration>) -> Self {
        samples.sort_unstable();
        Self(samples)
    }

    /// The sample that `percent` of all are not longer than, in milliseconds.
    pub fn percentile_ms(&self, percent: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        let index = (last as f64 * percent / 100.0).round() as usize;
        self.0.get(index).map_or(0.0, |sample| sample.as_secs_f64() * 1e3)
    }
}

/// Nothing started to the first result.
///
/// # Errors
/// The fault of the run.
pub async fn cold_start() -> Result<Duration, Fault> {
    let started = Instant::now();
    let executor = executor(2)?;
    executor.execute(ExecuteRequest::new(TRIVIAL)).await?;
    let elapsed = started.elapsed();
    executor.dispose().await;
    Ok(elapsed)
}

/// `runs` runs one after another on a warm executor.
///
/// # Errors
/// The fault of the first run that meets one.
pub async fn sequential(executor: &IsolateExecutor, runs: usize) -> Result<Latency, Fault> {
    let mut samples = Vec::with_capacity(runs);
    for _ in 0..runs {
        let started = Instant::now();
        executor.execute(ExecuteRequest::new(TRIVIAL)).await?;
        samples.push(started.elapsed());
    }
    Ok(Latency::new(samples))
}

/// `runs` runs with a pause between them, as a caller meets an executor that has nothing else to do.
///
/// # Errors
/// The fault of the first run that meets one.
pub async fn paced(executor: &IsolateExecutor, runs: usize, pause: Duration) -> Result<Latency, Fault> {
    let mut samples = Vec::with_capacity(runs);
    for _ in 0..runs {
        tokio::time::sleep(pause).await;
        let started = Instant::now();
        executor.execute(ExecuteRequest::new(TRIVIAL)).await?;
        samples.push(started.elapsed());
    }
    Ok(Latency::new(samples))
}

/// Runs a second with `at_once` in flight for `span`.
///
/// # Errors
/// The fault of the first run that meets one.
pub async fn throughput(executor: &IsolateExecutor, at_once: usize, span: Duration) -> Result<f64, Fault> {
    let once = |executor: IsolateExecutor| async move {
        executor.execute(ExecuteRequest::new(TRIVIAL)).await.map(drop)
    };
    rate(executor, once, at_once, span).await
}

/// How often `once` is done a second, by `at_once` callers that each do it again and again for `span`.
///
/// # Errors
/// The fault of the first one that meets one.
pub async fn rate<T, F>(
    with: &T,
    once: impl Fn(T) -> F + Copy + Send + 'static,
    at_once: usize,
    span: Duration,
) -> Result<f64, Fault>
where
    T: Clone + Send + Sync + 'static,
    F: Future<Output = Result<(), Fault>> + Send,
{
    let started = Instant::now();
    let callers: Vec<_> = (0..at_once)
        .map(|_| {
            let with = with.clone();
            tokio::spawn(async move {
                let mut done = 0_u32;
                while started.elapsed() < span {
                    once(with.clone()).await?;
                    done += 1;
                }
                Ok::<u32, Fault>(done)
            })
        })
        .collect();
    let mut total = 0;
    for caller in callers {
        total += caller.await.expect("a measuring task does not panic")?;
    }
    Ok(f64::from(total) / started.elapsed().as_secs_f64())
}

/// The cost of one tool call: programs that make `calls` of them one after another, against programs that make none.
///
/// # Errors
/// The fault of the first run that meets one.
pub async fn tool_call(executor: &IsolateExecutor, calls: u32, runs: usize) -> Result<Duration, Fault> {
    let mut totals = [Duration::ZERO; 2];
    for _ in 0..runs {
        for (total, calls) in totals.iter_mut().zip([0, calls]) {
            let code = format!("async () => {{ for (let i = 0; i < {calls}; i++) await tools.echo(i); }}");
            let request = ExecuteRequest::new(code)
                .provider(codemode_protocol::ProviderDescriptor::new("tools", ["echo"]))
                .dispatch(dispatch_fn(|_: ToolCall| async { Ok(r#"{"result":1}"#.to_owned()) }));
            let started = Instant::now();
            executor.execute(request).await?;
            *total += started.elapsed();
        }
    }
    let made = calls * u32::try_from(runs).unwrap_or(u32::MAX);
    Ok(totals[1].saturating_sub(totals[0]) / made)
}
