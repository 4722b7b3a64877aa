//! Measurements of the executor as its callers meet it.
//!
//! # Purpose
//! `cargo xtask bench` installs the peer and prints one table, ours beside it. `cargo bench -p codemode-bench` compares
//! with the last run on this machine (criterion).
//!
//! # Promises
//! Every figure is end to end: from `execute` in the host to the result in the host, through a worker process that
//! was made for that run alone.
//!
//! # Not here
//! Assertions about time: a machine under load must not fail a test.
//!
//! # Map
//! [`figures`] measures the executor, [`pool_figures`] the pool below it, [`bounds`] how exactly a run's time is bounded,
//! [`memory`] what the workers take by [`processes`], [`peer`] runs the pool on Node, [`stand_in`] is the workers that are
//! measured against, and [`table`] puts everything beside its target.
#![forbid(unsafe_code)]

pub mod bounds;
pub mod compare;
pub mod figures;
pub mod memory;
pub mod peer;
pub mod pool_figures;
pub mod processes;
pub mod stand_in;
pub mod table;

use codemode_executor::{IsolateExecutor, IsolateExecutorBuilder};
use codemode_protocol::Fault;

/// The program that measures the executor and nothing else.
pub const TRIVIAL: &str = "async () => 6 * 7";

/// An executor with the defaults and `workers` runs at the same time.
///
/// # Errors
/// What the builder says.
pub fn executor(workers: usize) -> Result<IsolateExecutor, Fault> {
    builder(workers).build()
}

/// What [`executor`] builds.
pub fn builder(workers: usize) -> IsolateExecutorBuilder {
    IsolateExecutor::builder().max_workers(workers).spares(workers.max(2)).deny_outbound()
}
