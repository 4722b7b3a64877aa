//! Retained executions: their places, their turns and their ends.

use std::time::Duration;

use codemode_executor::{ExecuteRequest, Fault, FaultCode, IsolateExecutor, IsolateExecutorBuilder, Value};
use codemode_protocol::{FailureKind, HandleRequest, HandleResult, ProviderDescriptor, dispatch_fn};
use codemode_testbed::gate::Gates;
use codemode_testbed::processes::descendants;

use super::death::{kill, tagged, workers};
use crate::Suite;

/// Counts its invocations and says the last part of the URL.
const COUNTER: &str =
    "async () => { let n = 0; return (request) => new Response(`${++n}${new URL(request.url).pathname}`) }";

fn small() -> IsolateExecutorBuilder {
    IsolateExecutor::builder().max_workers(1).spares(0).timeout(Duration::from_secs(60)).retain_handles(true)
}

fn built(builder: IsolateExecutorBuilder) -> Result<IsolateExecutor, String> {
    builder.build().map_err(|fault| fault.to_string())
}

async fn retained(executor: &IsolateExecutor, request: ExecuteRequest) -> Result<String, String> {
    let result = executor.execute(request.retain_handles(true)).await.map_err(|fault| fault.to_string())?;
    result.execution_id.clone().ok_or_else(|| format!("not retained: {result:?}"))
}

async fn get(executor: &IsolateExecutor, id: &str, path: &str) -> Result<HandleResult, Fault> {
    executor.invoke_handle(id, "fetch", HandleRequest::get(format!("https://handle.test{path}"))).await
}

fn says(outcome: Result<HandleResult, Fault>, expected: &str) -> Result<(), String> {
    let body = outcome.map(|result| result.into_response().map(|response| response.body.unwrap_or_default()));
    match body {
        Ok(Ok(body)) if body == expected.as_bytes() => Ok(()),
        other => Err(format!("got {other:?}, expected {expected:?}")),
    }
}

fn faults(outcome: Result<HandleResult, Fault>, code: FaultCode) -> Result<Fault, String> {
    match outcome {
        Err(fault) if fault.code == code => Ok(fault),
        other => Err(format!("got {other:?}, expected {code}")),
    }
}

/// Waits until no execution is retained. Each turn asks again, and the suite's patience ends what never happens.
async fn none_is_retained(executor: &IsolateExecutor) -> Result<(), String> {
    let gone = async {
        while executor.counts().retained > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), gone).await.map_err(|_| "still retained".to_owned())
}

/// A handler whose invocations of `/stay` wait for the gate `goes on` and open `begun` before.
async fn parked(executor: &IsolateExecutor, gates: &Gates) -> Result<String, String> {
    let gates = gates.clone();
    let request = ExecuteRequest::new(
        "async () => async (request) => {
          const path = new URL(request.url).pathname
          if (path === '/stay') await host.stay()
          return new Response(path)
        }",
    );
    let request =
        request.provider(ProviderDescriptor::new("host", ["stay"])).dispatch(dispatch_fn(move |_call| {
            let gates = gates.clone();
            async move {
                gates.open("begun");
                gates.passed("goes on").await;
                Ok("{\"result\":1}".to_owned())
            }
        }));
    retained(executor, request).await
}

