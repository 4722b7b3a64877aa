//! Renewal, the end of a pool, and the end of its host.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codemode_pool::{MemoryBound, Pool, PoolEvent, RunEnd, StartMode};
use codemode_protocol::{FaultCode, LogLine, Sentence};
use nix::sys::signal::Signal;

use crate::raw;
use crate::support::{
    config, envelope, job, on_runtime, pool_with, pools, processes_of, processes_tagged, send,
    served_at_last, tests, wait_for_end,
};

tests!(
    templates_are_renewed_with_overlap,
    a_silent_template_is_replaced,
    dispose_lets_runs_finish_and_refuses_the_rest,
    dispose_kills_what_does_not_finish,
    a_dropped_pool_leaves_nothing,
    thousands_of_runs_leave_nothing,
    nothing_outlives_the_host,
    a_host_without_descriptors_is_told_and_recovers,
    observers_hear_of_every_run_and_process,
    an_observer_that_panics_harms_nobody,
);

fn templates_are_renewed_with_overlap() {
    on_runtime(async {
        let pool = pool_with(|config| {
            config.template_forks = 5;
            config.start_mode = StartMode::Fork;
        });
        // A run of the first template goes on while templates come and go.
        let (gate, opened) = tokio::sync::watch::channel(false);
        let mut long = job("tool p t []\nreturn");
        let (told, mut begun) = tokio::sync::mpsc::unbounded_channel();
        long.dispatch = Some(Arc::new(codemode_protocol::dispatch_fn(move |_| {
            let mut opened = opened.clone();
            told.send(()).unwrap();
            async move {
                opened.wait_for(|&open| open).await.map_err(|error| error.to_string())?;
                Ok("from the first".to_owned())
            }
        })));
        let long = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { envelope(pool.run(long).await) }
        });
        begun.recv().await.unwrap();
        let first = processes_of(&pool)[1][0];
        for _ in 0..40 {
            assert_eq!(envelope(pool.run(job("answer short")).await), "short");
        }
        pool.until(|counts| counts.templates == 2 && counts.starting == 0).await;
        let templates = processes_of(&pool)[1].clone();
        assert!(templates.contains(&first) && templates.len() >= 2, "{templates:?}");
        gate.send(true).unwrap();
        assert_eq!(long.await.unwrap(), "from the first");
        pool.until(|counts| counts.templates == 1 && counts.ending == 0).await;
        pool.dispose().await;
        assert!(processes_of(&pool).iter().all(Vec::is_empty));
    });
}

fn a_silent_template_is_replaced() {
    on_runtime(async {
        let pool = pool_with(|config| config.heartbeat = Duration::from_millis(50));
        pool.warm_up().await.unwrap();
        let [_, templates, workers] = processes_of(&pool);
        let ends: Vec<_> = templates.iter().chain(&workers).map(|seen| raw::pidfd(seen.number)).collect();
        send(templates[0], Signal::SIGSTOP);
        ends.iter().for_each(wait_for_end);
        assert_eq!(envelope(pool.run(job("answer again")).await), "again");
    });
}

fn dispose_lets_runs_finish_and_refuses_the_rest() {
    for pool in pools() {
        on_runtime(async {
            let (told, mut begun) = tokio::sync::mpsc::unbounded_channel();
            let mut running = job("log begun\nspin 50\nanswer finished");
            running.log_sink = Some(Arc::new(move |_: &LogLine| told.send(()).unwrap()));
            let run = tokio::spawn({
                let pool = Arc::clone(&pool);
                async move { envelope(pool.run(running).await) }
            });
            begun.recv().await.unwrap();
            pool.dispose().await;
            assert_eq!(run.await.unwrap(), "finished");
            let fault = pool.run(job("answer never")).await.unwrap_err();
            assert_eq!(
                (fault.code, fault.message),
                (FaultCode::Internal, Sentence::PoolShuttingDown.to_string())
            );
            assert!(pool.warm_up().await.is_err());
            assert!(processes_of(&pool).iter().all(Vec::is_empty));
            pool.dispose().await;
        });
    }
}

