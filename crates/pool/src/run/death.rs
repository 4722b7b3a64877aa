//! What a worker that died without a word means for its run.
//!
//! | what was seen | what it means | what the caller gets |
//! |---|---|---|
//! | an answer, whatever came behind it | settled | the answer |
//! | killed by us on counted time | the timeout | the timeout sentence |
//! | killed by us on memory it holds | memory: [`MemoryBound::Resident`] | the memory sentence |
//! | killed by us for what it sent | a violation | `WORKER_CRASHED`, with what was wrong |
//! | killed by us as the pool ended | disposed | `INTERNAL` |
//! | it said that its own code failed | crashed | `WORKER_CRASHED`, with what it said |
//! | exit status 73 | memory: [`MemoryBound::Heap`] | the memory sentence |
//! | exit status 74, or a fatal signal with most of its budget in hand | memory: [`MemoryBound::Data`] | the memory sentence |
//! | SIGKILL that the kernel accounts to the pool's group | memory: [`MemoryBound::Group`] | the memory sentence |
//! | SIGKILL past its budget | memory: [`MemoryBound::Machine`] | the memory sentence |
//! | SIGKILL | killed from outside | `WORKER_CRASHED` |
//! | SIGSYS | a call off its list | `WORKER_CRASHED` |
//! | SIGTRAP, SIGILL, SIGABRT | the engine gave up | `WORKER_CRASHED` |
//! | another signal, or an exit status | crashed | `WORKER_CRASHED` |
//! | nothing: its template died too | crashed | `WORKER_CRASHED` |

use codemode_protocol::{Fault, Sentence};
use nix::libc;

use crate::events::{MemoryBound, RunEnd};
use crate::ipc::control::Exit;
use crate::ipc::frame::Outcome;
use crate::worker::{HEAP_LIMIT, MEMORY_REFUSED};

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
    /// The kernel killed a process for the memory of the pool's group.
    pub(crate) group_kill: bool,
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
        End::Memory => (RunEnd::OutOfMemory(MemoryBound::Resident), out_of_memory()),
        End::Violation(detail) => (RunEnd::Crashed, fault(Sentence::WorkerViolation { detail }.into())),
        End::Broken(text) => {
            let died = Fault::from(Sentence::WorkerDied { how: "its own code failed".to_owned() });
            (RunEnd::Crashed, fault(died.caused_by(text)))
        }
        End::Closed if facts.stopping => (RunEnd::Disposed, fault(Sentence::PoolShuttingDown.into())),
        End::Closed => match facts.exit.and_then(|exit| memory_bound(exit, facts)) {
            Some(bound) => (RunEnd::OutOfMemory(bound), out_of_memory()),
            None => (RunEnd::Crashed, fault(died(facts.exit))),
        },
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
        Some(libc::SIGTRAP | libc::SIGILL | libc::SIGABRT) => {
            fault.caused_by("The engine gave up: a check of its own failed.")
        }
        _ => fault,
    }
}

/// An engine that notices says so by its exit status. One that cannot get memory elsewhere crashes. So does one
/// with a fault; what tells them apart is how much the worker held.
fn memory_bound(exit: Exit, facts: Circumstances) -> Option<MemoryBound> {
    let budget_kib = u64::from(facts.memory_mb) << 10;
    let grown_kib = exit.max_resident_kib.saturating_sub(facts.born_kib);
    match (exit.code, exit.signal) {
        (Some(HEAP_LIMIT), _) => Some(MemoryBound::Heap),
        (Some(MEMORY_REFUSED), _) => Some(MemoryBound::Data),
        (_, Some(libc::SIGTRAP | libc::SIGABRT | libc::SIGILL | libc::SIGSEGV | libc::SIGBUS)) => {
            (grown_kib >= budget_kib / 4 * 3).then_some(MemoryBound::Data)
        }
        (_, Some(libc::SIGKILL)) if facts.group_kill => Some(MemoryBound::Group),
        // The kernel's own last resort.
        (_, Some(libc::SIGKILL)) => (grown_kib >= budget_kib).then_some(MemoryBound::Machine),
        _ => None,
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
            group_kill: false,
            stopping: false,
        }
    }

    /// The table at the head of this file, row by row: what was seen, how the run is said to have ended, and a text of
    /// what its caller gets.
    #[test]
    fn every_way_to_end_is_classified() {
        use MemoryBound::{Data, Group, Heap, Machine, Resident};
        use RunEnd::{Crashed, Disposed, KilledOnTimeout, OutOfMemory};
        let exited = |code| Circumstances {
            exit: Some(Exit { code: Some(code), ..Exit::default() }),
            ..facts(None, 0)
        };
        let (calm, killed) = (facts(None, 0), |grown_mb| facts(Some(libc::SIGKILL), grown_mb));
        let memory = Sentence::MemoryLimit { memory_mb: 100 }.to_string();
        let timeout = Sentence::ExecutionTimeout { bound_ms: 7 }.to_string();
        let rows: Vec<(End, Circumstances, RunEnd, &str)> = vec![
            (End::Timeout, killed(0), KilledOnTimeout, &timeout),
            (End::Memory, killed(90), OutOfMemory(Resident), &memory),
            (End::Violation("a frame of 9 bytes".into()), killed(0), Crashed, "a frame of 9 bytes"),
            (End::Broken("a panic".into()), exited(70), Crashed, "its own code failed"),
            (End::Closed, Circumstances { stopping: true, ..killed(0) }, Disposed, "shutting down"),
            (End::Closed, exited(HEAP_LIMIT), OutOfMemory(Heap), &memory),
            (End::Closed, exited(MEMORY_REFUSED), OutOfMemory(Data), &memory),
            (End::Closed, facts(Some(libc::SIGTRAP), 80), OutOfMemory(Data), &memory),
            (End::Closed, Circumstances { group_kill: true, ..killed(0) }, OutOfMemory(Group), &memory),
            (End::Closed, killed(101), OutOfMemory(Machine), &memory),
            (End::Closed, killed(0), Crashed, "killed from outside"),
            (End::Closed, facts(Some(libc::SIGSYS), 200), Crashed, "not on its list"),
            (End::Closed, facts(Some(libc::SIGILL), 1), Crashed, "The engine gave up"),
            (End::Closed, facts(Some(libc::SIGABRT), 1), Crashed, "The engine gave up"),
            (End::Closed, facts(Some(libc::SIGSEGV), 1), Crashed, "SIGSEGV"),
            (End::Closed, exited(3), Crashed, "exit status 3"),
            (End::Closed, Circumstances { exit: None, ..calm }, Crashed, "its template died with it"),
        ];
        for (end, seen, ends, says) in rows {
            let row = format!("{end:?} {seen:?}");
            let (how, outcome) = classify(end, seen);
            let said = match outcome {
                Ok(Outcome::Failed { text, .. }) => text,
                Err(fault) => format!("{} {}", fault.message, fault.causes.join(" ")),
                other => panic!("{row}: {other:?}"),
            };
            assert_eq!(how, ends, "{row}");
            assert!(said.contains(says), "{row}: {said}");
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
