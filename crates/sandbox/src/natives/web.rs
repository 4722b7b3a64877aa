//! The host's part of the web platform: classification of objects, encodings, domains and compression.

use std::borrow::Cow;

use codemode_runtime::v8::{
    self, Array, ArrayBufferView, Exception, FunctionCallbackArguments, Local, Object, PinScope, ReturnValue,
    StackFrame, StackTrace, Value,
};

use crate::bytes::{bytes_of, uint8_array};
use crate::text::{js_string, name, string_or_empty};
use crate::web::{self, Codec, Decoder, Format, Open};

/// How the build names the script of the library.
const LIBRARY: &str = "codemode:library";

/// How large a piece of output is handed over at a time.
const PIECE_BYTES: usize = 64 * 1024;

/// How many frames of a stack are looked through for one of the program.
const FRAME_LIMIT: usize = 64;

/// `classify(object)`: which internal slots an object has, as a number that structured cloning knows.
pub(super) fn classify(
    _scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    answer.set_int32(class_of(args.get(0)));
}

fn class_of(value: Local<'_, Value>) -> i32 {
    let classes: [fn(&Value) -> bool; 12] = [
        Value::is_array,
        Value::is_map,
        Value::is_set,
        Value::is_date,
        Value::is_reg_exp,
        Value::is_boolean_object,
        Value::is_number_object,
        Value::is_string_object,
        Value::is_big_int_object,
        Value::is_native_error,
        Value::is_array_buffer,
        Value::is_array_buffer_view,
    ];
    let others: [fn(&Value) -> bool; 12] = [
        Value::is_proxy,
        Value::is_promise,
        Value::is_weak_map,
        Value::is_weak_set,
        Value::is_generator_object,
        Value::is_map_iterator,
        Value::is_set_iterator,
        Value::is_module_namespace_object,
        Value::is_shared_array_buffer,
        Value::is_symbol_object,
        Value::is_external,
        Value::is_function,
    ];
    if others.iter().any(|is| is(&value)) {
        return 13;
    }
    classes.iter().position(|is| is(&value)).map_or(0, |index| i32::try_from(index + 1).unwrap_or_default())
}

/// `describeException(value)`: `{ message, filename, lineno, colno }` of where a value was thrown, or is reported.
pub(super) fn describe_exception(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let exception = args.get(0);
    let message = Exception::create_message(scope, exception).get(scope);
    let thrown =
        Exception::get_stack_trace(scope, exception).and_then(|trace| frame_of_program(scope, trace));
    let frame = thrown.or_else(|| {
        let trace = StackTrace::current_stack_trace(scope, FRAME_LIMIT)?;
        frame_of_program(scope, trace)
    });
    let described = Object::new(scope);
    let key = name(scope, "message");
    described.set(scope, key.into(), message.into());
    if let Some(frame) = frame {
        let filename = frame.get_script_name_or_source_url(scope).unwrap_or_else(|| v8::String::empty(scope));
        let lineno =
            v8::Integer::new_from_unsigned(scope, u32::try_from(frame.get_line_number()).unwrap_or_default());
        let colno =
            v8::Integer::new_from_unsigned(scope, u32::try_from(frame.get_column()).unwrap_or_default());
        for (key, value) in
            [("filename", filename.into()), ("lineno", lineno.into()), ("colno", colno.into())]
        {
            let key = name(scope, key);
            let value: Local<Value> = value;
            described.set(scope, key.into(), value);
        }
    }
    answer.set(described.into());
}

fn frame_of_program<'s>(
    scope: &mut PinScope<'s, '_>,
    trace: Local<'s, StackTrace>,
) -> Option<Local<'s, StackFrame>> {
    (0..trace.get_frame_count()).filter_map(|index| trace.get_frame(scope, index)).find(|frame| {
        frame
            .get_script_name_or_source_url(scope)
            .is_some_and(|script| script.to_rust_string_lossy(scope) != LIBRARY)
    })
}

/// `encodeUtf8(text)`: the UTF-8 bytes of a well-formed text, as a `Uint8Array`.
pub(super) fn encode_utf8(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let text = string_or_empty(scope, args.get(0));
    if let Some(view) = uint8_array(scope, text.as_bytes()) {
        answer.set(view.into());
    }
}

