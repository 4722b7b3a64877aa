//! Faults put in at every step of a worker, a template and a channel, and what is left behind each: nothing.
//!
//! All of them are played one after the other in a host of their own, which counts its descriptors, threads and
//! children before and after. The table in `docs/faults.md` says which fault is which row.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use codemode_pool::{FailKind, Finished, Job, Outcome, Pool, StartMode};
use codemode_protocol::{Fault, LogLine, dispatch_fn};
use nix::sys::signal::Signal;

use crate::fake::bits_to_flip;
use crate::lifecycle::{SubHost, zombies};
use crate::raw;
use crate::support::{
    config, job, job_with_tools, kill, processes_of, send, served_at_last, tests, wait_for_end,
};

tests!(every_fault_costs_its_own_caller_and_leaves_nothing);

fn every_fault_costs_its_own_caller_and_leaves_nothing() {
    let mut host = SubHost::start("faults");
    let (seen, rest): (Vec<_>, Vec<_>) = host.lines().partition(|line| line.starts_with("ok "));
    let (last, wrong) = rest.split_last().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!((last.as_str(), seen.len()), ("over", FAULTS.len()), "the host ended behind {seen:#?}");
}

/// What a fault comes to: a text of each answer, in the order in which they were asked for.
type Play = for<'a> fn(&'a Arc<Pool>) -> Pin<Box<dyn Future<Output = Vec<String>> + 'a>>;

