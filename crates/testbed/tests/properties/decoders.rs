//! Arbitrary text at every decoder: a value or a typed error, and what was read writes and reads back.

use codemode_executor::ExecuteRequest;
use codemode_protocol::codec::{BINARY_TAG, DecodeError, decode_answer, decode_args, decode_outcome};
use codemode_protocol::{
    ExecuteResult, FailureKind, Fault, FaultCode, LogLevel, LogLine, ModuleMap, ModuleSource,
    ProviderDescriptor, Usage, Value, dispatch_fn, separate_imports,
};
use proptest::prelude::*;

use crate::Property;
use crate::host::{Host, check};
use crate::values::{DESCRIBE, describe};

/// What needs no Node.
pub(crate) const ALONE: &[Property] = &[
    ("decoders::text_ends_in_a_value_or_a_typed_error", text_ends_in_a_value_or_a_typed_error),
    ("decoders::records_read_back", records_read_back),
    ("decoders::programs_separate_without_loss", programs_separate_without_loss),
    ("decoders::both_faces_read_an_answer_alike", both_faces_read_an_answer_alike),
    ("decoders::a_report_of_the_program_is_read_as_any_text", a_report_of_the_program_is_read_as_any_text),
];

const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/properties/seeds/decoders.txt");

/// Tokens of JSON, of envelopes and of records, which get further than arbitrary bytes.
fn near_json() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\ud83e",
        "\\udd80",
        "null",
        "true",
        "false",
        "-",
        "0",
        "1",
        ".5",
        "e9",
        "1e999",
        " ",
        "\n",
        "\"a\"",
        "é",
        "\u{0}",
        "\"__proto__\"",
        "\"\"",
        "\"AQID\"",
        "\"Uint8Array\"",
    ]);
    let member = prop::sample::select(vec![
        "\"result\":",
        "\"error\":",
        "\"data\":",
        "\"__codemode_binary_v1__\":",
        "\"__codemode_binary_v1__~\":",
        "\"logs\":",
        "\"code\":",
        "\"js\":",
        "\"cjs\":",
        "\"json\":",
        "\"usage\":",
        "\"level\":\"log\",",
        "\"kind\":",
        "\"causes\":",
        "\"handles\":",
    ]);
    prop::collection::vec(prop_oneof![3 => token, 2 => member], 0..24).prop_map(|tokens| tokens.concat())
}

