//! An HTTP endpoint that runs posted programs with tools.
//!
//! ```text
//! cargo run -p codemode-executor --example axum -- 8080
//! curl -d 'async () => { const rows = await store.listOrders("ada"); return rows.length }' http://127.0.0.1:8080/run
//! ```
//!
//! | answer | when |
//! |---|---|
//! | 200 `{"result":…,"logs":…}` | the program returned |
//! | 413 | the program is longer than the cap |
//! | 422 `{"error":"…","kind":"…","logs":…}` | the program failed: hand the sentence back to the model |
//! | 503 with `Retry-After` | the executor is full or lost the worker: the same request may succeed later |
//! | 500 | any other fault of the executor |

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use codemode_executor::protocol::toolbox::{self, Args, Toolbox};
use codemode_executor::{ExecuteRequest, ExecuteResult, Fault, IsolateExecutor};
use serde_json::json;

/// Longest program that is taken, in bytes.
const PROGRAM_LIMIT_BYTES: usize = 64 << 10;

/// What a caller is told to wait when the executor suggests nothing.
const RETRY_AFTER_MS: u64 = 1_000;

fn main() -> Result<(), Box<dyn Error>> {
    codemode_executor::run_worker_if_requested();
    let port = match std::env::args().nth(1) {
        Some(port) => port.parse()?,
        // Any port that is free; the address is printed.
        None => 0,
    };
    tokio::runtime::Runtime::new()?.block_on(serve(port))
}

async fn serve(port: u16) -> Result<(), Box<dyn Error>> {
    // Tools, bounds and the closed network are the executor's, so that a request brings its program alone.
    let tools = tools();
    let executor = IsolateExecutor::builder()
        .deny_outbound()
        .timeout(Duration::from_secs(5))
        .providers(tools.providers())
        .dispatch(tools)
        .max_queue(100)
        .build()?;
    // Better a process that fails to start than a first caller who waits or fails.
    executor.warm_up().await?;

    let app = Router::new()
        .route("/run", post(run))
        .layer(DefaultBodyLimit::max(PROGRAM_LIMIT_BYTES))
        .with_state(executor.clone());
    let listener = tokio::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    println!("http://{}/run", listener.local_addr()?);

    // On Ctrl-C no new connection is taken, the requests in flight are answered, and then the workers end.
    axum::serve(listener, app).with_graceful_shutdown(interrupted()).await?;
    executor.dispose().await;
    Ok(())
}

fn tools() -> Toolbox {
    Toolbox::new().tool("store", "listOrders", |Args((user,)): Args<(String,)>| async move {
        match user.as_str() {
            "ada" => Ok(toolbox::Json(json!([{ "id": "o1", "total": 42 }, { "id": "o2", "total": 7 }]))),
            _ => Err(format!("there is no user {user}")),
        }
    })
}

/// If the caller goes away, axum drops this future, and with it the program ends.
async fn run(State(executor): State<IsolateExecutor>, program: String) -> Result<Response, Failure> {
    let outcome = executor.execute(ExecuteRequest::new(program)).await.map_err(Failure)?;
    Ok(answer(&outcome))
}

fn answer(outcome: &ExecuteResult) -> Response {
    let status = if outcome.error.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    (status, Json(outcome.to_json_value())).into_response()
}

/// A fault of the executor as an answer.
struct Failure(Fault);

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let Failure(fault) = self;
        if fault.retryable() {
            let wait_s = fault.retry_after_ms.unwrap_or(RETRY_AFTER_MS).div_ceil(1_000).to_string();
            let headers = [(header::RETRY_AFTER, wait_s)];
            (StatusCode::SERVICE_UNAVAILABLE, headers, Json(fault.to_json_value())).into_response()
        } else {
            (StatusCode::INTERNAL_SERVER_ERROR, Json(fault.to_json_value())).into_response()
        }
    }
}

async fn interrupted() {
    if let Err(error) = tokio::signal::ctrl_c().await {
        eprintln!("Ctrl-C cannot be waited for: {error}");
        std::future::pending::<()>().await;
    }
}
