//! The console sink.

use codemode_protocol::{LogLevel, Sentence};
use codemode_runtime::v8::{self, FunctionCallbackArguments, Local, PinScope, ReturnValue};

use crate::console::{Admission, json_length};
use crate::run;

/// `console(level, line)`: sends one line and answers whether more may be sent.
pub(super) fn write(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    answer.set_bool(true);
    let (Some(run), Ok(line)) = (run::current(scope), Local::<v8::String>::try_from(args.get(1))) else {
        return;
    };
    let level = match args.get(0).uint32_value(scope) {
        Some(1) => LogLevel::Warn,
        Some(2) => LogLevel::Error,
        _ => LogLevel::Log,
    };
    let room = run.borrow().console.room();
    // A text longer than the room is refused by its length alone: copying it out would cost what the bound saves.
    let length = if line.length() > room { room + 1 } else { measured(scope, line) };
    let admission = run.borrow_mut().console.admit(length);
    match admission {
        Admission::Line => {
            let text = line.to_rust_string_lossy(scope);
            run.borrow_mut().host.console(level, text);
        }
        Admission::Final => {
            answer.set_bool(false);
            let mut run = run.borrow_mut();
            let sentence = Sentence::ConsoleCaptureLimit { limit_units: run.console_limit };
            run.host.console(LogLevel::Warn, sentence.to_string());
        }
        Admission::Closed => answer.set_bool(false),
    }
}

fn measured(scope: &mut PinScope<'_, '_>, line: Local<'_, v8::String>) -> usize {
    let mut units = vec![0_u16; line.length()];
    line.write_v2(scope, 0, &mut units, v8::WriteFlags::empty());
    json_length(units)
}
