//! What the pool itself costs: a worker without an engine, from request to answer.
//!
//! `cargo bench -p codemode-pool` prints the figures of one run on this machine. `-- MEGABYTES` gives the template
//! that much memory of its own, as an engine would.

use std::sync::Arc;
use std::time::{Duration, Instant};

use codemode_pool::{
    HardeningLevel, HostFrame, Job, Outcome, Pool, PoolConfig, Prepared, Received, RunRequest, Settlement,
    Spent, StartMode, TemplateConfig, ToolOutcome, WorkerBody, WorkerChannel, WorkerFrame,
};
use codemode_protocol::dispatch_fn;

/// Answers at once, after as many tool calls as its program says.
struct Idle(Vec<u8>);

impl WorkerBody for Idle {
    fn prepare(&mut self, config: &TemplateConfig) -> Result<Prepared, String> {
        let megabytes = config.body.first().copied().unwrap_or(0);
        self.0 = vec![1; usize::from(megabytes) << 20];
        Ok(Prepared::default())
    }

    fn after_fork(&mut self) {}

    fn run(&mut self, request: RunRequest, channel: &mut WorkerChannel) {
        let calls = request.code.parse().unwrap_or(0);
        for id in 0..calls {
            let (provider, tool, args_json) = ("p".to_owned(), "t".to_owned(), "[]".to_owned());
            let called = channel.send(&WorkerFrame::ToolCall { id, provider, tool, args_json });
            let answered = called.and_then(|()| channel.receive(None));
            let Ok(Received::Frame(HostFrame::ToolAnswer { outcome: ToolOutcome::Returned(_), .. })) =
                answered
            else {
                return;
            };
        }
        let outcome = Outcome::Envelope("{\"result\":42}".to_owned());
        // A host that is gone needs no answer.
        let _ = channel.send(&WorkerFrame::Settled(Settlement { outcome, usage: Spent::default() }));
    }
}

fn main() {
    codemode_pool::serve_if_requested(|| Box::new(Idle(Vec::new())));
    let megabytes = std::env::args().find_map(|argument| argument.parse::<u8>().ok()).unwrap_or(0);
    println!("template with {megabytes} MB of its own");
    for threads in [1, 2] {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .enable_all()
            .build()
            .expect("a runtime");
        println!("{threads} runtime thread(s)");
        runtime.block_on(measure(megabytes));
    }
}

fn pool(megabytes: u8, change: impl FnOnce(&mut PoolConfig)) -> Arc<Pool> {
    let mut config = PoolConfig::default();
    config.body_config = vec![megabytes];
    change(&mut config);
    Arc::new(Pool::new(config).expect("the settings are within their bounds"))
}

async fn measure(megabytes: u8) {
    let began = Instant::now();
    let default = pool(megabytes, |_| {});
    answer(&default, "0").await;
    println!("  cold start to first answer          {:>8.2} ms", began.elapsed().as_secs_f64() * 1e3);
    let soft = pool(megabytes, |config| config.hardening = HardeningLevel::Off);
    let exec = pool(megabytes, |config| config.start_mode = StartMode::Exec);
    let unready = pool(megabytes, |config| config.spares = 0);
    for (name, pool, pause) in [
        ("warm, one after the other", &default, Duration::ZERO),
        ("warm, 2 ms apart", &default, Duration::from_millis(2)),
        ("the same, no hardening", &soft, Duration::from_millis(2)),
        ("no spare: fork to answer", &unready, Duration::from_millis(2)),
        ("exec, 60 ms apart", &exec, Duration::from_millis(60)),
    ] {
        let count = if pause > Duration::from_millis(10) { 50 } else { 1_000 };
        let mut times = Vec::new();
        for _ in 0..count {
            tokio::time::sleep(pause).await;
            let began = Instant::now();
            answer(pool, "0").await;
            times.push(began.elapsed());
        }
        show(name, times);
    }
    drop((soft, exec, unready));
    let began = Instant::now();
    answer(&default, "2000").await;
    println!("  one tool call                       {:>8.4} ms", began.elapsed().as_secs_f64() * 1e3 / 2e3);
    for at_once in [1, 2, 4, 8] {
        let pool = pool(megabytes, |config| config.max_workers = at_once);
        answer(&pool, "0").await;
        let (began, total) = (Instant::now(), 4_000);
        let lanes = (0..at_once).map(|_| {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move {
                for _ in 0..total / at_once {
                    answer(&pool, "0").await;
                }
            })
        });
        for lane in lanes.collect::<Vec<_>>() {
            lane.await.expect("a lane ends");
        }
        println!(
            "  {at_once} at a time                         {:>8.0} runs a second",
            total as f64 / began.elapsed().as_secs_f64()
        );
    }
}

async fn answer(pool: &Pool, code: &str) {
    let mut job = Job::new(RunRequest { code: code.to_owned(), ..RunRequest::default() });
    job.dispatch = Some(Arc::new(dispatch_fn(|_| std::future::ready(Ok("{}".to_owned())))));
    let finished = pool.run(job).await.expect("the run is served");
    assert!(matches!(finished.outcome, Outcome::Envelope(_)), "{finished:?}");
}

fn show(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    println!("  {name:<35} {:>8.3} ms p50  {:>8.3} p90  {:>8.3} p99", at(50), at(90), at(99));
}
