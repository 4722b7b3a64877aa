//! Mappings of this process.

use std::io;

/// Undoes `MADV_DONTFORK` on the given address ranges, so that a forked child has them.
pub(crate) fn make_forkable(ranges: impl Iterator<Item = (usize, usize)>) {
    for (start, end) in ranges {
        // SAFETY: the advice changes nothing about the contents or the validity of memory; a range that is gone
        // by now answers an error, which is as good.
        unsafe { libc::madvise(start as *mut libc::c_void, end.saturating_sub(start), libc::MADV_DOFORK) };
    }
}

/// Size of a huge page on the targets that have them at all.
const HUGE: usize = 2 << 20;

/// Puts the whole huge pages between `start` and `end`, a mapping of code, onto anonymous huge pages with the same
/// bytes. `are_huge` tells whether the kernel gave such pages for a range; where it did not, nothing changes. Answers
/// how many bytes were moved.
///
/// The process has to have one thread, and nobody may write to the mapping.
pub(crate) fn onto_huge_pages(
    start: usize,
    end: usize,
    are_huge: impl FnOnce(usize, usize) -> io::Result<bool>,
) -> io::Result<usize> {
    let (low, high) = (start.next_multiple_of(HUGE), end & !(HUGE - 1));
    let Some(length) = high.checked_sub(low).filter(|length| *length > 0) else { return Ok(0) };
    // Room to find an aligned range in.
    let room = Mapping::new(length + HUGE)?;
    let copy = room.start.next_multiple_of(HUGE);
    let to = copy as *mut libc::c_void;
    // SAFETY: the range lies within a mapping that is this function's own; the advice changes no contents.
    check(unsafe { libc::madvise(to, length, libc::MADV_HUGEPAGE) })?;
    // SAFETY: the source is a readable mapping of at least that length, the target a writable one of this function's
    // own, so they do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(low as *const u8, to.cast(), length) };
    if !are_huge(copy, copy + length)? {
        return Ok(0);
    }
    // SAFETY: as above; the copy is never written again.
    check(unsafe { libc::mprotect(to, length, libc::PROT_READ | libc::PROT_EXEC) })?;
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    // SAFETY: the call replaces a range of code by the same bytes with the same rights, at once as far as the one
    // thread of this process can tell, also where that thread is executing it.
    let moved = unsafe { libc::mremap(to, length, length, flags, low as *mut libc::c_void) };
    if moved == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(length) }
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
        let (rights, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address of the kernel's choice touches no other.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, rights, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
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
