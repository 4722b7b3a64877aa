//! Arbitrary values as the result of a run, as arguments of a tool and as its answer.

use std::sync::{Arc, Mutex, PoisonError};

use codemode_executor::ExecuteRequest;
use codemode_protocol::codec::{BINARY_TAG, answer_result, decode_args};
use codemode_protocol::defaults::VALUE_DEPTH_LIMIT;
use codemode_protocol::{FailureKind, ProviderDescriptor, Sentence, Value, dispatch_fn};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::Property;
use crate::host::{Host, check};
use crate::value::{Form, Js, array_index, expression};

/// What needs no Node.
pub(crate) const ALONE: &[Property] = &[
    ("values::cross_as_the_model_says", cross_as_the_model_says),
    ("values::that_failed_before_cross", that_failed_before_cross),
    ("values::are_read_once", are_read_once),
    ("values::cross_to_their_documented_depth", cross_to_their_documented_depth),
];

/// What is compared with Node.
pub(crate) const COMPARED: &[Property] = &[("values::cross_as_node_writes_them", cross_as_node_writes_them)];

const BATCH: usize = 60;
const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/properties/seeds/values.txt");

/// A text that no generated text holds.
const MARK: &str = "@properties:";

fn cross_as_the_model_says(host: &Host) -> Result<(), String> {
    check(5, SEEDS, prop::collection::vec(expression(), 1..BATCH), |values| {
        let expected: Vec<Value> = values.iter().map(model).collect();
        cross(host, &values, &expected)
    })
}

/// What this suite has found, kept by hand because a seed means nothing to another generator.
fn that_failed_before_cross(host: &Host) -> Result<(), String> {
    let look_alike = |value: Js| {
        let key = |text: &str| text.encode_utf16().collect();
        let members = vec![(key(BINARY_TAG), Js::Null), (key("other"), value)];
        Js::Object { form: Form::Literal, members }
    };
    let tagged = |value: Js| {
        let members = vec![(BINARY_TAG.encode_utf16().collect(), value)];
        Js::Object { form: Form::Literal, members }
    };
    let text = |text: &str| Js::String(text.encode_utf16().collect());
    let values = vec![
        // Wrapper objects beside a key that has to be escaped.
        look_alike(Js::Boxed(Box::new(Js::Bool(false)))),
        look_alike(Js::Boxed(Box::new(Js::Number(7.5)))),
        look_alike(Js::Boxed(Box::new(text("boxed")))),
        // The key that a `toJSON` behind such a key is given.
        tagged(Js::ToJsonKey),
        // Texts that read like an escaped member.
        look_alike(text(&format!("{{\"{BINARY_TAG}\":1,\"{BINARY_TAG}~\":"))),
        tagged(Js::Absent("undefined")),
        look_alike(Js::Bytes { constructor: "Uint8Array", bytes: vec![1, 2], offset: false }),
    ];
    let expected: Vec<Value> = values.iter().map(model).collect();
    cross(host, &values, &expected)
}

/// `JSON.stringify` reads an accessor and asks a `toJSON` once, whatever the keys beside it are.
fn are_read_once(host: &Host) -> Result<(), String> {
    let body = format!(
        "let reads = 0, asked = 0
         const value = {{ {BINARY_TAG}: 1, get read() {{ return ++reads }}, ask: {{ toJSON: () => ++asked }} }}
         await host.take(value)
         return [reads, asked]"
    );
    let (outcome, taken) = run(host, &program(&[], &body), Vec::new())?;
    let expected = (
        Value::Array(vec![Value::Number(1.0), Value::Number(1.0)]),
        format!("[{{\"{BINARY_TAG}~\":1,\"read\":1,\"ask\":1}}]"),
    );
    if (&outcome, &taken) == (&expected.0, &expected.1) {
        return Ok(());
    }
    Err(format!("{outcome:?} {taken}"))
}

/// docs/deviations.md, Values: 512 levels cross, and one more is an error in band.
fn cross_to_their_documented_depth(host: &Host) -> Result<(), String> {
    for (open, close) in [("[", "]"), ("{ v: ", "}")] {
        let nested = |depth: usize| format!("async () => ({}1{})", open.repeat(depth), close.repeat(depth));
        let deepest = host.execute(ExecuteRequest::new(nested(VALUE_DEPTH_LIMIT)))?.into_value()?;
        let depth = std::iter::successors(deepest.as_ref(), |value| value.at(0).or(value.get("v"))).count();
        if depth != VALUE_DEPTH_LIMIT + 1 {
            return Err(format!("{depth} levels came back"));
        }
        let deeper = host.execute(ExecuteRequest::new(nested(VALUE_DEPTH_LIMIT + 1)))?;
        let sentence = Sentence::ValueTooDeep { depth_limit: VALUE_DEPTH_LIMIT };
        if deeper.error != Some(sentence.to_string()) || deeper.kind != Some(FailureKind::Payload) {
            return Err(format!("{deeper:?}"));
        }
    }
    Ok(())
}

