//! Prints the figures as one table; `bounds` prints how exactly a run's time is bounded. With `runs N` only N runs one
//! after another, with `load N` only N at a time for a while, for a profiler to watch. `compare A B` sets builds of this
//! program against each other.

use std::path::PathBuf;
use std::time::Duration;

use codemode_bench::figures::{Latency, paced, sequential, throughput};
use codemode_bench::{bounds, compare, executor, stand_in, table};
use codemode_protocol::Fault;

const USAGE: &str = "usage: codemode-bench [--peer FOLDER] | bounds | runs N | load N | compare PROGRAM...";

fn main() -> Result<(), Fault> {
    stand_in::serve_stand_in_if_requested();
    codemode_executor::run_worker_if_requested();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("the runtime of a measuring program starts");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let count = |text: &str| text.parse().unwrap_or(1_000);
    match words[..] {
        [] => runtime.block_on(table::print(None)),
        ["--peer", folder] => runtime.block_on(table::print(Some(&PathBuf::from(folder)))),
        ["bounds"] => runtime.block_on(measure_bounds()),
        ["runs", runs] => runtime.block_on(measure_runs(count(runs))),
        ["load", at_once] => runtime.block_on(measure_load(count(at_once))),
        ["compare", ref programs @ ..] => runtime.block_on(compare_programs(programs)),
        _ => {
            eprintln!("{USAGE}");
            std::process::exit(2)
        }
    }
}

async fn measure_bounds() -> Result<(), Fault> {
    for neighbours in [0, 4] {
        let lateness = bounds::lateness(30, neighbours).await?;
        let grace = bounds::GRACE.as_millis();
        println!("a bound of {} ms, {neighbours} neighbours, ms late:", bounds::BOUND.as_millis());
        spread("waits for tools, by the worker's clock", &lateness.counted);
        spread("waits for tools, wall minus tools", &lateness.outside);
        spread(&format!("spins, past the bound + {grace} ms grace"), &lateness.killed);
    }
    Ok(())
}

fn spread(name: &str, latency: &Latency) {
    let [least, p50, p90, p99, most] =
        [0.0, 50.0, 90.0, 99.0, 100.0].map(|percent| latency.percentile_ms(percent));
    println!("{name:<44} min {least:.3}  p50 {p50:.3}  p90 {p90:.3}  p99 {p99:.3}  max {most:.3}");
}

async fn compare_programs(programs: &[&str]) -> Result<(), Fault> {
    for (program, compared) in programs.iter().zip(compare::compare(programs).await?) {
        println!("{program}: {:.0} runs a second", compared.per_second);
        spread("  one after another, medians of rounds", &compared.sequential);
    }
    Ok(())
}

async fn measure_load(at_once: usize) -> Result<(), Fault> {
    let pool = executor(at_once)?;
    pool.warm_up().await?;
    let runs = throughput(&pool, at_once, Duration::from_secs(3)).await?;
    println!("runs a second, {at_once} at a time: {runs:.0}");
    pool.dispose().await;
    Ok(())
}

async fn measure_runs(count: usize) -> Result<(), Fault> {
    let warm = executor(2)?;
    warm.warm_up().await?;
    sequential(&warm, 500).await?;
    spread("run, 5 ms apart", &paced(&warm, count / 5, Duration::from_millis(5)).await?);
    spread("run, one after another", &sequential(&warm, count).await?);
    warm.dispose().await;
    Ok(())
}