/// A fault, how it is put in, and what its callers are told.
struct Row(&'static str, Play, &'static [&'static str]);

macro_rules! play {
    ($($play:tt)*) => {
        |pool| Box::pin(async move { ($($play)*)(pool).await })
    };
}

const FAULTS: &[Row] = &[
    Row("worker killed before it had read its request", play!(killed_before_start), &["answered unread"]),
    Row(
        "worker killed between console lines",
        play!(|pool| killed_at_line(pool, 2)),
        &["WORKER_CRASHED SIGKILL"],
    ),
    Row("worker killed in a tool call", play!(killed_in_a_tool_call), &["WORKER_CRASHED SIGKILL"]),
    Row(
        "worker killed while answering",
        play!(|pool| each(pool, &["half-answer-then-crash 9"])),
        &["WORKER_CRASHED SIGKILL"],
    ),
    Row("worker killed while idle", play!(killed_while_idle), &["answered after"]),
    Row(
        "worker killed while starting",
        play!(|pool| killed_while_starting(pool, StartMode::Exec)),
        &["answered late"],
    ),
    Row(
        "template killed while starting",
        play!(|pool| killed_while_starting(pool, StartMode::Fork)),
        &["answered late"],
    ),
    Row("template killed while forking", play!(template_killed_while_forking), &["answered forked"]),
    Row("template killed while idle", play!(|pool| killed_of(pool, 1)), &["answered after"]),
    Row("launcher killed while idle", play!(|pool| killed_of(pool, 0)), &["answered after"]),
    Row(
        "template killed under a run",
        play!(|pool| killed_under_a_run(pool, 1)),
        &["WORKER_CRASHED template"],
    ),
    Row(
        "launcher killed under a run",
        play!(|pool| killed_under_a_run(pool, 0)),
        &["WORKER_CRASHED template"],
    ),
    Row(
        "worker ends by itself",
        play!(|pool| each(pool, &["crash 6", "crash 5", "fault", "exit 0", "panic x"])),
        &[
            "WORKER_CRASHED SIGABRT",
            "WORKER_CRASHED SIGTRAP",
            "WORKER_CRASHED SIGSEGV",
            "WORKER_CRASHED exit status 0",
            "WORKER_CRASHED its own code failed",
        ],
    ),
    Row("tool that never answers", play!(tool_never_answers), &["failed Timeout"]),
    Row("tool that panics", play!(|pool| each(pool, &["tool p panics []\nreturn"])), &["answered thrown"]),
    Row(
        "frame truncated",
        play!(|pool| each(pool, &["bytes 40000000 00\nexit 0"])),
        &["WORKER_CRASHED exit status 0"],
    ),
    Row("frame oversized", play!(|pool| each(pool, &["oversized"])), &["WORKER_CRASHED past the bound"]),
    Row(
        "frame of noise",
        play!(|pool| each(pool, &["bytes 04000000 deadbeef\nhang"])),
        &["WORKER_CRASHED invalid frame"],
    ),
    Row(
        "frames reordered",
        play!(|pool| each(pool, &["respond 200\nanswer x", "answer first\nlog late"])),
        &["WORKER_CRASHED out of turn", "answered first"],
    ),
    Row("frame with any bit flipped", play!(bits_flipped), &["none of them hurt"]),
    Row(
        "fork failing",
        play!(|pool| template_limited(pool, "no-forks")),
        &["WORKER_CRASHED The fork failed", "answered again"],
    ),
    Row(
        "template out of descriptors",
        play!(|pool| template_limited(pool, "no-descriptors")),
        &["WORKER_CRASHED The fork failed", "answered again"],
    ),
    Row(
        "worker out of memory",
        play!(|pool| each(pool, &["allocate-then-crash 120", "allocate 1000"])),
        &["failed Memory", "WORKER_CRASHED SIGABRT"],
    ),
    Row("caller gone", play!(callers_gone), &["answered after"]),
];

/// What may be left behind a fault: as much as there was before.
#[derive(Debug, PartialEq, Eq)]
struct Holdings {
    descriptors: usize,
    threads: usize,
    files: usize,
    zombies: usize,
}

impl Holdings {
    fn now() -> Self {
        let entries = |folder: &std::path::Path| std::fs::read_dir(folder).map_or(0, Iterator::count);
        Self {
            descriptors: entries("/proc/self/fd".as_ref()),
            threads: entries("/proc/self/task".as_ref()),
            files: entries("/dev/shm".as_ref()),
            zombies: zombies(),
        }
    }
}

impl Holdings {
    /// What is held once that is `before`, or in the end. The thread of a pool that was disposed goes a moment later.
    async fn at_last(before: &Self) -> Self {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let now = Self::now();
            if now == *before || Instant::now() > deadline {
                return now;
            }
            tokio::task::yield_now().await;
        }
    }
}

/// Plays every fault and says what came of it, a line each.
pub(crate) async fn play(pool: &Arc<Pool>) {
    pool.warm_up().await.unwrap();
    assert_eq!(text_of(pool.run(job("answer warm")).await), "answered warm");
    at_rest(pool).await;
    let before = Holdings::now();
    for Row(name, play, expected) in FAULTS {
        let seen = play(pool).await;
        at_rest(pool).await;
        let after = Holdings::at_last(&before).await;
        let settled = seen.len() == expected.len()
            && seen.iter().zip(*expected).all(|(seen, says)| matches(seen, says));
        if settled && after == before {
            println!("ok {name}");
        } else {
            println!("{name}: {} {after:?} after {before:?}", seen.join(" | ").replace('\n', " "));
        }
    }
    pool.dispose().await;
    assert!(processes_of(pool).iter().all(Vec::is_empty));
    println!("over");
}

/// Whether an answer begins with a word and holds the rest.
fn matches(seen: &str, says: &str) -> bool {
    let (word, rest) = says.split_once(' ').unwrap_or((says, ""));
    seen.starts_with(word) && seen.contains(rest)
}

fn text_of(ended: Result<Finished, Fault>) -> String {
    match ended {
        Ok(Finished { outcome: Outcome::Envelope(text), .. }) => format!("answered {text}"),
        Ok(Finished { outcome: Outcome::Failed { kind, .. }, .. }) => format!("failed {kind:?}"),
        Ok(other) => format!("{other:?}"),
        Err(fault) => format!("{} {} {}", fault.code.as_str(), fault.message, fault.causes.join(" ")),
    }
}

/// Queue and capacity are exact again: nothing waits, runs or ends, and what is kept ahead is there.
async fn at_rest(pool: &Pool) {
    let spares = pool.config().spares;
    let rest = pool.until(|counts| {
        (counts.running, counts.queued, counts.starting, counts.ending) == (0, 0, 0, 0)
            && (counts.idle, counts.templates) == (spares, 1)
    });
    if tokio::time::timeout(Duration::from_secs(30), rest).await.is_err() {
        panic!("no rest: {:?}", pool.counts());
    }
    // The pool knows of an end a moment before the kernel has taken everything of it away.
    let gone = || zombies() == 0 && processes_of(pool)[2].len() == spares;
    while !gone() {
        tokio::task::yield_now().await;
    }
}

async fn each(pool: &Pool, programs: &[&str]) -> Vec<String> {
    let mut seen = Vec::new();
    for program in programs {
        seen.push(text_of(pool.run(job_with_tools(program)).await));
    }
    seen
}

fn spawn(pool: &Arc<Pool>, job: Job) -> tokio::task::JoinHandle<String> {
    let pool = Arc::clone(pool);
    tokio::spawn(async move { text_of(pool.run(job).await) })
}

async fn killed_before_start(pool: &Arc<Pool>) -> Vec<String> {
    let spare = processes_of(pool)[2][0];
    send(spare, Signal::SIGSTOP);
    let run = spawn(pool, job("answer unread"));
    pool.until(|counts| counts.running == 1).await;
    kill(spare);
    vec![run.await.unwrap()]
}

/// Kills the worker while its host takes that line.
async fn killed_at_line(pool: &Arc<Pool>, line: usize) -> Vec<String> {
    let spare = processes_of(pool)[2][0];
    let mut job = job(&"log x\n".repeat(50));
    let lines = std::sync::atomic::AtomicUsize::new(0);
    job.request.code.push_str("hang");
    job.log_sink = Some(Arc::new(move |_: &LogLine| {
        if lines.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1 == line {
            kill(spare);
        }
    }));
    vec![text_of(pool.run(job).await)]
}

async fn killed_in_a_tool_call(pool: &Arc<Pool>) -> Vec<String> {
    let spare = processes_of(pool)[2][0];
    let mut job = job("tool p t []\nreturn");
    job.dispatch = Some(Arc::new(dispatch_fn(move |_| {
        kill(spare);
        async { Ok("too late".to_owned()) }
    })));
    vec![text_of(pool.run(job).await)]
}

async fn killed_while_idle(pool: &Arc<Pool>) -> Vec<String> {
    let spare = processes_of(pool)[2][0];
    let end = raw::pidfd(spare.number);
    kill(spare);
    wait_for_end(&end);
    vec![text_of(pool.run(job("answer after")).await)]
}

async fn killed_of(pool: &Arc<Pool>, kind: usize) -> Vec<String> {
    let victim = processes_of(pool)[kind][0];
    let end = raw::pidfd(victim.number);
    kill(victim);
    wait_for_end(&end);
    vec![served_at_last(pool, "answer after").await]
        .into_iter()
        .map(|text| format!("answered {text}"))
        .collect()
}

async fn killed_under_a_run(pool: &Arc<Pool>, kind: usize) -> Vec<String> {
    let victim = processes_of(pool)[kind][0];
    let mut job = job("log begun\nhang");
    job.log_sink = Some(Arc::new(move |_: &LogLine| kill(victim)));
    vec![text_of(pool.run(job).await)]
}

/// In a pool of its own, whose engine takes a while to start: the first process that starts it is killed meanwhile.
async fn killed_while_starting(_: &Arc<Pool>, mode: StartMode) -> Vec<String> {
    let mut settings = config();
    settings.start_mode = mode;
    settings.body_config = "slow".into();
    let own = Arc::new(Pool::new(settings).unwrap());
    let run = spawn(&own, job("answer late"));
    let starting = loop {
        // What the launcher forked starts the engine.
        if let [_, templates, _] = processes_of(&own)
            && let Some(&template) = templates.first()
        {
            break template;
        }
        tokio::task::yield_now().await;
    };
    kill(starting);
    let mut seen = run.await.unwrap();
    if seen.starts_with("WORKER_CRASHED") && seen.contains("killed from outside") {
        seen = format!("answered {}", served_at_last(&own, "answer late").await);
    }
    own.dispose().await;
    vec![seen]
}

/// The template is stopped, so that a fork that is asked for is in the making until it is killed.
async fn template_killed_while_forking(pool: &Arc<Pool>) -> Vec<String> {
    let [_, templates, spares] = processes_of(pool);
    send(templates[0], Signal::SIGSTOP);
    for spare in &spares {
        let end = raw::pidfd(spare.number);
        kill(*spare);
        wait_for_end(&end);
    }
    // The spare is dead already; its place is taken by one that is asked for and does not come.
    let run = spawn(pool, job("answer forked"));
    pool.until(|counts| counts.starting > 0).await;
    kill(templates[0]);
    vec![run.await.unwrap()]
}

async fn tool_never_answers(pool: &Arc<Pool>) -> Vec<String> {
    let mut job = job_with_tools("tool p slow []\nreturn");
    job.request.timeout_ms = 20;
    job.request.count_host_waits = true;
    let ended = pool.run(job).await;
    assert!(
        matches!(&ended, Ok(finished) if matches!(finished.outcome, Outcome::Failed { kind: FailKind::Timeout, .. }))
    );
    vec![text_of(ended)]
}

/// Each bit of a frame in turn. What comes of it is a line, an answer without one, or the fault of a worker that sends
/// nonsense; the neighbour of each is answered.
async fn bits_flipped(pool: &Arc<Pool>) -> Vec<String> {
    let mut hurt = Vec::new();
    for bit in 0..bits_to_flip() {
        let flipped = pool.run(job(&format!("flip {bit}\nanswer flipped")));
        let (flipped, neighbour) = tokio::join!(flipped, pool.run(job("answer unharmed")));
        let (flipped, neighbour) = (text_of(flipped), text_of(neighbour));
        let is_own_fault = flipped == "answered flipped" || flipped.starts_with("WORKER_CRASHED");
        if !is_own_fault || neighbour != "answered unharmed" {
            hurt.push(format!("bit {bit}: {flipped}, {neighbour}"));
        }
    }
    if hurt.is_empty() { vec!["none of them hurt".to_owned()] } else { hurt }
}

/// In a pool of its own, whose template loses what it needs to fork as soon as it made its first worker.
async fn template_limited(_: &Arc<Pool>, wish: &str) -> Vec<String> {
    let mut settings = config();
    settings.start_mode = StartMode::Fork;
    settings.spares = 0;
    settings.body_config = wish.into();
    let own = Pool::new(settings).unwrap();
    // The first is served, or its worker can no longer be named when it comes.
    each(&own, &["answer first"]).await;
    let mut seen = each(&own, &["answer never"]).await;
    assert_eq!(own.counts().queued, 0);
    // The next template serves again, unless its first worker was quick to take as much away from it.
    while seen.last().is_some_and(|text| text != "answered again") {
        if let Some(&template) = processes_of(&own)[1].first() {
            kill(template);
        }
        seen.truncate(1);
        seen.push(text_of(own.run(job("answer again")).await));
    }
    own.dispose().await;
    seen
}

/// Callers that go away in the queue and in the middle of a run.
async fn callers_gone(pool: &Arc<Pool>) -> Vec<String> {
    let mut runs = Vec::new();
    for _ in 0..pool.config().max_workers {
        let (told, begun) = tokio::sync::oneshot::channel();
        let told = std::sync::Mutex::new(Some(told));
        let mut endless = job("log begun\nspin");
        endless.log_sink = Some(Arc::new(move |_: &LogLine| {
            told.lock().unwrap().take().map(|told| told.send(()));
        }));
        runs.push(spawn(pool, endless));
        begun.await.unwrap();
    }
    runs.push(spawn(pool, job("answer never")));
    pool.until(|counts| counts.queued == 1).await;
    for run in runs.iter().rev() {
        run.abort();
    }
    vec![text_of(pool.run(job("answer after")).await)]
}
