//! Prints the figures as one table. With `runs N` only N runs one after another, with `load N` only N at a
//! time for a while, for a profiler to watch.

use std::time::Duration;

use codemode_bench::figures::{Latency, cold_start, paced, sequential, throughput, tool_call};
use codemode_bench::{executor, processes};
use codemode_executor::IsolateExecutor;
use codemode_protocol::Fault;

fn main() -> Result<(), Fault> {
    codemode_executor::run_worker_if_requested();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("the runtime of a measuring program starts");
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next().and_then(|count| count.parse().ok())) {
        (Some("runs"), Some(count)) => runtime.block_on(measure_runs(count)),
        (Some("load"), Some(at_once)) => runtime.block_on(measure_load(at_once)),
        _ => runtime.block_on(measure()),
    }
}

async fn measure() -> Result<(), Fault> {
    let mut cold = Vec::new();
    for _ in 0..10 {
        cold.push(cold_start().await?);
    }
    let cold = Latency::new(cold);
    row("cold start to first result", &format!("p50 {:.1} ms", cold.percentile_ms(50.0)));

    let warm = executor(2)?;
    warm.warm_up().await?;
    report_runs(&warm, 5_000).await?;
    let call = tool_call(&warm, 100, 50).await?;
    row("one tool call", &format!("{:.3} ms", call.as_secs_f64() * 1e3));
    report_memory();
    warm.dispose().await;

    for at_once in [1, 2, 4, 8] {
        measure_load(at_once).await?;
    }
    Ok(())
}

async fn measure_load(at_once: usize) -> Result<(), Fault> {
    let pool = executor(at_once)?;
    pool.warm_up().await?;
    let runs = throughput(&pool, at_once, Duration::from_secs(3)).await?;
    row(&format!("runs a second, {at_once} at a time"), &format!("{runs:.0}"));
    pool.dispose().await;
    Ok(())
}

async fn measure_runs(count: usize) -> Result<(), Fault> {
    let warm = executor(2)?;
    warm.warm_up().await?;
    report_runs(&warm, count).await?;
    warm.dispose().await;
    Ok(())
}

async fn report_runs(warm: &IsolateExecutor, count: usize) -> Result<(), Fault> {
    sequential(warm, 500).await?;
    report_latency("warm run, 5 ms apart", &paced(warm, count / 5, Duration::from_millis(5)).await?);
    report_latency("warm run, one after another", &sequential(warm, count).await?);
    Ok(())
}

fn report_latency(name: &str, latency: &Latency) {
    let [p50, p90, p99] = [50.0, 90.0, 99.0].map(|percent| latency.percentile_ms(percent));
    row(name, &format!("p50 {p50:.3} ms  p90 {p90:.3} ms  p99 {p99:.3} ms"));
}

/// The processes of the warm executor: the oldest that has children is the template, its children are idle workers.
fn report_memory() {
    let all = processes::descendants();
    let is_parent = |pid| all.iter().any(|process| process.parent == pid);
    let workers: Vec<_> = all.iter().filter(|process| !is_parent(process.pid)).collect();
    let total: u64 = workers.iter().map(|process| process.proportional_kib).sum();
    let each = total as f64 / workers.len().max(1) as f64 / 1024.0;
    row("idle worker, proportional", &format!("{each:.1} MiB ({} of them)", workers.len()));
    for process in all.iter().filter(|process| is_parent(process.pid)) {
        row(
            "template or launcher, proportional",
            &format!("{:.1} MiB", process.proportional_kib as f64 / 1024.0),
        );
    }
}

fn row(name: &str, value: &str) {
    println!("{name:<36} {value}");
}
