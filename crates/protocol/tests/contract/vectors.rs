//! The golden vectors.

use codemode_protocol::codec::{answer_error, answer_result, decode_answer, decode_args, decode_outcome};
use codemode_protocol::sentence::subject;
use codemode_protocol::{
    ExecuteResult, Fault, FaultCode, ModuleMap, ModuleSource, ProviderDescriptor, Sentence, Value,
    separate_imports, validate_providers,
};
use serde_json::Value as Json;

use crate::notation::{assert_same, bytes, optional_value, rows, text, value, values, vectors};

#[test]
fn values_read_and_write_as_their_texts() {
    let table = vectors("values.json");
    for row in rows(&table, "both") {
        let (name, text_form, expected) = (text(row, "name"), text(row, "text"), value(&row["value"]));
        assert_same(&Value::from_json(text_form).unwrap(), &expected, name);
        assert_eq!(expected.to_json(), text_form, "{name}");
        assert_eq!(expected.to_json_pretty(), text(row, "pretty"), "{name}");
        assert_same(&Value::from_json(text(row, "pretty")).unwrap(), &expected, name);
    }
    for row in rows(&table, "read") {
        assert_same(&Value::from_json(text(row, "text")).unwrap(), &value(&row["value"]), text(row, "name"));
    }
    for row in rows(&table, "invalid") {
        let error = Value::from_json(text(row, "text")).expect_err(text(row, "name"));
        assert_eq!(error.as_str(), text(row, "error"), "{}", text(row, "name"));
    }
}

#[test]
fn values_survive_serde_json() {
    for row in rows(&vectors("values.json"), "both") {
        let (name, expected) = (text(row, "name"), value(&row["value"]));
        let json = Json::from(expected.clone());
        assert_same(&Value::try_from(json.clone()).unwrap(), &expected, name);
        assert_eq!(serde_json::to_value(&expected).unwrap(), json, "{name}");
        assert_same(&serde_json::from_str(text(row, "text")).unwrap(), &expected, name);
    }
}

#[test]
fn envelopes_read_and_write() {
    let table = vectors("envelopes.json");
    for row in rows(&table, "args") {
        match decode_args(text(row, "text")) {
            Ok(args) => assert_eq!(args, values(&row["args"]), "{row}"),
            Err(error) => assert_eq!(error.as_str(), text(row, "error"), "{row}"),
        }
    }
    for row in rows(&table, "answers") {
        let (expected, error) = (optional_value(row, "result"), row["error"].as_str());
        let written = error.map_or_else(|| answer_result(expected.as_ref()), answer_error);
        assert_eq!(written, text(row, "text"));
        assert_eq!(decode_answer(&written), error.map_or(Ok(expected), |error| Err(error.to_owned())));
    }
    for row in rows(&table, "readAnswers") {
        let expected =
            row["error"].as_str().map_or(Ok(optional_value(row, "result")), |error| Err(error.into()));
        assert_eq!(decode_answer(text(row, "text")), expected, "{row}");
    }
    for row in rows(&table, "outcomes") {
        let outcome = decode_outcome(text(row, "text"));
        assert_eq!(outcome.result, optional_value(row, "result"), "{row}");
        assert_eq!(outcome.error.as_deref(), row["error"].as_str(), "{row}");
        assert_eq!(outcome.kind.map(|kind| kind.as_str()), row["kind"].as_str(), "{row}");
    }
}

#[test]
fn records_read_and_write() {
    let table = vectors("records.json");
    let result =
        |text: &str| ExecuteResult::from_value(Value::from_json(text)?).map(|result| result.to_value());
    let fault = |text: &str| Fault::from_value(Value::from_json(text)?).map(|fault| fault.to_value());
    for row in rows(&table, "results") {
        let text = row.as_str().unwrap();
        assert_eq!(result(text).unwrap().to_json(), text);
    }
    for row in rows(&table, "faults") {
        let text = row.as_str().unwrap();
        assert_eq!(fault(text).unwrap().to_json(), text);
    }
    for row in rows(&table, "lenient") {
        let read =
            if text(row, "kind") == "fault" { fault(text(row, "text")) } else { result(text(row, "text")) };
        match row["means"].as_str() {
            Some(means) => assert_eq!(read.unwrap().to_json(), means, "{row}"),
            None => assert_eq!(read.unwrap_err().as_str(), "shape", "{row}"),
        }
    }
}

