//! Properties of the codec.

use codemode_protocol::codec::{
    BINARY_TAG, DecodeError, answer_result, decode_answer, decode_args, decode_outcome,
};
use codemode_protocol::defaults::{VALUE_DEPTH_LIMIT, VALUE_PARTS_LIMIT};
use codemode_protocol::{FailureKind, Value};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use crate::notation::assert_same;

/// Keys that meet, look like the tag, or are anything.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec!["a", "data", "__proto__", "constructor", "0", ""]).prop_map(str::to_owned),
        (0..3usize).prop_map(|escapes| BINARY_TAG.to_owned() + &"~".repeat(escapes)),
        any::<String>(),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), Just("Uint8Array".to_owned()), Just("AQID".to_owned())]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<i32>().prop_map(f64::from), prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL]
}

fn value() -> impl Strategy<Value = Value> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..40);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number().prop_map(Value::Number),
        text().prop_map(Value::String),
        bytes().prop_map(Value::Uint8Array),
        bytes().prop_map(Value::ArrayBuffer),
    ];
    leaf.prop_recursive(5, 80, 24, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            prop::collection::vec((key(), inner), 0..24).prop_map(|members| {
                let mut seen = std::collections::HashSet::new();
                Value::Object(members.into_iter().filter(|(key, _)| seen.insert(key.clone())).collect())
            }),
        ]
    })
}

/// Text near JSON, which gets further into a reader than arbitrary text.
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
        "\\u",
        "d83e",
        "null",
        "true",
        "-",
        "0",
        "1",
        ".",
        "e",
        "+",
        " ",
        "\"a\"",
        "\"data\"",
        "\"__codemode_binary_v1__\"",
        "\"Uint8Array\"",
        "\"AQID\"",
        "é",
    ]);
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

proptest! {
    #[test]
    fn every_value_reads_back_as_it_was_written(value in value()) {
        let text = value.to_json();
        prop_assert_eq!(&Value::from_json(&text).unwrap(), &value);
        prop_assert_eq!(&Value::from_json(&value.to_json_pretty()).unwrap(), &value);
        prop_assert_eq!(&Value::try_from(serde_json::Value::from(value.clone())).unwrap(), &value);
        prop_assert_eq!(&serde_json::from_str::<Value>(&serde_json::to_string(&value).unwrap()).unwrap(), &value);
        prop_assert_eq!(&Value::serialize_from(&value).unwrap(), &value);
        let answer = answer_result(Some(&value));
        prop_assert_eq!(decode_answer(&answer), Ok(Some(value.clone())));
        prop_assert_eq!(decode_outcome(&answer).result, Some(value.clone()));
        prop_assert_eq!(decode_args(&format!("[{text}]")), Ok(vec![value]));
    }

    #[test]
    fn what_is_written_is_json_to_others(value in value()) {
        let text = value.to_json();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(json, serde_json::from_str::<serde_json::Value>(&value.to_json_pretty()).unwrap());
    }

    #[test]
    fn readers_agree_on_what_is_json(text in near_json()) {
        // `serde_json` refuses lone surrogates and numbers beyond a double, and knows nothing of bytes.
        let ours = Value::from_json(&text);
        match (serde_json::from_str::<serde::de::IgnoredAny>(&text), ours) {
            (Ok(_), Err(error)) => prop_assert_ne!(error.as_str(), "syntax", "{}", text),
            (Err(error), Ok(_)) => prop_assert!(error.to_string().contains("surrogate"), "{}: {}", text, error),
            _ => {}
        }
    }

    #[test]
    fn arbitrary_text_ends_in_a_value_or_a_typed_error(text in prop_oneof![any::<String>(), near_json()]) {
        let read = Value::from_json(&text);
        if let Err(DecodeError::Syntax { offset, .. }) = &read {
            prop_assert!(*offset <= text.len());
        }
        if let Ok(value) = read {
            prop_assert_eq!(&Value::from_json(&value.to_json()).unwrap(), &value);
        }
        let _ = decode_args(&text);
        let _ = decode_answer(&text);
        let outcome = decode_outcome(&text);
        prop_assert_eq!(outcome.error.is_some(), outcome.kind.is_some());
    }
}

/// `depth` containers around `inner`.
fn nested(depth: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn depth_is_bounded_and_costs_no_stack() {
    let bytes = r#"{"__codemode_binary_v1__":"Uint8Array","data":"AQ=="}"#;
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        for inner in ["1", bytes] {
            let deepest = nested(VALUE_DEPTH_LIMIT, open, inner, close);
            let value = Value::from_json(&deepest).unwrap();
            assert_eq!(value.to_json(), deepest);
            assert_eq!(decode_answer(&answer_result(Some(&value))), Ok(Some(value)));
        }
        for inner in ["1", "[]", "{}", "[1]", r#"{"a":1}"#] {
            let depth = VALUE_DEPTH_LIMIT + usize::from(inner == "1");
            let error = Value::from_json(&nested(depth, open, inner, close)).unwrap_err();
            assert_eq!(error, DecodeError::TooDeep { depth_limit: VALUE_DEPTH_LIMIT }, "{open} {inner}");
        }
        let endless = nested(2_000_000, open, "", "");
        assert_eq!(Value::from_json(&endless).unwrap_err().as_str(), "too_deep");
    }
}

