//! Runs model-written JavaScript in processes of their own and returns what it produced.
//!
//! # Purpose
//! [`IsolateExecutor`] is the native contract of [`codemode_protocol`] in the process of the host: a request goes in,
//! a worker process with a V8 isolate of its own runs the program, and an [`ExecuteResult`] comes back. Tools and
//! network policies are functions of the host and are called back in it.
//!
//! # Promises
//! - The host process never starts V8. Every program runs in a process that serves that program alone and holds no
//!   secret, no network and no file.
//! - `execute` always settles. A program that fails is an `Ok` with `error` set; a [`Fault`] is a failure of the
//!   executor, with a code to branch on.
//! - Dropping the future of an execution ends its worker and frees the place.
//! - Nothing is spawned before the first `execute` (or [`IsolateExecutor::warm_up`]), and nothing outlives
//!   [`IsolateExecutor::dispose`], the last handle or the host process.
//!
//! # Setting up
//! Workers are started from the host's own executable, so its `main` begins with one line:
//!
//! ```no_run
//! codemode_executor::run_worker_if_requested();
//! // … the host, for instance a tokio runtime
//! ```
//!
//! A host that cannot do that names the binary `codemode-worker` of this crate through
//! [`IsolateExecutorBuilder::worker_binary`].
//!
//! # Speed
//! A template moves what is in use of the program onto huge pages before it forks. It can do so with all of the code where
//! the segments of the executable share no huge page of addresses, which a linker does on request: a host's
//! `.cargo/config.toml` has
//!
//! ```toml
//! [target.'cfg(target_os = "linux")']
//! rustflags = ["-C", "link-arg=-Wl,-z,max-page-size=2097152"]
//! ```
//!
//! Without it everything works, with about 7 % fewer runs a second.
//!
//! Where hostile programs are to be expected and the machine does little else, `long_run` in
//! [`IsolateExecutorBuilder::pool`] has runs that take longer go on at a lower priority, so that short ones do not wait for
//! them: `Some(Duration::from_millis(1))`.
//!
//! # Not here
//! A network in front of the executor (`codemode-server`), the `@cloudflare/codemode` dialect (`codemode-adapter`).
//!
//! # Map
//! [`IsolateExecutor`] and its builder; `code_cache` keeps compiled code of modules that come again; [`native`] performs the `fetch` of programs in the host; `worker` is what
//! runs in the other processes.
#![forbid(unsafe_code)]

mod builder;
mod channel_host;
mod code_cache;
mod executor;
pub mod native;
mod worker;

pub use builder::IsolateExecutorBuilder;
#[cfg(feature = "opentelemetry")]
pub use codemode_pool::telemetry::Telemetry;
pub use codemode_pool::{HARDENING, HardeningLevel, MemoryGroupSetting, PoolEvent, PoolObserver, StartMode};
pub use codemode_protocol::{
    self as protocol, ExecuteRequest, ExecuteResult, Executor, Fault, FaultCode, HandleRequest,
    HandleResponse, HandleResult, OutboundPolicy, Value,
};
pub use executor::IsolateExecutor;
pub use worker::run_worker_if_requested;

// The README's host stays one that compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
