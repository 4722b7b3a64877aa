//! What two runs may share: nothing.

use std::collections::BTreeSet;
use std::time::Duration;

use codemode_executor::{ExecuteRequest, IsolateExecutor, Value};
use codemode_protocol::{ProviderDescriptor, dispatch_fn};
use codemode_testbed::gate::Gates;

use crate::Suite;

const RUNS: usize = 48;

fn executor(workers: usize) -> Result<IsolateExecutor, String> {
    IsolateExecutor::builder()
        .max_workers(workers)
        .spares(workers)
        .timeout(Duration::from_secs(60))
        .build()
        .map_err(|fault| fault.to_string())
}

/// Runs that are siblings of one template, many of them forked ahead, draw nothing that another draws.
pub(crate) fn every_source_of_randomness_differs(suite: &Suite) -> Result<(), String> {
    let program = "async () => [
        ...Array.from({ length: 4 }, () => String(Math.random())),
        crypto.randomUUID(),
        crypto.getRandomValues(new Uint8Array(16)).toHex(),
        String(crypto.getRandomValues(new BigUint64Array(1))[0]),
    ]";
    suite.runtime.block_on(async {
        let executor = executor(4)?;
        executor.warm_up().await.map_err(|fault| fault.to_string())?;
        let calls: Vec<_> = (0..RUNS)
            .map(|_| {
                let executor = executor.clone();
                tokio::spawn(async move { executor.execute(ExecuteRequest::new(program)).await })
            })
            .collect();
        let mut seen = BTreeSet::new();
        for call in calls {
            let result = call.await.expect("the call does not panic").map_err(|fault| fault.to_string())?;
            let Some(Value::Array(draws)) = result.into_value()? else { return Err("no draws".into()) };
            for draw in draws {
                let draw = draw.as_str().ok_or("a draw is a text")?.to_owned();
                if !seen.insert(draw.clone()) {
                    return Err(format!("drawn twice: {draw}"));
                }
            }
        }
        executor.dispose().await;
        if seen.len() == RUNS * 7 { Ok(()) } else { Err(format!("{} draws", seen.len())) }
    })
}

/// Runs that are in the middle of their work at the same time see their own globals, logs and answers alone.
pub(crate) fn runs_at_one_time_do_not_meet(suite: &Suite) -> Result<(), String> {
    const AT_ONE_TIME: usize = 6;
    let program = "async () => {
        const mine = await host.number()
        globalThis.mark = (globalThis.mark ?? '') + mine
        Object.prototype.mark = mine
        console.log(`run ${mine}`)
        await host.all()
        return [mine, globalThis.mark, ({}).mark]
    }";
    suite.runtime.block_on(async {
        let executor = executor(AT_ONE_TIME)?;
        let gates = Gates::default();
        let names: Vec<String> = (0..AT_ONE_TIME).map(|number| format!("run {number}")).collect();
        let calls: Vec<_> = (0..AT_ONE_TIME)
            .map(|number| {
                let (gates, names, executor) = (gates.clone(), names.clone(), executor.clone());
                let request = ExecuteRequest::new(program)
                    .provider(ProviderDescriptor::new("host", ["number", "all"]))
                    .dispatch(dispatch_fn(move |call| {
                        let (gates, names) = (gates.clone(), names.clone());
                        async move {
                            if call.tool == "all" {
                                gates.open(&names[number]);
                                for name in &names {
                                    gates.passed(name).await;
                                }
                            }
                            Ok(format!("{{\"result\":{number}}}"))
                        }
                    }));
                tokio::spawn(async move { executor.execute(request).await })
            })
            .collect();
        for (number, call) in calls.into_iter().enumerate() {
            let result = call.await.expect("the call does not panic").map_err(|fault| fault.to_string())?;
            let logs: Vec<_> = result.logs.iter().map(|line| line.text.clone()).collect();
            let number_value = Value::Number(number as f64);
            let expected =
                Value::Array(vec![number_value.clone(), Value::String(number.to_string()), number_value]);
            if result.result.as_ref() != Some(&expected) || logs != [format!("run {number}")] {
                return Err(format!("run {number}: {result:?}"));
            }
        }
        executor.dispose().await;
        Ok(())
    })
}