pub(crate) fn bodies_of_past_invocations_are_freed(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = built(small().memory_mb(64))?;
        let code = "() => async (request) => new Response((await request.arrayBuffer()).byteLength)";
        let id = retained(&executor, ExecuteRequest::new(code)).await?;
        // Together they are twice what the program may hold and the process may map.
        for _ in 0..64 {
            let mut request = HandleRequest::get("https://handle.test/");
            request.method = "POST".to_owned();
            request.body = Some(vec![7; 4_000_000]);
            says(executor.invoke_handle(&id, "fetch", request).await, "4000000")?;
        }
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn a_retained_execution_leaves_its_place(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = built(small())?;
        let first = retained(&executor, ExecuteRequest::new(COUNTER)).await?;
        // The only place is free again.
        let second = retained(&executor, ExecuteRequest::new(COUNTER)).await?;
        let counts = executor.counts();
        if (counts.running, counts.retained) != (0, 2) || first == second {
            return Err(format!("{counts:?}"));
        }
        says(get(&executor, &first, "/a").await, "1/a")?;
        says(get(&executor, &first, "/b").await, "2/b")?;
        // A process of its own: nothing of the first is in the second.
        says(get(&executor, &second, "/c").await, "1/c")?;
        match executor.execute(ExecuteRequest::new("async () => 6 * 7")).await {
            Ok(result) if result.result == Some(Value::Number(42.0)) && result.handles.is_none() => {}
            other => return Err(format!("{other:?}")),
        }
        executor.close_handles(&first);
        faults(get(&executor, &first, "/d").await, FaultCode::HandlesClosed)?;
        says(get(&executor, &second, "/e").await, "2/e")?;
        faults(get(&executor, "no such execution", "/").await, FaultCode::HandlesClosed)?;
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn retained_executions_are_bounded(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = built(small().max_retained(1))?;
        let first = retained(&executor, ExecuteRequest::new(COUNTER)).await?;
        match executor.execute(ExecuteRequest::new(COUNTER)).await {
            Err(fault) if fault.code == FaultCode::RetainedLimit && fault.retryable() && !fault.started => {}
            other => return Err(format!("{other:?}")),
        }
        executor.close_handles(&first);
        none_is_retained(&executor).await?;
        let second = retained(&executor, ExecuteRequest::new(COUNTER)).await?;
        executor.close_handles(&second);
        none_is_retained(&executor).await?;
        let executor = built(small().pool(|config| config.tenant_retained_limit = Some(1)))?;
        retained(&executor, ExecuteRequest::new(COUNTER).tenant("a")).await?;
        match executor.execute(ExecuteRequest::new(COUNTER).tenant("a")).await {
            Err(fault) if fault.code == FaultCode::RetainedLimit => {}
            other => return Err(format!("{other:?}")),
        }
        retained(&executor, ExecuteRequest::new(COUNTER).tenant("b")).await?;
        // A run that returns no handler gives its claim back.
        for _ in 0..3 {
            let request = ExecuteRequest::new("async () => 1").tenant("c");
            executor.execute(request).await.map_err(|fault| fault.to_string())?;
        }
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn an_idle_execution_is_closed(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = built(small().handles_idle(Duration::from_millis(20)))?;
        let id = retained(&executor, ExecuteRequest::new(COUNTER)).await?;
        none_is_retained(&executor).await?;
        faults(get(&executor, &id, "/").await, FaultCode::HandlesClosed)?;
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn invocations_take_turns_in_order(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = built(small())?;
        // Every invocation goes away and comes back several times: they would mix if they did not take turns.
        let id = retained(
            &executor,
            ExecuteRequest::new(
                "async () => { const log = []; return async (request) => {
                  const path = new URL(request.url).pathname
                  log.push('in' + path)
                  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 0))
                  log.push('out' + path)
                  return new Response(log.join(' '))
                } }",
            ),
        )
        .await?;
        let (first, second, third) =
            tokio::join!(get(&executor, &id, "/1"), get(&executor, &id, "/2"), get(&executor, &id, "/3"));
        says(first, "in/1 out/1")?;
        says(second, "in/1 out/1 in/2 out/2")?;
        says(third, "in/1 out/1 in/2 out/2 in/3 out/3")?;
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn closing_answers_everyone(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = built(small())?;
        let gates = Gates::default();
        let id = parked(&executor, &gates).await?;
        let close = async {
            gates.passed("begun").await;
            executor.close_handles(&id);
        };
        let (running, waiting, ()) =
            tokio::join!(get(&executor, &id, "/stay"), get(&executor, &id, "/next"), close);
        let running = faults(running, FaultCode::HandlesClosed)?;
        let waiting = faults(waiting, FaultCode::HandlesClosed)?;
        if !running.started || waiting.started {
            return Err(format!("{running:?}, {waiting:?}"));
        }
        none_is_retained(&executor).await?;
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn a_dropped_invocation_costs_nothing(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = built(small())?;
        let gates = Gates::default();
        let id = parked(&executor, &gates).await?;
        tokio::select! {
            outcome = get(&executor, &id, "/stay") => return Err(format!("answered: {outcome:?}")),
            () = gates.passed("begun") => {}
        }
        gates.open("goes on");
        says(get(&executor, &id, "/after").await, "/after")?;
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn a_death_between_invocations_is_told(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = built(small().memory_mb(32))?;
        let program = "async () => () => {
          setTimeout(() => { const held = []; for (;;) held.push(new Array(1000).fill({})) }, 0)
          return new Response('armed')
        }";
        let id = retained(&executor, ExecuteRequest::new(program)).await?;
        says(get(&executor, &id, "/").await, "armed")?;
        none_is_retained(&executor).await?;
        match get(&executor, &id, "/").await {
            Ok(result) if result.kind == Some(FailureKind::Memory) => {}
            other => return Err(format!("{other:?}")),
        }
        faults(get(&executor, &id, "/").await, FaultCode::HandlesClosed)?;
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn a_killed_retained_worker_is_told(suite: &Suite) -> Result<(), String> {
    const TAG: &str = "testbed-killed-retained";
    suite.runtime.block_on(async {
        let executor = tagged(TAG)?;
        let gates = Gates::default();
        let id = parked(&executor, &gates).await?;
        let invoked = tokio::spawn({
            let (executor, id) = (executor.clone(), id.clone());
            async move { get(&executor, &id, "/stay").await }
        });
        gates.passed("begun").await;
        let [victim] = workers(TAG)[..] else { return Err("one worker".to_owned()) };
        kill(victim)?;
        let outcome = invoked.await.expect("the call does not panic");
        let fault = faults(outcome, FaultCode::WorkerCrashed)?;
        if !fault.started {
            return Err(format!("{fault:?}"));
        }
        faults(get(&executor, &id, "/next").await, FaultCode::HandlesClosed)?;
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn dispose_closes_retained_executions(suite: &Suite) -> Result<(), String> {
    const TAG: &str = "testbed-disposed-retained";
    suite.runtime.block_on(async {
        let executor = tagged(TAG)?;
        let id = retained(&executor, ExecuteRequest::new(COUNTER)).await?;
        executor.dispose().await;
        let left: Vec<_> = descendants()
            .into_iter()
            .filter(|process| process.command.iter().any(|word| word == TAG))
            .collect();
        if !left.is_empty() {
            return Err(format!("{left:?}"));
        }
        none_is_retained(&executor).await?;
        match get(&executor, &id, "/").await {
            Err(fault) if matches!(fault.code, FaultCode::HandlesClosed | FaultCode::Internal) => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
}
