//! Who hears of rejections.

use codemode_runtime::v8::{FunctionCallbackArguments, PinScope, ReturnValue};

use crate::rejections::current;

/// `hearRejections()`: the program has a listener for them from now on.
pub(super) fn hear(
    scope: &mut PinScope<'_, '_>,
    _args: FunctionCallbackArguments<'_>,
    _answer: ReturnValue<'_>,
) {
    if let Some(rejections) = current(scope) {
        rejections.borrow_mut().hear();
    }
}
