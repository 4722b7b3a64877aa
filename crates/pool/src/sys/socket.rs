//! Sockets: pairs, messages with a descriptor beside them, blocking reads and writes that never raise SIGPIPE.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll, ppoll};
use nix::sys::signal::SigSet;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, recv, send, socketpair};
use nix::sys::time::TimeSpec;

/// A pair of connected sockets that keep message boundaries. Both close on exec and block.
pub(crate) fn message_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)?)
}

/// A stream pair: the host's end, which does not block, and the worker's, which does.
pub(crate) fn channel_pair() -> io::Result<(UnixStream, OwnedFd)> {
    let (host, worker) = socketpair(AddressFamily::Unix, SockType::Stream, None, SockFlag::SOCK_CLOEXEC)?;
    let host = UnixStream::from(host);
    host.set_nonblocking(true)?;
    Ok((host, worker))
}

/// Sends one message and the descriptor beside it. Allocates nothing.
pub(crate) fn send_message(
    fd: BorrowedFd<'_>,
    bytes: &[u8],
    beside: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    let mut control = Control::default();
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut message = control.message(&mut part);
    match beside {
        // SAFETY: the message has a control buffer for one descriptor, so that there is a first header and its data.
        Some(beside) => unsafe {
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            header.write(Control::header());
            libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(beside.as_raw_fd());
        },
        None => message.msg_controllen = 0,
    }
    retry(|| {
        // SAFETY: the message refers to live buffers of the lengths it names, which are only read.
        Errno::result(unsafe { libc::sendmsg(fd.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL) })
    })?;
    Ok(())
}

/// Receives one message into `buffer` and the descriptor that came beside it, where this process has room for one. Zero
/// bytes is the end. Allocates nothing.
pub(crate) fn receive_message(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
    let mut control = Control::default();
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let mut message = control.message(&mut part);
    let received = retry(|| {
        // SAFETY: the message refers to live buffers of the lengths it names, which nothing else refers to.
        Errno::result(unsafe { libc::recvmsg(fd.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) })
    });
    let length = match received {
        // A peer that died with unread messages resets the socket. That is its end.
        Err(error) if error.raw_os_error() == Some(libc::ECONNRESET) => return Ok((0, None)),
        other => other?.cast_unsigned(),
    };
    // SAFETY: the kernel has filled the control buffer as far as the message says now. A header of the length of one
    // descriptor has one behind it, which is in our table from this call on and whose number nothing else knows.
    let beside = unsafe {
        let header = libc::CMSG_FIRSTHDR(&raw const message).as_ref();
        // A descriptor that found no room in this process is lost, and the message is not.
        let one = Control::header();
        let header = header.filter(|header| {
            (header.cmsg_level, header.cmsg_type, header.cmsg_len)
                == (one.cmsg_level, one.cmsg_type, one.cmsg_len)
        });
        header.map(|header| OwnedFd::from_raw_fd(libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned()))
    };
    Ok((length, beside))
}

/// Room for one descriptor beside a message, aligned as headers are.
#[repr(C, align(16))]
#[derive(Default)]
struct Control([u8; 32]);

impl Control {
    /// Bytes of one descriptor with its header.
    // SAFETY: arithmetic alone.
    const LENGTH: usize = unsafe { libc::CMSG_LEN(size_of::<RawFd>() as u32) as usize };

    /// What stands in front of one descriptor.
    fn header() -> libc::cmsghdr {
        // SAFETY: a plain struct of integers.
        let mut header: libc::cmsghdr = unsafe { std::mem::zeroed() };
        header.cmsg_level = libc::SOL_SOCKET;
        header.cmsg_type = libc::SCM_RIGHTS;
        header.cmsg_len = Self::LENGTH as _;
        header
    }

    /// A message of one part that has room for one descriptor, and not for two.
    fn message(&mut self, part: &mut libc::iovec) -> libc::msghdr {
        const { assert!(Self::LENGTH <= size_of::<Self>()) };
        // SAFETY: an all-zero header is a valid one without name, parts and control.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = part;
        message.msg_iovlen = 1;
        message.msg_control = self.0.as_mut_ptr().cast();
        message.msg_controllen = Self::LENGTH as _;
        message
    }
}

/// Lets the other side read the end.
pub(crate) fn end_sending(fd: BorrowedFd<'_>) -> io::Result<()> {
    Ok(nix::sys::socket::shutdown(fd.as_raw_fd(), nix::sys::socket::Shutdown::Write)?)
}

/// Writes all of `bytes` to a blocking socket.
pub(crate) fn send_all(fd: BorrowedFd<'_>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let length = retry(|| send(fd.as_raw_fd(), bytes, MsgFlags::MSG_NOSIGNAL))?;
        bytes = &bytes[length..];
    }
    Ok(())
}

/// Reads what has arrived on a blocking socket, at least one byte unless it is closed.
pub(crate) fn receive(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<usize> {
    retry(|| recv(fd.as_raw_fd(), buffer, MsgFlags::empty()))
}

/// Waits until something can be read, at most for `timeout`, which is rounded up to whole milliseconds.
pub(crate) fn wait_readable(fd: BorrowedFd<'_>, timeout: Duration) -> io::Result<Waited> {
    let millis = timeout.as_nanos().div_ceil(1_000_000);
    let millis = i32::try_from(millis).unwrap_or(i32::MAX);
    let timeout = PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX);
    let ready = retry(|| poll(&mut [PollFd::new(fd.as_fd(), PollFlags::POLLIN)], timeout))?;
    Ok(if ready > 0 { Waited::Readable } else { Waited::TimedOut })
}

/// How a [`wait_interruptibly`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    /// Something can be read.
    Readable,
    /// A [`super::wake::Waker`] of this thread was used, now or since the last such wait.
    Woken,
    /// Neither happened within the timeout.
    TimedOut,
}

/// Waits until something can be read or this thread is woken, at most for `timeout`; `None` is for ever.
pub(crate) fn wait_interruptibly(fd: BorrowedFd<'_>, timeout: Option<Duration>) -> io::Result<Waited> {
    let timeout = timeout.map(TimeSpec::from);
    match ppoll(&mut [PollFd::new(fd.as_fd(), PollFlags::POLLIN)], timeout, Some(SigSet::empty())) {
        Ok(0) => Ok(Waited::TimedOut),
        Ok(_) => Ok(Waited::Readable),
        Err(Errno::EINTR) => Ok(Waited::Woken),
        Err(error) => Err(error.into()),
    }
}

fn retry<T>(mut call: impl FnMut() -> nix::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(Errno::EINTR) => {}
            other => return other.map_err(io::Error::from),
        }
    }
}
