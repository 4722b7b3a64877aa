//! Sockets: pairs, messages with a descriptor beside them, blocking reads and writes that never raise SIGPIPE.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll, ppoll};
use nix::sys::signal::SigSet;
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, recv, recvmsg, send,
    sendmsg, socketpair,
};
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

/// Sends one message and the descriptor beside it.
pub(crate) fn send_message(
    fd: BorrowedFd<'_>,
    bytes: &[u8],
    beside: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    let raw = [beside.map_or(-1, |fd| fd.as_raw_fd())];
    let rights = [ControlMessage::ScmRights(&raw)];
    let control: &[ControlMessage<'_>] = if beside.is_some() { &rights } else { &[] };
    retry(|| sendmsg::<()>(fd.as_raw_fd(), &[IoSlice::new(bytes)], control, MsgFlags::MSG_NOSIGNAL, None))?;
    Ok(())
}

/// Receives one message into `buffer` and the descriptor that came beside it, where this process has room for one. Zero
/// bytes is the end.
pub(crate) fn receive_message(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
    let mut control = nix::cmsg_space!(RawFd);
    loop {
        let mut parts = [IoSliceMut::new(buffer)];
        let received =
            recvmsg::<()>(fd.as_raw_fd(), &mut parts, Some(&mut control), MsgFlags::MSG_CMSG_CLOEXEC);
        let received = match received {
            Err(Errno::EINTR) => continue,
            // A peer that died with unread messages resets the socket. That is its end.
            Err(Errno::ECONNRESET) => return Ok((0, None)),
            other => other?,
        };
        let mut beside = None;
        // A descriptor that found no room in this process is lost, and the message is not.
        for message in received.cmsgs().into_iter().flatten() {
            if let ControlMessageOwned::ScmRights(descriptors) = message {
                for raw in descriptors {
                    // SAFETY: the kernel just installed this descriptor in our table for this message, and
                    // nothing else knows its number.
                    beside = Some(unsafe { OwnedFd::from_raw_fd(raw) });
                }
            }
        }
        return Ok((received.bytes, beside));
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
