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

/// Size of a page. Where it is another, the page map reads as one of a program that is hardly in use.
pub(crate) const PAGE: usize = 4096;

/// Size of a huge page on the targets that have them at all.
pub(crate) const HUGE: usize = 2 << 20;

/// Puts the whole huge pages between `start` and `end`, a mapping that nobody writes to, onto anonymous huge pages with
/// the same bytes. Where the kernel has no huge page to give, that part stays as it is. `are_huge` tells whether a range
/// is on such pages, for kernels that cannot be asked for them. Answers how many bytes were moved.
///
/// The process has to have one thread.
pub(crate) fn onto_huge_pages(
    start: usize,
    end: usize,
    executable: bool,
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
    let mut moves = collapse(copy, length);
    if moves.is_empty() && are_huge(copy, copy + length)? {
        moves.push((0, length));
    }
    let rights = libc::PROT_READ | if executable { libc::PROT_EXEC } else { 0 };
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    for &(offset, length) in &moves {
        let (from, to) = ((copy + offset) as *mut libc::c_void, (low + offset) as *mut libc::c_void);
        // SAFETY: a part of the copy, which is never written again.
        check(unsafe { libc::mprotect(from, length, rights) })?;
        // SAFETY: the call replaces a range by the same bytes with the same rights, at once as far as the one thread
        // of this process can tell, also where that thread is executing it.
        if unsafe { libc::mremap(from, length, length, flags, to) } == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(moves.iter().map(|(_, length)| length).sum())
}

/// Asks for every huge page of a range, one by one: under a fragmented memory some are to be had and others are not.
/// Answers the parts, as offset and length, that are on huge pages now.
fn collapse(start: usize, length: usize) -> Vec<(usize, usize)> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for offset in (0..length).step_by(HUGE) {
        // SAFETY: the range is mapped; the advice changes no contents.
        let result =
            unsafe { libc::madvise((start + offset) as *mut libc::c_void, HUGE, libc::MADV_COLLAPSE) };
        match parts.last_mut() {
            _ if result != 0 => {}
            Some((first, length)) if *first + *length == offset => *length += HUGE,
            _ => parts.push((offset, HUGE)),
        }
    }
    parts
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