/// JSON that is well formed, with names that mean something to a decoder.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "null",
            "true",
            "false",
            "0",
            "-0",
            "1.5",
            "1e400",
            "\"\"",
            "\"log\"",
            "\"AQID\"",
            "\"A\"",
            "\"*\"",
            "\"Uint8Array\"",
            "\"ArrayBuffer\"",
            "\"\\ud800\"",
            "\"INTERNAL\"",
            "9007199254740993",
        ])
        .prop_map(str::to_owned),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(|number| format!("{number:e}")),
        any::<String>().prop_map(|text| serde_json::Value::from(text).to_string()),
    ];
    let name = prop_oneof![
        prop::sample::select(vec![
            "result",
            "error",
            "logs",
            "level",
            "text",
            "kind",
            "usage",
            "wallMs",
            "toolCalls",
            "code",
            "message",
            "causes",
            "handles",
            "executionId",
            "js",
            "cjs",
            "json",
            "data",
            "retryAfterMs",
            "started",
            "__proto__",
            "toString",
            "1",
            "0",
            "a",
        ])
        .prop_map(str::to_owned),
        (0..3usize).prop_map(|escapes| format!("{BINARY_TAG}{}", "~".repeat(escapes))),
    ];
    leaf.prop_recursive(4, 20, 4, move |inner| {
        let bytes = (prop::sample::select(vec!["Uint8Array", "ArrayBuffer", "x"]), "[A-Za-z0-9+/= ]{0,8}").prop_map(
            |(kind, data)| format!("{{\"{BINARY_TAG}\":\"{kind}\",\"data\":\"{data}\"}}"),
        );
        prop_oneof![
            1 => bytes,
            2 => prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            4 => prop::collection::vec((name.clone(), inner), 0..5).prop_map(|members| {
                let member = |(name, value): (String, String)| format!("\"{name}\":{value}");
                format!("{{{}}}", members.into_iter().map(member).collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    let bytes = prop::collection::vec(any::<u8>(), 0..60);
    prop_oneof![
        4 => json(),
        3 => near_json(),
        1 => bytes.prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        1 => any::<String>(),
    ]
}

fn text_ends_in_a_value_or_a_typed_error(_host: &Host) -> Result<(), String> {
    check(3000, SEEDS, text(), |text| {
        let read = Value::from_json(&text);
        match &read {
            Ok(value) => {
                agree("the value", Value::from_json(&value.to_json()).as_ref(), Ok(value))?;
                if let Ok(result) = ExecuteResult::from_value(value.clone()) {
                    agree("the result", ExecuteResult::from_value(result.to_value()), Ok(result))?;
                }
                if let Ok(fault) = Fault::from_value(value.clone()) {
                    agree("the fault", Fault::from_value(fault.to_value()), Ok(fault))?;
                }
                if let Ok(map) = ModuleMap::from_value(value.clone()) {
                    agree("the module map", ModuleMap::from_json(&text), Ok(map))?;
                }
            }
            Err(DecodeError::Syntax { offset, .. } | DecodeError::NumberOutOfRange { offset }) => {
                agree("the offset is in the text", *offset <= text.len(), true)?;
            }
            Err(_) => {}
        }
        if let Err(error) = &read {
            agree("the module map", ModuleMap::from_json(&text).as_ref().err(), Some(error))?;
        }
        let arguments = match &read {
            _ if text.is_empty() => Ok(Vec::new()),
            Ok(Value::Array(items)) => Ok(items.clone()),
            Ok(single) => Ok(vec![single.clone()]),
            Err(error) => Err(error.clone()),
        };
        agree("the arguments", decode_args(&text), arguments)?;
        let outcome = decode_outcome(&text);
        agree("a failure has a kind", outcome.error.is_some(), outcome.kind.is_some())?;
        agree("a failure has no result", outcome.error.is_some() && outcome.result.is_some(), false)?;
        agree("text that is not JSON fails", read.is_err() && outcome.error.is_none(), false)?;
        let answer = decode_answer(&text);
        let is_primitive =
            matches!(read, Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | Err(_));
        agree("an answer is an object", is_primitive && answer.is_ok(), false)
    })
}

fn agree<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}")) }
}

prop_compose! {
    fn usage()(times in prop::array::uniform4(0.0..1e9f64), sizes in prop::array::uniform2(0..1u64 << 53), calls: u32)
        -> Usage
    {
        let mut usage = Usage::default();
        [usage.wall_ms, usage.counted_ms, usage.cpu_ms, usage.host_wait_ms] = times;
        [usage.peak_heap_bytes, usage.peak_buffer_bytes] = sizes;
        usage.tool_calls = calls;
        usage
    }
}

prop_compose! {
    fn result()(
        value in prop::option::of(text()),
        error in prop::option::of(any::<String>()),
        lines in prop::collection::vec((prop::sample::select(LogLevel::ALL.to_vec()), any::<String>()), 0..4),
        id in prop::option::of(any::<String>()),
        handles in prop::option::of(prop::collection::vec(any::<String>(), 0..3)),
        kind in prop::option::of(prop::sample::select(FailureKind::ALL.to_vec())),
        usage in usage(),
    ) -> ExecuteResult {
        let mut result = ExecuteResult::returned(value.and_then(|text| Value::from_json(&text).ok()));
        result.error = error;
        result.logs = lines.into_iter().map(|(level, text)| LogLine { level, text }).collect();
        result.execution_id = id;
        result.handles = handles;
        result.kind = kind;
        result.usage = usage;
        result
    }
}

prop_compose! {
    fn fault()(
        code in prop::sample::select(FaultCode::ALL.to_vec()),
        message: String,
        begun in prop::option::of(any::<u32>()),
        wait in prop::option::of(0..1u64 << 53),
        causes in prop::collection::vec(any::<String>(), 0..3),
    ) -> Fault {
        let mut fault = Fault::new(code, message);
        fault.retry_after_ms = wait;
        fault.causes = causes;
        match begun {
            Some(calls) => fault.after_start(calls),
            None => fault,
        }
    }
}

fn records_read_back(_host: &Host) -> Result<(), String> {
    check(300, SEEDS, (result(), fault()), |(result, fault)| {
        let text = result.to_value().to_json();
        let read = Value::from_json(&text).and_then(ExecuteResult::from_value);
        agree("the result", read, Ok(result))?;
        let text = fault.to_value().to_json();
        agree("the fault", Value::from_json(&text).and_then(Fault::from_value), Ok(fault))
    })?;
    let sources = prop::collection::btree_map(any::<String>(), (0..5usize, any::<String>()), 0..5);
    check(300, SEEDS, sources, |sources| {
        let record = |(name, (kind, text)): (&String, &(usize, String))| {
            let (member, content, source) = match kind {
                0 => ("js", Value::from(text.as_str()), ModuleSource::Js(text.clone())),
                1 => ("cjs", Value::from(text.as_str()), ModuleSource::Cjs(text.clone())),
                2 => {
                    let value = Value::from(text.as_str());
                    let json = value.to_json();
                    ("json", value, ModuleSource::Json(json))
                }
                3 => ("text", Value::from(text.as_str()), ModuleSource::Text(text.clone())),
                _ => {
                    ("data", Value::Uint8Array(text.clone().into()), ModuleSource::Data(text.clone().into()))
                }
            };
            ((name.clone(), Value::object([(member, content)])), (name.clone(), source))
        };
        let (members, expected) = sources.iter().map(record).unzip();
        agree("the map", ModuleMap::from_json(&Value::Object(members).to_json()), Ok(ModuleMap(expected)))
    })
}

fn programs_separate_without_loss(_host: &Host) -> Result<(), String> {
    let token = prop::sample::select(vec![
        "import",
        "import ",
        "from ",
        "a",
        "{",
        "}",
        "* as ns ",
        ",",
        "'x'",
        "\"y\"",
        "'",
        ";",
        "\n",
        " ",
        "/*",
        "*/",
        "//",
        "with",
        "type: 'json'",
        "(",
        ")",
        "=>",
        "defer ",
        "source ",
        "\u{2028}",
        "\u{feff}",
        "#!",
        "é",
        "\\",
        "async () => 1",
        "default as b",
        "`",
        "\r\n",
    ]);
    let program =
        prop_oneof![prop::collection::vec(token, 0..24).prop_map(|tokens| tokens.concat()), any::<String>(),];
    check(3000, SEEDS, program, |program| {
        let separated = separate_imports(&program);
        agree("the two parts", format!("{}{}", separated.imports, separated.body), program.clone())?;
        // What was lifted out is all that can be.
        agree("the body once more", separate_imports(separated.imports).body, "")?;
        // The dialect's reader of programs has an answer for any text too.
        agree("a program", codemode_adapter::normalize_code(&program).is_empty(), false)
    })
}

/// Texts that a tool answers with, read by the program and by the codec of the host.
fn both_faces_read_an_answer_alike(host: &Host) -> Result<(), String> {
    check(6, SEEDS, prop::collection::vec(text(), 1..80), |texts| {
        // A number beyond a double is an infinity to the program, and refused by the host: see the codec's page.
        let texts: Vec<String> =
            texts.into_iter().filter(|text| without_lost_members(text).is_some()).collect();
        let program = format!(
            "async () => {{ {DESCRIBE}
                const answers = []
                for (let index = 0; index < {}; index++) {{
                    try {{ answers.push(describe(await host.give(index))) }} catch (error) {{ answers.push('failed ' + error.message) }}
                }}
                return answers
            }}",
            texts.len()
        );
        let answers = texts.clone();
        let request = ExecuteRequest::new(program)
            .provider(ProviderDescriptor::new("host", ["give"]))
            .dispatch(dispatch_fn(move |call| {
                let index: Option<usize> = call.args_json.trim_matches(['[', ']']).parse().ok();
                let answer = index.and_then(|index| answers.get(index)).cloned();
                async move { answer.ok_or_else(|| "no such answer".to_owned()) }
            }));
        let found = host.execute(request)?.into_value()?;
        let Some(Value::Array(found)) = found else { return Err(format!("{found:?}")) };
        agree("answers", found.len(), texts.len())?;
        for (text, found) in texts.iter().zip(&found) {
            let read = without_lost_members(text).unwrap_or_default();
            let expected = match decode_answer(&read) {
                Ok(None) => "undefined".to_owned(),
                Ok(Some(value)) => describe(&value),
                Err(error) => {
                    let thrown = match Value::from_json(text).as_ref().map(|answer| answer.get("error")) {
                        Ok(Some(error)) => text_of(error)
                            .unwrap_or_else(|| "Cannot convert object to primitive value".to_owned()),
                        _ => error,
                    };
                    format!("failed {thrown}")
                }
            };
            agree(text, found.as_str(), Some(expected.as_str()))?;
        }
        Ok(())
    })
}

/// The text without members that a later one of the same key replaces, where something in it is no base64: the
/// program never sees such a member, and the host refuses the text that holds it. `None` where there is also a
/// number that the host refuses.
fn without_lost_members(text: &str) -> Option<String> {
    match Value::from_json(text) {
        Err(DecodeError::NumberOutOfRange { .. }) => None,
        Err(DecodeError::Base64) if is_json(text) => {
            // The reader that drops them refuses the half of a surrogate pair that the generator writes.
            let whole = text.replace("\\ud800", "\\ufffd");
            serde_json::from_str::<serde_json::Value>(&whole).ok().map(|json| json.to_string())
        }
        _ => Some(text.to_owned()),
    }
}

/// The text that the language makes of an error; `None` where it can make none. The host reads an error that is no
/// text as its JSON instead.
fn text_of(error: &Value) -> Option<String> {
    Some(match error {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let item = |item: &Value| match item {
                Value::Null => Some(String::new()),
                item => text_of(item),
            };
            items.iter().map(item).collect::<Option<Vec<_>>>()?.join(",")
        }
        Value::Object(_) if error.get("toString").is_some() => return None,
        Value::Object(_) => "[object Object]".to_owned(),
        Value::Uint8Array(bytes) => bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(","),
        Value::ArrayBuffer(_) => "[object ArrayBuffer]".to_owned(),
        plain => plain.to_json(),
    })
}

fn a_report_of_the_program_is_read_as_any_text(host: &Host) -> Result<(), String> {
    check(24, SEEDS, text(), |text| {
        let literal: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        let program = format!("async () => {{ globalThis.__resultJson = \"{literal}\"; return 'not this' }}");
        let found = host.execute(ExecuteRequest::new(program))?;
        let mut expected = decode_outcome(&text);
        if !is_json(&text) {
            // The parser of the engine reads it first, and reports it in its own words.
            agree(
                &text,
                (found.result, found.error.is_some(), found.kind),
                (None, true, Some(FailureKind::Thrown)),
            )?;
            return Ok(());
        }
        if !text.trim_start().starts_with(['[', '{']) {
            // No object, so that nobody reads how large a number is.
            expected = decode_outcome("null");
        }
        agree(
            &text,
            (found.result, found.error, found.kind),
            (expected.result, expected.error, expected.kind),
        )
    })
}

/// Whether another reader finds JSON: one that ignores the size of numbers, once halves of surrogate pairs are
/// something else.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(&text.replace("\\ud", "\\u0")).is_ok()
}
