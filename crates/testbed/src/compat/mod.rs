//! Programs that a peer has run, and what it recorded: `compat/cases.json`.
//!
//! The peer is the executor of `@cloudflare/codemode` 0.5.6 on workerd, with the tools that a case names served by
//! its host. Here every program goes the way that a host of the dialect would send it: normalized, with the names of
//! its tools made identifiers, through an executor with real workers. What comes back is written as the recording
//! writes it, and compared.
//!
//! `compat/expectations.toml` lists what answers differently by choice, with our outcome and the sentence or standard
//! that is on our side, and the cases of the recording that are left out. A listed case that answers as the peer does
//! fails.

mod case;
mod describe;
mod host;
mod ledger;

pub use case::Case;
pub use ledger::Ledger;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use codemode_executor::{ExecuteRequest, ExecuteResult, IsolateExecutor};
use codemode_protocol::{LogLevel, LogLine, ModuleMap, ProviderDescriptor};
use serde_json::{Map, Value as Json};

use self::describe::described;
use self::host::Host;

/// The folder of the recording.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("compat")
}

/// Runs a case, and answers its outcome as the recording would have it: `result` or `error`, and where there are any
/// `logs` and `calls`.
///
/// # Errors
/// The fault of the executor.
pub async fn perform(executor: &IsolateExecutor, case: &Case) -> Result<Json, String> {
    let calls = Arc::new(Mutex::new(Vec::new()));
    // The clock of the peer counts everything.
    let mut request =
        ExecuteRequest::new(codemode_adapter::normalize_code(&case.code)).count_host_waits(true);
    for provider in &case.providers {
        let names = provider.tools.keys().map(|name| codemode_adapter::sanitize_tool_name(name));
        let mut descriptor = ProviderDescriptor::new(provider.name.clone(), names);
        descriptor.prelude.clone_from(&provider.prelude);
        request = request.provider(descriptor);
    }
    if !case.providers.is_empty() {
        request = request.dispatch(Host::new(case, executor.clone(), calls.clone()));
    }
    if !case.modules.is_empty() {
        let modules = case.modules.iter().map(|(name, module)| (name.clone(), module.source()));
        request = request.modules(ModuleMap(modules.collect()));
    }
    if let Some(timeout_ms) = case.timeout {
        request = request.timeout(Duration::from_millis(timeout_ms));
    }
    let result = executor.execute(request).await.map_err(|fault| format!("{} {fault}", fault.code))?;
    let calls = std::mem::take(&mut *calls.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(outcome(&result, calls))
}

fn outcome(result: &ExecuteResult, calls: Vec<Json>) -> Json {
    let mut members = Map::new();
    match &result.error {
        Some(error) => members.insert("error".to_owned(), error.clone().into()),
        None => members.insert("result".to_owned(), described(result.result.as_ref())),
    };
    if !result.logs.is_empty() {
        let lines: Vec<Json> = result.logs.iter().map(rendered).collect();
        members.insert("logs".to_owned(), describe::shortened(lines));
    }
    if !calls.is_empty() {
        members.insert("calls".to_owned(), calls.into());
    }
    members.into()
}

/// A console line as the dialect renders it.
fn rendered(line: &LogLine) -> Json {
    let text = match line.level {
        LogLevel::Log => line.text.clone(),
        level => format!("[{}] {}", level.as_str(), line.text),
    };
    describe::text(&text)
}
