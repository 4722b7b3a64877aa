//! What the tests share: pools, programs, and looking at processes from outside.

use std::future::Future;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use codemode_pool::{Finished, Job, Outcome, Pool, PoolConfig, RunRequest, StartMode};
use codemode_protocol::{Fault, dispatch_fn};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use nix::unistd::Pid;

/// A named test.
pub(crate) type Test = (&'static str, fn());

/// Makes a list of tests of functions.
macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        pub(crate) fn trials() -> Vec<crate::support::Test> {
            vec![$((concat!(module_path!(), "::", stringify!($name)), $name as fn())),*]
        }
    };
}
pub(crate) use tests;

/// Runs a test on a runtime of its own.
pub(crate) fn on_runtime<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(test)
}

/// Settings whose worker processes can be told from those of other tests.
pub(crate) fn config() -> PoolConfig {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut config = PoolConfig::default();
    let tag = format!("test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    config.worker.args = vec![tag.into()];
    config.max_workers = 2;
    config.spares = 1;
    config
}

/// A pool with default test settings, changed by `change`.
pub(crate) fn pool_with(change: impl FnOnce(&mut PoolConfig)) -> Arc<Pool> {
    let mut config = config();
    change(&mut config);
    Arc::new(Pool::new(config).unwrap())
}

pub(crate) fn pool() -> Arc<Pool> {
    pool_with(|_| {})
}

/// Pools of either way to start workers.
pub(crate) fn pools() -> Vec<Arc<Pool>> {
    [StartMode::Fork, StartMode::Exec].map(|mode| pool_with(|config| config.start_mode = mode)).into()
}

/// A program of the fake worker.
pub(crate) fn program(code: &str) -> RunRequest {
    RunRequest { code: code.to_owned(), ..RunRequest::default() }
}

pub(crate) fn job(code: &str) -> Job {
    Job::new(program(code))
}

/// A job whose tools answer `{"result":ARGS}`; the tool `slow` never does.
pub(crate) fn job_with_tools(code: &str) -> Job {
    let mut job = job(code);
    job.dispatch = Some(Arc::new(dispatch_fn(|call| async move {
        match call.tool.as_str() {
            "slow" => std::future::pending().await,
            "throws" => Err("no such order".to_owned()),
            "panics" => panic!("the tool fell over"),
            "long" => Ok("x".repeat(call.args_json.parse().unwrap())),
            _ => Ok(format!("{{\"result\":{}}}", call.args_json)),
        }
    })));
    job
}

/// The envelope of a run that reported one.
pub(crate) fn envelope(ended: Result<Finished, Fault>) -> String {
    match ended.unwrap().outcome {
        Outcome::Envelope(text) => text,
        other => panic!("{other:?}"),
    }
}

/// The envelope of a program that comes back as often, and as late, as the faults it meets advise.
pub(crate) async fn served_at_last(pool: &Pool, code: &str) -> String {
    loop {
        match pool.run(job(code)).await {
            Ok(finished) => return envelope(Ok(finished)),
            Err(fault) => {
                assert!(fault.retryable(), "{fault:?}");
                tokio::time::sleep(Duration::from_millis(fault.retry_after_ms.unwrap_or(1))).await;
            }
        }
    }
}

/// The lines of a run.
pub(crate) fn texts(finished: &Finished) -> Vec<&str> {
    finished.logs.iter().map(|line| line.text.as_str()).collect()
}

/// A process that belongs to a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessSeen {
    pub number: i32,
    pub parent: i32,
}

/// The processes of a pool, launchers first, then templates, then workers.
pub(crate) fn processes_of(pool: &Pool) -> [Vec<ProcessSeen>; 3] {
    processes_tagged(&pool.config().worker.args[0].to_string_lossy())
}

/// See [`processes_of`].
pub(crate) fn processes_tagged(tag: &str) -> [Vec<ProcessSeen>; 3] {
    let mut seen = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(number) = entry.file_name().to_string_lossy().parse::<i32>() else { continue };
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if !command.split(|&byte| byte == 0).any(|argument| argument == tag.as_bytes()) {
            continue;
        }
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let mut fields = fields.split_whitespace();
        let (Some(state), Some(parent)) = (fields.next(), fields.next()) else { continue };
        // A zombie has no command line, so none comes here unless it just died.
        if state != "Z" {
            seen.push(ProcessSeen { number, parent: parent.parse().unwrap() });
        }
    }
    let is_of =
        |process: &ProcessSeen, parents: &[ProcessSeen]| parents.iter().any(|p| p.number == process.parent);
    let (launchers, rest): (Vec<_>, Vec<_>) =
        seen.iter().copied().partition(|process| !is_of(process, &seen));
    let (templates, workers) = rest.into_iter().partition(|process| is_of(process, &launchers));
    [launchers, templates, workers]
}

/// Sends a signal.
pub(crate) fn send(process: ProcessSeen, signal: Signal) {
    nix::sys::signal::kill(Pid::from_raw(process.number), signal).unwrap();
}

/// Sends SIGKILL.
pub(crate) fn kill(process: ProcessSeen) {
    send(process, Signal::SIGKILL);
}

/// Waits until the process is gone; the test's own time bound is the suite's.
pub(crate) fn wait_for_end(pidfd: &OwnedFd) {
    let ready =
        poll(&mut [PollFd::new(pidfd.as_fd(), PollFlags::POLLIN)], PollTimeout::from(20_000u16)).unwrap();
    assert_eq!(ready, 1, "the process lives on");
}

/// Plays a host of its own when this binary was started as one, see the lifecycle tests.
pub(crate) fn serve_as_sub_host() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("--sub-host") {
        crate::lifecycle::sub_host(&arguments.next().unwrap());
    }
}
