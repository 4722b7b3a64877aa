//! Twice as much as there is room for, some of it hostile, for a long time: [`storm`].
//!
//! Callers are twice as many as places, and each asks again as soon as it is answered, so that as many requests wait as
//! run. How long one waits is then a matter of what runs before it, a hostile program that takes its whole bound
//! included; what the issue of isolation asks is how long a program takes once it has its worker. Both are counted, apart.

use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use codemode_executor::{ExecuteRequest, Fault, FaultCode, IsolateExecutor, Value};
use codemode_protocol::{ExecuteResult, FailureKind, ProviderDescriptor, ToolCall, dispatch_fn};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::histogram::Histogram;
use crate::processes::{self, Process, children, descendants};
use crate::soak::{Sample, grew, processes_of, sample_of};

/// What marks the processes of the executor in their command lines.
const TAG: &str = "testbed-storm";
/// One run in so many is hostile.
const HOSTILE_EVERY: u64 = 50;
/// Bound of the programs that would go on for ever.
const TIMEOUT: Duration = Duration::from_millis(300);
/// Bound of the others, which no machine is too busy for.
const PATIENCE: Duration = Duration::from_secs(20);
/// What is longer than the honest ones.
const LONG_RUN: Duration = Duration::from_millis(1);
const GRACE: Duration = Duration::from_millis(100);
const MEMORY_MB: u32 = 32;
/// Samples of what is in use.
const SAMPLES: u32 = 20;

/// When a storm is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// After so many runs.
    Runs(u64),
    /// After that time.
    Time(Duration),
}

/// What came of a storm.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Places.
    pub places: usize,
    /// How long it took.
    pub took: Duration,
    /// Honest runs that returned their own nonce, after exactly one tool call with it.
    pub honest: u64,
    /// Hostile runs, each ended as it has to: spin, log flood, memory, crash.
    pub hostile: [u64; 4],
    /// Honest runs whose worker was killed under them by a crash that was meant for no one in particular.
    pub struck: u64,
    /// What went wrong, as far as it was kept.
    pub wrong: Vec<String>,
    /// How often something went wrong.
    pub wrong_count: usize,
    /// Honest runs before the storm, one at a time: time in the worker.
    pub unloaded: Histogram,
    /// Honest runs in the storm: time in the worker.
    pub served: Histogram,
    /// Honest runs in the storm: time before it.
    pub waited: Histogram,
    /// What was in use as it went on.
    pub series: Vec<(Duration, Sample)>,
    /// Processes dead and not waited for in two looks one after another.
    pub zombies: usize,
    /// Processes that were left once the executor was disposed.
    pub left: usize,
}

/// What all callers share.
struct Storm {
    executor: IsolateExecutor,
    begun: Instant,
    length: Length,
    started: AtomicU64,
    /// Crashes that were caused and not yet seen by anybody.
    crashes: AtomicUsize,
    report: Mutex<Report>,
}

/// Lets `2 * places` callers ask for as long as `length` says, after `unloaded` runs by a single one.
///
/// # Errors
/// What keeps it from beginning.
pub async fn storm(places: usize, length: Length, unloaded: u64) -> Result<Report, String> {
    let executor = IsolateExecutor::builder()
        .max_workers(places)
        .spares(places)
        .max_queue(4 * places)
        .timeout(PATIENCE)
        .grace(GRACE)
        .memory_mb(MEMORY_MB)
        .deny_outbound()
        .pool(|config| {
            config.worker.args = vec![TAG.into()];
            config.long_run = Some(LONG_RUN);
        })
        .build()
        .map_err(|fault| fault.to_string())?;
    executor.warm_up().await.map_err(|fault| fault.to_string())?;
    let storm = Arc::new(Storm {
        executor,
        begun: Instant::now(),
        length,
        started: AtomicU64::new(0),
        crashes: AtomicUsize::new(0),
        report: Mutex::new(Report { places, ..Report::default() }),
    });
    for nonce in 0..unloaded {
        storm.honest(u64::MAX - nonce).await;
    }
    storm.lock().begin();
    let storm =
        Arc::new(Storm { begun: Instant::now(), ..Arc::into_inner(storm).ok_or("a caller is left")? });
    rage(&storm, 2 * places).await?;
    let storm = Arc::into_inner(storm).ok_or("a caller is left")?;
    let mut report = storm.report.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.took = storm.begun.elapsed();
    report.zombies = lasting_zombies();
    storm.executor.dispose().await;
    report.left = processes_of(TAG).len();
    Ok(report)
}

