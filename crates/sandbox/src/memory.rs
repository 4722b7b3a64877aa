//! What happens when the engine runs out of memory: the process ends at once, through functions of the embedder's.
//!
//! V8 cannot unwind from here, so nothing is freed and nothing is sent. The exit status says what happened, and
//! the lines the program wrote have left the process already.

use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

use codemode_runtime::v8::{OomDetails, OwnedIsolate};

static ENDS: OnceLock<Ends> = OnceLock::new();

/// The functions that end the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    /// The heap nears its limit.
    pub(crate) heap_limit_reached: fn() -> !,
    /// An allocation fails for good.
    pub(crate) memory_refused: fn() -> !,
}

/// Ends the process through `ends` when the heap of `isolate` nears its limit, or an allocation fails for good. The
/// first functions given in a process are those that count.
pub(crate) fn end_process_when_exhausted(isolate: &mut OwnedIsolate, ends: Ends) {
    ENDS.get_or_init(|| ends);
    codemode_runtime::engine::end_process_when_exhausted(ends.memory_refused);
    isolate.add_near_heap_limit_callback(near_heap_limit, std::ptr::null_mut());
    isolate.set_oom_error_handler(out_of_memory);
}

extern "C" fn near_heap_limit(_data: *mut c_void, _current: usize, _initial: usize) -> usize {
    end(|ends| ends.heap_limit_reached)
}

extern "C" fn out_of_memory(_location: *const c_char, _details: &OomDetails) {
    end(|ends| ends.memory_refused)
}

fn end(by: fn(&Ends) -> fn() -> !) -> ! {
    match ENDS.get() {
        Some(ends) => by(ends)(),
        None => std::process::abort(),
    }
}
