//! The other side of the process boundary: what runs in a process that a pool started.
//!
//! ```text
//! launcher ── enters namespaces, forks once, waits, says how the template ended
//! └─ template ── locks itself in, starts the engine, forks on demand, reports exits
//!    └─ worker ── locks itself down, serves one run, exits
//! ```
//! All three are the host's own executable, started again with a private marker as first argument.

pub(crate) mod aside;
mod body;
mod child;
mod harden;
mod launcher;
mod mapping;
mod namespaces;
mod probe;
mod report;
mod syscalls;
mod template;

pub use aside::Work;
pub use body::{Prepared, WorkerBody};
pub(crate) use child::{HEAP_LIMIT, MEMORY_REFUSED};
pub use syscalls::{Need, Reach, SyscallRow, table as syscall_table};

/// First argument of every process that a pool starts.
pub(crate) const MARKER: &str = "--codemode-worker-process";

/// Ends a worker whose engine reached the limit of its heap, at once: the exit status tells the host. Allocates nothing.
pub fn exit_at_heap_limit() -> ! {
    crate::sys::process::exit_now(child::HEAP_LIMIT)
}

/// Ends a worker whose engine was refused memory by the kernel, in the same way.
pub fn exit_without_memory() -> ! {
    crate::sys::process::exit_now(child::MEMORY_REFUSED)
}

/// Whether a pool started this process.
pub fn is_worker_process() -> bool {
    std::env::args_os().nth(1).is_some_and(|argument| argument == MARKER)
}

/// Serves as a worker and never returns, when a pool started this process; otherwise returns at once.
///
/// To be called first thing in `main`, before any thread is started. `make` is called in the template, once.
pub fn serve_if_requested(make: impl FnOnce() -> Box<dyn WorkerBody>) {
    if is_worker_process() {
        launcher::serve(make);
    }
}
