//! [`Fault`]: a failure of the executor itself, never of the program.

use std::fmt;

/// Why an executor could not serve a run. The table is [`FaultCode`]; this adds what happened this time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The row of the table.
    pub code: FaultCode,
    /// One sentence.
    pub message: String,
    /// Whether the program had begun when the fault happened. A run that never began can be repeated freely.
    pub started: bool,
    /// Tool calls that had been answered by then: what a repeat would do twice.
    pub tool_calls_completed: u32,
    /// How long the executor suggests to wait before a retry.
    pub retry_after_ms: Option<u64>,
    /// The chain of causes, outermost first.
    pub causes: Vec<String>,
}

impl Fault {
    /// A fault of a run that had not begun.
    pub fn new(code: FaultCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            started: false,
            tool_calls_completed: 0,
            retry_after_ms: None,
            causes: Vec::new(),
        }
    }

    /// This fault with one more cause at the end of its chain.
    pub fn caused_by(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// This fault for a run that had begun and had these many tool calls answered.
    pub fn after_start(mut self, tool_calls_completed: u32) -> Self {
        self.started = true;
        self.tool_calls_completed = tool_calls_completed;
        self
    }

    /// Whether the same request may succeed when it is sent again.
    pub fn retryable(&self) -> bool {
        self.code.retryable()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// Who is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultClass {
    /// The caller asked for something that cannot be.
    Caller,
    /// A limit of the host: capacity, queue, idle time.
    Limit,
    /// The run was lost: a worker died under it.
    Lost,
    /// A fault of this software.
    Internal,
}

macro_rules! fault_table {
    ($($(#[$doc:meta])* $variant:ident $name:literal $class:ident $retry:literal;)*) => {
        /// The table of faults: one row a code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum FaultCode { $($(#[$doc])* $variant,)* }

        impl FaultCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [FaultCode] = &[$(FaultCode::$variant),*];
            /// The name on the wire and in logs.
            pub fn as_str(self) -> &'static str {
                match self { $(FaultCode::$variant => $name),* }
            }
            /// Who is at fault.
            pub fn class(self) -> FaultClass {
                match self { $(FaultCode::$variant => FaultClass::$class),* }
            }
            /// Whether the same request may succeed when it is sent again.
            pub fn retryable(self) -> bool {
                match self { $(FaultCode::$variant => $retry),* }
            }
            /// The code with this wire name.
            pub fn from_name(name: &str) -> Option<FaultCode> {
                match name { $($name => Some(FaultCode::$variant),)* _ => None }
            }
        }
    };
}

fault_table! {
    /// The request or the executor's settings are out of bounds.
    InvalidRequest "INVALID_REQUEST" Caller false;
    /// The host program is not set up to start workers.
    WorkerSetup "WORKER_SETUP" Caller false;
    /// The queue is at its bound.
    QueueFull "QUEUE_FULL" Limit true;
    /// The request waited for a place past its deadline.
    QueueTimeout "QUEUE_TIMEOUT" Limit true;
    /// A worker died, or could not start.
    WorkerCrashed "WORKER_CRASHED" Lost true;
    /// The caller gave the run up.
    Cancelled "CANCELLED" Caller false;
    /// The retained execution is closed.
    HandlesClosed "HANDLES_CLOSED" Limit false;
    /// A fault of this software, or a call after its end.
    Internal "INTERNAL" Internal false;
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