/// `decodeUtf8(bytes, fatal)`: the text of whole characters, or undefined where the bytes are malformed and `fatal`.
/// What is malformed otherwise reads as U+FFFD, and a byte order mark is text.
pub(super) fn decode_utf8(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let bytes = bytes_in(args.get(0));
    let text = String::from_utf8_lossy(&bytes);
    if args.get(1).is_true() && matches!(text, Cow::Owned(_)) {
        return;
    }
    if let Some(text) = js_string(scope, &text) {
        answer.set(text.into());
    }
}

/// `domainToAscii(domain)`: the ASCII form of a domain, or undefined.
pub(super) fn domain_to_ascii(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let domain = string_or_empty(scope, args.get(0));
    if let Some(text) = web::domain_to_ascii(&domain).and_then(|ascii| js_string(scope, &ascii)) {
        answer.set(text.into());
    }
}

/// `encodingOfLabel(label)`: the name of an encoding in lower case, or undefined.
pub(super) fn encoding_of_label(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let label = string_or_empty(scope, args.get(0));
    if let Some(text) = web::encoding_of_label(&label).and_then(|encoding| js_string(scope, &encoding)) {
        answer.set(text.into());
    }
}

/// `openDecoder(encoding, fatal)`: the number of a new decoder.
pub(super) fn open_decoder(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let encoding = string_or_empty(scope, args.get(0));
    let Some(decoder) = Decoder::new(&encoding, args.get(1).is_true()) else { return };
    answer.set_uint32(open(scope).decoders.insert(decoder));
}

/// `runDecoder(number, bytes, last)`: the text of a chunk, or undefined where it is malformed. After either that or
/// the last chunk the decoder is gone.
pub(super) fn run_decoder(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let number = args.get(0).uint32_value(scope).unwrap_or_default();
    let bytes = bytes_in(args.get(1));
    let last = args.get(2).is_true();
    let Some(decoder) = open(scope).decoders.get_mut(number) else { return };
    let text = decoder.decode(&bytes, last);
    if last || text.is_none() {
        open(scope).decoders.remove(number);
    }
    if let Some(text) = text.and_then(|text| js_string(scope, &text)) {
        answer.set(text.into());
    }
}

/// `openCodec(format, decompress)`: the number of a new codec.
pub(super) fn open_codec(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let Some(format) = Format::named(&string_or_empty(scope, args.get(0))) else { return };
    let codec = if args.get(1).is_true() { Codec::decompressor(format) } else { Codec::compressor(format) };
    answer.set_uint32(open(scope).codecs.insert(codec));
}

/// `runCodec(number, bytes, last)`: an array of the `Uint8Array`s that a chunk gives, ending with a text where the
/// input is malformed.
pub(super) fn run_codec(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let number = args.get(0).uint32_value(scope).unwrap_or_default();
    let bytes = bytes_in(args.get(1));
    let last = args.get(2).is_true();
    let Some(codec) = open(scope).codecs.get_mut(number) else { return };
    let (output, fault) = codec.run(&bytes, last);
    let mut items: Vec<Local<Value>> = Vec::new();
    for piece in output.chunks(PIECE_BYTES) {
        let Some(view) = uint8_array(scope, piece) else { return };
        items.push(view.into());
    }
    if let Some(text) = fault.and_then(|fault| js_string(scope, fault)) {
        items.push(text.into());
    }
    answer.set(Array::new_with_elements(scope, &items).into());
}

/// `closeCodec(number)`
pub(super) fn close_codec(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    _answer: ReturnValue<'_>,
) {
    let number = args.get(0).uint32_value(scope).unwrap_or_default();
    open(scope).codecs.remove(number);
}

/// The bytes of a view, none of any other value.
fn bytes_in(value: Local<'_, Value>) -> Vec<u8> {
    Local::<ArrayBufferView>::try_from(value).map(bytes_of).unwrap_or_default()
}

// The open decoders and codecs of the isolate.
fn open<'a>(scope: &'a mut PinScope<'_, '_>) -> &'a mut Open {
    if scope.get_slot::<Open>().is_none() {
        scope.set_slot(Open::default());
    }
    scope.get_slot_mut::<Open>().expect("the slot was filled above")
}
