//! Bytes into the engine and out of it. Its memory cage takes no memory from outside, so they are copied.

use codemode_runtime::v8::{self, ArrayBuffer, ArrayBufferView, Local, PinScope, Uint8Array, Value};

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

/// A body: a `Uint8Array` with these bytes, or null without any.
pub(crate) fn bytes_or_null<'s>(scope: &PinScope<'s, '_>, bytes: Option<&[u8]>) -> Option<Local<'s, Value>> {
    match bytes {
        Some(bytes) => uint8_array(scope, bytes).map(Into::into),
        None => Some(v8::null(scope).into()),
    }
}

/// The bytes that a view shows.
pub(crate) fn bytes_of(view: Local<'_, ArrayBufferView>) -> Vec<u8> {
    let mut bytes = vec![0; view.byte_length()];
    let copied = view.copy_contents(&mut bytes);
    bytes.truncate(copied);
    bytes
}
