//! [`PoolEvent`]: what a pool does, for whoever measures it.

use std::time::Duration;

use codemode_protocol::FaultCode;

/// Receives what a pool does. Must not block: it is called on the path of runs, and on the pool's own thread. A panic in
/// it ends with the event.
pub trait PoolObserver: Send + Sync {
    /// One event. Events of different runs come from different threads.
    fn event(&self, event: &PoolEvent);
}

impl<F: Fn(&PoolEvent) + Send + Sync> PoolObserver for F {
    fn event(&self, event: &PoolEvent) {
        self(event);
    }
}

/// Something a pool did. Templates and workers are named by their number in the pool.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PoolEvent {
    /// A template is being started.
    TemplateStarting {
        /// Its number.
        template: u64,
    },
    /// A template is up.
    TemplateUp {
        /// Its number.
        template: u64,
    },
    /// A template did not come up.
    TemplateFailed {
        /// Its number.
        template: u64,
        /// Why, outermost cause first.
        causes: Vec<String>,
    },
    /// A template is gone.
    TemplateEnded {
        /// Its number.
        template: u64,
        /// It was replaced and its last worker was gone; otherwise it died.
        retired: bool,
    },
    /// Workers have less hardening than there is: it is off, or this machine lacks layers. Once for each pool.
    HardeningIncomplete {
        /// What is off, as [`crate::Pool::capabilities`] says it under [`crate::HARDENING`].
        says: String,
    },
    /// The machine's memory is short, or no longer. While it is, nothing is kept ahead of demand.
    MemoryPressure {
        /// It is.
        short: bool,
    },
    /// A worker is being made.
    WorkerStarting {
        /// Its number.
        worker: u64,
        /// By a template; otherwise it is started by itself.
        forked: bool,
        /// Why.
        cause: StartCause,
    },
    /// A worker did not come to be.
    WorkerFailed {
        /// Its number.
        worker: u64,
        /// Why, outermost cause first.
        causes: Vec<String>,
    },
    /// A worker is gone.
    WorkerExited {
        /// Its number.
        worker: u64,
        /// How it ended: an exit status or a signal. Workers are killed behind their run, so that SIGKILL is
        /// the rule.
        how: String,
        /// Time on the processor.
        cpu: Duration,
        /// Peak resident set in bytes, what it shares with its template included.
        max_resident_bytes: u64,
    },
    /// A request came in. It waits from here on, if only for a moment.
    Requested {
        /// Its number in the pool.
        run: u64,
        /// Its tenant, empty without one.
        tenant: String,
    },
    /// A request was not served: refused, or given up by its caller before it began.
    Refused {
        /// Its number in the pool.
        run: u64,
        /// Its tenant, empty without one.
        tenant: String,
        /// Why. `None`: its caller gave it up.
        code: Option<FaultCode>,
    },
    /// A program begins.
    RunBegun {
        /// The number of its request.
        run: u64,
        /// The tenant, empty without one.
        tenant: String,
        /// The worker.
        worker: u64,
        /// Time from the request to here.
        waited: Duration,
    },
    /// A run is over. Where its worker died before it had read the request, the request comes in again under another
    /// number.
    RunEnded {
        /// The number of its request.
        run: u64,
        /// The tenant, empty without one.
        tenant: String,
        /// How it ended.
        end: RunEnd,
        /// Time since it began.
        took: Duration,
    },
    /// A retained execution is closed.
    RetainedEnded {
        /// The tenant, empty without one.
        tenant: String,
        /// Why.
        end: RetainedEnd,
        /// Time since its run was over.
        took: Duration,
        /// Invocations it served.
        invocations: u64,
    },
    /// The pool refuses everything from here on.
    Disposed,
}

/// Why a worker is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StartCause {
    /// A request waits for it.
    Demand,
    /// It is kept ready ahead of demand.
    Ahead,
}

impl StartCause {
    /// The name for metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            StartCause::Demand => "demand",
            StartCause::Ahead => "ahead",
        }
    }
}

/// Which bound on memory ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemoryBound {
    /// The limit of the engine's heap.
    Heap,
    /// The kernel refused a mapping: `RLIMIT_DATA`.
    Data,
    /// The host saw that it held too much.
    Resident,
    /// The bound of the control group, see [`crate::PoolConfig::memory_group`].
    Group,
    /// The machine ran out of memory.
    Machine,
}

impl MemoryBound {
    /// The name for metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            MemoryBound::Heap => "heap",
            MemoryBound::Data => "data",
            MemoryBound::Resident => "resident",
            MemoryBound::Group => "group",
            MemoryBound::Machine => "machine",
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunEnd {
    /// The worker settled it: an answer of the program, or a failure in band.
    Settled,
    /// The host killed it on its bound of counted time.
    KilledOnTimeout,
    /// It ran out of memory, or was killed for it. The sentence its caller reads is the same for every bound.
    OutOfMemory(MemoryBound),
    /// Its worker died, or broke the protocol.
    Crashed,
    /// Its caller gave it up.
    Cancelled,
    /// The pool was disposed under it.
    Disposed,
}

impl RunEnd {
    /// The name for metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            RunEnd::Settled => "settled",
            RunEnd::KilledOnTimeout => "killed_on_timeout",
            RunEnd::OutOfMemory(_) => "out_of_memory",
            RunEnd::Crashed => "crashed",
            RunEnd::Cancelled => "cancelled",
            RunEnd::Disposed => "disposed",
        }
    }
}

/// Why a retained execution is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RetainedEnd {
    /// Its caller closed it.
    Closed,
    /// Nobody invoked it for too long.
    Idle,
    /// An invocation reached the bound on counted time.
    Timeout,
    /// It ran out of memory, or was killed for it.
    OutOfMemory,
    /// Its worker died, or broke the protocol.
    Crashed,
    /// The pool was disposed.
    Disposed,
}

impl RetainedEnd {
    /// The name for metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            RetainedEnd::Closed => "closed",
            RetainedEnd::Idle => "idle",
            RetainedEnd::Timeout => "timeout",
            RetainedEnd::OutOfMemory => "out_of_memory",
            RetainedEnd::Crashed => "crashed",
            RetainedEnd::Disposed => "disposed",
        }
    }
}
