//! The smallest useful host: one tool, one program, one answer.
//!
//! `cargo run -p codemode-executor --example orders` prints 49, the sum of ada's orders.

use std::error::Error;

use codemode_executor::protocol::toolbox::{Args, Json, Toolbox};
use codemode_executor::{ExecuteRequest, IsolateExecutor};
use serde::Serialize;

/// What a model wrote. It sees `store` and nothing else of this process.
const PROGRAM: &str = "async () => {
    const rows = await store.listOrders('ada')

    return rows.reduce((sum, order) => sum + order.total, 0)
}";

#[derive(Clone, Serialize)]
struct Order {
    id: &'static str,
    user: &'static str,
    total: u32,
}

const ORDERS: [Order; 3] = [
    Order { id: "o1", user: "ada", total: 42 },
    Order { id: "o2", user: "ada", total: 7 },
    Order { id: "o3", user: "grace", total: 100 },
];

fn main() -> Result<(), Box<dyn Error>> {
    // Workers are this executable started again, so this comes before anything else, threads included.
    codemode_executor::run_worker_if_requested();
    tokio::runtime::Runtime::new()?.block_on(orders())
}

async fn orders() -> Result<(), Box<dyn Error>> {
    // One executor serves a whole process. Building it starts nothing; the first run does.
    let executor = IsolateExecutor::builder().deny_outbound().build()?;

    // The box is the boundary: a call of any other name fails at the call, inside the program.
    let tools = Toolbox::new().tool("store", "listOrders", |Args((user,)): Args<(String,)>| async move {
        let rows: Vec<Order> = ORDERS.into_iter().filter(|order| order.user == user).collect();
        Ok::<_, String>(Json(rows))
    });

    let outcome = executor.execute(ExecuteRequest::new(PROGRAM).toolbox(tools)).await?;

    // A program that failed is no fault of the executor: its sentence goes back to the model.
    match outcome.into_value()? {
        Some(value) => println!("{}", value.to_json()),
        None => println!("undefined"),
    }

    executor.dispose().await;
    Ok(())
}
