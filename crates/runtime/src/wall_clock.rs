//! The wall clock that the engine reads, as fine as its run may see it.
//!
//! `Date`, `Temporal` and `Intl` ask the engine's platform, which asks the C library for `gettimeofday`. The engine is
//! linked into this program, so that the function of that name here is the one it finds.

use std::cell::Cell;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

thread_local! {
    static RESOLUTION_US: Cell<u128> = const { Cell::new(1) };
}

/// Rounds the wall clock down to multiples of `resolution` for the engine on this thread. Zero leaves it as fine as it
/// is, in microseconds.
pub fn coarsen(resolution: Duration) {
    RESOLUTION_US.set(resolution.as_micros().max(1));
}

/// Time since the Unix epoch as the engine sees it on this thread.
pub fn since_epoch() -> Duration {
    let exact = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let resolution = RESOLUTION_US.get();
    let micros = exact.as_micros() / resolution * resolution;
    Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
}

/// What the C library documents under this name. The time zone has been without a meaning since 4.3BSD.
///
/// # Safety
/// Either pointer is null or valid for a write of its type.
#[unsafe(no_mangle)]
unsafe extern "C" fn gettimeofday(time: *mut libc::timeval, zone: *mut libc::timezone) -> libc::c_int {
    let now = since_epoch();
    if !time.is_null() {
        let value =
            libc::timeval { tv_sec: now.as_secs() as libc::time_t, tv_usec: now.subsec_micros().into() };
        // SAFETY: it is not null, so the caller has it valid.
        unsafe { time.write(value) };
    }
    if !zone.is_null() {
        // SAFETY: it is not null, so the caller has it valid; zeros are a value of a struct of integers.
        unsafe { zone.write(std::mem::zeroed()) };
    }
    0
}
