//! Timers and the clock a program reads.

use codemode_runtime::v8::{FunctionCallbackArguments, PinScope, ReturnValue};
use codemode_runtime::wall_clock;

use crate::run;

/// `startTimer(id, delay_ms)`
pub(super) fn start_timer(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    _answer: ReturnValue<'_>,
) {
    let Some(run) = run::current(scope) else { return };
    let id = args.get(0).uint32_value(scope).unwrap_or_default();
    let delay_ms = args.get(1).number_value(scope).unwrap_or_default();
    let mut run = run.borrow_mut();
    let now = run.host.now();
    run.timers.start(id, delay_ms, now);
}

/// `stopTimer(id)`
pub(super) fn stop_timer(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    _answer: ReturnValue<'_>,
) {
    let Some(run) = run::current(scope) else { return };
    let id = args.get(0).uint32_value(scope).unwrap_or_default();
    run.borrow_mut().timers.stop(id);
}

/// `now()`: milliseconds since the run began.
pub(super) fn now(
    scope: &mut PinScope<'_, '_>,
    _args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let Some(run) = run::current(scope) else { return answer.set_double(0.0) };
    let mut run = run.borrow_mut();
    let now = run.host.now();
    answer.set_double(run.guest_clock.since_start(now).as_secs_f64() * 1e3);
}

/// `timeOrigin()`: the moment the run began, in milliseconds since the Unix epoch.
pub(super) fn time_origin(
    scope: &mut PinScope<'_, '_>,
    _args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let Some(run) = run::current(scope) else { return answer.set_double(0.0) };
    let mut run = run.borrow_mut();
    let now = run.host.now();
    let elapsed = run.guest_clock.since_start(now);
    answer.set_double(wall_clock::since_epoch().saturating_sub(elapsed).as_secs_f64() * 1e3);
}
