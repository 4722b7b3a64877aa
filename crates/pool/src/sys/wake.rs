//! Interrupting a wait from another thread of this process, without a descriptor: by a signal that is held back except
//! while the thread waits.

use std::io;

use nix::sys::pthread::{Pthread, pthread_kill, pthread_self};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// The signal. Nobody outside of a worker can send it one.
const SIGNAL: Signal = Signal::SIGUSR1;

/// Wakes the thread that made it out of a [`super::socket::wait_interruptibly`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waker(Pthread);

impl Waker {
    /// A waker of this thread, which has to live as long as the process. The signal is held back from now on, and
    /// threads made later inherit that.
    pub(crate) fn of_this_thread() -> io::Result<Self> {
        let action = SigAction::new(SigHandler::Handler(nothing), SaFlags::empty(), SigSet::empty());
        // SAFETY: the handler does nothing, which is safe wherever it interrupts.
        unsafe { sigaction(SIGNAL, &action) }?;
        SigSet::from_iter([SIGNAL]).thread_block()?;
        Ok(Self(pthread_self()))
    }

    /// Ends the wait that goes on, or the next one.
    pub(crate) fn wake(self) {
        // The thread lives as long as the process does, and that is the only way to fail.
        let _ = pthread_kill(self.0, SIGNAL);
    }
}

extern "C" fn nothing(_: libc::c_int) {}