fn dispose_kills_what_does_not_finish() {
    on_runtime(async {
        let pool = pool_with(|config| {
            config.drain = Duration::from_millis(20);
            config.max_workers = 1;
        });
        let (told, mut begun) = tokio::sync::mpsc::unbounded_channel();
        let mut endless = job("log begun\nhang");
        endless.log_sink = Some(Arc::new(move |_: &LogLine| told.send(()).unwrap()));
        let spawn = |job| {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move { pool.run(job).await })
        };
        let run = spawn(endless);
        begun.recv().await.unwrap();
        let waiting = spawn(job("answer never"));
        pool.until(|counts| counts.queued == 1).await;
        pool.dispose().await;
        for (run, started) in [(run, true), (waiting, false)] {
            let fault = run.await.unwrap().unwrap_err();
            assert_eq!((fault.code, fault.started), (FaultCode::Internal, started), "{fault:?}");
        }
        assert!(processes_of(&pool).iter().all(Vec::is_empty));
    });
}

fn a_dropped_pool_leaves_nothing() {
    for pool in pools() {
        let tag = pool.config().worker.args[0].to_string_lossy().into_owned();
        on_runtime(pool.warm_up()).unwrap();
        let ends: Vec<_> =
            processes_tagged(&tag).iter().flatten().map(|seen| raw::pidfd(seen.number)).collect();
        assert!(!ends.is_empty());
        drop(pool);
        ends.iter().for_each(wait_for_end);
    }
}

fn thousands_of_runs_leave_nothing() {
    // In a process of its own, since other tests open descriptors too.
    let mut host = SubHost::start("soak");
    assert_eq!(host.line(), "runs 3000 descriptors +0 zombies 0");
}

fn nothing_outlives_the_host() {
    for what in ["idle", "running", "exec", "unhardened"] {
        let mut host = SubHost::start(what);
        let tag = host.line();
        let ends: Vec<_> =
            processes_tagged(&tag).iter().flatten().map(|seen| raw::pidfd(seen.number)).collect();
        assert!(ends.len() >= 2, "{what}: {} processes", ends.len());
        host.0.kill().unwrap();
        host.0.wait().unwrap();
        ends.iter().for_each(wait_for_end);
    }
}

fn observers_hear_of_every_run_and_process() {
    on_runtime(async {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&heard);
        let mut config = config();
        config.max_workers = 1;
        config.queue_limit = 0;
        config.drain = Duration::ZERO;
        config.start_mode = StartMode::Fork;
        config.grace = Duration::from_millis(20);
        let observer = move |event: &PoolEvent| sink.lock().unwrap().push(event.clone());
        let pool = Arc::new(Pool::observed(config, Arc::new(observer)).unwrap());
        for code in ["answer x", "crash 6", "allocate-then-crash 100"] {
            // Faults are part of it.
            let _ = pool.run(job(code)).await;
        }
        let mut spinning = job("spin");
        spinning.request.timeout_ms = 20;
        spinning.tenant = Some("somebody".into());
        pool.run(spinning).await.unwrap();
        let hanging = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.run(job("hang")).await }
        });
        pool.until(|counts| counts.running == 1).await;
        assert_eq!(pool.run(job("answer never")).await.unwrap_err().code, FaultCode::QueueFull);
        hanging.abort();
        pool.until(|counts| counts.running == 0 && counts.ending == 0).await;
        pool.dispose().await;

        let heard = heard.lock().unwrap();
        let ends: Vec<_> = heard
            .iter()
            .filter_map(|event| match event {
                PoolEvent::RunEnded { end, tenant, .. } => Some((*end, tenant.as_str())),
                _ => None,
            })
            .collect();
        let expected = [
            (RunEnd::Settled, ""),
            (RunEnd::Crashed, ""),
            (RunEnd::OutOfMemory(MemoryBound::Data), ""),
            (RunEnd::KilledOnTimeout, "somebody"),
            (RunEnd::Cancelled, ""),
        ];
        assert_eq!(ends, expected);
        let count = |holds: fn(&PoolEvent) -> bool| heard.iter().filter(|event| holds(event)).count();
        assert_eq!(count(|event| matches!(event, PoolEvent::TemplateUp { .. })), 1);
        assert_eq!(count(|event| matches!(event, PoolEvent::RunBegun { .. })), 5);
        assert!(count(|event| matches!(event, PoolEvent::WorkerExited { .. })) >= 5);
        assert_eq!(
            count(|event| matches!(event, PoolEvent::Refused { code: Some(FaultCode::QueueFull), .. })),
            1
        );
        assert_eq!(heard.iter().filter(|event| **event == PoolEvent::Disposed).count(), 1);
    });
}

