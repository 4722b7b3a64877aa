//! The engine's allocator, which is the allocator of the whole process where the engine has its memory cage.

use std::sync::OnceLock;

static EXHAUSTED: OnceLock<fn() -> !> = OnceLock::new();

// The archive of the engine with the cage defines `malloc` itself, on PartitionAlloc, which crashes the process where
// an allocation fails. Its own hook comes before the crash.
unsafe extern "C" {
    #[link_name = "_ZN15partition_alloc24PartitionAllocGlobalInitEPFvmE"]
    fn partition_alloc_global_init(on_out_of_memory: extern "C" fn(usize));
}

/// Ends the process through `exhausted` where the allocator has no memory left. The first function counts.
pub(crate) fn on_exhaustion(exhausted: fn() -> !) {
    EXHAUSTED.get_or_init(|| exhausted);
    // SAFETY: the function checks and stores its argument, a function that is there for as long as the process is.
    unsafe { partition_alloc_global_init(out_of_memory) }
}

extern "C" fn out_of_memory(_size: usize) {
    if let Some(exhausted) = EXHAUSTED.get() {
        exhausted();
    }
}
