//! Results, faults, log lines and module maps as JSON records.

use super::DecodeError;
use super::binary::decode_base64;
use crate::{
    ExecuteResult, FailureKind, Fault, FaultCode, LogLevel, LogLine, ModuleMap, ModuleSource, Usage, Value,
};

type Members = Vec<(String, Value)>;

impl ExecuteResult {
    /// The record of a result, absent members left out: `result`, `error`, `logs`, `executionId`, `handles`,
    /// `kind` and `usage`. Times are in milliseconds and sizes in bytes, as their names say.
    pub fn to_value(&self) -> Value {
        let mut record = Record::default();
        record.optional("result", self.result.clone());
        record.optional("error", self.error.as_deref().map(Value::from));
        record.set("logs", Value::Array(self.logs.iter().map(LogLine::to_value).collect()));
        record.optional("executionId", self.execution_id.as_deref().map(Value::from));
        record.optional("handles", self.handles.clone().map(Value::from));
        record.optional("kind", self.kind.map(|kind| Value::from(kind.as_str())));
        record.set("usage", self.usage.to_value());
        record.into_value()
    }

    /// [`ExecuteResult::to_value`] for `serde_json`, bytes in their envelope.
    pub fn to_json_value(&self) -> serde_json::Value {
        self.to_value().into()
    }

    /// Reads the record. Members that are absent, and members of later versions, do not matter.
    ///
    /// # Errors
    /// [`DecodeError::Shape`] where a member has another type than the record.
    pub fn from_value(value: Value) -> Result<ExecuteResult, DecodeError> {
        let mut record = Record::of(value, "a result")?;
        let mut outcome = ExecuteResult::returned(record.take("result"));
        outcome.error = record.text("error")?;
        outcome.logs = record.list("logs")?.into_iter().map(LogLine::from_value).collect::<Result<_, _>>()?;
        outcome.execution_id = record.text("executionId")?;
        outcome.handles = record.take("handles").map(texts).transpose()?;
        // A failure of a kind that this version does not know is one that the program threw.
        outcome.kind =
            record.text("kind")?.map(|kind| FailureKind::from_name(&kind).unwrap_or(FailureKind::Thrown));
        outcome.usage = record.take("usage").map(Usage::from_value).transpose()?.unwrap_or_default();
        Ok(outcome)
    }
}

impl LogLine {
    /// `{"level":"log","text":"…"}`.
    pub fn to_value(&self) -> Value {
        let mut record = Record::default();
        record.set("level", self.level.as_str().into());
        record.set("text", self.text.as_str().into());
        record.into_value()
    }

    /// Reads the record.
    ///
    /// # Errors
    /// [`DecodeError::Shape`] where a member is absent or of another type, or the level has no meaning.
    pub fn from_value(value: Value) -> Result<LogLine, DecodeError> {
        let mut record = Record::of(value, "a log line")?;
        let level = record.text("level")?.as_deref().and_then(LogLevel::from_name);
        let level = level.ok_or_else(|| DecodeError::shape("`level` is log, warn or error"))?;
        let text = record.text("text")?.ok_or_else(|| DecodeError::shape("a log line has a `text`"))?;
        Ok(LogLine { level, text })
    }
}

impl Usage {
    #[expect(clippy::cast_precision_loss, reason = "sizes of memory stay far below 2^53")]
    fn to_value(self) -> Value {
        let mut record = Record::default();
        record.set("wallMs", self.wall_ms.into());
        record.set("countedMs", self.counted_ms.into());
        record.set("cpuMs", self.cpu_ms.into());
        record.set("hostWaitMs", self.host_wait_ms.into());
        record.set("peakHeapBytes", (self.peak_heap_bytes as f64).into());
        record.set("peakBufferBytes", (self.peak_buffer_bytes as f64).into());
        record.set("toolCalls", f64::from(self.tool_calls).into());
        record.into_value()
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast of a number saturates"
    )]
    fn from_value(value: Value) -> Result<Usage, DecodeError> {
        let mut record = Record::of(value, "`usage`")?;
        let mut number = |name: &str| record.number(name).map(Option::unwrap_or_default);
        Ok(Usage {
            wall_ms: number("wallMs")?,
            counted_ms: number("countedMs")?,
            cpu_ms: number("cpuMs")?,
            host_wait_ms: number("hostWaitMs")?,
            peak_heap_bytes: number("peakHeapBytes")? as u64,
            peak_buffer_bytes: number("peakBufferBytes")? as u64,
            tool_calls: number("toolCalls")? as u32,
        })
    }
}

impl Fault {
    /// The record of a fault: `code`, `class`, `message`, `retryable`, `started`, `toolCallsCompleted`, `causes`,
    /// and `retryAfterMs` where there is one.
    #[expect(clippy::cast_precision_loss, reason = "a wait in milliseconds stays far below 2^53")]
    pub fn to_value(&self) -> Value {
        let mut record = Record::default();
        record.set("code", self.code.as_str().into());
        record.set("class", self.code.class().as_str().into());
        record.set("message", self.message.as_str().into());
        record.set("retryable", self.retryable().into());
        record.set("started", self.started.into());
        record.set("toolCallsCompleted", f64::from(self.tool_calls_completed).into());
        record.optional("retryAfterMs", self.retry_after_ms.map(|wait| (wait as f64).into()));
        record.set("causes", self.causes.clone().into());
        record.into_value()
    }

    /// [`Fault::to_value`] for `serde_json`.
    pub fn to_json_value(&self) -> serde_json::Value {
        self.to_value().into()
    }

