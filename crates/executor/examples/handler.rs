//! A program that stays: it returns a request handler, and the host sends it requests.
//!
//! `cargo run -p codemode-executor --example handler` prints two answers of one handler, which remembers, and the fault
//! of a third request that comes too late.

use std::error::Error;
use std::time::Duration;

use codemode_executor::{ExecuteRequest, HandleRequest, IsolateExecutor};

/// What a model wrote. Its state lives as long as the execution is retained, in a process of its own.
const PROGRAM: &str = "async () => {
    const seen = []

    return async (request) => {
        seen.push(await request.text())
        return Response.json({ seen })
    }
}";

fn main() -> Result<(), Box<dyn Error>> {
    codemode_executor::run_worker_if_requested();
    tokio::runtime::Runtime::new()?.block_on(handler())
}

async fn handler() -> Result<(), Box<dyn Error>> {
    let executor = IsolateExecutor::builder()
        .deny_outbound()
        .timeout(Duration::from_secs(5))
        .handles_idle(Duration::from_secs(60))
        .build()?;
    let result = executor.execute(ExecuteRequest::new(PROGRAM).retain_handles(true)).await?;
    let Some(execution_id) = result.execution_id.clone() else {
        println!("no handler: {:?}", result.into_value());
        return Ok(());
    };

    for word in ["one", "two"] {
        let request = HandleRequest {
            url: "https://handler.example/".to_owned(),
            method: "POST".to_owned(),
            body: Some(word.into()),
            ..HandleRequest::default()
        };
        // As with a run: a handler that failed is no fault of the executor.
        match executor.invoke_handle(&execution_id, "fetch", request).await?.into_response() {
            Ok(answer) => {
                println!("{} {}", answer.status, String::from_utf8_lossy(&answer.body.unwrap_or_default()));
            }
            Err(sentence) => println!("failed: {sentence}"),
        }
    }

    executor.close_handles(&execution_id);
    let late =
        executor.invoke_handle(&execution_id, "fetch", HandleRequest::get("https://handler.example/")).await;
    println!("{late:?}");
    executor.dispose().await;
    Ok(())
}
