//! Calls that take rights away and have no safe wrapper.

use std::io;

use super::check;

/// Drops every capability of this process, from the bounding set too where that is allowed.
pub(crate) fn drop_capabilities() -> io::Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Sets {
        effective: u32,
        permitted: u32,
        inheritable: u32,
    }
    /// `_LINUX_CAPABILITY_VERSION_3`, which takes two sets of 32 bits each.
    const VERSION: u32 = 0x2008_0522;

    for capability in 0..64 {
        // SAFETY: no pointers. An unknown capability, or one we may not drop, answers an error: what matters are
        // the sets below, and a process that cannot execute anything gains nothing from its bounding set.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
    let header = Header { version: VERSION, pid: 0 };
    let none = [Sets { effective: 0, permitted: 0, inheritable: 0 }; 2];
    // SAFETY: both pointers are to live values laid out as `capset(2)` describes for this version.
    check(unsafe { libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) })?;
    Ok(())
}
