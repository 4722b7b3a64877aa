//! A test as the program of a run.

use std::path::Path;
use std::time::Duration;

use codemode_executor::{ExecuteRequest, Fault, IsolateExecutor, Value};
use codemode_protocol::{ModuleMap, ModuleSource};
use serde_json::json;

use super::texts::HOST;
use super::{Goal, Job, Texts};

/// The longest a test may take; some walk through all of Unicode, and a busy machine takes its time over that.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Some tests hold large arrays, and some evaluate texts of megabytes.
const MEMORY_MB: u32 = 1_024;

/// The helpers of a few tests are large.
const PAYLOAD_LIMIT_BYTES: usize = 64 << 20;

const WORKER: &str = include_str!("../../test262/worker.js");

/// An executor that runs `places` tests at a time.
///
/// # Errors
/// The fault of an executor that cannot be built.
pub fn executor(places: usize) -> Result<IsolateExecutor, Fault> {
    IsolateExecutor::builder()
        .timeout(TIMEOUT)
        .memory_mb(MEMORY_MB)
        .payload_limit_bytes(PAYLOAD_LIMIT_BYTES)
        .max_workers(places)
        .spares(2)
        .build()
}

/// Runs a job in a worker of its own.
///
/// # Errors
/// Why there is no outcome: a file that cannot be read, or the sentence of a run that a bound ended.
pub async fn perform(executor: &IsolateExecutor, suite: &Path, job: &Job) -> Result<String, String> {
    let texts = Texts::read(suite, job)?;
    let request = ExecuteRequest::new(program(&texts, job)).modules(modules(&texts, job));
    match executor.execute(request).await {
        Ok(result) => match result.into_value()? {
            Some(Value::String(text)) => Ok(text),
            other => Err(format!("the program returned no text: {other:?}")),
        },
        Err(fault) => Err(format!("{} {fault}", fault.code)),
    }
}

fn program(texts: &Texts, job: &Job) -> String {
    // What a text declares by `let`, `const` or `class` is gone when its eval is over, so such a harness file is
    // evaluated in one text with the test.
    let (front, setup): (Vec<&String>, Vec<&String>) =
        texts.harness.iter().partition(|text| job.goal == Goal::Script && declares_lexically(text));
    let mut file = String::new();
    if job.strict && !front.is_empty() {
        file.push_str("\"use strict\";\n");
    }
    for text in front {
        file.push_str(text);
        file.push('\n');
    }
    file.push_str(&texts.file);
    let settings = json!({
        "setup": setup,
        "file": file,
        "module": (job.goal == Goal::Module).then(|| format!("./{}", texts.name)),
        "asynchronous": job.asynchronous,
    });
    format!("() => ({})({settings}, {})", WORKER.trim_end(), HOST.trim_end())
}

fn declares_lexically(text: &str) -> bool {
    text.lines().any(|line| ["const ", "let ", "class "].iter().any(|word| line.starts_with(word)))
}

fn modules(texts: &Texts, job: &Job) -> ModuleMap {
    let bytes = texts.file.contains("type: \"bytes\"") || texts.file.contains("type: 'bytes'");
    let source = |(name, content): (&String, &Vec<u8>)| {
        let text = || String::from_utf8_lossy(content).into_owned();
        let source = match name.rsplit_once('.').map(|(_, end)| end) {
            Some("json") => ModuleSource::Json(text()),
            Some("js") => ModuleSource::Js(text()),
            _ if bytes => ModuleSource::Data(content.clone()),
            _ => ModuleSource::Text(text()),
        };
        (name.clone(), source)
    };
    debug_assert!(job.goal == Goal::Script || texts.fixtures.contains_key(&texts.name));
    ModuleMap(texts.fixtures.iter().map(source).collect())
}
