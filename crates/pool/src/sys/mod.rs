//! System calls: what no safe wrapper covers, and the one module of this crate with `unsafe`.
//!
//! Everything here takes and returns owned types; no caller has to keep an invariant.

pub(crate) mod clock;
pub(crate) mod confine;
pub(crate) mod memory;
pub(crate) mod process;
pub(crate) mod socket;
pub(crate) mod wake;

use std::io;

/// The error of the last failed system call for a `-1`, otherwise the value.
fn check(value: libc::c_long) -> io::Result<libc::c_long> {
    if value < 0 { Err(io::Error::last_os_error()) } else { Ok(value) }
}
