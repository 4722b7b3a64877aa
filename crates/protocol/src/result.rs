//! What comes back: [`ExecuteResult`].

use crate::Value;

/// The outcome of one run, for programs that worked and programs that failed alike.
///
/// Read `error` first: when it is `None` the run produced `result`. Failures of the executor itself are never
/// here; `execute` answers those with a [`crate::Fault`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ExecuteResult {
    /// What the program returned. `None` is JavaScript's `undefined`.
    pub result: Option<Value>,
    /// Why the program failed, as text for the model that wrote it.
    pub error: Option<String>,
    /// The console lines of the run, in order. They survive every kind of death.
    pub logs: Vec<LogLine>,
    /// The name of a retained execution, when the run retained its handles.
    pub execution_id: Option<String>,
    /// The handles a retained execution serves.
    pub handles: Option<Vec<String>>,
    /// Why a failed run failed, so that no host matches on sentences. `None` when the run did not fail.
    pub kind: Option<FailureKind>,
    /// What the run spent.
    pub usage: Usage,
}

impl ExecuteResult {
    /// A run that returned `result`.
    pub fn returned(result: Option<Value>) -> Self {
        Self { result, ..Self::default() }
    }

    /// A run that failed with `error`.
    pub fn failed(kind: FailureKind, error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), kind: Some(kind), ..Self::default() }
    }

    /// The returned value, or the sentence of the failure.
    ///
    /// # Errors
    /// The text of `error` when the program failed.
    pub fn into_value(self) -> Result<Option<Value>, String> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.result),
        }
    }
}

/// Why a run failed in band.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// The program threw, or rejected.
    Thrown,
    /// The text does not parse in the entry position.
    Syntax,
    /// An import or a module of the map failed to resolve or compile.
    Module,
    /// The bound on counted time.
    Timeout,
    /// The memory budget.
    Memory,
    /// A message past the payload bound, or a value that JSON cannot carry within its depth.
    Payload,
    /// A provider name that the contract refuses.
    Provider,
    /// The caller gave the run up.
    Cancelled,
}

impl FailureKind {
    /// Every kind, for tables and tests.
    pub const ALL: [FailureKind; 8] = [
        FailureKind::Thrown,
        FailureKind::Syntax,
        FailureKind::Module,
        FailureKind::Timeout,
        FailureKind::Memory,
        FailureKind::Payload,
        FailureKind::Provider,
        FailureKind::Cancelled,
    ];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            FailureKind::Thrown => "thrown",
            FailureKind::Syntax => "syntax",
            FailureKind::Module => "module",
            FailureKind::Timeout => "timeout",
            FailureKind::Memory => "memory",
            FailureKind::Payload => "payload",
            FailureKind::Provider => "provider",
            FailureKind::Cancelled => "cancelled",
        }
    }

    /// The kind with this wire name.
    pub fn from_name(name: &str) -> Option<FailureKind> {
        FailureKind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// One console line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Which console method wrote it.
    pub level: LogLevel,
    /// The arguments passed through `String()` and joined by single spaces.
    pub text: String,
}

/// The console method behind a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogLevel {
    /// `console.log`
    Log,
    /// `console.warn`
    Warn,
    /// `console.error`
    Error,
}

impl LogLevel {
    /// Every level.
    pub const ALL: [LogLevel; 3] = [LogLevel::Log, LogLevel::Warn, LogLevel::Error];

    /// The level with this wire name.
    pub fn from_name(name: &str) -> Option<LogLevel> {
        LogLevel::ALL.into_iter().find(|level| level.as_str() == name)
    }

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Log => "log",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        }
    }
}

/// What a run spent. Times in milliseconds, sizes in bytes; zero where a run ended before it was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Usage {
    /// From the start of the program to its end, on the wall.
    pub wall_ms: f64,
    /// What counted against the timeout.
    pub counted_ms: f64,
    /// Processor time of the worker.
    pub cpu_ms: f64,
    /// Time spent waiting for the caller's own functions.
    pub host_wait_ms: f64,
    /// Peak size of the heap.
    pub peak_heap_bytes: u64,
    /// Peak size of memory outside the heap: buffers.
    pub peak_buffer_bytes: u64,
    /// Tool calls made.
    pub tool_calls: u32,
}
