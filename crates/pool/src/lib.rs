//! Supervised worker processes: one run, one process.
//!
//! # Purpose
//! A host hands over a program and gets back what came of it. Between the two this crate finds a process that
//! nobody used before, talks to it, bounds it from outside and makes sure that it ends.
//!
//! # Promises
//! - A worker serves one run, and the handler that it returned where that was asked for, and exits. Nothing is cleaned up or reused.
//! - A worker that crashes, hangs, breaks the protocol or is killed costs its own caller's run and nothing else.
//! - Every run settles: on its answer, on its bounds (counted time plus grace, memory), or with a typed fault.
//! - Console lines that a worker wrote are kept whatever ends it.
//! - The queue never grows past its bound; a request past it is refused at once.
//! - No process outlives the host, whatever ends the host.
//! - A worker holds no environment, no descriptor but its channel, and, as far as the machine permits, no files,
//!   no network, no other processes, and no system call off its list. [`Pool::capabilities`] says what is on.
//!
//! # Not here
//! The engine: what a worker does is a [`worker::WorkerBody`], made by `codemode-executor`.
//!
//! # Map
//! [`pool`](Pool) is what a host holds; [`config`] its settings; [`job`] what goes in and out; [`events`] what it tells
//! of itself; `run` drives one run in its caller's task; `retained` keeps a program that stays behind its run;
//! `dispatcher` decides, as a pure state machine; `supervisor` carries out; [`ipc`] is what crosses; [`worker`] is the
//! other side; `sys` holds the system calls. With the feature `opentelemetry`, `telemetry` makes metrics and spans of
//! events.
#![deny(unsafe_code)]

#[cfg(not(target_os = "linux"))]
compile_error!("worker processes are built on Linux facilities: pidfd, seccomp, sequenced-packet sockets");

pub mod config;
pub mod convert;
mod dispatcher;
pub mod events;
pub mod ipc;
pub mod job;
mod pool;
mod retained;
mod run;
mod supervisor;
#[expect(unsafe_code, reason = "system calls without a safe wrapper; nothing else in this crate is unsafe")]
mod sys;
#[cfg(feature = "opentelemetry")]
pub mod telemetry;
pub mod worker;

pub use config::{
    HARDENING, HardeningLevel, MemoryGroupSetting, PoolConfig, StartMode, TemplateConfig, WorkerCommand,
};
pub use dispatcher::message::Counts;
pub use events::{MemoryBound, PoolEvent, PoolObserver, RetainedEnd, RunEnd, StartCause};
pub use ipc::frame::{
    ConsoleLevel, FailKind, HandleRequestParts, HandleResponseParts, HostFrame, InvocationOutcome,
    OutboundOutcome, OutboundParts, Outcome, Redirect, ResponseParts, RunRequest, Settlement, Spent,
    ToolOutcome, WorkerFrame,
};
pub use ipc::worker::{ChannelClosed, Received, WorkerChannel};
pub use job::{Finished, Job};
pub use pool::Pool;
pub use worker::{Prepared, Work, WorkerBody, is_worker_process, serve_if_requested};
