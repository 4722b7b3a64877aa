//! Many runs through one executor, and what they leave behind.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use codemode_executor::{ExecuteRequest, IsolateExecutor, Value};
use codemode_protocol::{ProviderDescriptor, dispatch_fn};

use crate::processes::{Process, descendants, open_descriptors, resident_bytes};

/// What marks the processes of the executor in their command lines.
const TAG: &str = "testbed-soak";

/// Growth of resident memory that is noise: allocator slack and pages touched late.
const NOISE_BYTES: u64 = 4 << 20;

/// What a long run used, at its start (after a tenth of the runs, when everything is warm) and at its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Runs made.
    pub runs: usize,
    /// Runs at one time.
    pub at_a_time: usize,
    /// How long all of them took.
    pub took: Duration,
    /// At the start.
    pub start: Sample,
    /// At the end.
    pub end: Sample,
    /// Random values that came twice.
    pub drawn_twice: usize,
    /// Processes that were left once the executor was disposed.
    pub left: usize,
}

/// What was in use at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Resident memory of this process.
    pub host_bytes: u64,
    /// Resident memory of the template: the process that is parent to the workers.
    pub template_bytes: u64,
    /// Open descriptors of this process.
    pub descriptors: usize,
    /// Processes of the executor.
    pub processes: usize,
    /// Processes of the executor that are dead and not waited for.
    pub zombies: usize,
}

/// Makes `runs` runs, `at_a_time` of them at a time.
///
/// # Errors
/// The first run that is not served as it should be.
pub async fn soak(runs: usize, at_a_time: usize) -> Result<Figures, String> {
    let executor = IsolateExecutor::builder()
        .max_workers(at_a_time)
        .spares(at_a_time)
        .deny_outbound()
        .pool(|config| config.worker.args = vec![TAG.into()])
        .build()
        .map_err(|fault| fault.to_string())?;
    let draws = Arc::new(Mutex::new(Draws::default()));
    let begun = Instant::now();
    batch(&executor, &draws, runs.div_ceil(10), at_a_time).await?;
    let start = sample_of(TAG);
    batch(&executor, &draws, runs - runs.div_ceil(10), at_a_time).await?;
    let took = begun.elapsed();
    let end = sample_of(TAG);
    executor.dispose().await;
    let drawn_twice = draws.lock().unwrap_or_else(PoisonError::into_inner).twice;
    Ok(Figures { runs, at_a_time, took, start, end, drawn_twice, left: processes_of(TAG).len() })
}

impl Figures {
    /// Whether nothing was leaked.
    ///
    /// # Errors
    /// What was.
    pub fn verdict(&self) -> Result<(), String> {
        let complaints = [
            (grew(self.start.host_bytes, self.end.host_bytes), "the host grew"),
            (grew(self.start.template_bytes, self.end.template_bytes), "the template grew"),
            // One worker more or less may be in the making at either moment.
            (self.end.descriptors > self.start.descriptors + 4 * self.at_a_time, "descriptors leak"),
            (self.end.zombies > self.at_a_time, "the dead are not waited for"),
            (self.drawn_twice > 0, "random values came twice"),
            (self.left > 0, "processes outlive the executor"),
        ];
        let found: Vec<_> = complaints.iter().filter(|(holds, _)| *holds).map(|(_, text)| *text).collect();
        if found.is_empty() { Ok(()) } else { Err(format!("{}\n{self}", found.join(", "))) }
    }
}

