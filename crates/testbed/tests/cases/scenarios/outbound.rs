//! What becomes of the requests that a run leaves behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use codemode_executor::{ExecuteRequest, IsolateExecutor, OutboundPolicy};
use codemode_protocol::{LogLine, LogSink};
use codemode_testbed::web::Web;
use tokio::sync::Notify;

use crate::Suite;

/// Leaves a request behind that is being worked on, and ends as asked.
fn program(ending: &str) -> String {
    format!(
        "async () => {{
            fetch('https://a.example/never').catch(() => {{}})
            console.log(await (await fetch('https://a.example/open')).text())
            {ending}
        }}"
    )
}

pub(crate) fn a_run_that_is_over_drops_its_requests(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = executor()?;
        for ending in ["return 1", "throw new Error('no')", "for (;;);", "await new Promise(() => {})"] {
            let web = Web::default();
            let request = ExecuteRequest::new(program(ending))
                .timeout(Duration::from_millis(200))
                .count_host_waits(true)
                .outbound(OutboundPolicy::Caller(Arc::new(web.clone())));
            let result = executor.execute(request).await.map_err(|fault| fault.to_string())?;
            let was_open = result.logs.first().is_some_and(|line| line.text == "1");
            if !was_open || web.open() != 0 {
                return Err(format!("{ending}: {} requests are still open after {result:?}", web.open()));
            }
        }
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn a_run_that_is_given_up_drops_its_requests(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = executor()?;
        let (web, ready) = (Web::default(), Arc::new(Ready::default()));
        let request = ExecuteRequest::new(program("await new Promise(() => {})"))
            .outbound(OutboundPolicy::Caller(Arc::new(web.clone())))
            .log_sink(Heard(ready.clone()));
        tokio::select! {
            ended = executor.execute(request) => return Err(format!("the run ended: {ended:?}")),
            () = ready.notify.notified() => {}
        }
        if !ready.open.load(Ordering::SeqCst) || web.open() != 0 {
            return Err(format!("{} requests are still open", web.open()));
        }
        executor.dispose().await;
        Ok(())
    })
}

#[derive(Default)]
struct Ready {
    open: AtomicBool,
    notify: Notify,
}

/// Says when the program has a request open.
struct Heard(Arc<Ready>);

impl LogSink for Heard {
    fn line(&self, line: &LogLine) {
        self.0.open.store(line.text == "1", Ordering::SeqCst);
        self.0.notify.notify_one();
    }
}

fn executor() -> Result<IsolateExecutor, String> {
    IsolateExecutor::builder()
        .max_workers(1)
        .grace(Duration::from_millis(100))
        .build()
        .map_err(|fault| fault.to_string())
}
