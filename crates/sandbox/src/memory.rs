//! What happens when the engine runs out of memory: the process ends at once, through a function of the embedder's.
//!
//! V8 cannot unwind from here, so nothing is freed and nothing is sent. The exit status says what happened, and
//! the lines the program wrote have left the process already.

use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

use codemode_runtime::v8::{OomDetails, OwnedIsolate};

static EXHAUSTED: OnceLock<fn() -> !> = OnceLock::new();

/// Ends the process through `exhausted` when the heap of `isolate` nears its limit, or an allocation outside the
/// heap fails for good. The first function given in a process is the one that counts.
pub(crate) fn end_process_when_exhausted(isolate: &mut OwnedIsolate, exhausted: fn() -> !) {
    EXHAUSTED.get_or_init(|| exhausted);
    codemode_runtime::engine::end_process_when_exhausted(exhausted);
    isolate.add_near_heap_limit_callback(near_heap_limit, std::ptr::null_mut());
    isolate.set_oom_error_handler(out_of_memory);
}

extern "C" fn near_heap_limit(_data: *mut c_void, _current: usize, _initial: usize) -> usize {
    end()
}

extern "C" fn out_of_memory(_location: *const c_char, _details: &OomDetails) {
    end()
}

fn end() -> ! {
    match EXHAUSTED.get() {
        Some(exhausted) => exhausted(),
        None => std::process::abort(),
    }
}
