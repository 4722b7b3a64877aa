//! The worker's half of a channel: blocking, for the first thread of the process alone.

use std::cell::RefCell;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::codec::{self, FrameBuffer, ReadChunk};
use super::frame::{HostFrame, WorkerFrame};
use crate::sys::socket::{self, Waited};
use crate::worker::aside::{Aside, Work};

/// The worker's half of its channel to the host. A clone is the same channel: the engine calls back into code that
/// holds one.
#[derive(Clone)]
pub struct WorkerChannel(Rc<RefCell<Half>>);

struct Half {
    fd: OwnedFd,
    incoming: FrameBuffer,
    chunk: ReadChunk,
    aside: Option<Aside>,
}

/// The host is gone, or gave this run up. The worker has nothing left to do but exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelClosed;

/// What [`WorkerChannel::receive`] came back with.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// A frame.
    Frame(HostFrame),
    /// A piece of work that [`WorkerChannel::perform_aside`] took is done.
    WorkDone,
    /// Nothing within the given time.
    TimedOut,
}

impl WorkerChannel {
    pub(crate) fn new(fd: OwnedFd) -> Self {
        // The host is trusted; the bound only keeps a broken length from growing the buffer without end.
        let limit = u32::MAX as usize;
        Self(Rc::new(RefCell::new(Half {
            fd,
            incoming: FrameBuffer::new(limit),
            chunk: ReadChunk::default(),
            aside: None,
        })))
    }

    /// Writes one frame. When this returns, the host has it even if this process dies at its next instruction.
    ///
    /// # Errors
    /// [`ChannelClosed`] when nobody reads any more.
    pub fn send(&self, frame: &WorkerFrame) -> Result<(), ChannelClosed> {
        self.send_bytes(&codec::encode_frame(frame))
    }

    /// Waits for the next frame, at most `timeout`; without one, as long as it takes.
    ///
    /// # Errors
    /// [`ChannelClosed`] when the host closed its half or sent something that is no frame.
    pub fn receive(&self, timeout: Option<Duration>) -> Result<Received, ChannelClosed> {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        let Half { fd, incoming, chunk, aside } = &mut *self.0.borrow_mut();
        loop {
            if aside.as_mut().is_some_and(Aside::take_done) {
                return Ok(Received::WorkDone);
            }
            if let Some(frame) = incoming.next().map_err(|_| ChannelClosed)? {
                return Ok(Received::Frame(frame));
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let waited = match left {
                _ if aside.as_ref().is_some_and(Aside::is_working) => {
                    socket::wait_interruptibly(fd.as_fd(), left)
                }
                Some(left) => socket::wait_readable(fd.as_fd(), left),
                // Reading waits by itself.
                None => Ok(Waited::Readable),
            };
            match waited.map_err(|_| ChannelClosed)? {
                Waited::Readable => {}
                Waited::Woken => continue,
                Waited::TimedOut => return Ok(Received::TimedOut),
            }
            match socket::receive(fd.as_fd(), chunk.space()) {
                Ok(0) | Err(_) => return Err(ChannelClosed),
                Ok(length) => incoming.push(chunk.filled(length)),
            }
        }
    }

    /// Makes the second thread of this process, where there may be one.
    pub(crate) fn start_second_thread(&self) {
        self.0.borrow_mut().aside = Aside::start().ok();
    }

    /// Performs `work` on the second thread of this process. Pieces of work are performed one at a time, in order;
    /// [`WorkerChannel::receive`] reports the end of each.
    ///
    /// # Errors
    /// Gives the work back where this process has no second thread: the body did not ask for one, or it could not be
    /// made.
    ///
    /// # Panics
    /// A panic in the work goes on in the [`WorkerChannel::receive`] that would have reported its end.
    pub fn perform_aside(&self, work: Work) -> Result<(), Work> {
        match &mut self.0.borrow_mut().aside {
            Some(aside) => aside.hand_over(work),
            None => Err(work),
        }
    }

    /// The bytes that [`WorkerChannel::send`] writes. For tests that damage them.
    #[doc(hidden)]
    pub fn bytes_of(frame: &WorkerFrame) -> Vec<u8> {
        codec::encode_frame(frame)
    }

    /// Writes bytes as they are. For tests that play a worker which breaks the protocol.
    #[doc(hidden)]
    pub fn send_bytes(&self, bytes: &[u8]) -> Result<(), ChannelClosed> {
        socket::send_all(self.0.borrow().fd.as_fd(), bytes).map_err(|_| ChannelClosed)
    }
}
