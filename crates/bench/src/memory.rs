//! What workers take of the machine's memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use codemode_executor::{ExecuteRequest, IsolateExecutor};
use codemode_protocol::{Fault, FaultCode, ProviderDescriptor, ToolCall, dispatch_fn};
use tokio::sync::Notify;

use crate::processes::{self, Process};

/// A program that has a few thousand objects and waits for a tool.
pub const HOLDS: &str = "async () => {
  const orders = Array.from({ length: 2_000 }, (_, id) => ({ id, lines: [id, id + 1], name: `order ${id}` }));
  await tools.hold();
  return orders.length;
}";

/// How many workers are looked at at once: what all share is a smaller part of each the more there are.
pub const WORKERS: [usize; 2] = [2, 8];

/// Proportional sets in MiB, where nothing else is said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// A worker that nobody has used yet.
    pub idle: f64,
    /// A worker in the middle of [`HOLDS`].
    pub running: f64,
    /// Everything but the workers: the template and its launcher.
    pub template: f64,
    /// Pages that a waiting worker alone has, in MiB: what one worker more takes.
    pub idle_private: f64,
    /// The same of a running one.
    pub running_private: f64,
}

/// Looks at that many workers, first waiting, then running.
///
/// # Errors
/// The fault of a run.
pub async fn memory(workers: usize) -> Result<Memory, Fault> {
    let waiting = executor(workers, workers)?;
    waiting.warm_up().await?;
    let (idle, template, idle_private) = sets();
    waiting.dispose().await;
    let busy = executor(workers, 0)?;
    let (running, running_private) = running(&busy, workers).await?;
    busy.dispose().await;
    Ok(Memory { idle, running, template, idle_private, running_private })
}

fn executor(workers: usize, spares: usize) -> Result<IsolateExecutor, Fault> {
    IsolateExecutor::builder().max_workers(workers).spares(spares).deny_outbound().build()
}

async fn running(executor: &IsolateExecutor, workers: usize) -> Result<(f64, f64), Fault> {
    let (arrived, all, let_go) =
        (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()), Arc::new(Notify::new()));
    let runs: Vec<_> = (0..workers)
        .map(|_| {
            let (executor, arrived, all, let_go) =
                (executor.clone(), arrived.clone(), all.clone(), let_go.clone());
            let request = ExecuteRequest::new(HOLDS)
                .provider(ProviderDescriptor::new("tools", ["hold"]))
                .dispatch(dispatch_fn(move |_: ToolCall| {
                    let (arrived, all, let_go) = (arrived.clone(), all.clone(), let_go.clone());
                    async move {
                        let released = let_go.notified();
                        if arrived.fetch_add(1, Ordering::SeqCst) + 1 == workers {
                            all.notify_one();
                        }
                        released.await;
                        Ok(r#"{"result":null}"#.to_owned())
                    }
                }));
            tokio::spawn(async move { executor.execute(request).await })
        })
        .collect();
    all.notified().await;
    let (running, _, private) = sets();
    let_go.notify_waiters();
    for run in runs {
        let result = run.await.expect("a measuring task does not panic")?;
        if let Some(error) = result.error {
            return Err(Fault::new(FaultCode::Internal, error));
        }
    }
    Ok((running, private))
}

/// The mean of the workers, the sum of those that are parents, and the mean of what workers have alone.
fn sets() -> (f64, f64, f64) {
    let all = processes::descendants();
    let is_parent = |pid| all.iter().any(|process| process.parent == pid);
    let (parents, workers): (Vec<_>, Vec<_>) = all.iter().partition(|process| is_parent(process.pid));
    let mib = |processes: &[&Process], of: fn(&Process) -> u64| {
        processes.iter().map(|process| of(process)).sum::<u64>() as f64 / 1024.0
    };
    let each = |of| mib(&workers, of) / workers.len().max(1) as f64;
    let proportional = |process: &Process| process.proportional_kib;
    (each(proportional), mib(&parents, proportional), each(|process| process.private_kib))
}