fn an_observer_that_panics_harms_nobody() {
    on_runtime(async {
        // Without the report of a panic, which would be one for each event.
        let observer = |_: &PoolEvent| std::panic::resume_unwind(Box::new("an observer of a test"));
        let pool = Pool::observed(config(), Arc::new(observer)).unwrap();
        assert_eq!(envelope(pool.run(job("answer x")).await), "x");
        pool.dispose().await;
    });
}

fn a_host_without_descriptors_is_told_and_recovers() {
    let mut host = SubHost::start("starved");
    assert_eq!(host.line(), "starved WORKER_CRASHED, fed y");
}

/// This binary as a host in a process of its own.
pub(crate) struct SubHost(std::process::Child);

impl SubHost {
    pub(crate) fn start(what: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        Self(command.args(["--sub-host", what]).stdout(Stdio::piped()).spawn().unwrap())
    }

    /// What it says until it ends.
    pub(crate) fn lines(&mut self) -> impl Iterator<Item = String> {
        BufReader::new(self.0.stdout.as_mut().unwrap()).lines().map_while(Result::ok)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        BufReader::new(self.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        line.trim().to_owned()
    }
}

impl Drop for SubHost {
    fn drop(&mut self) {
        // Most tests killed it already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a sub-host does. Never returns.
pub(crate) fn sub_host(what: &str) -> ! {
    on_runtime(async {
        let mut config = config();
        match what {
            "exec" => config.start_mode = StartMode::Exec,
            "unhardened" => config.hardening = codemode_pool::HardeningLevel::Off,
            _ => {}
        }
        let tag = config.worker.args[0].to_string_lossy().into_owned();
        let pool = Arc::new(Pool::new(config).unwrap());
        match what {
            "soak" => return soak(&pool).await,
            "starved" => return starve(&pool).await,
            "faults" => return crate::faults::play(&pool).await,
            _ => {}
        }
        pool.warm_up().await.unwrap();
        let mut endless = job("log begun\nhang");
        let say = move || {
            println!("{tag}");
            std::io::stdout().flush().unwrap();
        };
        if what == "running" {
            endless.log_sink = Some(Arc::new(move |_: &LogLine| say()));
            pool.run(endless).await.unwrap();
        } else {
            say();
        }
        std::future::pending::<()>().await;
    });
    std::process::exit(0)
}

/// Takes every descriptor this process may have, runs a program, gives them back and runs another.
async fn starve(pool: &Arc<Pool>) {
    use nix::sys::resource::{Resource, setrlimit};
    setrlimit(Resource::RLIMIT_NOFILE, 64, 64).unwrap();
    pool.warm_up().await.unwrap();
    let mut taken = Vec::new();
    let mut codes = Vec::new();
    while codes.is_empty() {
        taken.extend(std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()));
        // A spare that is there already still serves, and what it frees is taken too.
        codes.extend(pool.run(job("answer x")).await.err().map(|fault| fault.code));
    }
    drop(taken);
    let fed = served_at_last(pool, "answer y").await;
    println!("starved {}, fed {fed}", codes[0]);
}

async fn soak(pool: &Arc<Pool>) {
    let settle = || pool.until(|counts| counts.running == 0 && counts.ending == 0 && counts.idle == 1);
    let some = |count: u64| async move {
        for number in 0..count {
            let code = match number % 50 {
                7 => "crash 6",
                9 => "oversized",
                _ => "log x\nanswer y",
            };
            // Failures are part of it.
            let _ = pool.run(job(code)).await;
        }
    };
    some(100).await;
    settle().await;
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let before = descriptors();
    some(3_000).await;
    settle().await;
    let grown = descriptors() as i64 - before as i64;
    println!("runs 3000 descriptors {grown:+} zombies {}", zombies());
}

/// Children and grandchildren of this process that nobody reaped.
pub(crate) fn zombies() -> usize {
    let own = std::process::id();
    let stat = |number: &str| -> Option<(String, u32)> {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
    };
    let descends = |mut number: u32| {
        while number > 1 {
            if number == own {
                return true;
            }
            number = stat(&number.to_string()).map_or(0, |(_, parent)| parent);
        }
        false
    };
    let all = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    all.filter_map(|number| stat(&number)).filter(|(state, parent)| state == "Z" && descends(*parent)).count()
}
