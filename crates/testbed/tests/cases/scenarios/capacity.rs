//! Places, the queue, and the end of an executor.

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use codemode_executor::{ExecuteRequest, FaultCode, IsolateExecutor, Value};
use codemode_protocol::{LogLine, ProviderDescriptor, dispatch_fn};
use codemode_testbed::gate::Gates;
use codemode_testbed::processes::descendants;

use crate::Suite;

fn small(queue: usize) -> Result<IsolateExecutor, String> {
    IsolateExecutor::builder()
        .max_workers(1)
        .spares(0)
        .max_queue(queue)
        .timeout(Duration::from_secs(60))
        .build()
        .map_err(|fault| fault.to_string())
}

/// A program that opens `begun` and then never settles.
fn endless(gates: &Gates) -> ExecuteRequest {
    let gates = gates.clone();
    ExecuteRequest::new("async () => host.begun()")
        .provider(ProviderDescriptor::new("host", ["begun"]))
        .dispatch(dispatch_fn(move |_call| {
            gates.open("begun");
            std::future::pending()
        }))
}

async fn serves(executor: &IsolateExecutor) -> Result<(), String> {
    match executor.execute(ExecuteRequest::new("async () => 6 * 7")).await {
        Ok(result) if result.result == Some(Value::Number(42.0)) => Ok(()),
        other => Err(format!("the next run: {other:?}")),
    }
}

pub(crate) fn a_dropped_call_frees_its_place(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = small(10)?;
        for _ in 0..3 {
            let gates = Gates::default();
            tokio::select! {
                outcome = executor.execute(endless(&gates)) => return Err(format!("settled: {outcome:?}")),
                () = gates.passed("begun") => {}
            }
            // The call was dropped by the select; its only place serves the next.
            serves(&executor).await?;
        }
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn a_host_function_that_panics_costs_its_own_run(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = small(10)?;
        let request = || {
            ExecuteRequest::new("async () => { console.log('x'); return host.call() }")
                .provider(ProviderDescriptor::new("host", ["call"]))
        };
        let in_dispatch = request().dispatch(dispatch_fn(|_call| async { panic!("a tool of a test") }));
        let in_sink = request().log_sink(|_line: &LogLine| panic!("a sink of a test"));
        for request in [in_dispatch, in_sink] {
            let runs = executor.clone();
            // The panic is the caller's own; here it ends a task. What matters is what comes after it.
            let outcome = tokio::spawn(async move { runs.execute(request).await }).await;
            if let Ok(Ok(result)) = &outcome
                && result.error.is_none()
            {
                return Err(format!("a panic was a success: {result:?}"));
            }
            serves(&executor).await?;
        }
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn past_the_queue_is_refused_at_once(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = small(2)?;
        let gates = Gates::default();
        let mut running = Box::pin(executor.execute(endless(&gates)));
        tokio::select! {
            outcome = &mut running => return Err(format!("settled: {outcome:?}")),
            () = gates.passed("begun") => {}
        }
        let mut waiting: Vec<_> = (0..2).map(|_| Box::pin(serves(&executor))).collect();
        let mut context = Context::from_waker(Waker::noop());
        for call in &mut waiting {
            if let Poll::Ready(outcome) = call.as_mut().poll(&mut context) {
                return Err(format!("settled in the queue: {outcome:?}"));
            }
        }
        match executor.execute(ExecuteRequest::new("async () => 1")).await {
            Err(fault) if fault.code == FaultCode::QueueFull && fault.retryable() && !fault.started => {}
            other => return Err(format!("past the queue: {other:?}")),
        }
        drop(running);
        for call in waiting {
            call.await?;
        }
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn a_disposed_executor_says_so(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = small(1)?;
        serves(&executor).await?;
        executor.dispose().await;
        match executor.execute(ExecuteRequest::new("async () => 1")).await {
            Err(fault)
                if fault.code == FaultCode::Internal && fault.message == "The pool is shutting down." =>
            {
                Ok(())
            }
            other => Err(format!("{other:?}")),
        }
    })
}

pub(crate) fn dispose_leaves_no_process(suite: &Suite) -> Result<(), String> {
    const TAG: &str = "testbed-disposed";
    let tagged =
        || descendants().into_iter().filter(|process| process.command.iter().any(|word| word == TAG)).count();
    suite.runtime.block_on(async {
        let executor = IsolateExecutor::builder()
            .max_workers(2)
            .spares(2)
            .pool(|config| config.worker.args = vec![TAG.into()])
            .build()
            .map_err(|fault| fault.to_string())?;
        serves(&executor).await?;
        if tagged() == 0 {
            return Err("no process was seen while the executor was up".into());
        }
        executor.dispose().await;
        match tagged() {
            0 => Ok(()),
            left => Err(format!("{left} processes are left")),
        }
    })
}
