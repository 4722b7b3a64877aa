//! Randomness from the kernel.

use codemode_runtime::v8::{FunctionCallbackArguments, Local, PinScope, ReturnValue, Uint8Array};

use crate::text::error;

/// `randomBytes(view)`: fills a `Uint8Array`.
pub(super) fn random_bytes(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    _answer: ReturnValue<'_>,
) {
    let Ok(view) = Local::<Uint8Array>::try_from(args.get(0)) else { return };
    let (offset, length) = (view.byte_offset(), view.byte_length());
    let Some(store) = view.buffer(scope).map(|buffer| buffer.get_backing_store()) else { return };
    let mut block = [0_u8; 4096];
    for start in (0..length).step_by(block.len()) {
        let part = &mut block[..(length - start).min(4096)];
        if getrandom::fill(part).is_err() {
            let thrown = error(scope, "The kernel gave no random bytes.");
            scope.throw_exception(thrown);
            return;
        }
        for (index, byte) in part.iter().enumerate() {
            store[offset + start + index].set(*byte);
        }
    }
}
