//! Measurements of the executor as its callers meet it.
//!
//! # Purpose
//! Two ways to the same figures: `cargo bench -p codemode-bench` compares with the last run on this machine
//! (criterion), and `cargo run --release -p codemode-bench` prints one table.
//!
//! # Promises
//! Every figure is end to end: from `execute` in the host to the result in the host, through a worker process that
//! was made for that run alone.
//!
//! # Not here
//! Assertions about time: a machine under load must not fail a test.
//!
//! # Map
//! [`figures`] measures, [`processes`] reads what the kernel says of the workers, `main` prints.
#![forbid(unsafe_code)]

pub mod figures;
pub mod processes;

use codemode_executor::IsolateExecutor;
use codemode_protocol::Fault;

/// The program that measures the executor and nothing else.
pub const TRIVIAL: &str = "async () => 6 * 7";

/// An executor with the defaults and `workers` runs at the same time.
///
/// # Errors
/// What the builder says.
pub fn executor(workers: usize) -> Result<IsolateExecutor, Fault> {
    IsolateExecutor::builder().max_workers(workers).spares(workers.max(2)).deny_outbound().build()
}
