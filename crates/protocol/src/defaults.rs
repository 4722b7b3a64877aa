//! Every default and bound of the contract, declared once.

use std::time::Duration;

/// Bound on counted time of a run.
pub const TIMEOUT: Duration = Duration::from_millis(60_000);
/// Headroom past the timeout before the host ends a run from outside.
pub const GRACE: Duration = Duration::from_millis(1_000);
/// Memory budget of a run in megabytes (2^20 bytes).
pub const MEMORY_MB: u32 = 128;
/// Largest message that crosses in either direction, in bytes.
pub const PAYLOAD_LIMIT_BYTES: usize = 32 << 20;
/// Calls to the host that one run may have open.
pub const OPEN_CALLS_LIMIT: usize = 10_000;

/// Bytes that the open calls of one run may hold together, which the host keeps until it has answered them.
pub const fn open_call_bytes_limit(payload_limit_bytes: usize) -> usize {
    payload_limit_bytes.saturating_mul(2)
}

/// Console text one run may write, in UTF-16 code units of the lines as they cross.
pub const CONSOLE_CAPTURE_LIMIT: usize = 1 << 20;
/// Widest delay of a timer: a signed 32-bit count of milliseconds.
pub const MAX_DELAY_MS: u64 = 2_147_483_647;
/// Requests that may wait for a place.
pub const QUEUE_LIMIT: usize = 1_000;
/// Forks after which a template is replaced.
pub const TEMPLATE_FORKS: u32 = 10_000;
/// Age after which a template is replaced.
pub const TEMPLATE_AGE: Duration = Duration::from_secs(600);
/// Interval of the template's heartbeat.
pub const HEARTBEAT: Duration = Duration::from_secs(5);
/// Missed heartbeats after which a template counts as dead.
pub const HEARTBEAT_MISSES: u32 = 3;
/// Idle time after which a retained execution is closed.
pub const HANDLES_IDLE: Duration = Duration::from_secs(60);
/// Executions that may be retained at the same time.
pub const RETAINED_LIMIT: usize = 16;
/// Resolution of the clocks that a program can read. Zero is as fine as the engine has them: a microsecond for the wall
/// clock (`Date` shows milliseconds of it), nanoseconds for `performance.now()`.
///
/// High Resolution Time wants 100 microseconds where a document is not isolated from others. A run shares its process
/// with no other and has no second thread to build a clock from, so that nothing is taken from it unless a host asks.
pub const CLOCK_RESOLUTION: Duration = Duration::ZERO;
/// Coarsest value that the resolution of clocks can be set to.
pub const CLOCK_RESOLUTION_MAX: Duration = Duration::from_secs(1);
/// Compiled code of modules that an executor keeps, in bytes.
pub const CODE_CACHE_BYTES: usize = 64 << 20;
/// Modules shorter than this, in bytes, are compiled anew by every run: that takes no longer than keeping them.
pub const CODE_CACHE_MODULE_BYTES: usize = 16 << 10;
/// Keys one run may create through `crypto.subtle`.
pub const CRYPTO_KEY_LIMIT: u32 = 256;
/// Largest value that the bound on keys can be set to.
pub const CRYPTO_KEY_LIMIT_MAX: u32 = 1_000_000;
/// Nesting depth of a value that crosses.
pub const VALUE_DEPTH_LIMIT: usize = 512;
/// Parts of a value that is read, itself and everything inside of it: a part of two bytes of text takes a host up to
/// a hundred bytes of memory.
pub const VALUE_PARTS_LIMIT: usize = 1 << 21;
