//! [`Aside`]: the second thread of a worker, for work that would keep the program waiting.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::sys::wake::Waker;

/// Work for the second thread. It cannot touch the engine, which belongs to the first.
pub type Work = Box<dyn FnOnce() + Send>;

/// Stack of the thread. Nothing that is performed there recurses.
const STACK_BYTES: usize = 1 << 20;

/// The second thread. It performs one piece of work at a time, in order, until the process ends.
pub(crate) struct Aside {
    work: Sender<Work>,
    done: Receiver<thread::Result<()>>,
    open: usize,
}

impl Aside {
    /// Starts the thread. The calling thread is the one that is woken when work is done.
    ///
    /// # Errors
    /// What the kernel says where a worker may have no second thread.
    pub(crate) fn start() -> io::Result<Self> {
        let waker = Waker::of_this_thread()?;
        let (work, inbox) = channel::<Work>();
        let (outbox, done) = channel();
        thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
            for work in inbox {
                if outbox.send(catch_unwind(AssertUnwindSafe(work))).is_err() {
                    return;
                }
                waker.wake();
            }
        })?;
        Ok(Self { work, done, open: 0 })
    }

    /// Hands work over. Gives it back where the thread is gone.
    pub(crate) fn hand_over(&mut self, work: Work) -> Result<(), Work> {
        self.work.send(work).map_err(|error| error.0)?;
        self.open += 1;
        Ok(())
    }

    /// Whether work has been handed over whose end was not reported.
    pub(crate) fn is_working(&self) -> bool {
        self.open > 0
    }

    /// Whether a piece of work is done that was not reported yet. A panic in it goes on here.
    pub(crate) fn take_done(&mut self) -> bool {
        match self.done.try_recv() {
            Ok(Ok(())) => {
                self.open -= 1;
                true
            }
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => false,
        }
    }
}
