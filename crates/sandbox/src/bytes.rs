//! Bytes into the engine. Its memory cage takes no memory from outside, so they are copied.

use codemode_runtime::v8::{ArrayBuffer, Local, PinScope, Uint8Array};

/// An `ArrayBuffer` with these bytes.
pub(crate) fn array_buffer<'s>(scope: &PinScope<'s, '_>, bytes: &[u8]) -> Local<'s, ArrayBuffer> {
    let buffer = ArrayBuffer::new(scope, bytes.len());
    for (cell, byte) in buffer.get_backing_store().iter().zip(bytes) {
        cell.set(*byte);
    }
    buffer
}

/// A `Uint8Array` over a buffer of its own with these bytes.
pub(crate) fn uint8_array<'s>(scope: &PinScope<'s, '_>, bytes: &[u8]) -> Option<Local<'s, Uint8Array>> {
    let buffer = array_buffer(scope, bytes);
    Uint8Array::new(scope, buffer, 0, bytes.len())
}
