//! What a worker that died without a word means for its run.

use codemode_protocol::{Fault, Sentence};
use nix::libc;

use crate::events::RunEnd;
use crate::ipc::control::Exit;
use crate::ipc::frame::Outcome;
use crate::worker::OUT_OF_MEMORY;

/// Why a run ended before its worker said so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Killed by us: counted time.
    Timeout,
    /// Killed by us: resident memory.
    Memory,
    /// Killed by us: it broke the protocol.
    Violation(String),
    /// The worker's own code failed and said so.
    Broken(String),
    /// The channel closed.
    Closed,
}

/// What classifies a death besides its [`End`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances {
    /// How the process ended, when that became known.
    pub(crate) exit: Option<Exit>,
    /// Resident memory it was born with, in KiB.
    pub(crate) born_kib: u64,
    pub(crate) memory_mb: u32,
    pub(crate) timeout_ms: u64,
    pub(crate) tool_calls_completed: u32,
    /// The pool is being disposed.
    pub(crate) stopping: bool,
}

/// In band for the bounds of the program, a fault for everything else.
pub(crate) fn classify(end: End, facts: Circumstances) -> (RunEnd, Result<Outcome, Fault>) {
    let in_band =
        |sentence: Sentence| Ok(Outcome::Failed { kind: sentence.kind().into(), text: sentence.to_string() });
    let out_of_memory = || in_band(Sentence::MemoryLimit { memory_mb: facts.memory_mb });
    let fault = |fault: Fault| Err(fault.after_start(facts.tool_calls_completed));
    match end {
        End::Timeout => {
            let sentence = Sentence::ExecutionTimeout { bound_ms: facts.timeout_ms };
            (RunEnd::KilledOnTimeout, in_band(sentence))
        }
        End::Memory => (RunEnd::OutOfMemory, out_of_memory()),
        End::Violation(detail) => (RunEnd::Crashed, fault(Sentence::WorkerViolation { detail }.into())),
        End::Broken(text) => {
            let died = Fault::from(Sentence::WorkerDied { how: "its own code failed".to_owned() });
            (RunEnd::Crashed, fault(died.caused_by(text)))
        }
        End::Closed if facts.stopping => (RunEnd::Disposed, fault(Sentence::PoolShuttingDown.into())),
        End::Closed if facts.exit.is_some_and(|exit| ran_out_of_memory(exit, facts)) => {
            (RunEnd::OutOfMemory, out_of_memory())
        }
        End::Closed => (RunEnd::Crashed, fault(died(facts.exit))),
    }
}

/// The fault of a worker that died.
pub(crate) fn died(exit: Option<Exit>) -> Fault {
    let Some(exit) = exit else {
        return Fault::from(Sentence::WorkerDied { how: "its template died with it".to_owned() });
    };
    let how = exit.describe();
    let fault = Fault::from(Sentence::WorkerDied { how });
    match exit.signal {
        Some(libc::SIGSYS) => fault.caused_by("It made a system call that is not on its list."),
        Some(libc::SIGKILL) => {
            fault.caused_by("It was killed from outside: by the kernel or by an operator.")
        }
        _ => fault,
    }
}

/// An engine that notices says so by its exit status. One that cannot get memory elsewhere crashes. So does one
/// with a fault; what tells them apart is how much the worker held.
fn ran_out_of_memory(exit: Exit, facts: Circumstances) -> bool {
    if exit.code == Some(OUT_OF_MEMORY) {
        return true;
    }
    let budget_kib = u64::from(facts.memory_mb) << 10;
    let grown_kib = exit.max_resident_kib.saturating_sub(facts.born_kib);
    match exit.signal {
        Some(libc::SIGTRAP | libc::SIGABRT | libc::SIGILL | libc::SIGSEGV | libc::SIGBUS) => {
            grown_kib >= budget_kib / 4 * 3
        }
        // The kernel's own last resort.
        Some(libc::SIGKILL) => grown_kib >= budget_kib,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use codemode_protocol::{FailureKind, FaultCode};

    use super::*;
    use crate::ipc::frame::FailKind;

    fn facts(signal: Option<i32>, grown_mb: u64) -> Circumstances {
        let exit = Exit { signal, max_resident_kib: (10 + grown_mb) << 10, ..Exit::default() };
        Circumstances {
            exit: Some(exit),
            born_kib: 10 << 10,
            memory_mb: 100,
            timeout_ms: 7,
            tool_calls_completed: 3,
            stopping: false,
        }
    }

    #[test]
    fn a_crash_is_the_memory_limit_only_when_memory_was_held() {
        for (signal, grown_mb, memory) in [
            (libc::SIGTRAP, 80, true),
            (libc::SIGTRAP, 70, false),
            (libc::SIGABRT, 100, true),
            (libc::SIGKILL, 90, false),
            (libc::SIGKILL, 101, true),
            (libc::SIGSYS, 200, false),
        ] {
            let ended = classify(End::Closed, facts(Some(signal), grown_mb)).1;
            let in_band = matches!(ended, Ok(Outcome::Failed { kind: FailKind::Memory, .. }));
            assert_eq!(in_band, memory, "signal {signal} after {grown_mb} MB: {ended:?}");
        }
    }

    #[test]
    fn faults_say_what_had_happened() {
        let fault = classify(End::Closed, facts(Some(libc::SIGSEGV), 1)).1.unwrap_err();
        assert_eq!(
            (fault.code, fault.started, fault.tool_calls_completed),
            (FaultCode::WorkerCrashed, true, 3)
        );
        assert!(fault.message.contains("SIGSEGV"), "{fault}");
        let stopping = Circumstances { stopping: true, ..facts(Some(libc::SIGKILL), 1) };
        assert_eq!(classify(End::Closed, stopping).1.unwrap_err().code, FaultCode::Internal);
    }

    #[test]
    fn bounds_of_the_program_are_in_band() {
        let ended = classify(End::Timeout, facts(Some(libc::SIGKILL), 1)).1.unwrap();
        let sentence = Sentence::ExecutionTimeout { bound_ms: 7 };
        assert_eq!(sentence.kind(), FailureKind::Timeout);
        assert_eq!(ended, Outcome::Failed { kind: FailKind::Timeout, text: sentence.to_string() });
    }
}
