//! The host's functions behind the library. Each is handed over once, before any program exists, and is reachable
//! from library code alone; what runs here must still treat every argument as hostile.

mod clock;
mod console;
mod crypto;
mod dispatch;
mod modules;
mod outbound;
mod random;
mod rejections;
mod report;
mod web;

use codemode_protocol::Sentence;
use codemode_runtime::v8::{
    ConstructorBehavior, Function, FunctionCallback, Local, MapFnTo, Object, PinScope,
};

use crate::text::{js_string, name};

pub(crate) use crypto::{Subtle, finish_aside as finish_subtle, perform_next as perform_next_subtle};
pub(crate) use modules::compile_body;
pub(crate) use outbound::{header_pairs, settle as settle_request};
pub(crate) use report::define_completion_names;

/// The record of functions that the library adopts.
pub(crate) fn create<'s>(scope: &mut PinScope<'s, '_>) -> Option<Local<'s, Object>> {
    let natives = Object::new(scope);
    add(scope, natives, "console", console::write)?;
    add(scope, natives, "startTimer", clock::start_timer)?;
    add(scope, natives, "stopTimer", clock::stop_timer)?;
    add(scope, natives, "now", clock::now)?;
    add(scope, natives, "timeOrigin", clock::time_origin)?;
    add(scope, natives, "dispatch", dispatch::dispatch)?;
    add(scope, natives, "sendRequest", outbound::send_request)?;
    add(scope, natives, "cancelRequest", outbound::cancel_request)?;
    add(scope, natives, "randomBytes", random::random_bytes)?;
    add(scope, natives, "performSubtleOperation", crypto::perform_subtle_operation)?;
    add(scope, natives, "classify", web::classify)?;
    add(scope, natives, "describeException", web::describe_exception)?;
    add(scope, natives, "encodeUtf8", web::encode_utf8)?;
    add(scope, natives, "decodeUtf8", web::decode_utf8)?;
    add(scope, natives, "domainToAscii", web::domain_to_ascii)?;
    add(scope, natives, "encodingOfLabel", web::encoding_of_label)?;
    add(scope, natives, "openDecoder", web::open_decoder)?;
    add(scope, natives, "runDecoder", web::run_decoder)?;
    add(scope, natives, "openCodec", web::open_codec)?;
    add(scope, natives, "runCodec", web::run_codec)?;
    add(scope, natives, "closeCodec", web::close_codec)?;
    add(scope, natives, "reportResult", report::report_result)?;
    add(scope, natives, "reportError", report::report_error)?;
    add(scope, natives, "reportHandler", report::report_handler)?;
    add(scope, natives, "hearRejections", rejections::hear)?;
    add(scope, natives, "resolveModule", modules::resolve)?;
    add(scope, natives, "compileCommonJs", modules::compile_common_js)?;
    add(scope, natives, "moduleValue", modules::value)?;
    for (key, sentence) in [
        ("outsideEnvelope", Sentence::DispatchOutsideEnvelope),
        ("notResponse", Sentence::HandleAnswerNotResponse),
        ("networkError", Sentence::HandleAnswerNetworkError),
    ] {
        let text = js_string(scope, &sentence.to_string())?;
        let key = name(scope, key);
        natives.set(scope, key.into(), text.into());
    }
    Some(natives)
}

fn add(
    scope: &mut PinScope<'_, '_>,
    natives: Local<'_, Object>,
    key: &str,
    callback: impl MapFnTo<FunctionCallback>,
) -> Option<()> {
    let function =
        Function::builder(callback).constructor_behavior(ConstructorBehavior::Throw).build(scope)?;
    let key = name(scope, key);
    natives.set(scope, key.into(), function.into())?;
    Some(())
}
