//! Runs tests of test262: `test262-run SUITE PLACE`, jobs on standard input and answers on standard output, one JSON
//! text a line. `cargo xtask test262` is what writes the jobs.
//!
//! `worker` runs them through an executor, many at a time. `plain` and `library` run them one after another in
//! isolates of this process; a test that ends it, or takes too long, ends it before its answer.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use codemode_testbed::test262::{Answer, Job, isolate, worker};
use tokio::sync::Semaphore;

/// Tests that wait need no processor, so there are more of them at a time than a small machine has.
const PLACES: usize = 6;

/// The longest a test may take in an isolate of this process.
const PATIENCE: Duration = Duration::from_secs(150);

fn main() {
    codemode_executor::run_worker_if_requested();
    if let Err(problem) = serve() {
        eprintln!("test262-run: {problem}");
        std::process::exit(1);
    }
}

fn serve() -> Result<(), String> {
    let mut words = std::env::args().skip(1);
    let suite = PathBuf::from(words.next().unwrap_or_default());
    match words.next().as_deref() {
        Some("worker") => {
            let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
            runtime.block_on(in_workers(suite))
        }
        Some("plain") => in_this_process(&suite, isolate::Kind::Plain),
        Some("library") => in_this_process(&suite, isolate::Kind::Library),
        _ => Err("usage: test262-run SUITE worker|plain|library".to_owned()),
    }
}

async fn in_workers(suite: PathBuf) -> Result<(), String> {
    let executor = worker::executor(PLACES).map_err(|fault| fault.to_string())?;
    let suite: Arc<Path> = suite.into();
    let free = Arc::new(Semaphore::new(PLACES));
    let mut running = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let job = job(line)?;
        let place = free.clone().acquire_owned().await.map_err(|error| error.to_string())?;
        let (executor, suite) = (executor.clone(), suite.clone());
        running.push(tokio::spawn(async move {
            let outcome = worker::perform(&executor, &suite, &job).await;
            drop(place);
            write(&Answer::new(job.id, outcome))
        }));
    }
    for run in running {
        run.await.map_err(|error| error.to_string())??;
    }
    executor.dispose().await;
    Ok(())
}

fn in_this_process(suite: &Path, kind: isolate::Kind) -> Result<(), String> {
    // The engine starts before there is a second thread.
    isolate::start();
    let watch = watch();
    for line in std::io::stdin().lock().lines() {
        let job = job(line)?;
        let outcome = isolate::perform(kind, suite, &job);
        write(&Answer::new(job.id, outcome))?;
        watch.send(()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Ends the process where one test follows another too slowly.
fn watch() -> Sender<()> {
    let (sender, ends) = channel();
    thread::spawn(move || {
        loop {
            match ends.recv_timeout(PATIENCE) {
                Ok(()) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => std::process::exit(3),
            }
        }
    });
    sender
}

fn job(line: std::io::Result<String>) -> Result<Job, String> {
    let line = line.map_err(|error| error.to_string())?;
    serde_json::from_str(&line).map_err(|error| format!("a job: {error}"))
}

fn write(answer: &Answer) -> Result<(), String> {
    let line = serde_json::to_string(answer).map_err(|error| error.to_string())?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}
