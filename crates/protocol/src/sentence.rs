//! Every declared sentence of the failure grammar, as a type that composes its own text.

use std::fmt;

use crate::FailureKind;

/// A sentence that a program or caller can read. Its text is contract, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sentence {
    /// The bound on counted time.
    ExecutionTimeout {
        /// The bound that was reached.
        bound_ms: u64,
    },
    /// The memory budget.
    MemoryLimit {
        /// The budget that was reached.
        memory_mb: u32,
    },
    /// A message past the payload bound.
    PayloadTooLarge {
        /// What was too large: "The outbound request", "The tool call", …
        subject: &'static str,
        /// Its size.
        size_bytes: usize,
        /// The bound.
        limit_bytes: usize,
    },
    /// `fetch` where the network is closed.
    OutboundDisabled,
    /// A tool call after the run settled.
    ExecutionCompleted,
    /// A tool answer that is no envelope.
    DispatchOutsideEnvelope,
}

impl Sentence {
    /// The kind of failure that this sentence reports when it ends a run.
    pub fn kind(&self) -> FailureKind {
        match self {
            Sentence::ExecutionTimeout { .. } => FailureKind::Timeout,
            Sentence::MemoryLimit { .. } => FailureKind::Memory,
            Sentence::PayloadTooLarge { .. } => FailureKind::Payload,
            Sentence::OutboundDisabled | Sentence::ExecutionCompleted | Sentence::DispatchOutsideEnvelope => {
                FailureKind::Thrown
            }
        }
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sentence::ExecutionTimeout { bound_ms } => write!(
                f,
                "Execution timed out at its {bound_ms} ms bound. Do less work per run and return the part that is \
                 already finished."
            ),
            Sentence::MemoryLimit { memory_mb } => write!(
                f,
                "Execution exceeded its {memory_mb} MB memory limit. Hold less data at once and return the part that \
                 is needed."
            ),
            Sentence::PayloadTooLarge { subject, size_bytes, limit_bytes } => write!(
                f,
                "{subject} is {size_bytes} bytes and the bound is {limit_bytes} bytes. Send less at once."
            ),
            Sentence::OutboundDisabled => f.write_str(
                "Outbound fetch is disabled for this execution. Anything this run needs from outside has to arrive \
                 through a tool call.",
            ),
            Sentence::ExecutionCompleted => f.write_str("Execution has already completed."),
            Sentence::DispatchOutsideEnvelope => {
                f.write_str("The dispatch answered outside the result envelope.")
            }
        }
    }
}
