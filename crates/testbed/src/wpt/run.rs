//! Jobs and their answers, and the executor that runs them.

use std::path::PathBuf;
use std::time::Duration;

use codemode_executor::{ExecuteRequest, Fault, IsolateExecutor, Value};
use serde::{Deserialize, Serialize};

use super::Checkout;

/// The longest a test file may take. The program itself ends earlier and says what it has, so this is only met by
/// one that never lets go of the thread.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Tables of tests are large, and so are their answers.
const PAYLOAD_LIMIT_BYTES: usize = 64 << 20;

/// Some test files hold tens of thousands of results at once.
const MEMORY_MB: u32 = 768;

/// Test files import every key in every format with every set of usages.
const CRYPTO_KEY_LIMIT: u32 = 100_000;

/// One test file with one variant.
#[derive(Clone, Debug, Deserialize)]
pub struct Job {
    /// Comes back in the answer; answers are given in the order in which runs end.
    pub id: usize,
    /// The body of an asynchronous function whose value is the outcome, as a text of JSON.
    pub code: String,
}

/// What became of a job. One of the two texts is there.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The number of the job.
    pub id: usize,
    /// The outcome as the program wrote it.
    pub outcome: Option<String>,
    /// Why there is none: the sentence of the run, or the fault of the executor.
    pub error: Option<String>,
}

/// An executor for jobs over the checkout at `suite`, with `places` of them at a time.
///
/// # Errors
/// The fault of an executor that cannot be built.
pub fn executor(suite: PathBuf, places: usize) -> Result<IsolateExecutor, Fault> {
    IsolateExecutor::builder()
        .timeout(TIMEOUT)
        .memory_mb(MEMORY_MB)
        .payload_limit_bytes(PAYLOAD_LIMIT_BYTES)
        .crypto_key_limit(CRYPTO_KEY_LIMIT)
        .max_workers(places)
        .spares(1)
        .outbound_fn(Checkout::new(suite))
        .build()
}

/// Runs a job. Whatever happens is an answer.
pub async fn perform(executor: &IsolateExecutor, job: Job) -> Answer {
    let code = format!("async () => {{\n{}\n}}", job.code);
    let outcome = match executor.execute(ExecuteRequest::new(code)).await {
        Ok(result) => result.into_value().and_then(|value| match value {
            Some(Value::String(text)) => Ok(text),
            other => Err(format!("the program returned no text: {other:?}")),
        }),
        Err(fault) => Err(format!("{} {fault}", fault.code)),
    };
    match outcome {
        Ok(text) => Answer { id: job.id, outcome: Some(text), error: None },
        Err(error) => Answer { id: job.id, outcome: None, error: Some(error) },
    }
}