async fn rage(storm: &Arc<Storm>, callers: usize) -> Result<(), String> {
    let callers: Vec<_> = (0..callers)
        .map(|_| {
            let storm = Arc::clone(storm);
            tokio::spawn(async move {
                while let Some(number) = storm.next() {
                    storm.one(number).await;
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.map_err(|error| error.to_string())?;
    }
    Ok(())
}

impl Storm {
    /// The number of the next run, while there is to be one. Looks at what is in use when it is time to.
    fn next(&self) -> Option<u64> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let elapsed = self.begun.elapsed();
        let (over, share) = match self.length {
            Length::Runs(runs) => (number >= runs, number as f64 / runs as f64),
            Length::Time(time) => (elapsed >= time, elapsed.as_secs_f64() / time.as_secs_f64()),
        };
        let mut report = self.lock();
        if share * f64::from(SAMPLES) >= report.series.len() as f64 {
            report.series.push((elapsed, sample_of(TAG)));
        }
        (!over).then_some(number)
    }

    async fn one(&self, number: u64) {
        if !number.is_multiple_of(HOSTILE_EVERY) {
            return self.honest(number).await;
        }
        match number / HOSTILE_EVERY % 4 {
            0 => self.hostile(0, "async () => { for (;;); }", FailureKind::Timeout).await,
            1 => {
                self.hostile(
                    1,
                    "async () => { for (;;) console.log('x'.repeat(1_000)); }",
                    FailureKind::Timeout,
                )
                .await;
            }
            2 => {
                let code =
                    "async () => { const all = []; for (;;) all.push(new Array(10_000).fill(all.length)); }";
                self.hostile(2, code, FailureKind::Memory).await;
            }
            _ => self.crash(number).await,
        }
    }

    /// A program with a nonce of its own, which comes back, and in one tool call.
    async fn honest(&self, nonce: u64) {
        let calls = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&calls);
        let request = ExecuteRequest::new(format!(
            "async () => {{
              const orders = Array.from({{ length: 200 }}, (_, id) => ({{ id, nonce: '{nonce}' }}));
              console.log('orders', orders.length);
              return await tools.echo('{nonce}') + orders[7].nonce;
            }}"
        ))
        .provider(ProviderDescriptor::new("tools", ["echo"]))
        .dispatch(dispatch_fn(move |call: ToolCall| {
            if call.args_json == format!("[\"{nonce}\"]") {
                seen.fetch_add(1, Ordering::Relaxed);
            }
            async move { Ok(format!("{{\"result\":\"{nonce}\"}}")) }
        }));
        let asked = Instant::now();
        let answer = self.executor.execute(request).await;
        let took = asked.elapsed();
        let calls = calls.load(Ordering::Relaxed);
        let mut report = self.lock();
        match answer {
            Ok(result) => {
                let served = Duration::from_secs_f64(result.usage.wall_ms / 1e3);
                let lines = result.logs.len();
                match result.into_value() {
                    Ok(Some(Value::String(text)))
                        if text == format!("{nonce}{nonce}") && calls == 1 && lines == 1 =>
                    {
                        report.honest += 1;
                        report.served.add(served);
                        report.waited.add(took.saturating_sub(served));
                    }
                    other => report.complain(format!("run {nonce}: {other:?}, {calls} calls, {lines} lines")),
                }
            }
            Err(fault) if self.take_crash(&fault) => report.struck += 1,
            Err(fault) => report.complain(format!("run {nonce}: {} {fault}", fault.code)),
        }
    }

    async fn hostile(&self, sort: usize, code: &str, kind: FailureKind) {
        let mut request = ExecuteRequest::new(code);
        if kind == FailureKind::Timeout {
            request = request.timeout(TIMEOUT);
        }
        let answer = self.executor.execute(request).await;
        let mut report = self.lock();
        match answer {
            Ok(ExecuteResult { kind: Some(ended), .. }) if ended == kind => report.hostile[sort] += 1,
            Ok(result) => report.complain(format!("hostile {sort}: {:?} {:?}", result.kind, result.error)),
            Err(fault) if self.take_crash(&fault) => report.hostile[sort] += 1,
            Err(fault) => report.complain(format!("hostile {sort}: {} {fault}", fault.code)),
        }
    }

    /// No program can make the engine abort, so a worker is made to from outside: any of them, whoever it runs for.
    async fn crash(&self, number: u64) {
        // A worker is a child of the template, which is one of the launcher. Not every process of the machine is looked
        // at: the honest runs beside this one would wait for it.
        let is_tagged = |pid: &u32| processes::read(*pid).is_some_and(|process| process.is_tagged(TAG));
        let launchers = children(std::process::id()).filter(is_tagged);
        let workers: Vec<u32> = launchers.flat_map(children).flat_map(children).collect();
        // The one that runs longest, the newest, and those between take turns.
        if let Some(victim) = workers.get(number as usize / HOSTILE_EVERY as usize / 4 % workers.len().max(1))
        {
            self.crashes.fetch_add(1, Ordering::SeqCst);
            // One that is gone by now is no error.
            let _ = kill(Pid::from_raw(victim.cast_signed()), Signal::SIGABRT);
        }
        self.lock().hostile[3] += 1;
    }

    /// Whether that fault is one of the crashes that were caused.
    fn take_crash(&self, fault: &Fault) -> bool {
        let spend = |left: usize| left.checked_sub(1);
        fault.code == FaultCode::WorkerCrashed
            && self.crashes.fetch_update(Ordering::SeqCst, Ordering::SeqCst, spend).is_ok()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Processes below this one that are dead in two looks one after another.
fn lasting_zombies() -> usize {
    let dead =
        || -> Vec<Process> { descendants().into_iter().filter(|process| process.state == 'Z').collect() };
    let first = dead();
    for _ in 0..50 {
        std::thread::yield_now();
        if dead().iter().all(|process| !first.contains(process)) {
            return 0;
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
    dead().iter().filter(|process| first.contains(process)).count()
}

impl Report {
    /// What was counted until now was counted alone.
    fn begin(&mut self) {
        self.unloaded = std::mem::take(&mut self.served);
        self.waited = Histogram::default();
        self.honest = 0;
    }

    fn complain(&mut self, text: String) {
        self.wrong_count += 1;
        if self.wrong.len() < 20 {
            self.wrong.push(text);
        }
    }

    /// Whether nothing was lost, doubled or leaked.
    ///
    /// # Errors
    /// What was.
    pub fn verdict(&self) -> Result<(), String> {
        // The first samples see a host that is still warming up.
        let settled =
            self.series.get(self.series.len() / 10 + 1).map(|(_, sample)| *sample).unwrap_or_default();
        let last = self.series.last().map(|(_, sample)| *sample).unwrap_or_default();
        let complaints = [
            (self.wrong_count > 0, "runs were not answered as they should be"),
            (grew(settled.host_bytes, last.host_bytes), "the host grew"),
            (last.descriptors > settled.descriptors + 8 * self.places, "descriptors leak"),
            (self.zombies > 0, "the dead are not waited for"),
            (self.left > 0, "processes outlive the executor"),
        ];
        let found: Vec<_> = complaints.iter().filter(|(holds, _)| *holds).map(|(_, text)| *text).collect();
        if found.is_empty() { Ok(()) } else { Err(format!("{}\n{self}", found.join(", "))) }
    }

    /// By how much honest runs are slower in the storm, at the 99th percentile.
    pub fn slowdown(&self) -> f64 {
        self.served.percentile_ms(99.0) / self.unloaded.percentile_ms(99.0).max(f64::MIN_POSITIVE)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [spin, flood, memory, crash] = self.hostile;
        let hostile: u64 = self.hostile.iter().sum();
        let rate = (self.honest + hostile) as f64 / self.took.as_secs_f64();
        writeln!(
            f,
            "{:.0} s, {} places, {} callers: {} honest runs, {hostile} hostile (spin {spin}, flood {flood}, memory \
             {memory}, crash {crash}), {rate:.0} a second",
            self.took.as_secs_f64(),
            self.places,
            2 * self.places,
            self.honest
        )?;
        writeln!(
            f,
            "lost or doubled: {}; struck by a crash from outside: {}",
            self.wrong_count, self.struck
        )?;
        for text in &self.wrong {
            writeln!(f, "  {text}")?;
        }
        for (name, histogram) in [
            ("in its worker, alone", &self.unloaded),
            ("in its worker, storm", &self.served),
            ("before it, storm", &self.waited),
        ] {
            let [p50, p99, most] = [50.0, 99.0, 100.0].map(|percent| histogram.percentile_ms(percent));
            writeln!(f, "{name:<22} p50 {p50:9.3} ms  p99 {p99:9.3} ms  max {most:9.3} ms")?;
        }
        writeln!(f, "p99 in its worker: {:.2} times the one alone", self.slowdown())?;
        writeln!(f, "     s   host MB   template MB   descriptors   processes   dead")?;
        let mb = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        for (at, sample) in &self.series {
            writeln!(
                f,
                "{:6.0} {:9.1} {:13.1} {:13} {:11} {:6}",
                at.as_secs_f64(),
                mb(sample.host_bytes),
                mb(sample.template_bytes),
                sample.descriptors,
                sample.processes,
                sample.zombies
            )?;
        }
        write!(f, "dead and not waited for: {}, left after dispose: {}", self.zombies, self.left)
    }
}
