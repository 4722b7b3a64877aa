//! The host's functions of a case: tools and outbound that do what the case scripts.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use codemode_executor::{ExecuteRequest, IsolateExecutor};
use codemode_protocol::codec::{answer_error, answer_result};
use codemode_protocol::{
    BoxFuture, Dispatch, FailureKind, Outbound, OutboundRequest, OutboundResponse, Sentence, ToolCall,
};

use crate::case::{self, Tool};
use crate::gate::Gates;
use crate::notation;

/// Serves the tools of a case and writes down who called.
pub(crate) struct Script {
    pub(crate) tools: BTreeMap<String, Tool>,
    pub(crate) gates: Gates,
    pub(crate) executor: IsolateExecutor,
    pub(crate) calls: Arc<Mutex<Vec<String>>>,
}

impl Script {
    async fn answer(&self, call: ToolCall) -> Result<String, String> {
        let name = format!("{}.{}", call.provider, call.tool);
        let line = format!("{name} {}", call.args_json);
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        let Some(tool) = self.tools.get(&name) else {
            return Ok(answer_error(
                &Sentence::ToolNotFound { provider: call.provider, tool: call.tool }.to_string(),
            ));
        };
        if let Some(gate) = &tool.opens {
            self.gates.open(gate);
        }
        if let Some(gate) = &tool.waits_for {
            self.gates.passed(gate).await;
        }
        if let Some(bound_ms) = tool.outlasts_ms {
            outlast(&self.executor, Duration::from_millis(bound_ms)).await?;
        }
        if tool.never {
            std::future::pending::<()>().await;
        }
        if let Some(text) = &tool.throw {
            return Err(text.clone());
        }
        Ok(match (&tool.answer, &tool.error, &tool.value) {
            (Some(text), _, _) => text.clone(),
            (_, Some(text), _) => answer_error(text),
            (_, _, Some(value)) => answer_result(Some(&notation::value(value)?)),
            _ if tool.long.is_some() => {
                answer_result(tool.long.map(|length| "x".repeat(length).into()).as_ref())
            }
            _ if tool.echo => format!("{{\"result\":{}}}", call.args_json),
            _ => answer_result(None),
        })
    }
}

/// Waits for as long as a program that never settles needs to meet its bound. The bound is what passes the time, so
/// a bound that does not work fails the case.
pub(crate) async fn outlast(executor: &IsolateExecutor, bound: Duration) -> Result<(), String> {
    let witness = ExecuteRequest::new("async () => new Promise(() => {})").timeout(bound);
    match executor.execute(witness).await {
        Ok(result) if result.kind == Some(FailureKind::Timeout) => Ok(()),
        other => Err(format!("the witness did not meet its bound: {other:?}")),
    }
}

impl Dispatch for Script {
    fn call(&self, call: ToolCall) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(self.answer(call))
    }
}

/// The outbound functions that a case can name.
pub(crate) struct ScriptedOutbound(pub(crate) case::Outbound);

impl Outbound for ScriptedOutbound {
    fn fetch(&self, request: OutboundRequest) -> BoxFuture<'_, Result<OutboundResponse, String>> {
        Box::pin(async move {
            match self.0 {
                case::Outbound::Echo => Ok(echo(request)),
                case::Outbound::Never => std::future::pending().await,
                case::Outbound::Web | case::Outbound::Denied | case::Outbound::Refuse => {
                    Err("policy says no".to_owned())
                }
            }
        })
    }
}

/// The answer that shows the request as JSON text.
pub(crate) fn echo(request: OutboundRequest) -> OutboundResponse {
    let seen = serde_json::json!({
        "url": request.url,
        "method": request.method,
        "headers": request.headers,
        "body": request.body.map(|body| String::from_utf8_lossy(&body).into_owned()),
        "redirect": request.redirect.as_str(),
    });
    OutboundResponse {
        status: 200,
        status_text: "OK".to_owned(),
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: Some(seen.to_string().into_bytes()),
        url: request.url,
    }
}
