//! The outcome of a run, reported by the library or assigned by the program.

use codemode_runtime::v8::{
    ConstructorBehavior, Function, FunctionCallbackArguments, Global, Local, PinScope, PromiseResolver,
    PropertyDescriptor, ReturnValue, String as JsString, Value,
};

use crate::run::{self, Report};
use crate::text::name;

/// `reportResult(envelopeJson)`
pub(super) fn report_result(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    _answer: ReturnValue<'_>,
) {
    report_text(scope, args.get(0), Report::Returned);
}

/// `reportError(message)`
pub(super) fn report_error(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    _answer: ReturnValue<'_>,
) {
    report_text(scope, args.get(0), Report::Threw);
}

/// `reportHandler(invoke)`: the run returned a request handler, and `invoke` calls it.
pub(super) fn report_handler(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    _answer: ReturnValue<'_>,
) {
    let (Some(run), Ok(invoke)) = (run::current(scope), Local::<Function>::try_from(args.get(0))) else {
        return;
    };
    run.borrow_mut().report_handler(Global::new(scope, invoke));
    // A handler cannot cross as a value: the envelope stays empty.
    let envelope = JsString::empty(scope);
    settle_ready(scope, envelope.into());
}

fn report_text(scope: &mut PinScope<'_, '_>, value: Local<'_, Value>, report: fn(String) -> Report) {
    let (Some(run), Ok(text)) = (run::current(scope), Local::<JsString>::try_from(value)) else { return };
    let size = text.utf8_length(scope);
    let fits = size <= run.borrow().payload_limit_bytes;
    let report = if fits { report(text.to_rust_string_lossy(scope)) } else { Report::TooLarge(size) };
    run.borrow_mut().report(report);
    settle_ready(scope, value);
}

/// Publishes `__resultJson`, an accessor whose setter keeps the first value, and `__resultReady`, a promise for it.
/// Neither has a flag set, so a program can replace neither.
pub(crate) fn define_completion_names(scope: &mut PinScope<'_, '_>) -> Option<Global<PromiseResolver>> {
    let global = scope.get_current_context().global(scope);
    let undefined = codemode_runtime::v8::undefined(scope);
    let setter =
        Function::builder(assign_result).constructor_behavior(ConstructorBehavior::Throw).build(scope)?;
    let accessor = PropertyDescriptor::new_from_get_set(undefined.into(), setter.into());
    let key = name(scope, "__resultJson");
    global.define_property(scope, key.into(), &accessor)?;

    let resolver = PromiseResolver::new(scope)?;
    let ready = PropertyDescriptor::new_from_value_writable(resolver.get_promise(scope).into(), false);
    let key = name(scope, "__resultReady");
    global.define_property(scope, key.into(), &ready)?;
    Some(Global::new(scope, resolver))
}

fn assign_result(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    _answer: ReturnValue<'_>,
) {
    let Some(run) = run::current(scope) else { return };
    if run.borrow().report.is_none() {
        let value = Global::new(scope, args.get(0));
        run.borrow_mut().report(Report::Assigned(value));
    }
    settle_ready(scope, args.get(0));
}

fn settle_ready(scope: &mut PinScope<'_, '_>, value: Local<'_, Value>) {
    let resolver = run::current(scope).and_then(|run| run.borrow().ready.clone());
    if let Some(resolver) = resolver {
        Local::new(scope, &*resolver).resolve(scope, value);
    }
}
