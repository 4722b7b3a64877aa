//! Console lines reach the host as they are written.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use codemode_executor::{ExecuteRequest, IsolateExecutor, Value};
use codemode_protocol::{LogLine, ProviderDescriptor, dispatch_fn};
use codemode_testbed::gate::Gates;

use crate::Suite;

fn executor() -> Result<IsolateExecutor, String> {
    IsolateExecutor::builder()
        .max_workers(1)
        .spares(0)
        .timeout(Duration::from_secs(60))
        .build()
        .map_err(|fault| fault.to_string())
}

pub(crate) fn a_line_arrives_while_the_program_spins(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = executor()?;
        let gates = Gates::default();
        let seen = gates.clone();
        let request = ExecuteRequest::new("async () => { console.log('spinning'); for (;;); }")
            .log_sink(move |line: &LogLine| seen.open(&line.text));
        tokio::select! {
            outcome = executor.execute(request) => return Err(format!("settled: {outcome:?}")),
            () = gates.passed("spinning") => {}
        }
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn a_line_arrives_before_the_call_behind_it(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = executor()?;
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (written, counted) = (lines.clone(), lines.clone());
        let program = "async () => {
            const counts = []
            for (let i = 0; i < 5; i++) { console.log(i); counts.push(await host.lines()) }
            return counts
        }";
        let request = ExecuteRequest::new(program)
            .provider(ProviderDescriptor::new("host", ["lines"]))
            .log_sink(move |line: &LogLine| written.lock().expect("no panic before").push(line.clone()))
            .dispatch(dispatch_fn(move |_call| {
                let count = counted.lock().expect("no panic before").len();
                async move { Ok(format!("{{\"result\":{count}}}")) }
            }));
        let result = executor.execute(request).await.map_err(|fault| fault.to_string())?;
        executor.dispose().await;
        let expected = Value::Array((1..=5).map(Value::from).collect());
        if result.result == Some(expected) { Ok(()) } else { Err(format!("{result:?}")) }
    })
}
