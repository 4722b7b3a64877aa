//! What a run says that it spent.

use std::time::Duration;

use codemode_executor::{ExecuteRequest, IsolateExecutor};
use codemode_protocol::{ProviderDescriptor, dispatch_fn};

use crate::Suite;

/// What the program holds outside the heap when it is at its largest.
const HELD_BYTES: u64 = 16 << 20;

pub(crate) fn usage_says_what_was_spent(suite: &Suite) -> Result<(), String> {
    let program = "async () => {
        const held = new Uint8Array(16 << 20).fill(1)
        const objects = Array.from({ length: 100_000 }, (_, i) => ({ i }))
        const end = performance.now() + 30
        while (performance.now() < end);
        for (let i = 0; i < 3; i++) await host.wait()
        return held.length + objects.length
    }";
    suite.runtime.block_on(async {
        let executor = IsolateExecutor::builder()
            .max_workers(2)
            .timeout(Duration::from_secs(60))
            .build()
            .map_err(|fault| fault.to_string())?;
        let witness = executor.clone();
        let request = ExecuteRequest::new(program)
            .provider(ProviderDescriptor::new("host", ["wait"]))
            .dispatch(dispatch_fn(move |_call| {
                let witness = witness.clone();
                async move {
                    // As long as another program needs to meet its bound.
                    let parked = ExecuteRequest::new("() => new Promise(() => {})");
                    let met = witness.execute(parked.timeout(Duration::from_millis(40))).await;
                    met.map(|_| "{}".to_owned()).map_err(|fault| fault.to_string())
                }
            }));
        let result = executor.execute(request).await.map_err(|fault| fault.to_string())?;
        executor.dispose().await;
        let usage = result.usage;
        let holds = [
            ("three tool calls", usage.tool_calls == 3),
            ("processor time, of which a busy machine gives less", usage.cpu_ms >= 5.0),
            ("at least 120 ms of host waits", usage.host_wait_ms >= 120.0),
            ("waits are not counted", usage.counted_ms + usage.host_wait_ms <= usage.wall_ms * 1.5),
            ("at least 30 ms counted", usage.counted_ms >= 30.0),
            ("all of it on the wall", usage.wall_ms >= 150.0),
            ("buffers are seen", usage.peak_buffer_bytes >= HELD_BYTES),
            ("the heap is seen", usage.peak_heap_bytes >= 1 << 20),
        ];
        let wrong: Vec<_> = holds.iter().filter(|(_, holds)| !holds).map(|(what, _)| *what).collect();
        if wrong.is_empty() { Ok(()) } else { Err(format!("{wrong:?} does not hold: {result:?}")) }
    })
}

/// A worker that is killed says nothing of what it spent, so its host does.
pub(crate) fn usage_of_a_run_that_was_ended_says_what_the_host_knows(suite: &Suite) -> Result<(), String> {
    let endings = [
        ("timeout", 300, "for (;;);"),
        ("memory", 60_000, "const held = []; for (;;) held.push({ n: held.length })"),
        ("memory", 60_000, "const held = []; for (;;) held.push(new Uint8Array(1 << 20).fill(1))"),
    ];
    suite.runtime.block_on(async {
        let executor = IsolateExecutor::builder()
            .max_workers(1)
            .memory_mb(32)
            .grace(Duration::from_millis(100))
            .build()
            .map_err(|fault| fault.to_string())?;
        for (kind, timeout_ms, ending) in endings {
            let request = ExecuteRequest::new(format!("async () => {{ await host.wait(); {ending} }}"))
                .timeout(Duration::from_millis(timeout_ms))
                .provider(ProviderDescriptor::new("host", ["wait"]))
                .dispatch(dispatch_fn(|_call| async { Ok("{}".to_owned()) }));
            let result = executor.execute(request).await.map_err(|fault| fault.to_string())?;
            let usage = result.usage;
            let holds = [
                ("the kind", result.kind.is_some_and(|found| found.as_str() == kind)),
                ("one tool call", usage.tool_calls == 1),
                ("time on the wall", usage.wall_ms > 0.0),
                ("counted time", usage.counted_ms > 0.0 && usage.counted_ms <= usage.wall_ms),
                ("processor time", usage.cpu_ms > 0.0),
                ("time of the wait", usage.host_wait_ms > 0.0),
            ];
            let wrong: Vec<_> = holds.iter().filter(|(_, holds)| !holds).map(|(what, _)| *what).collect();
            if !wrong.is_empty() {
                return Err(format!("{ending}: {wrong:?} does not hold: {result:?}"));
            }
        }
        executor.dispose().await;
        Ok(())
    })
}
