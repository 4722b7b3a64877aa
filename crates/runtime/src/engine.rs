//! V8 itself: started once per process, before that process has a second thread.

use std::io::Write as _;
use std::sync::Once;

use crate::flags::ENGINE_FLAGS;

static STARTED: Once = Once::new();

/// How much of the stack programs may use where there is as much: the engine's default, which the flags name too.
pub const STACK_BYTES: usize = 984 << 10;

/// Starts the engine with a platform that never makes a thread. Later calls do nothing.
///
/// A process calls this before it starts threads: on processors with protection keys the rights to V8's pages
/// are inherited when a thread is created.
pub fn start() {
    STARTED.call_once(|| {
        v8::V8::set_flags_from_string(ENGINE_FLAGS);
        v8::V8::initialize_platform(v8::new_single_threaded_default_platform(false).make_shared());
        v8::V8::initialize();
        // The zone of the machine is the host's business, and a program has to mean the same everywhere.
        assert!(v8::icu::set_default_time_zone("UTC"), "the engine's data has UTC");
    });
}

/// Bounds what programs may use of the stack, in isolates that are made from now on. The engine does not refuse its
/// snapshot for another value of this flag.
pub(crate) fn bound_stack(stack_bytes: usize) {
    v8::V8::set_flags_from_string(&format!("--stack-size={}", stack_bytes >> 10));
}

/// Gives `Math.random` of this process a seed of its own. A forked process inherits the engine's state, so
/// without this every worker of a template would draw the same numbers.
pub fn reseed(seed: u32) {
    // Zero means "take entropy at isolate creation", which is the state that the fork has copied.
    // On the stack, since every worker does this: an allocation would make it copy a page.
    let mut flag = [b' '; 32];
    write!(&mut flag[..], "--random-seed={}", (seed >> 1).max(1)).expect("the flag has room");
    v8::V8::set_flags_from_string(str::from_utf8(&flag).expect("the flag is ASCII"));
}

/// The version of V8, for reports and cache keys.
pub fn version() -> &'static str {
    v8::V8::get_version()
}

/// Whether this build of V8 keeps its heap in a memory cage with compressed pointers.
pub const fn memory_cage() -> bool {
    cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))
}

/// Ends the process through `exhausted` where memory outside the heap runs out for good. The function must not
/// return or allocate. Does nothing where the process has the allocator of its system, which answers null.
pub fn end_process_when_exhausted(exhausted: fn() -> !) {
    #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
    crate::sys::on_exhaustion(exhausted);
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
    let _ = exhausted;
}
