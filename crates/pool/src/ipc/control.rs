//! The messages of a template's control socket.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rkyv::{Archive, Deserialize, Serialize};

use super::codec;
use crate::sys::socket;

/// Version of everything that crosses between host and worker processes. Both come from one executable, so a
/// difference means that the named worker binary is another build.
pub(crate) const VERSION: u32 = 3;

/// Longest text of a control message; a message has to fit a socket buffer.
const TEXT_LIMIT_BYTES: usize = 16 * 1024;
const MESSAGE_LIMIT_BYTES: usize = 64 * 1024;

/// From the host to a template.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) enum ToTemplate {
    /// First message. The descriptor beside it holds the archive of a `TemplateConfig`.
    Configure,
    /// Fork a worker and give it the descriptor beside this message as its channel.
    Fork { worker: u64 },
    /// Become that worker oneself. Last message.
    Become { worker: u64 },
}

/// From a template to the host.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) enum FromTemplate {
    /// First message, before the engine starts: this process does speak the protocol.
    Speaking { version: u32 },
    /// Sent by the launcher: the template exists. The descriptor beside it is its pidfd.
    TemplateForked,
    /// The engine is up and the self-test passed.
    Hello { can_fork: bool, capabilities: Vec<(String, String)> },
    /// The engine did not come up.
    StartFailed { text: String },
    /// A worker exists. The descriptor beside it is its pidfd.
    Forked { worker: u64, born: Born },
    /// A worker could not be made.
    ForkFailed { worker: u64, errno: i32 },
    /// A worker is gone.
    Exited { worker: u64, exit: Exit },
    /// The template is alive.
    Heartbeat,
    /// Sent by the launcher: the template itself is gone.
    TemplateExited { exit: Exit },
}

/// What a worker has in memory from its birth on, in KiB.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Born {
    /// Its resident set.
    pub(crate) resident_kib: u64,
    /// The part of it that is no file's.
    pub(crate) own_kib: u64,
}

/// How a process ended and what it used.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    /// Exit status, when it exited.
    pub code: Option<i32>,
    /// The signal, when one ended it.
    pub signal: Option<i32>,
    /// Time in user mode in microseconds.
    pub user_us: u64,
    /// Time in the kernel in microseconds.
    pub system_us: u64,
    /// Peak resident set in KiB, what it shares with its template included.
    pub max_resident_kib: u64,
}

impl Exit {
    /// How the process ended, in words.
    pub fn describe(self) -> String {
        match (self.code, self.signal) {
            (_, Some(signal)) => match nix::sys::signal::Signal::try_from(signal) {
                Ok(name) => format!("signal {name}"),
                Err(_) => format!("signal {signal}"),
            },
            (Some(code), None) => format!("exit status {code}"),
            (None, None) => "an unknown end".to_owned(),
        }
    }

    /// Time on the processor.
    pub fn cpu(self) -> Duration {
        Duration::from_micros(self.user_us + self.system_us)
    }
}

impl FromTemplate {
    /// A refusal whose text fits a message.
    pub(crate) fn start_failed(mut text: String) -> Self {
        if text.len() > TEXT_LIMIT_BYTES {
            let end = (0..=TEXT_LIMIT_BYTES).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            text.truncate(end);
        }
        FromTemplate::StartFailed { text }
    }
}

/// One end of a control socket.
pub(crate) struct ControlSocket(OwnedFd);

/// Room for one message.
pub(crate) struct Inbox(Box<[u8]>);

impl Default for Inbox {
    fn default() -> Self {
        Self(vec![0; MESSAGE_LIMIT_BYTES].into_boxed_slice())
    }
}

/// Room to put messages together in, for who sends many and would rather not allocate for each.
#[derive(Default)]
pub(crate) struct Outbox(Vec<u8>);

impl ControlSocket {
    pub(crate) fn new(fd: OwnedFd) -> Self {
        Self(fd)
    }

    /// Sends one message, with a descriptor beside it. Waits for room unless the socket is non-blocking.
    pub(crate) fn send<T: codec::Message>(
        &self,
        message: &T,
        beside: Option<BorrowedFd<'_>>,
    ) -> io::Result<()> {
        self.send_by(&mut Outbox::default(), message, beside)
    }

    /// The same by way of `outbox`.
    pub(crate) fn send_by<T: codec::Message>(
        &self,
        outbox: &mut Outbox,
        message: &T,
        beside: Option<BorrowedFd<'_>>,
    ) -> io::Result<()> {
        outbox.0 = codec::encode_into(message, std::mem::take(&mut outbox.0));
        let sent = socket::send_message(self.0.as_fd(), &outbox.0, beside);
        outbox.0.clear();
        sent
    }

    /// Receives one message, by way of `inbox`. `Ok(None)` is the end of the other side.
    ///
    /// # Errors
    /// `WouldBlock` when nothing waits on a non-blocking socket, `InvalidData` for what is no valid message.
    pub(crate) fn receive<T: codec::Message>(
        &self,
        inbox: &mut Inbox,
    ) -> io::Result<Option<(T, Option<OwnedFd>)>> {
        let (length, beside) = socket::receive_message(self.0.as_fd(), &mut inbox.0)?;
        if length == 0 {
            return Ok(None);
        }
        let message = codec::decode(&inbox.0[..length])
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(Some((message, beside)))
    }
}

impl ControlSocket {
    /// Sends nothing more, and waits until the other side is gone.
    ///
    /// # Errors
    /// `TimedOut` past `patience`.
    pub(crate) fn close_and_drain(&self, patience: Duration) -> io::Result<()> {
        socket::end_sending(self.0.as_fd())?;
        let (deadline, mut scrap) = (Instant::now() + patience, vec![0; MESSAGE_LIMIT_BYTES]);
        loop {
            match socket::receive_message(self.0.as_fd(), &mut scrap) {
                Ok((0, _)) => return Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    socket::wait_readable(self.0.as_fd(), left)?;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl AsFd for ControlSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