#[test]
fn module_maps_read() {
    for row in rows(&vectors("modules.json"), "") {
        match ModuleMap::from_json(text(row, "text")) {
            Ok(map) => {
                let expected: Vec<_> = row["modules"].as_array().unwrap().iter().map(named_source).collect();
                assert_eq!(map.0, expected, "{row}");
            }
            Err(error) => assert_eq!(error.as_str(), text(row, "error"), "{row}"),
        }
    }
}

fn named_source(row: &Json) -> (String, ModuleSource) {
    let content = || row[2].as_str().unwrap().to_owned();
    let source = match row[1].as_str().unwrap() {
        "js" => ModuleSource::Js(content()),
        "cjs" => ModuleSource::Cjs(content()),
        "json" => ModuleSource::Json(content()),
        "text" => ModuleSource::Text(content()),
        "data" => ModuleSource::Data(bytes(&content())),
        "unsupported" => ModuleSource::Unsupported,
        other => panic!("no kind {other}"),
    };
    (row[0].as_str().unwrap().to_owned(), source)
}

#[test]
fn provider_names_pass_or_are_refused() {
    for row in rows(&vectors("providers.json"), "") {
        let names = row["names"].as_array().unwrap();
        let providers: Vec<_> =
            names.iter().map(|name| ProviderDescriptor::new(name.as_str().unwrap(), [""; 0])).collect();
        let refusal = validate_providers(&providers).err().map(|sentence| sentence.to_string());
        assert_eq!(refusal.as_deref(), row["error"].as_str(), "{row}");
    }
}

#[test]
fn imports_are_separated() {
    for row in rows(&vectors("imports.json"), "") {
        let (imports, body) = (text(row, "imports"), text(row, "body"));
        let code = format!("{imports}{body}");
        let separated = separate_imports(&code);
        assert_eq!((separated.imports, separated.body), (imports, body), "{}", text(row, "name"));
    }
}

#[test]
fn every_sentence_has_its_text() {
    let table = vectors("sentences.json");
    let mut missing: Vec<&str> = Sentence::NAMES.to_vec();
    for row in rows(&table, "") {
        let sentence = sentence(row);
        missing.retain(|name| *name != sentence.name());
        assert_eq!(sentence.to_string(), text(row, "text"));
        assert_eq!(sentence.fault_code().map(FaultCode::as_str), row["code"].as_str(), "{row}");
        match row["kind"].as_str() {
            Some(kind) => assert_eq!(sentence.kind().as_str(), kind, "{row}"),
            None => assert_eq!(Fault::from(sentence).code.as_str(), text(row, "code"), "{row}"),
        }
    }
    assert!(missing.is_empty(), "no vector for {missing:?}");
}

