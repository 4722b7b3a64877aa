//! Mappings of this process.

/// Undoes `MADV_DONTFORK` on the given address ranges, so that a forked child has them.
pub(crate) fn make_forkable(ranges: impl Iterator<Item = (usize, usize)>) {
    for (start, end) in ranges {
        // SAFETY: the advice changes nothing about the contents or the validity of memory; a range that is gone
        // by now answers an error, which is as good.
        unsafe { libc::madvise(start as *mut libc::c_void, end.saturating_sub(start), libc::MADV_DOFORK) };
    }
}

/// Lets go of the pages of mappings of code, which come back from their file when they are used again. The ranges
/// have to be private mappings whose contents are those of their file.
pub(crate) fn let_go(code: impl Iterator<Item = (usize, usize)>) {
    for (start, end) in code {
        // SAFETY: the next access to such a page reads the same bytes from the file; a range that is gone by now
        // answers an error, which is as good.
        unsafe { libc::madvise(start as *mut libc::c_void, end.saturating_sub(start), libc::MADV_DONTNEED) };
    }
}
