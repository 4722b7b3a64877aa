//! Processes that die from outside.

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codemode_executor::{ExecuteRequest, ExecuteResult, Fault, FaultCode, IsolateExecutor, Value};
use codemode_protocol::{LogLine, ProviderDescriptor, dispatch_fn};
use codemode_testbed::gate::Gates;
use codemode_testbed::processes::{Process, descendants};

use crate::Suite;

/// How long a fault may take. It comes at once; this is only so that a suite ends when it does not come at all.
const AT_ONCE: Duration = Duration::from_secs(5);

/// An executor whose processes carry `tag` in their command lines and that forks nothing ahead.
pub(super) fn tagged(tag: &str) -> Result<IsolateExecutor, String> {
    IsolateExecutor::builder()
        .max_workers(2)
        .spares(0)
        .timeout(Duration::from_secs(60))
        .pool(|config| config.worker.args = vec![tag.into()])
        .build()
        .map_err(|fault| fault.to_string())
}

fn processes(tag: &str) -> Vec<Process> {
    descendants().into_iter().filter(|process| process.command.iter().any(|word| word == tag)).collect()
}

/// The processes without a child of their own: the workers, once a program runs in one.
pub(super) fn workers(tag: &str) -> Vec<u32> {
    let all = processes(tag);
    let leaf = |process: &&Process| !all.iter().any(|other| other.parent == process.pid);
    all.iter().filter(leaf).filter(|process| process.state != 'Z').map(|process| process.pid).collect()
}

pub(super) fn kill(pid: u32) -> Result<(), String> {
    let status =
        Command::new("kill").args(["-9", &pid.to_string()]).status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("kill {pid}: {status}")) }
}

/// A program that opens `begun` when it runs and goes on when `goes_on` is open.
fn parked(gates: &Gates, begun: &'static str, goes_on: &'static str) -> ExecuteRequest {
    let gates = gates.clone();
    ExecuteRequest::new("async () => { console.log('begun'); await host.first(); return await host.stay() }")
        .provider(ProviderDescriptor::new("host", ["first", "stay"]))
        .dispatch(dispatch_fn(move |call| {
            let gates = gates.clone();
            async move {
                if call.tool == "stay" {
                    gates.open(begun);
                    gates.passed(goes_on).await;
                }
                Ok("{\"result\":42}".to_owned())
            }
        }))
}

async fn lost(call: impl Future<Output = Result<ExecuteResult, Fault>>) -> Result<Fault, String> {
    match tokio::time::timeout(AT_ONCE, call).await {
        Ok(Err(fault)) => Ok(fault),
        Ok(Ok(result)) => Err(format!("no fault: {result:?}")),
        Err(_) => Err(format!("no fault within {AT_ONCE:?}")),
    }
}

fn expect_answer(outcome: Result<ExecuteResult, Fault>, who: &str) -> Result<(), String> {
    match outcome {
        Ok(result) if result.result == Some(Value::Number(42.0)) => Ok(()),
        other => Err(format!("{who}: {other:?}")),
    }
}

async fn serves(executor: &IsolateExecutor) -> Result<(), String> {
    expect_answer(executor.execute(ExecuteRequest::new("async () => 6 * 7")).await, "the next run")
}

pub(crate) fn a_killed_worker_costs_its_own_caller(suite: &Suite) -> Result<(), String> {
    const TAG: &str = "testbed-killed-worker";
    suite.runtime.block_on(async {
        let executor = tagged(TAG)?;
        let gates = Gates::default();
        let first = tokio::spawn({
            let (executor, request) = (executor.clone(), parked(&gates, "first", "first goes on"));
            async move { executor.execute(request).await }
        });
        gates.passed("first").await;
        let before = workers(TAG);
        let second = tokio::spawn({
            let (executor, request) = (executor.clone(), parked(&gates, "second", "never"));
            async move { executor.execute(request).await }
        });
        gates.passed("second").await;
        let victims: Vec<u32> = workers(TAG).into_iter().filter(|pid| !before.contains(pid)).collect();
        let [victim] = victims[..] else { return Err(format!("workers: {before:?}, then {victims:?} more")) };
        kill(victim)?;
        let fault = lost(async { second.await.expect("the call does not panic") }).await?;
        if fault.code != FaultCode::WorkerCrashed || !fault.started || fault.tool_calls_completed != 1 {
            return Err(format!("{fault:?}"));
        }
        // Capacity is back while the first is still in the middle of its work.
        serves(&executor).await?;
        gates.open("first goes on");
        expect_answer(first.await.expect("the call does not panic"), "the neighbour")?;
        serves(&executor).await?;
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn a_worker_killed_between_lines_keeps_its_lines(suite: &Suite) -> Result<(), String> {
    const TAG: &str = "testbed-killed-between-lines";
    suite.runtime.block_on(async {
        let executor = tagged(TAG)?;
        for at in 1..=5 {
            let lines = Arc::new(Mutex::new(Vec::new()));
            let heard = Arc::clone(&lines);
            let program = "async () => { for (let i = 1; ; i++) { console.log(i); await host.pause() } }";
            let request = ExecuteRequest::new(program)
                .provider(ProviderDescriptor::new("host", ["pause"]))
                .dispatch(dispatch_fn(|_call| async { Ok("{}".to_owned()) }))
                .log_sink(move |line: &LogLine| {
                    let mut heard = heard.lock().expect("no panic before");
                    heard.push(line.text.clone());
                    if heard.len() == at {
                        for worker in workers(TAG) {
                            // What did not die is found below.
                            let _ = kill(worker);
                        }
                    }
                });
            let fault = lost(executor.execute(request)).await?;
            let expected: Vec<_> = (1..=at).map(|line| line.to_string()).collect();
            let lines = lines.lock().expect("no panic before");
            // The call behind the line may have been on its way.
            let calls = usize::try_from(fault.tool_calls_completed).unwrap_or(usize::MAX);
            let is_told =
                fault.code == FaultCode::WorkerCrashed && fault.started && (at - 1..=at).contains(&calls);
            if !is_told || *lines != expected {
                return Err(format!("killed at line {at}: {lines:?} {fault:?}"));
            }
        }
        serves(&executor).await?;
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn a_killed_template_is_replaced(suite: &Suite) -> Result<(), String> {
    const TAG: &str = "testbed-killed-template";
    suite.runtime.block_on(async {
        let executor = tagged(TAG)?;
        let gates = Gates::default();
        let call = tokio::spawn({
            let (executor, request) = (executor.clone(), parked(&gates, "begun", "goes on"));
            async move { executor.execute(request).await }
        });
        gates.passed("begun").await;
        let worker = *workers(TAG).first().ok_or("no worker")?;
        let all = processes(TAG);
        let template = all.iter().find(|process| process.pid == worker).map(|process| process.parent);
        kill(template.ok_or("the worker has no parent")?)?;
        gates.open("goes on");
        // Whether the run survives its template is the pool's choice; that it settles is not.
        match tokio::time::timeout(AT_ONCE, call).await {
            Ok(Ok(Ok(result))) => expect_answer(Ok(result), "the run")?,
            Ok(Ok(Err(fault))) if fault.code == FaultCode::WorkerCrashed => {}
            other => return Err(format!("{other:?}")),
        }
        serves(&executor).await?;
        executor.dispose().await;
        Ok(())
    })
}
