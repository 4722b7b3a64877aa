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
    /// A fault with the text of its row, of a run that had not begun.
    pub fn of(code: FaultCode) -> Self {
        Self::new(code, code.text())
    }

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

    /// This fault with a suggestion of how long to wait before a retry.
    pub fn retry_after_ms(mut self, wait_ms: u64) -> Self {
        self.retry_after_ms = Some(wait_ms);
        self
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

impl FaultClass {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            FaultClass::Caller => "caller",
            FaultClass::Limit => "limit",
            FaultClass::Lost => "lost",
            FaultClass::Internal => "internal",
        }
    }
}

macro_rules! fault_table {
    ($($(#[$doc:meta])* $variant:ident $name:literal $class:ident $retry:literal $text:literal;)*) => {
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
            /// What the code says where nothing more is known.
            pub fn text(self) -> &'static str {
                match self { $(FaultCode::$variant => $text),* }
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
    InvalidRequest "INVALID_REQUEST" Caller false "The request or a setting of the executor is out of bounds.";
    /// The host program is not set up to start workers.
    WorkerSetup "WORKER_SETUP" Caller false "The host program is not set up to start workers.";
    /// The queue is at its bound.
    QueueFull "QUEUE_FULL" Limit true "The queue is full.";
    /// The request waited for a place past its deadline.
    QueueTimeout "QUEUE_TIMEOUT" Limit true "The request waited too long for a place.";
    /// A worker died, or could not start.
    WorkerCrashed "WORKER_CRASHED" Lost true "The worker of this run died.";
    /// The caller gave the run up.
    Cancelled "CANCELLED" Caller false "The caller gave the run up.";
    /// As many executions are retained as may be.
    RetainedLimit "RETAINED_LIMIT" Limit true "As many executions are retained as may be.";
    /// The retained execution is closed.
    HandlesClosed "HANDLES_CLOSED" Limit false "The handles of the execution are closed.";
    /// The retained execution serves no handle of that name.
    HandleNotFound "HANDLE_NOT_FOUND" Caller false "The execution serves no handle of that name.";
    /// A fault of this software, or a call after its end.
    Internal "INTERNAL" Internal false "The executor failed.";
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
