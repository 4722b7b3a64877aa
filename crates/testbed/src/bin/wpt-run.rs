//! Runs test files of the web-platform-tests in isolates: `wpt-run SUITE PLACES`, jobs on standard input and answers
//! on standard output, one JSON text a line. `cargo xtask wpt` is what writes the jobs.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;

use codemode_testbed::wpt::{Answer, Job, executor, perform};
use tokio::sync::Semaphore;

fn main() {
    codemode_executor::run_worker_if_requested();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    if let Err(problem) = runtime.block_on(serve()) {
        eprintln!("wpt-run: {problem}");
        std::process::exit(1);
    }
}

async fn serve() -> Result<(), String> {
    let mut words = std::env::args().skip(1);
    let (Some(suite), Some(Ok(places))) = (words.next(), words.next().map(|word| word.parse::<usize>()))
    else {
        return Err("usage: wpt-run SUITE PLACES".to_owned());
    };
    let executor = executor(PathBuf::from(suite), places).map_err(|fault| fault.to_string())?;
    let free = Arc::new(Semaphore::new(places));
    let mut running = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let job: Job = serde_json::from_str(&line).map_err(|error| format!("a job: {error}"))?;
        let place = free.clone().acquire_owned().await.map_err(|error| error.to_string())?;
        let executor = executor.clone();
        running.push(tokio::spawn(async move {
            let answer = perform(&executor, job).await;
            drop(place);
            write(&answer)
        }));
    }
    for run in running {
        run.await.map_err(|error| error.to_string())??;
    }
    executor.dispose().await;
    Ok(())
}

fn write(answer: &Answer) -> Result<(), String> {
    let line = serde_json::to_string(answer).map_err(|error| error.to_string())?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}
