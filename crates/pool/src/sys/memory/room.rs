//! [`Room`]: huge pages, and mappings moved onto them.

use std::io;
use std::time::{Duration, Instant};

use super::{HUGE, Mapping, PAGE, Rights, at, check, check_map, words};

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
    /// As many huge pages as hold `length` bytes, or fewer, where the kernel has no more to give or takes longer than
    /// `patience` to make them. `huge_bytes` tells how much between two addresses is on such pages.
    pub(crate) fn new(
        length: usize,
        patience: Duration,
        huge_bytes: impl FnOnce(usize, usize) -> io::Result<usize>,
    ) -> io::Result<Self> {
        let length = length.next_multiple_of(HUGE);
        let mapping = Mapping::new(length + HUGE)?;
        let start = mapping.start.next_multiple_of(HUGE);
        // SAFETY: the range lies within a mapping that is this function's own; the advice changes no contents.
        check(unsafe { libc::madvise(at(start), length, libc::MADV_HUGEPAGE) })?;
        let end = start + length;
        let within = |end: usize| {
            let begun = Instant::now();
            (start..end).step_by(HUGE).take_while(move |_| begun.elapsed() < patience)
        };
        let mut touched = start;
        for page in within(end) {
            // SAFETY: the byte lies within a writable mapping that is this function's own.
            unsafe { (page as *mut u8).write_volatile(0) };
            touched = page + HUGE;
        }
        if huge_bytes(start, end)? == touched - start {
            return Ok(Self { free: vec![(start, touched)], _mapping: mapping });
        }
        // Under a fragmented memory some are to be had and others are not. To ask for each makes the kernel wait for every
        // processor.
        let mut free: Vec<(usize, usize)> = Vec::with_capacity(length / HUGE);
        for page in within(touched) {
            // SAFETY: the range lies within a mapping that is this function's own; the advice changes no contents.
            let is_huge = unsafe { libc::madvise(at(page), HUGE, libc::MADV_COLLAPSE) } == 0;
            match free.last_mut() {
                _ if !is_huge => {}
                Some((_, last)) if *last == page => *last += HUGE,
                _ => free.push((page, page + HUGE)),
            }
        }
        Ok(Self { free, _mapping: mapping })
    }

    /// Moves a piece here and maps it where it was, with the same bytes, and zeros where nothing was. `false` where no room
    /// is left. Allocates nothing.
    ///
    /// The process has to have one thread, and its stack may not be in the piece.
    pub(crate) fn take(&mut self, piece: &Piece) -> io::Result<bool> {
        let length = piece.length();
        // A piece that is a huge page stays one where it lies on one.
        let align = if piece.is_huge() { HUGE } else { PAGE };
        let fits = |(start, end): &&mut (usize, usize)| start.next_multiple_of(align) + length <= *end;
        let Some((next, _)) = self.free.iter_mut().find(fits) else { return Ok(false) };
        let (to, flags) = (next.next_multiple_of(align), libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED);
        *next = to + length;
        // Nothing may be written to the piece from here on: so nothing is.
        for &(start, end) in &piece.parts {
            // By dozens instead of by a fault each. Kernels before 5.14 refuse.
            // SAFETY: the advice changes no contents.
            unsafe { libc::madvise(at(start), end - start, libc::MADV_POPULATE_READ) };
            let mut zeros = start..start;
            for page in (start..end).step_by(PAGE) {
                // SAFETY: a page of a readable mapping, which nothing writes to.
                if !piece.is_huge() && unsafe { words(page) }.iter().all(|word| *word == 0) {
                    zeros.end = page + PAGE;
                    continue;
                }
                self.give_back(to + (zeros.start - piece.start), zeros.len())?;
                zeros = page + PAGE..page + PAGE;
                let to = (to + (page - piece.start)) as *mut u8;
                // SAFETY: the target is a page of the room, which can be written to and which nothing refers to.
                unsafe { to.copy_from_nonoverlapping(page as *const u8, PAGE) };
            }
            self.give_back(to + (zeros.start - piece.start), zeros.len())?;
        }
        // SAFETY: the calls replace the piece by the same bytes with the same rights, at once as far as the one thread of
        // this process can tell, also where that thread is executing it. Nothing refers to the copy where it was.
        unsafe {
            check(libc::mprotect(at(to), length, piece.rights.bits()))?;
            check_map(libc::mremap(at(to), length, length, flags, at(piece.start)))?;
        }
        Ok(true)
    }

    /// Gives pages of the room back, which read as zeros then as before: one less that a fork has to copy.
    fn give_back(&self, start: usize, length: usize) -> io::Result<()> {
        if length == 0 {
            return Ok(());
        }
        // SAFETY: the pages are the room's, and nothing refers to them.
        check(unsafe { libc::madvise(at(start), length, libc::MADV_DONTNEED) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(address: usize) -> u8 {
        // SAFETY: only called with addresses within mappings of these tests.
        unsafe { (address as *const u8).read() }
    }

    #[test]
    fn a_piece_is_where_it_was_with_what_it_held() {
        let mapping = Mapping::new(4 * PAGE).unwrap();
        let at_page = |page: usize| mapping.start + page * PAGE;
        for page in [0, 3] {
            // SAFETY: within the mapping of this test.
            unsafe { (at_page(page) as *mut u8).write(1 + page as u8) };
        }
        let [start, middle, end] = [0, 2, 4].map(at_page);
        let piece = |start, end, rights| Piece { start, end, rights, parts: vec![(start, end)] };
        let mut room = Room::new(HUGE, Duration::from_secs(5), |_, _| Ok(0)).unwrap();
        // A machine without huge pages leaves everything as it is, and that reads the same.
        let moved = room.take(&piece(start, middle, Rights::Write)).unwrap();
        assert_eq!(room.take(&piece(middle, end, Rights::Read)).unwrap(), moved);
        assert_eq!([0, 1, 2, 3].map(|page| read(at_page(page))), [1, 0, 0, 4]);
        // SAFETY: within the mapping of this test, in the half that can be written to.
        unsafe { (at_page(1) as *mut u8).write(9) };
        assert_eq!(read(at_page(1)), 9);
        drop(room);
        assert_eq!([0, 1, 2, 3].map(|page| read(at_page(page))), [1, 9, 0, 4]);
    }

    #[test]
    fn a_room_that_is_full_takes_nothing() {
        let mapping = Mapping::new(2 * HUGE).unwrap();
        let mut room = Room::new(HUGE, Duration::from_secs(5), |_, _| Ok(0)).unwrap();
        let range = (mapping.start, mapping.start + 2 * HUGE);
        let piece = Piece { start: range.0, end: range.1, rights: Rights::Write, parts: vec![range] };
        assert!(!room.take(&piece).unwrap());
        let mut none = Room::new(HUGE, Duration::ZERO, |_, _| Ok(0)).unwrap();
        let page = (mapping.start, mapping.start + PAGE);
        let piece = Piece { start: page.0, end: page.1, rights: Rights::Write, parts: vec![page] };
        assert!(!none.take(&piece).unwrap());
    }
}
