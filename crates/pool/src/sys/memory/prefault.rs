//! [`Prefault`]: pages that every copy of this process writes to, copied at one call instead of by a fault each.

use super::{PAGE, at, words};

/// Most ranges of one call: the kernel's own bound.
const MOST_RANGES: usize = 1024;

/// How ranges of memory looked, to find out what of them is written to afterwards.
pub(crate) struct Before {
    ranges: Vec<(usize, usize)>,
    /// A fingerprint of each page, one range behind the other.
    pages: Vec<u64>,
}

impl Before {
    /// Looks at the ranges, whole pages, as far as they can be read.
    pub(crate) fn take(ranges: &[(usize, usize)]) -> Self {
        let ranges: Vec<_> = ranges.iter().flat_map(|&(start, end)| readable(start, end)).collect();
        // Before the first look, since it is written to itself.
        let mut pages = Vec::with_capacity(ranges.iter().map(|(start, end)| (end - start) / PAGE).sum());
        for &(start, end) in &ranges {
            pages.extend((start..end).step_by(PAGE).map(fingerprint));
        }
        Self { ranges, pages }
    }

    /// The pages that look otherwise by now, by address. Those that cannot be read any more are not among them.
    pub(crate) fn written_pages(&self) -> Vec<usize> {
        let mut written = Vec::new();
        let mut before = self.pages.iter();
        for &(start, end) in &self.ranges {
            let all_readable = is_readable(start, end);
            for (page, before) in (start..end).step_by(PAGE).zip(&mut before) {
                if (all_readable || is_readable(page, page + PAGE)) && fingerprint(page) != *before {
                    written.push(page);
                }
            }
        }
        written
    }
}

/// A number that another content of the page hardly has. `page` can be read.
fn fingerprint(page: usize) -> u64 {
    // SAFETY: the callers have asked whether the page can be read, and this process has one thread.
    let words = unsafe { words(page) };
    // Odd, so that no bit of a word is lost.
    words.iter().fold(0, |sum: u64, word| (sum.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The parts of a range that can be read.
fn readable(start: usize, end: usize) -> Vec<(usize, usize)> {
    if is_readable(start, end) {
        return vec![(start, end)];
    }
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for page in (start..end).step_by(PAGE).filter(|&page| is_readable(page, page + PAGE)) {
        match parts.last_mut() {
            Some((_, last)) if *last == page => *last += PAGE,
            _ => parts.push((page, page + PAGE)),
        }
    }
    parts
}

/// Whether every page of a range is mapped and can be read. Kernels before 5.14 cannot tell.
fn is_readable(start: usize, end: usize) -> bool {
    // SAFETY: the advice changes no contents, and where nothing is mapped it is an error.
    unsafe { libc::madvise(at(start), end - start, libc::MADV_POPULATE_READ) == 0 }
}

/// Pages to copy.
#[derive(Default)]
pub(crate) struct Prefault(Vec<libc::iovec>);

impl Prefault {
    /// These pages of this process, by address.
    pub(crate) fn new(pages: &[usize]) -> Self {
        let mut ranges: Vec<libc::iovec> = Vec::new();
        for &page in pages {
            match ranges.last_mut() {
                Some(last) if last.iov_base as usize + last.iov_len == page => last.iov_len += PAGE,
                _ => ranges.push(libc::iovec { iov_base: at(page), iov_len: PAGE }),
            }
        }
        ranges.truncate(MOST_RANGES);
        Self(ranges)
    }

    /// Gives this process copies of its own. Kernels before 6.13 refuse, and then each page is copied as it is written
    /// to.
    pub(crate) fn perform(&self) {
        if self.0.is_empty() {
            return;
        }
        let (ranges, count) = (self.0.as_ptr(), self.0.len());
        // SAFETY: the descriptor is this process itself and closed again. The advice changes no contents, and ranges that
        // are no writable mapping answer an error.
        unsafe {
            let own = libc::syscall(libc::SYS_pidfd_open, libc::getpid(), 0);
            libc::syscall(libc::SYS_process_madvise, own, ranges, count, libc::MADV_POPULATE_WRITE, 0);
            libc::close(own as libc::c_int);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Mapping;
    use super::*;

    #[test]
    fn pages_that_were_written_to_are_found() {
        let mapping = Mapping::new(4 * PAGE).unwrap();
        let range = (mapping.start, mapping.start + 4 * PAGE);
        let before = Before::take(&[range]);
        assert!(before.written_pages().is_empty());
        for offset in [PAGE, 3 * PAGE + 1] {
            // SAFETY: within the mapping of this test.
            unsafe { ((mapping.start + offset) as *mut u8).write(1) };
        }
        assert_eq!(before.written_pages(), [mapping.start + PAGE, mapping.start + 3 * PAGE]);
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let (kept, lost) = (Mapping::new(PAGE).unwrap(), Mapping::new(2 * PAGE).unwrap());
        let ranges = [(kept.start, kept.start + PAGE), (lost.start, lost.start + 2 * PAGE), (0, PAGE)];
        let before = Before::take(&ranges);
        assert_eq!(before.ranges, ranges[..2]);
        // One page of three is nobody's.
        let holed = Mapping::new(3 * PAGE).unwrap();
        let [start, end] = [holed.start, holed.start + 3 * PAGE];
        // SAFETY: within the mapping of this test.
        unsafe { libc::munmap(at(start + PAGE), PAGE) };
        let parts = [(start, start + PAGE), (start + 2 * PAGE, end)];
        assert_eq!(Before::take(&[(start, end)]).ranges, parts);
        drop(lost);
        // SAFETY: within the mapping of this test.
        unsafe { (kept.start as *mut u8).write(1) };
        assert_eq!(before.written_pages(), [kept.start]);
    }

    #[test]
    fn pages_that_follow_each_other_are_one_range() {
        let lengths = |pages: &[usize]| -> Vec<usize> {
            Prefault::new(pages).0.iter().map(|range| range.iov_len / PAGE).collect()
        };
        assert_eq!(lengths(&[PAGE, 2 * PAGE, 4 * PAGE, 7 * PAGE, 8 * PAGE]), [2, 1, 2]);
        let scattered: Vec<usize> = (0..2 * MOST_RANGES).map(|index| index * 2 * PAGE).collect();
        assert_eq!(lengths(&scattered).len(), MOST_RANGES);
    }

    #[test]
    fn it_changes_nothing_that_can_be_read() {
        let mapping = Mapping::new(2 * PAGE).unwrap();
        // SAFETY: within the mapping of this test.
        unsafe { (mapping.start as *mut u8).write(7) };
        // The third page is nobody's.
        Prefault::new(&[mapping.start, mapping.start + PAGE, 0]).perform();
        // SAFETY: the same.
        assert_eq!(unsafe { (mapping.start as *const u8).read() }, 7);
        Prefault::default().perform();
    }
}
