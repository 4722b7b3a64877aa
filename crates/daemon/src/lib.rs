//! The command line of Codemode.
//!
//! # Purpose
//! [`main`] is everything the `codemode` binary does. `codemode run` runs one program in a worker process of this
//! machine, with tools that another command serves, and prints what it produced; `codemode check` runs one real job
//! and says what hardening its workers have.
//!
//! # Promises
//! - Standard output carries the result and nothing else; console lines and errors go to standard error.
//! - The exit status says who failed: see [`Status`].
//! - What a program writes cannot steer the terminal, and cannot pass for what this command says: control characters are
//!   escaped, and lines that would read as ours are marked.
//! - The command that serves the tools ends with the run, with every process it started in its group, and also when
//!   this process is killed.
//! - Bad input ends in one sentence that names it, and never in a panic.
//!
//! # Not here
//! Running programs: `codemode-executor`. A daemon that serves others, and running on one: not built yet.
//!
//! # Map
//! [`cli`] declares the options, `run` and `check` are the two subcommands, [`tools`] is the command that serves tool
//! calls, `input` reads files, `output` writes, `interrupt` waits for signals, `meter` counts what a run spends that is given up.
#![forbid(unsafe_code)]

mod check;
pub mod cli;
mod input;
mod interrupt;
mod meter;
mod output;
mod run;
mod status;
pub mod tools;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use tokio::runtime::Builder;

use crate::cli::{Cli, Command};
use crate::output::Output;
pub use crate::status::Status;

/// Runs one command line, the name of the program first, and answers the exit status.
///
/// Call [`codemode_executor::run_worker_if_requested`] before this, first thing in `main`. Wrong usage, `--help` and
/// `--version` end the process here.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = Cli::parse_from(args);
    let status = start(cli).unwrap_or_else(|error| {
        // Nobody is left to tell when this fails too.
        _ = writeln!(io::stderr(), "error: cannot start: {error}");
        Status::Fault
    });
    status.into()
}

fn start(cli: Cli) -> io::Result<Status> {
    // One thread is enough for one program, and starts fastest.
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (output, written) = output::start()?;
    Ok(runtime.block_on(async {
        let status = perform(cli, &output).await;
        written.wait(&output, status).await
    }))
}

async fn perform(cli: Cli, output: &Output) -> Status {
    match cli.command {
        Command::Run(args) => run::run(*args, output).await,
        Command::Check(args) => check::check(&args, output).await,
    }
}
