//! Every bound of a run and of the pool, and the sentence that each one ends with.
//!
//! `cargo run -p codemode-executor --example limits`

use std::error::Error;
use std::time::Duration;

use codemode_executor::{ExecuteRequest, ExecuteResult, IsolateExecutor};

fn main() -> Result<(), Box<dyn Error>> {
    codemode_executor::run_worker_if_requested();
    tokio::runtime::Runtime::new()?.block_on(limits())
}

async fn limits() -> Result<(), Box<dyn Error>> {
    // These bounds sit on the executor, and no request moves them. The timeout is the default of a request.
    let executor = IsolateExecutor::builder()
        .deny_outbound()
        .timeout(Duration::from_secs(5))
        .memory_mb(32)
        .payload_limit_bytes(1 << 20)
        .console_limit(200)
        .max_workers(1)
        .max_queue(0)
        .build()?;
    let run = |code: &str| executor.execute(ExecuteRequest::new(code));

    // Time. The program never yields, and still the call settles. What a request names wins over the executor.
    let spin = ExecuteRequest::new("async () => { while (true) {} }").timeout(Duration::from_millis(300));
    show("timeout", &executor.execute(spin).await?);

    // Memory: heap, buffers and everything else are one budget.
    show(
        "memory",
        &run("async () => { const rows = []; while (true) rows.push({ row: rows.length }) }").await?,
    );

    // The size of one message, here the result.
    show("payload", &run("async () => 'x'.repeat(2 ** 21)").await?);

    // Console output. The run goes on; what is past the bound is dropped, and the last line says so.
    let chatty = run("async () => { for (let n = 0; n < 1000; n++) console.log('line', n) }").await?;
    if let Some(last) = chatty.logs.last() {
        println!("{:8} {} lines, the last: {}", "console", chatty.logs.len(), last.text);
    }

    // The network, which this executor closes.
    show("outbound", &run("async () => fetch('https://example.com')").await?);

    // The queue. One place and no room to wait: the second of two is refused at once, before its program begins.
    // This is a fault and not a result, since no program failed; its code says whether a retry makes sense.
    let (first, second) = tokio::join!(run("async () => 'served'"), run("async () => 'served'"));
    for outcome in [first, second] {
        match outcome {
            Ok(result) => println!("{:8} {}", "queue", result.to_value().to_json()),
            Err(fault) => {
                println!("{:8} {} (retryable: {}): {fault}", "queue", fault.code, fault.retryable());
            }
        }
    }

    executor.dispose().await;
    Ok(())
}

/// The sentence, made for the model that wrote the program, and its kind, made for code.
fn show(bound: &str, outcome: &ExecuteResult) {
    let kind = outcome.kind.map_or("none", |kind| kind.as_str());
    println!("{bound:8} {kind}: {}", outcome.error.as_deref().unwrap_or("the program did not fail"));
}
