//! [`Host`]: what the properties share, and how each of them is run.

use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codemode_executor::{ExecuteRequest, IsolateExecutor};
use codemode_protocol::ExecuteResult;
use codemode_testbed::case::Settings;
use codemode_testbed::stage::build;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, FileFailurePersistence, TestCaseError, TestRunner};
use tokio::runtime::Runtime;

use crate::node::Node;

/// No run of this suite is near this.
const PATIENCE: Duration = Duration::from_secs(60);

/// The executor and the oracle.
pub(crate) struct Host {
    runtime: Runtime,
    executor: IsolateExecutor,
    node: Option<Mutex<Option<Node>>>,
}

impl Host {
    pub(crate) fn new() -> Result<Host, String> {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        let executor = {
            let _inside = runtime.enter();
            build(&Settings::default(), 2).map_err(|fault| fault.to_string())?
        };
        Ok(Host { runtime, executor, node: Node::start().map(|node| Mutex::new(Some(node))) })
    }

    /// The oracle, where there is one.
    pub(crate) fn node(&self) -> Option<MutexGuard<'_, Option<Node>>> {
        self.node.as_ref().map(|node| node.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks the oracle. `None` where it died over the question; the next question goes to a new one.
    pub(crate) fn ask_node(&self, request: &serde_json::Value) -> Result<Option<serde_json::Value>, String> {
        let mut node = self.node().ok_or("no Node")?;
        let answer = node.as_mut().ok_or("the oracle has ended")?.ask(request)?;
        if answer.is_none() {
            *node = Node::start();
        }
        Ok(answer)
    }

    /// Runs one program.
    pub(crate) fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResult, String> {
        self.runtime.block_on(async {
            tokio::time::timeout(PATIENCE, self.executor.execute(request))
                .await
                .map_err(|_| format!("the run did not settle within {PATIENCE:?}"))?
                .map_err(|fault| format!("{} {fault} {:?}", fault.code, fault.causes))
        })
    }

    /// Ends what was started.
    pub(crate) fn end(&self) {
        self.runtime.block_on(self.executor.dispose());
        if let Some(mut node) = self.node() {
            node.take();
        }
    }
}

/// How many times as many inputs as usual, for a long search.
const TIMES: &str = "CODEMODE_PROPERTIES_TIMES";

/// Checks `test` on this many inputs, and on the ones that have failed before, which `seeds` keeps.
pub(crate) fn check<S>(
    cases: u32,
    seeds: &'static str,
    strategy: S,
    test: impl Fn(S::Value) -> Result<(), String>,
) -> Result<(), String>
where
    S: Strategy,
    S::Value: Debug,
{
    let times = std::env::var(TIMES).ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let config = Config {
        cases: cases.saturating_mul(times),
        max_shrink_iters: 4096,
        max_shrink_time: 20_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(seeds))),
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&strategy, |input| test(input).map_err(TestCaseError::fail))
        .map_err(|error| error.to_string())
}
