//! The host's half of a channel: tokio, one task.

use std::collections::VecDeque;
use std::io;
use std::os::unix::net::UnixStream as StdStream;

use tokio::net::UnixStream;

use super::codec::{self, FrameBuffer, ReadChunk};
use super::frame::{HostFrame, WorkerFrame};

/// The host's half of a worker's channel. Reads and writes never wait for each other.
pub(crate) struct HostChannel {
    stream: UnixStream,
    incoming: FrameBuffer,
    outgoing: VecDeque<Vec<u8>>,
    /// Bytes of the first outgoing frame that are written.
    written: usize,
    outgoing_bytes: usize,
    open_for_writing: bool,
    /// The worker's half closed before it had read everything.
    cut_off: bool,
    chunk: ReadChunk,
}

/// Why a read ended.
#[derive(Debug)]
pub(crate) enum Arrival {
    /// Bytes came in; [`HostChannel::next`] may have frames.
    Bytes,
    /// The worker's half is closed.
    End,
}

impl HostChannel {
    /// Takes a non-blocking stream whose first bytes are already on their way: see [`write_first`].
    pub(crate) fn new(stream: StdStream, rest: Vec<u8>, frame_limit: usize) -> io::Result<Self> {
        let mut channel = Self {
            stream: UnixStream::from_std(stream)?,
            incoming: FrameBuffer::new(frame_limit),
            outgoing: VecDeque::new(),
            written: 0,
            outgoing_bytes: 0,
            open_for_writing: true,
            cut_off: false,
            chunk: ReadChunk::default(),
        };
        if !rest.is_empty() {
            channel.queue_bytes(rest);
        }
        Ok(channel)
    }

    /// The next whole frame that has arrived.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn next(&mut self) -> Result<Option<WorkerFrame>, String> {
        self.incoming.next()
    }

    /// Whether [`HostChannel::next`] has something to say already.
    pub(crate) fn has_frame(&self) -> bool {
        self.incoming.has_frame()
    }

    /// Whether the worker's half closed before it had read everything that was sent.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.cut_off
    }

    /// Bytes that wait to be written.
    pub(crate) fn outgoing_bytes(&self) -> usize {
        self.outgoing_bytes
    }

    /// Queues one frame, and writes what the socket takes at once.
    pub(crate) fn send(&mut self, frame: &HostFrame) {
        self.queue_bytes(codec::encode_frame(frame));
        self.flush();
    }

    /// Waits until bytes arrived, and meanwhile writes what waits to be written. Cancel-safe.
    pub(crate) async fn exchange(&mut self) -> Arrival {
        loop {
            if self.open_for_writing && !self.outgoing.is_empty() {
                tokio::select! {
                    ready = self.stream.readable() => if ready.is_err() { return Arrival::End },
                    ready = self.stream.writable() => {
                        if ready.is_err() { self.close_writing() } else { self.flush() }
                    },
                }
            } else if self.stream.readable().await.is_err() {
                return Arrival::End;
            }
            match self.stream.try_read(self.chunk.space()) {
                Ok(0) => return Arrival::End,
                Ok(length) => {
                    self.incoming.push(self.chunk.filled(length));
                    return Arrival::Bytes;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // A worker that dies with unread bytes resets the socket. What it wrote came in before that.
                Err(error) => {
                    self.cut_off |= error.kind() == io::ErrorKind::ConnectionReset;
                    return Arrival::End;
                }
            }
        }
    }

    fn queue_bytes(&mut self, bytes: Vec<u8>) {
        if self.open_for_writing {
            self.outgoing_bytes += bytes.len();
            self.outgoing.push_back(bytes);
        }
    }

    fn flush(&mut self) {
        while let Some(first) = self.outgoing.front() {
            match self.stream.try_write(&first[self.written..]) {
                Ok(length) => {
                    self.written += length;
                    self.outgoing_bytes -= length;
                    if self.written == first.len() {
                        self.outgoing.pop_front();
                        self.written = 0;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => return self.close_writing(),
            }
        }
    }

    /// Nobody reads any more. What the worker wrote before that is still to be read.
    fn close_writing(&mut self) {
        self.open_for_writing = false;
        self.cut_off |= !self.outgoing.is_empty();
        self.outgoing.clear();
        self.outgoing_bytes = 0;
        self.written = 0;
    }
}

/// The first frame of a channel, as bytes.
pub(crate) fn encode_first(frame: &HostFrame) -> Vec<u8> {
    codec::encode_frame(frame)
}

/// Writes the first frame without waiting for anything and answers the bytes that did not fit yet.
///
/// # Errors
/// The worker is gone: nothing was read, so the frame can go to another.
pub(crate) fn write_first(stream: &StdStream, bytes: &[u8]) -> io::Result<Vec<u8>> {
    use std::io::Write;
    match (&*stream).write(bytes) {
        Ok(length) => Ok(bytes[length..].to_vec()),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(bytes.to_vec()),
        Err(error) => Err(error),
    }
}