/// Whether memory grew by more than noise.
pub(crate) fn grew(before: u64, after: u64) -> bool {
    after > before + before / 10 + NOISE_BYTES
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.runs as f64 / self.took.as_secs_f64();
        writeln!(
            f,
            "runs               {} in {:.2} s, {rate:.0} a second, {} at a time",
            self.runs,
            self.took.as_secs_f64(),
            self.at_a_time
        )?;
        writeln!(f, "                   after a tenth   at the end")?;
        let mb = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let (start, end) = (&self.start, &self.end);
        writeln!(f, "host, MB           {:13.1}   {:10.1}", mb(start.host_bytes), mb(end.host_bytes))?;
        writeln!(
            f,
            "template, MB       {:13.1}   {:10.1}",
            mb(start.template_bytes),
            mb(end.template_bytes)
        )?;
        writeln!(f, "descriptors        {:13}   {:10}", start.descriptors, end.descriptors)?;
        writeln!(f, "processes          {:13}   {:10}", start.processes, end.processes)?;
        writeln!(f, "zombies            {:13}   {:10}", start.zombies, end.zombies)?;
        writeln!(f, "drawn twice        {:13}   {:10}", "", self.drawn_twice)?;
        write!(f, "left after dispose {:13}   {:10}", "", self.left)
    }
}

#[derive(Default)]
struct Draws {
    seen: HashSet<u64>,
    twice: usize,
}

async fn batch(
    executor: &IsolateExecutor,
    draws: &Arc<Mutex<Draws>>,
    runs: usize,
    at_a_time: usize,
) -> Result<(), String> {
    let lanes: Vec<_> = (0..at_a_time)
        .map(|lane| {
            let (executor, draws) = (executor.clone(), draws.clone());
            let share = runs / at_a_time + usize::from(lane < runs % at_a_time);
            tokio::spawn(async move {
                for _ in 0..share {
                    one(&executor, &draws).await?;
                }
                Ok::<(), String>(())
            })
        })
        .collect();
    for lane in lanes {
        lane.await.map_err(|error| error.to_string())??;
    }
    Ok(())
}

/// One run: a tool call, a line, a timer that is left behind, garbage, a global, and two random numbers.
async fn one(executor: &IsolateExecutor, draws: &Mutex<Draws>) -> Result<(), String> {
    let request = ExecuteRequest::new(
        "async () => {
            if (globalThis.left !== undefined) throw new Error('a run before left something')
            globalThis.left = Array.from({ length: 1_000 }, (_, i) => ({ i }))
            setInterval(() => {}, 1)
            console.log('line')
            const answer = await host.answer({ of: [1, 2, 3] })
            return [answer, Math.random(), crypto.getRandomValues(new Uint32Array(1))[0] + Math.random()]
        }",
    )
    .provider(ProviderDescriptor::new("host", ["answer"]))
    .dispatch(dispatch_fn(|call| async move { Ok(format!("{{\"result\":{}}}", call.args_json)) }));
    let result = executor.execute(request).await.map_err(|fault| format!("{} {fault}", fault.code))?;
    if result.logs.len() != 1 {
        return Err(format!("{} lines", result.logs.len()));
    }
    let Some(Value::Array(values)) = result.into_value()? else { return Err("no array".into()) };
    let [_, Value::Number(first), Value::Number(second)] = values[..] else {
        return Err(format!("{values:?}"));
    };
    let mut draws = draws.lock().unwrap_or_else(PoisonError::into_inner);
    for draw in [first, second] {
        if !draws.seen.insert(draw.to_bits()) {
            draws.twice += 1;
        }
    }
    Ok(())
}

/// The processes below this one with `tag` in their command line.
pub(crate) fn processes_of(tag: &str) -> Vec<Process> {
    descendants().into_iter().filter(|process| process.is_tagged(tag)).collect()
}

/// What is in use by this process and by those with `tag`.
pub(crate) fn sample_of(tag: &str) -> Sample {
    let all = processes_of(tag);
    let children = |pid: u32| all.iter().filter(|process| process.parent == pid).count();
    let zombies = descendants().iter().filter(|process| process.state == 'Z').count();
    Sample {
        host_bytes: resident_bytes(std::process::id()).unwrap_or_default(),
        // Of launcher, template and workers the template is the one whose parent and children are here too.
        template_bytes: all
            .iter()
            .filter(|process| {
                children(process.pid) > 0 && all.iter().any(|other| other.pid == process.parent)
            })
            .filter_map(|process| resident_bytes(process.pid))
            .max()
            .unwrap_or_default(),
        descriptors: open_descriptors(),
        processes: all.len(),
        zombies,
    }
}
