//! One execution, end to end, in one V8 isolate.
//!
//! # Purpose
//! A [`Sandbox`] is an isolate that is ready to run one program. [`Sandbox::execute`] takes it, runs the program of
//! a [`SandboxRequest`] against a [`Host`], and answers an [`Execution`]. The sandbox is spent afterwards: the process
//! that held it exits, or serves the request handler that the program returned ([`Retained::serve`]) and exits then.
//!
//! # Promises
//! - Where the program is at fault the answer is in band: a bad provider name, a syntax error, a module that does
//!   not resolve, a timeout and a plain throw all come back inside the settlement.
//! - Nothing crosses the boundary but copied data, and no host object, host function or host stack text is within
//!   reach of a program.
//! - Console lines reach the host before the next instruction of the program runs.
//! - No thread, no I/O, no clock of its own: the [`Host`] waits and tells the time.
//!
//! # Not here
//! Ending a program that never yields: the process is killed from outside (`codemode-pool`). The library a program
//! sees: `codemode-runtime`. Performing tool calls and network requests: the [`Host`].
//!
//! # Map
//! [`sandbox`] is the execution, one function a step, and `drive` its loop; [`entry`] writes the module around the
//! program; [`modules`] links it; `natives` are the host's functions behind the library; `rejections` knows the
//! promises that nobody handles; [`clock`] says what time counts; [`envelope`] reads the outcome.
#![forbid(unsafe_code)]

mod bytes;
pub mod clock;
pub mod console;
mod crypto;
mod drive;
pub mod entry;
pub mod envelope;
pub mod host;
mod memory;
pub mod modules;
mod natives;
mod rejections;
pub mod request;
mod retained;
mod run;
pub mod sandbox;
mod text;
mod thrown;
mod timers;
mod web;

pub use host::{Host, HostEvent, Invocation, Work};
pub use request::{Outbound, SandboxRequest};
pub use retained::Retained;
pub use sandbox::{Execution, Outcome, Sandbox, SandboxConfig, Settlement, Spent};

/// What the engine of this build is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    /// The version of V8.
    pub version: &'static str,
    /// Whether the heap lives in V8's memory cage.
    pub memory_cage: bool,
}

/// The engine of this build.
pub fn engine() -> Engine {
    Engine {
        version: codemode_runtime::engine::version(),
        memory_cage: codemode_runtime::engine::memory_cage(),
    }
}

/// Gives the random numbers of this process a seed of their own, after a fork.
pub fn reseed(seed: u32) {
    codemode_runtime::engine::reseed(seed);
}
