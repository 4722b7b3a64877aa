//! Signals that ask a command to end.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::Status;

/// Waits for the signals that end a command. From its creation on they end nothing by themselves.
pub(crate) struct Interrupt {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupt {
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// The status of a command that was asked to end.
    pub(crate) async fn wait(&mut self) -> Status {
        let kind = tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.terminate.recv() => SignalKind::terminate(),
        };
        Status::Interrupted(u8::try_from(kind.as_raw_value()).expect("signals are small numbers"))
    }
}