fn cross_as_node_writes_them(host: &Host) -> Result<(), String> {
    check(5, SEEDS, prop::collection::vec(expression(), 1..BATCH), |values| {
        let sources: Vec<String> = values.iter().map(Js::source).collect();
        let texts = host.ask_node(&json!({ "operation": "values", "sources": sources, "mark": MARK }))?;
        let texts = texts.ok_or("the oracle died")?;
        let texts: Vec<String> = serde_json::from_value(texts).map_err(|error| error.to_string())?;
        let expected: Vec<Value> =
            texts.iter().map(|text| written_by_node(text)).collect::<Result<_, _>>()?;
        for (value, expected) in values.iter().zip(&expected) {
            same("the model", value, &model(value), expected)?;
        }
        cross(host, &values, &expected)?;
        arguments_are_the_text_of_node(host, &values, &texts)
    })
}

/// A value as the member `v` of an object.
fn model(value: &Js) -> Value {
    Value::object(value.model("v").map(|value| ("v", value)))
}

/// Takes `values` through all three crossings.
fn cross(host: &Host, values: &[Js], expected: &[Value]) -> Result<(), String> {
    const CROSSINGS: &str = "
        await host.take(...values.map((value) => ({ v: value() })))
        const described = [], returned = []
        for (let index = 0; index < values.length; index++) {
            described.push(describe(await host.give(index)))
            returned.push(await host.give(index))
        }
        return { results: values.map((value) => ({ v: value() })), described, returned }";
    let answers = expected.to_vec();
    let (outcome, taken) = run(host, &program(values, CROSSINGS), answers)?;
    let arguments = decode_args(&taken).map_err(|error| error.to_string())?;
    let members = |name: &str| match outcome.get(name) {
        Some(Value::Array(items)) => Ok(items.clone()),
        _ => Err(format!("no {name} in {outcome:?}")),
    };
    let crossings = [
        ("as an argument", arguments),
        ("as a result", members("results")?),
        ("as an answer that is returned", members("returned")?),
    ];
    for (crossing, found) in crossings {
        if found.len() != values.len() {
            return Err(format!("{} of {} values crossed {crossing}", found.len(), values.len()));
        }
        for ((value, expected), found) in values.iter().zip(expected).zip(&found) {
            same(crossing, value, found, expected)?;
        }
    }
    for ((value, expected), found) in values.iter().zip(expected).zip(members("described")?) {
        let expected = describe(expected);
        if found.as_str() != Some(&expected) {
            return Err(format!("as an answer: {}\nfound {found:?}\nexpected {expected}", value.source()));
        }
    }
    Ok(())
}

/// The arguments of a call are the text of `JSON.stringify`, where it needs no envelope and no escape.
fn arguments_are_the_text_of_node(host: &Host, values: &[Js], texts: &[String]) -> Result<(), String> {
    let plain = |text: &&String| !text.contains(MARK) && !text.contains("__codemode_binary_v1__");
    let (values, texts): (Vec<Js>, Vec<&String>) =
        values.iter().cloned().zip(texts).filter(|(_, text)| plain(text)).unzip();
    let call = "await host.take(...values.map((value) => ({ v: value() }))); return null";
    let (_, taken) = run(host, &program(&values, call), Vec::new())?;
    let expected = format!("[{}]", texts.into_iter().cloned().collect::<Vec<_>>().join(","));
    if taken == expected { Ok(()) } else { Err(format!("arguments {taken}\nof Node {expected}")) }
}

fn program(values: &[Js], body: &str) -> String {
    let values: String = values.iter().map(|value| format!("() => ({}),\n", value.source())).collect();
    format!("async () => {{\nconst values = [{values}];\n{DESCRIBE}\n{body}\n}}")
}

