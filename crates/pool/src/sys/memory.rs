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

/// A mapping that can be moved onto huge pages, or a huge page of addresses.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) rights: Rights,
    /// What is mapped in it with these rights, as start and end, by address. The rest is empty, or nobody's.
    pub(crate) parts: Vec<(usize, usize)>,
}

impl Piece {
    pub(crate) fn length(&self) -> usize {
        self.end - self.start
    }

    /// Whether it is exactly one huge page.
    pub(crate) fn is_huge(&self) -> bool {
        self.start.is_multiple_of(HUGE) && self.length() == HUGE
    }
}

/// Anonymous huge pages for pieces to be moved onto.
pub(crate) struct Room {
    /// Free ranges of addresses, on huge pages.
    free: Vec<(usize, usize)>,
    _mapping: Mapping,
}

impl Room {
    /// As many huge pages as hold `length` bytes, or fewer, where the kernel has no more to give. `are_huge` tells whether
    /// a range is on such pages, for kernels that cannot be asked for them.
    pub(crate) fn new(
        length: usize,
        are_huge: impl FnOnce(usize, usize) -> io::Result<bool>,
    ) -> io::Result<Self> {
        let length = length.next_multiple_of(HUGE);
        let mapping = Mapping::new(length + HUGE)?;
        let start = mapping.start.next_multiple_of(HUGE);
        // SAFETY: the range lies within a mapping that is this function's own; the advice changes no contents.
        check(unsafe { libc::madvise(at(start), length, libc::MADV_HUGEPAGE) })?;
        let mut free: Vec<(usize, usize)> = Vec::with_capacity(length / HUGE);
        for page in (start..start + length).step_by(HUGE) {
            // Under a fragmented memory some are to be had and others are not.
            // SAFETY: the byte and the range lie within a writable mapping that is this function's own; the advice
            // changes no contents.
            let is_huge = unsafe {
                (page as *mut u8).write_volatile(0);
                libc::madvise(at(page), HUGE, libc::MADV_COLLAPSE) == 0
            };
            match free.last_mut() {
                _ if !is_huge => {}
                Some((_, last)) if *last == page => *last += HUGE,
                _ => free.push((page, page + HUGE)),
            }
        }
        if free.is_empty() && are_huge(start, start + length)? {
            free.push((start, start + length));
        }
        Ok(Self { free, _mapping: mapping })
    }

    /// Moves a piece here and maps it where it was, with the same bytes, and zeros where nothing was. Pieces that are
    /// huge pages come first. `false` where no room is left. Allocates nothing.
    ///
    /// The process has to have one thread, and its stack may not be in the piece.
    pub(crate) fn take(&mut self, piece: &Piece) -> io::Result<bool> {
        let length = piece.length();
        let Some((copy, _)) = self.free.iter_mut().find(|(start, end)| end - start >= length) else {
            return Ok(false);
        };
        let (to, flags) = (*copy, libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED);
        *copy += length;
        // Nothing may be written to the piece from here on: so nothing is.
        for &(start, end) in &piece.parts {
            for page in (start..end).step_by(PAGE) {
                let (from, to) = (page as *const u8, (to + (page - piece.start)) as *mut u8);
                // SAFETY: a whole page of a readable mapping, which nothing writes to.
                let bytes = unsafe { std::slice::from_raw_parts(from, PAGE) };
                // A page less that is there, unless it makes the huge one a broken one.
                if !piece.is_huge() && bytes.iter().all(|byte| *byte == 0) {
                    // SAFETY: the page is one of the room's that nothing refers to.
                    check(unsafe { libc::madvise(to.cast(), PAGE, libc::MADV_DONTNEED) })?;
                } else {
                    // SAFETY: the target is a page of the room, which can be written to and which nothing refers to.
                    unsafe { to.copy_from_nonoverlapping(from, PAGE) };
                }
            }
        }
        // SAFETY: the calls replace the piece by the same bytes with the same rights, at once as far as the one thread of
        // this process can tell, also where that thread is executing it. Nothing refers to the copy where it was.
        unsafe {
            check(libc::mprotect(at(to), length, piece.rights.bits()))?;
            check_map(libc::mremap(at(to), length, length, flags, at(piece.start)))?;
        }
        Ok(true)
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
