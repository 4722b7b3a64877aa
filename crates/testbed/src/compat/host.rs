//! The host's side of a case: its tools.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use codemode_executor::IsolateExecutor;
use codemode_protocol::codec::{answer_error, answer_result, decode_args};
use codemode_protocol::{BoxFuture, Dispatch, Sentence, ToolCall, Value};
use serde_json::{Value as Json, json};

use super::case::{Case, Special, Tool};
use super::describe::described;
use crate::script::outlast;

/// Serves the tools of a case and writes down what they were called with.
pub(super) struct Host {
    /// By provider and by the name that a program calls; with the name that the recording has.
    tools: BTreeMap<(String, String), (String, Tool)>,
    executor: IsolateExecutor,
    calls: Arc<Mutex<Vec<Json>>>,
}

impl Host {
    pub(super) fn new(case: &Case, executor: IsolateExecutor, calls: Arc<Mutex<Vec<Json>>>) -> Self {
        let mut tools = BTreeMap::new();
        for provider in &case.providers {
            for (name, tool) in &provider.tools {
                let key = (provider.name.clone(), codemode_adapter::sanitize_tool_name(name));
                tools.insert(key, (format!("{}.{name}", provider.name), tool.clone()));
            }
        }
        Self { tools, executor, calls }
    }

    async fn answer(&self, call: ToolCall) -> Result<String, String> {
        let key = (call.provider, call.tool);
        let Some((label, tool)) = self.tools.get(&key) else {
            let (provider, tool) = key;
            return Ok(answer_error(&Sentence::ToolNotFound { provider, tool }.to_string()));
        };
        let args = decode_args(&call.args_json).map_err(|error| error.to_string())?;
        let seen: Vec<Json> = args.iter().map(|arg| described(Some(arg))).collect();
        let line = json!({ "tool": label, "args": seen });
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        let value = match tool {
            Tool::Echo => args.into_iter().next(),
            Tool::Args => Some(Value::Array(args)),
            Tool::Count => Some(Value::Number(args.len() as f64)),
            Tool::Add => Some(Value::Number(args.iter().filter_map(Value::as_f64).sum())),
            Tool::Describe => return Ok(raw(&seen.into())),
            Tool::Return { value } => return Ok(raw(value)),
            Tool::Special { value } => special(*value),
            Tool::Throw { message } => return Err(message.clone()),
            Tool::ThrowValue { value } => return Err(value.clone()),
            Tool::Delay { ms, value } => {
                outlast(&self.executor, Duration::from_millis(*ms)).await?;
                return Ok(raw(value));
            }
            Tool::Never => std::future::pending().await,
        };
        Ok(answer_result(value.as_ref()))
    }
}

impl Dispatch for Host {
    fn call(&self, call: ToolCall) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(self.answer(call))
    }
}

/// An answer that carries the JSON as it is, what looks like tagged bytes included: so does the peer's host.
fn raw(json: &Json) -> String {
    json!({ "result": json }).to_string()
}

fn special(special: Special) -> Option<Value> {
    Some(match special {
        Special::Undefined => return None,
        Special::Null => Value::Null,
        Special::Nan => Value::Number(f64::NAN),
        Special::Uint8 => Value::Uint8Array(vec![1, 2, 255]),
        Special::Buffer => Value::ArrayBuffer(vec![9, 8]),
        Special::NestedBytes => Value::object([
            ("list", Value::Array(vec![Value::Uint8Array(vec![7])])),
            ("name", Value::String("x".to_owned())),
        ]),
        Special::FalsyErrorField => Value::object([("error", Value::String("inner".to_owned()))]),
    })
}