#[test]
fn a_run_that_reports_too_deep_a_value_fails_in_band() {
    let report = format!(r#"{{"result":{}}}"#, nested(VALUE_DEPTH_LIMIT + 1, "[", "", "]"));
    let outcome = decode_outcome(&report);
    assert_eq!(outcome.kind, Some(FailureKind::Payload));
    let sentence = "The value is nested deeper than 512 levels. Return a flatter shape.";
    assert_eq!(outcome.error.as_deref(), Some(sentence));
}

#[test]
fn many_repeated_keys_cost_linear_time() {
    let members: Vec<String> =
        (0..200_000).map(|index| format!(r#""k{}":{index}"#, index % 100_000)).collect();
    let Value::Object(read) = Value::from_json(&format!("{{{}}}", members.join(","))).unwrap() else {
        panic!("no object")
    };
    assert_eq!(read.len(), 100_000);
    assert_eq!(read[7], ("k7".to_owned(), Value::Number(100_007.0)));
}

#[test]
fn numbers_that_json_has_not_are_null() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let value = Value::Array(vec![Value::Number(number)]);
        assert_eq!(value.to_json(), "[null]");
        assert_eq!(serde_json::to_string(&value).unwrap(), "[null]");
        assert_eq!(serde_json::Value::from(value).to_string(), "[null]");
    }
    assert_eq!(Value::Number(-0.0).to_json(), "0");
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: String,
    total: u32,
    note: Option<String>,
    price: f64,
    tags: Vec<Tag>,
    raw: Value,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Tag {
    Plain,
    Named(String),
    Pair(i8, bool),
    Shaped { width: u8 },
}

#[test]
fn types_of_serde_come_and_go() {
    let order = Order {
        id: "o1".into(),
        total: 42,
        note: None,
        price: 1.5,
        tags: vec![Tag::Plain, Tag::Named("x".into()), Tag::Pair(-1, true), Tag::Shaped { width: 3 }],
        raw: Value::object([("bytes", Value::Uint8Array(vec![1, 2])), (BINARY_TAG, "x".into())]),
    };
    let value = Value::serialize_from(&order).unwrap();
    assert_eq!(value.get("total"), Some(&Value::Number(42.0)));
    assert_eq!(value.get("raw"), Some(&order.raw));
    assert_same(&value.get("note").cloned().unwrap(), &Value::Null, "an absent option");
    assert_eq!(value.deserialize::<Order>().unwrap().tags, order.tags);
}

#[test]
fn bytes_reach_a_vector_and_misfits_are_told() {
    assert_eq!(Value::Uint8Array(vec![1, 2]).deserialize::<Vec<u8>>().unwrap(), [1, 2]);
    assert_eq!(Value::from(vec![1, 2]).deserialize::<(u8, u8)>().unwrap(), (1, 2));
    for misfit in [
        Value::Number(1.5).deserialize::<u8>().err(),
        Value::Number(300.0).deserialize::<u8>().err(),
        Value::from("x").deserialize::<bool>().err(),
        Value::from(vec![1]).deserialize::<(u8, u8)>().err(),
        Value::Null.deserialize::<Tag>().err(),
        Value::from("Other").deserialize::<Tag>().err(),
        Value::from("Named").deserialize::<Tag>().err(),
    ] {
        assert_eq!(misfit.expect("a misfit").as_str(), "shape");
    }
    assert!(Value::serialize_from(&std::collections::BTreeMap::from([(vec![1], 2)])).is_err());
}

/// Two bytes of text a part: what is refused would take a host a gigabyte.
#[test]
fn a_value_has_at_most_so_many_parts() {
    let array = |parts: usize| format!("[{}]", vec!["0"; parts - 1].join(","));
    assert!(Value::from_json(&array(VALUE_PARTS_LIMIT)).is_ok());
    let error = Value::from_json(&array(VALUE_PARTS_LIMIT + 1)).unwrap_err();
    assert_eq!(error, DecodeError::TooManyParts { parts_limit: VALUE_PARTS_LIMIT });
    // Counted wherever they are: an object and its member are two.
    let objects = |count: usize| format!("[{}]", vec![r#"{"a":0}"#; count].join(","));
    assert!(Value::from_json(&objects((VALUE_PARTS_LIMIT - 1) / 2)).is_ok());
    assert_eq!(Value::from_json(&objects(VALUE_PARTS_LIMIT / 2)).unwrap_err(), error);

    let outcome = decode_outcome(&format!("{{\"result\":{}}}", array(VALUE_PARTS_LIMIT + 1)));
    assert_eq!(outcome.kind, Some(FailureKind::Payload));
    assert_eq!(outcome.error.as_deref(), Some("The value has more than 2097152 parts. Return less at once."));
}
