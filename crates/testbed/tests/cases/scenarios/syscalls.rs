//! The list of system calls against programs: what is on it is there for something.

use std::time::Duration;

use codemode_executor::{ExecuteRequest, IsolateExecutor, StartMode};
use codemode_pool::worker::{Need, syscall_table};
use codemode_protocol::{ProviderDescriptor, dispatch_fn};

use crate::Suite;

/// Programs that together need what the engine needs.
const NEEDY: &[&str] = &[
    "async () => {
        console.log('x', new Date().toString(), performance.now())
        await new Promise((resolve) => setTimeout(resolve, 5))
        return (await host.call()) + crypto.getRandomValues(new Uint8Array(4)).length
    }",
    "() => {
        let text = 'x', kept = []
        for (let i = 0; i < 20; i++) text += text
        for (let i = 0; i < 40; i++) kept.push(new Uint8Array(1 << 20).fill(i), { text: text + i })
        kept = Array.from({ length: 2e5 }, (_, i) => ({ i }))
        let f = (n) => (n ? f(n - 1) + 1 : 0)
        for (let i = 0; i < 3e5; i++) f(2)
        return f(5000) + kept.length + /^(x|y)+$/.exec(text.slice(0, 9000)).length
    }",
    "() => { const kept = []; for (;;) kept.push(new Array(1e6).fill(1.5)) }",
    "() => { const f = () => f() + 1; return f() }",
];

/// The first program that is not served because a call is withheld.
async fn missed(calls: &[&str]) -> Result<Option<String>, String> {
    let executor = IsolateExecutor::builder()
        .max_workers(1)
        .spares(0)
        .start_mode(StartMode::Fork)
        .memory_mb(64)
        .timeout(Duration::from_secs(60))
        .pool(|config| config.audit.withheld_calls = calls.iter().map(|&call| call.to_owned()).collect())
        .build()
        .map_err(|fault| fault.to_string())?;
    let mut missed = None;
    for code in NEEDY {
        let request = ExecuteRequest::new(*code)
            .provider(ProviderDescriptor::new("host", ["call"]))
            .dispatch(dispatch_fn(|_call| async { Ok("{\"result\":42}".to_owned()) }));
        if let Err(fault) = executor.execute(request).await {
            missed = Some(format!("{code}: {fault:?}"));
            break;
        }
    }
    executor.dispose().await;
    Ok(missed)
}

/// Rows that the engine is said to need are withheld one by one, and each has to be missed. All the rows that no test
/// gets to are withheld together, and must not be: a row that is missed belongs to those that are needed.
pub(crate) fn calls_on_the_list_are_needed(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let rows = |need| syscall_table().filter(move |row| row.need == need).map(|row| row.name);
        if let Some(missed) = missed(&rows(Need::Rare).collect::<Vec<_>>()).await? {
            return Err(format!("a call that no test is said to get to is missed by {missed}"));
        }
        let mut unused = Vec::new();
        for name in rows(Need::Engine) {
            if missed(&[name]).await?.is_none() {
                unused.push(name);
            }
        }
        if unused.is_empty() { Ok(()) } else { Err(format!("no program misses {unused:?}")) }
    })
}