/// Runs a program whose tool `take` keeps its arguments and whose tool `give` answers one of `answers`. Answers
/// the result and the arguments.
fn run(host: &Host, program: &str, answers: Vec<Value>) -> Result<(Value, String), String> {
    let taken = Arc::new(Mutex::new(String::new()));
    let keep = taken.clone();
    let request = ExecuteRequest::new(program)
        .provider(ProviderDescriptor::new("host", ["take", "give"]))
        .dispatch(dispatch_fn(move |call| {
            let answer = if call.tool == "take" {
                *keep.lock().unwrap_or_else(PoisonError::into_inner) = call.args_json;
                Ok(answer_result(None))
            } else {
                let index: Option<usize> = call.args_json.trim_matches(['[', ']']).parse().ok();
                index
                    .and_then(|index| answers.get(index))
                    .map(|answer| answer_result(Some(answer)))
                    .ok_or_else(|| format!("no answer {}", call.args_json))
            };
            async move { answer }
        }));
    let result = host.execute(request)?.into_value()?.ok_or("an undefined result")?;
    let taken = taken.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok((result, taken))
}

/// Compared by how they print, which tells `-0` from `0`.
fn same(what: &str, value: &Js, found: &Value, expected: &Value) -> Result<(), String> {
    let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: {}\nfound    {found}\nexpected {expected}", value.source()))
}

/// What the oracle wrote, read without the codec of this project.
fn written_by_node(text: &str) -> Result<Value, String> {
    let text = without_halves(text);
    let json: Json = serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))?;
    convert(json)
}

/// docs/deviations.md, Values: half a surrogate pair is U+FFFD. `JSON.stringify` writes such halves, and no
/// others, as escapes of four digits that begin with `d`.
fn without_halves(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let length = if rest[at + 1..].starts_with('u') { 6 } else { 2 };
        let escape = &rest[at..at + length];
        out.push_str(if escape.starts_with("\\ud") { "\u{fffd}" } else { escape });
        rest = &rest[at + length..];
    }
    out + rest
}

fn convert(json: Json) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => Value::Number(number.as_f64().ok_or("a number that is no double")?),
        Json::String(text) => match text.strip_prefix(MARK).and_then(|bytes| bytes.split_once(':')) {
            Some(("view", hex)) => Value::Uint8Array(bytes(hex)?),
            Some((_, hex)) => Value::ArrayBuffer(bytes(hex)?),
            None => Value::String(text),
        },
        Json::Array(items) => Value::Array(items.into_iter().map(convert).collect::<Result<_, _>>()?),
        Json::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(key, value)| Ok((key, convert(value)?)))
                .collect::<Result<_, String>>()?,
        ),
    })
}

fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).map_err(|error| error.to_string()))
        .collect()
}

/// What a program sees of a value: kinds, prototypes, bits of numbers, code units of text, own keys in order.
pub(crate) const DESCRIBE: &str = r"
    const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    // docs/deviations.md, Values: half a surrogate pair is U+FFFD, wherever it is made so.
    const units = (text) => codes(text.toWellFormed())
    const codes = (text) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16)).join('.')
    const describe = (value) => {
        if (value === undefined || value === null || typeof value === 'boolean') return String(value)
        if (typeof value === 'number') {
            return 'n' + new BigUint64Array(new Float64Array([value]).buffer)[0].toString(16)
        }
        if (typeof value === 'string') return 's' + units(value)
        const prototype = Object.getPrototypeOf(value)
        if (prototype === Uint8Array.prototype) return 'view:' + hex(value)
        if (prototype === ArrayBuffer.prototype) return 'buffer:' + hex(new Uint8Array(value))
        if (prototype === Array.prototype) return '[' + value.map(describe).join() + ']'
        if (prototype !== Object.prototype) return 'another prototype'
        const member = (key) => {
            const own = Object.getOwnPropertyDescriptor(value, key)
            if (!own.writable || !own.enumerable || !own.configurable) return 'another property'
            return units(key) + '=' + describe(own.value)
        }
        return '{' + Reflect.ownKeys(value).map(member).join() + '}'
    }";

/// The same of a value here.
pub(crate) fn describe(value: &Value) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let units =
        |text: &str| text.encode_utf16().map(|unit| format!("{unit:x}")).collect::<Vec<_>>().join(".");
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("n{:x}", number.to_bits()),
        Value::String(text) => format!("s{}", units(text)),
        Value::Uint8Array(bytes) => format!("view:{}", hex(bytes)),
        Value::ArrayBuffer(bytes) => format!("buffer:{}", hex(bytes)),
        Value::Array(items) => format!("[{}]", items.iter().map(describe).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            // The order of the language, which keeps what is an index apart (ECMA-262, OrdinaryOwnPropertyKeys).
            let index = |key: &str| array_index(&key.encode_utf16().collect::<Vec<_>>());
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| index(key).map_or(u64::MAX, u64::from));
            let member = |(key, value): &&(String, Value)| format!("{}={}", units(key), describe(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
    }
}