    /// Reads the record. Class and retryability follow from the code; a code that this version does not know
    /// reads as [`FaultCode::Internal`] with the code as its last cause.
    ///
    /// # Errors
    /// [`DecodeError::Shape`] where a member has another type than the record, or `code` is absent.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast of a number saturates"
    )]
    pub fn from_value(value: Value) -> Result<Fault, DecodeError> {
        let mut record = Record::of(value, "a fault")?;
        let name = record.text("code")?.ok_or_else(|| DecodeError::shape("a fault has a `code`"))?;
        let code = FaultCode::from_name(&name);
        let mut fault = Fault::of(code.unwrap_or(FaultCode::Internal));
        if let Some(message) = record.text("message")? {
            fault.message = message;
        }
        fault.started = record.flag("started")?.unwrap_or_default();
        fault.tool_calls_completed = record.number("toolCallsCompleted")?.unwrap_or_default() as u32;
        fault.retry_after_ms = record.number("retryAfterMs")?.map(|wait| wait as u64);
        fault.causes = record.take("causes").map(texts).transpose()?.unwrap_or_default();
        if code.is_none() {
            fault.causes.push(name);
        }
        Ok(fault)
    }
}

impl ModuleMap {
    /// Reads a module map: an object from names to sources, each a text or a record with one of the members `js`,
    /// `cjs`, `json`, `text` and `data`. Where several are there, the first of that order counts. `data` is
    /// base64, or bytes in their envelope. A source with none of them, or with one of another type, is
    /// [`ModuleSource::Unsupported`], so that the rest still runs.
    ///
    /// # Errors
    /// [`DecodeError`] where the text is not JSON, the whole is no object, or `data` is not base64.
    pub fn from_json(text: &str) -> Result<ModuleMap, DecodeError> {
        Value::from_json(text).and_then(ModuleMap::from_value)
    }

    /// [`ModuleMap::from_json`] for a value.
    ///
    /// # Errors
    /// [`DecodeError`] where the whole is no object, or `data` is not base64.
    pub fn from_value(value: Value) -> Result<ModuleMap, DecodeError> {
        let Value::Object(members) = value else {
            return Err(DecodeError::shape("a module map is an object"));
        };
        members
            .into_iter()
            .map(|(name, source)| Ok((name, module_source(source)?)))
            .collect::<Result<_, _>>()
            .map(ModuleMap)
    }
}

fn module_source(source: Value) -> Result<ModuleSource, DecodeError> {
    let mut record = match source {
        Value::String(source) => return Ok(ModuleSource::Js(source)),
        Value::Object(members) => Record(members),
        _ => return Ok(ModuleSource::Unsupported),
    };
    let kind = ["js", "cjs", "json", "text", "data"].into_iter().find(|kind| record.has(kind));
    let content = kind.and_then(|kind| Some((kind, record.take(kind)?)));
    Ok(match content {
        Some(("js", Value::String(source))) => ModuleSource::Js(source),
        Some(("cjs", Value::String(source))) => ModuleSource::Cjs(source),
        Some(("json", value)) => ModuleSource::Json(value.to_json()),
        Some(("text", Value::String(text))) => ModuleSource::Text(text),
        Some(("data", Value::String(base64))) => ModuleSource::Data(decode_base64(&base64)?),
        Some(("data", Value::Uint8Array(bytes) | Value::ArrayBuffer(bytes))) => ModuleSource::Data(bytes),
        _ => ModuleSource::Unsupported,
    })
}

/// The members of an object while they are set or taken one by one.
#[derive(Default)]
struct Record(Members);

impl Record {
    fn of(value: Value, what: &str) -> Result<Record, DecodeError> {
        match value {
            Value::Object(members) => Ok(Record(members)),
            _ => Err(DecodeError::shape(format!("{what} is an object"))),
        }
    }

    fn into_value(self) -> Value {
        Value::Object(self.0)
    }

    fn set(&mut self, name: &str, value: Value) {
        self.0.push((name.to_owned(), value));
    }

    fn optional(&mut self, name: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let index = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.swap_remove(index).1)
    }

    /// A member of one type. `null` is as good as absent.
    fn typed<T>(
        &mut self,
        name: &str,
        what: &str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Result<Option<T>, DecodeError> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                read(value).map(Some).ok_or_else(|| DecodeError::shape(format!("`{name}` is {what}")))
            }
        }
    }

    fn text(&mut self, name: &str) -> Result<Option<String>, DecodeError> {
        self.typed(name, "a text", |value| match value {
            Value::String(text) => Some(text),
            _ => None,
        })
    }

    fn number(&mut self, name: &str) -> Result<Option<f64>, DecodeError> {
        self.typed(name, "a number", |value| value.as_f64())
    }

    fn flag(&mut self, name: &str) -> Result<Option<bool>, DecodeError> {
        self.typed(name, "true or false", |value| value.as_bool())
    }

    fn list(&mut self, name: &str) -> Result<Vec<Value>, DecodeError> {
        let list = self.typed(name, "an array", |value| match value {
            Value::Array(items) => Some(items),
            _ => None,
        })?;
        Ok(list.unwrap_or_default())
    }
}

fn texts(value: Value) -> Result<Vec<String>, DecodeError> {
    let Value::Array(items) = value else { return Err(DecodeError::shape("expected an array of texts")) };
    let text = |item| match item {
        Value::String(text) => Ok(text),
        _ => Err(DecodeError::shape("expected an array of texts")),
    };
    items.into_iter().map(text).collect()
}