fn sentence(row: &Json) -> Sentence {
    let field =
        |name: &str| row["fields"][name].as_str().unwrap_or_else(|| panic!("{name} in {row}")).to_owned();
    let number = |name: &str| row["fields"][name].as_u64().unwrap_or_else(|| panic!("{name} in {row}"));
    let size = |name: &str| usize::try_from(number(name)).unwrap();
    let small = |name: &str| u32::try_from(number(name)).unwrap();
    let (name, provider, tool) = (|| field("name"), || field("provider"), || field("tool"));
    match text(row, "name") {
        "ExecutionTimeout" => Sentence::ExecutionTimeout { bound_ms: number("bound_ms") },
        "MemoryLimit" => Sentence::MemoryLimit { memory_mb: small("memory_mb") },
        "PayloadTooLarge" => Sentence::PayloadTooLarge {
            subject: subject_named(&field("subject")),
            size_bytes: size("size_bytes"),
            limit_bytes: size("limit_bytes"),
        },
        "ValueTooManyParts" => Sentence::ValueTooManyParts { parts_limit: size("parts_limit") },
        "ValueTooDeep" => Sentence::ValueTooDeep { depth_limit: size("depth_limit") },
        "AnswerNotJson" => Sentence::AnswerNotJson { detail: field("detail") },
        "ExecutionCancelled" => Sentence::ExecutionCancelled,
        "ProviderReserved" => Sentence::ProviderReserved { name: name() },
        "ProviderNotIdentifier" => Sentence::ProviderNotIdentifier { name: name() },
        "ProviderDuplicate" => Sentence::ProviderDuplicate { name: name() },
        "ToolNotFound" => Sentence::ToolNotFound { provider: provider(), tool: tool() },
        "ToolFailed" => Sentence::ToolFailed { provider: provider(), tool: tool() },
        "ToolArguments" => {
            Sentence::ToolArguments { provider: provider(), tool: tool(), detail: field("detail") }
        }
        "ExecutionCompleted" => Sentence::ExecutionCompleted,
        "OpenCallsLimit" => Sentence::OpenCallsLimit { limit: size("limit") },
        "OpenCallBytesLimit" => Sentence::OpenCallBytesLimit { limit_bytes: size("limit_bytes") },
        "DispatchOutsideEnvelope" => Sentence::DispatchOutsideEnvelope,
        "ModuleNotFound" => {
            Sentence::ModuleNotFound { specifier: field("specifier"), importer: field("importer") }
        }
        "ModuleKeyCollision" => {
            Sentence::ModuleKeyCollision { first: field("first"), second: field("second") }
        }
        "UnsupportedModuleKind" => Sentence::UnsupportedModuleKind { name: name() },
        "ModuleNotJson" => Sentence::ModuleNotJson { name: name(), detail: field("detail") },
        "ModuleTypeMismatch" => Sentence::ModuleTypeMismatch { name: name(), asked: field("asked") },
        "ImportAttributeUnknown" => {
            Sentence::ImportAttributeUnknown { specifier: field("specifier"), key: field("key") }
        }
        "OutboundDisabled" => Sentence::OutboundDisabled,
        "CachesAbsent" => Sentence::CachesAbsent,
        "TimerCallback" => Sentence::TimerCallback { method: field("method") },
        "ConsoleCaptureLimit" => Sentence::ConsoleCaptureLimit { limit_units: size("limit_units") },
        "CryptoKeyLimit" => Sentence::CryptoKeyLimit { limit: small("limit") },
        "NotACryptoKey" => Sentence::NotACryptoKey,
        "CryptoOperationUnknown" => Sentence::CryptoOperationUnknown { operation: field("operation") },
        "ExecutionEnded" => Sentence::ExecutionEnded,
        "HandleAnswerNotResponse" => Sentence::HandleAnswerNotResponse,
        "HandleAnswerNetworkError" => Sentence::HandleAnswerNetworkError,
        "RuntimeSnapshotMissing" => Sentence::RuntimeSnapshotMissing,
        "PoolShuttingDown" => Sentence::PoolShuttingDown,
        "WorkerStartFailed" => Sentence::WorkerStartFailed { number: number("number") },
        "WorkerDied" => Sentence::WorkerDied { how: field("how") },
        "WorkerViolation" => Sentence::WorkerViolation { detail: field("detail") },
        "WorkerSetup" => Sentence::WorkerSetup,
        "QueueFull" => Sentence::QueueFull { limit: size("limit") },
        "QueueTimeout" => Sentence::QueueTimeout { waited_ms: number("waited_ms") },
        "RetainedLimit" => Sentence::RetainedLimit { limit: size("limit") },
        "HandleRequestInvalid" => Sentence::HandleRequestInvalid { detail: field("detail") },
        "HandlesClosed" => Sentence::HandlesClosed { execution_id: field("execution_id") },
        "HandleNotFound" => Sentence::HandleNotFound { handle: field("handle") },
        other => panic!("no sentence {other}"),
    }
}

fn subject_named(name: &str) -> &'static str {
    match name {
        "RUN_ANSWER" => subject::RUN_ANSWER,
        "TOOL_CALL" => subject::TOOL_CALL,
        "TOOL_ANSWER" => subject::TOOL_ANSWER,
        "OUTBOUND_REQUEST" => subject::OUTBOUND_REQUEST,
        "OUTBOUND_RESPONSE" => subject::OUTBOUND_RESPONSE,
        "HANDLE_RESPONSE" => subject::HANDLE_RESPONSE,
        "HANDLE_REQUEST" => subject::HANDLE_REQUEST,
        "EXECUTE_REQUEST" => subject::EXECUTE_REQUEST,
        other => panic!("no subject {other}"),
    }
}

#[test]
fn the_fault_table_is_complete() {
    let table = vectors("faults.json");
    let rows = rows(&table, "");
    assert_eq!(rows.len(), FaultCode::ALL.len());
    for (row, &code) in rows.iter().zip(FaultCode::ALL) {
        assert_eq!(FaultCode::from_name(text(row, "code")), Some(code));
        assert_eq!(code.as_str(), text(row, "code"));
        assert_eq!(code.class().as_str(), text(row, "class"));
        assert_eq!(Some(code.retryable()), row["retryable"].as_bool());
        assert_eq!(Fault::of(code).to_string(), text(row, "text"));
    }
    assert_eq!(FaultCode::from_name("NO_SUCH_CODE"), None);
}
