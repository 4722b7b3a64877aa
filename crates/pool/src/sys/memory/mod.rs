//! Mappings of this process.

mod prefault;
mod room;

use std::io;

pub(crate) use prefault::{Before, Prefault};
pub(crate) use room::{Piece, Room};

/// Undoes `MADV_DONTFORK` on the given address ranges, so that a forked child has them.
pub(crate) fn make_forkable(ranges: impl Iterator<Item = (usize, usize)>) {
    for (start, end) in ranges {
        // SAFETY: the advice changes nothing about the contents or the validity of memory; a range that is gone
        // by now answers an error, which is as good.
        unsafe { libc::madvise(at(start), end.saturating_sub(start), libc::MADV_DOFORK) };
    }
}

/// Takes a range of a private mapping of a file out of the page table. Nothing in it may have been written to.
pub(crate) fn forget(start: usize, end: usize) {
    // SAFETY: the caller has it that every page of the range is the file's, so that it is found again as it is.
    unsafe { libc::madvise(at(start), end - start, libc::MADV_DONTNEED) };
}

/// What a page holds.
///
/// # Safety
/// `page` is the address of a page that can be read and that nothing writes to while the words are in use.
unsafe fn words<'a>(page: usize) -> &'a [u64] {
    // SAFETY: the caller's promise; pages are aligned for any word.
    unsafe { std::slice::from_raw_parts(page as *const u64, PAGE / size_of::<u64>()) }
}

/// Size of a page. Where it is another, nothing is moved.
pub(crate) const PAGE: usize = 4096;

/// Size of a huge page on the targets that have them at all.
pub(crate) const HUGE: usize = 2 << 20;

/// What may be done with a private mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Nothing.
    None,
    /// To read.
    Read,
    /// To read and write.
    Write,
    /// To read and execute.
    Execute,
}

impl Rights {
    fn bits(self) -> libc::c_int {
        match self {
            Self::None => libc::PROT_NONE,
            Self::Read => libc::PROT_READ,
            Self::Write => libc::PROT_READ | libc::PROT_WRITE,
            Self::Execute => libc::PROT_READ | libc::PROT_EXEC,
        }
    }
}

fn at(address: usize) -> *mut libc::c_void {
    address as *mut libc::c_void
}

fn check_map(address: *mut libc::c_void) -> io::Result<()> {
    if address == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A private anonymous mapping, given back at its end. A part that was moved elsewhere is no longer in it, and giving
/// back a range with a hole is no error.
struct Mapping {
    start: usize,
    length: usize,
}

impl Mapping {
    fn new(length: usize) -> io::Result<Self> {
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address of the kernel's choice touches no other.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, Rights::Write.bits(), kind, -1, 0) };
        check_map(start)?;
        Ok(Self { start: start as usize, length })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `new`, nothing refers to it any more, and between a move out of it and this
        // call the one thread of this process maps nothing else into it.
        unsafe { libc::munmap(self.start as *mut libc::c_void, self.length) };
    }
}
