//! [`Status`]: the exit status.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// 0: there is a result.
    Done,
    /// 1: the program failed. The sentence is for whoever wrote it.
    Failed,
    /// 2: wrong usage. Nothing ran.
    Usage,
    /// 3: a fault of the executor, or a result that could not be written.
    Fault,
    /// 128 and the number of the signal that ended the run, as a shell reports it.
    Interrupted(u8),
}

impl Status {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Status::Done => 0,
            Status::Failed => 1,
            Status::Usage => 2,
            Status::Fault => 3,
            Status::Interrupted(signal) => 128 + signal,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}
