//! The functions of the dialect against recorded pairs of input and output.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

use codemode_adapter::{TruncateOptions, normalize_code, sanitize_tool_name, truncate_result};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Cases<T> {
    cases: Vec<T>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NormalizeCase {
    name: String,
    input: String,
    output: String,
    second_pass: Option<String>,
}

#[derive(Deserialize)]
struct SanitizeCase {
    input: Value,
    output: String,
}

#[derive(Deserialize)]
struct TruncateCase {
    name: String,
    input: Value,
    options: Option<TruncateCaseOptions>,
    output: Value,
    size: usize,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
struct TruncateCaseOptions {
    max_chars: Option<usize>,
    max_tokens: Option<usize>,
}

/// Cases that are known to differ: file, then name of the case, then the reason.
type Ledger = BTreeMap<String, BTreeMap<String, String>>;

fn read<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Compares the names of the cases that failed with the ledger, so that a surprise in either direction fails.
fn settle(file: &str, failures: BTreeMap<String, String>) {
    let ledger: Ledger = read("ledger.json");
    let known = ledger.get(file).cloned().unwrap_or_default();
    let mut surprises: Vec<String> = failures
        .iter()
        .filter(|(name, _)| !known.contains_key(*name))
        .map(|(name, why)| format!("{name}: {why}"))
        .collect();
    surprises.extend(
        known.keys().filter(|name| !failures.contains_key(*name)).map(|name| format!("{name}: passes")),
    );
    assert!(surprises.is_empty(), "{file}:\n{}", surprises.join("\n"));
}

#[test]
fn normalize_code_gives_the_recorded_output() {
    let cases: Cases<NormalizeCase> = read("normalize-cases.json");
    let mut failures = BTreeMap::new();
    for case in &cases.cases {
        let output = normalize_code(&case.input);
        let again = normalize_code(&output);
        if output != case.output {
            failures.insert(case.name.clone(), format!("{output:?}, not {:?}", case.output));
        } else if &again != case.second_pass.as_ref().unwrap_or(&case.output) {
            failures.insert(case.name.clone(), format!("the second pass gives {again:?}"));
        }
    }
    assert_eq!(cases.cases.len(), 140);
    settle("normalize-cases.json", failures);
}

#[test]
fn sanitize_tool_name_gives_the_recorded_output() {
    let cases: Cases<SanitizeCase> = read("sanitize-cases.json");
    let mut failures = BTreeMap::new();
    for case in &cases.cases {
        let Some(input) = case.input.as_str() else {
            // Half a surrogate pair, which no Rust string holds; it arrives as U+FFFD.
            assert_eq!(sanitize_tool_name("\u{fffd}"), case.output);
            continue;
        };
        let output = sanitize_tool_name(input);
        if output != case.output {
            failures.insert(input.to_owned(), format!("{output:?}, not {:?}", case.output));
        }
        assert_eq!(sanitize_tool_name(&output), output, "the output is its own output");
    }
    assert_eq!(cases.cases.len(), 114);
    settle("sanitize-cases.json", failures);
}

#[test]
fn truncate_result_gives_the_recorded_output() {
    let cases: Cases<TruncateCase> = read("truncate-cases.json");
    let mut failures = BTreeMap::new();
    for case in &cases.cases {
        let (max_chars, max_tokens) =
            case.options.map_or((None, None), |given| (given.max_chars, given.max_tokens));
        let options = TruncateOptions { max_chars, max_tokens };
        let output = truncate_result(recorded_input(&case.input), options);
        if let Err(why) = matches_record(&output, case) {
            failures.insert(case.name.clone(), why);
        }
    }
    assert_eq!(cases.cases.len(), 28);
    settle("truncate-cases.json", failures);
}

/// A long string is recorded by its length, and consists of one character.
fn recorded_input(input: &Value) -> Value {
    match input.get("$").and_then(Value::as_str) {
        Some("long-string") => {
            let length = usize::try_from(input["length"].as_u64().unwrap()).unwrap();
            Value::String("x".repeat(length))
        }
        _ => input.clone(),
    }
}

fn matches_record(output: &Value, case: &TruncateCase) -> Result<(), String> {
    let text = output.as_str().unwrap_or_default();
    let same = match case.output.get("$").and_then(Value::as_str) {
        Some("long-string") => {
            let ends = [case.output["head"].as_str().unwrap(), case.output["tail"].as_str().unwrap()];
            text.len() as u64 == case.output["length"].as_u64().unwrap()
                && text.starts_with(ends[0])
                && text.ends_with(ends[1])
        }
        Some("utf16") => {
            let units: Vec<u16> = serde_json::from_value(case.output["units"].clone()).unwrap();
            text == String::from_utf16_lossy(&units)
        }
        // The size is JavaScript's, where half a pair takes an escape.
        _ => output == &case.output && output.to_string().encode_utf16().count() == case.size,
    };
    if same { Ok(()) } else { Err(output.to_string()) }
}
