//! The worker's half of a channel: blocking, one thread.

use std::cell::RefCell;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::codec::{self, FrameBuffer, ReadChunk};
use super::frame::{HostFrame, WorkerFrame};
use crate::sys::socket;

/// The worker's half of its channel to the host. A clone is the same channel: the engine calls back into code that
/// holds one.
#[derive(Clone)]
pub struct WorkerChannel(Rc<RefCell<Half>>);

struct Half {
    fd: OwnedFd,
    incoming: FrameBuffer,
    chunk: ReadChunk,
}

/// The host is gone, or gave this run up. The worker has nothing left to do but exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelClosed;

/// What [`WorkerChannel::receive`] came back with.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// A frame.
    Frame(HostFrame),
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
        let Half { fd, incoming, chunk } = &mut *self.0.borrow_mut();
        loop {
            if let Some(frame) = incoming.next().map_err(|_| ChannelClosed)? {
                return Ok(Received::Frame(frame));
            }
            if let Some(deadline) = deadline {
                let left = deadline.saturating_duration_since(Instant::now());
                if !socket::wait_readable(fd.as_fd(), left).map_err(|_| ChannelClosed)? {
                    return Ok(Received::TimedOut);
                }
            }
            match socket::receive(fd.as_fd(), chunk.space()) {
                Ok(0) | Err(_) => return Err(ChannelClosed),
                Ok(length) => incoming.push(chunk.filled(length)),
            }
        }
    }

    /// Writes bytes as they are. For tests that play a worker which breaks the protocol.
    #[doc(hidden)]
    pub fn send_bytes(&self, bytes: &[u8]) -> Result<(), ChannelClosed> {
        socket::send_all(self.0.borrow().fd.as_fd(), bytes).map_err(|_| ChannelClosed)
    }
}
