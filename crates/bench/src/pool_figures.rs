//! What the pool costs by itself, what forking costs, and what the library adds to a run.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use codemode_executor::StartMode;
use codemode_pool::{Job, Pool, PoolConfig, PoolEvent, RunRequest};
use codemode_protocol::Fault;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use crate::TRIVIAL;
use crate::figures::{Latency, rate};
use crate::stand_in::StandIn;

/// A pool with the worker of this executable, or one that stands in for it.
///
/// # Errors
/// What the pool says of its settings.
pub fn pool(stand_in: Option<StandIn>, change: impl FnOnce(&mut PoolConfig)) -> Result<Pool, Fault> {
    Pool::new(config(stand_in, change))
}

fn config(stand_in: Option<StandIn>, change: impl FnOnce(&mut PoolConfig)) -> PoolConfig {
    let mut config = PoolConfig::default();
    config.worker.args = stand_in.map(|stand_in| stand_in.argument().into()).into_iter().collect();
    config.max_workers = 2;
    config.spares = 2;
    change(&mut config);
    config
}

/// One run of the trivial program.
///
/// # Errors
/// The fault of the run.
pub async fn run_once(pool: &Pool) -> Result<Duration, Fault> {
    let started = Instant::now();
    pool.run(Job::new(RunRequest { code: TRIVIAL.to_owned(), ..RunRequest::default() })).await?;
    Ok(started.elapsed())
}

/// Runs of the trivial program a second, two at a time.
///
/// # Errors
/// The fault of the first run that meets one.
pub async fn two_at_a_time(pool: &Arc<Pool>) -> Result<f64, Fault> {
    let once = |pool: Arc<Pool>| async move { run_once(&pool).await.map(drop) };
    rate(pool, once, 2, Duration::from_secs(3)).await
}

/// Several pools in turns, `batch` runs each and `rounds` times over, so that whatever else the machine does meets all
/// of them.
///
/// # Errors
/// The fault of the first run that meets one.
pub async fn in_turns(pools: &[&Pool], batch: usize, rounds: usize) -> Result<Vec<Latency>, Fault> {
    let mut samples = vec![Vec::with_capacity(batch * rounds); pools.len()];
    for _ in 0..rounds {
        for (pool, samples) in pools.iter().zip(&mut samples) {
            // The first ones of a batch find the caches of another pool.
            for _ in 0..3 {
                run_once(pool).await?;
            }
            for _ in 0..batch {
                samples.push(run_once(pool).await?);
            }
        }
    }
    Ok(samples.into_iter().map(Latency::new).collect())
}

/// Processor time of this process for each of `runs` runs, in user mode and in the kernel.
///
/// # Errors
/// The fault of the first run that meets one.
pub async fn host_time(pool: &Pool, runs: u32) -> Result<(Duration, Duration), Fault> {
    let before = used();
    for _ in 0..runs {
        run_once(pool).await?;
    }
    let after = used();
    Ok(((after.0 - before.0) / runs, (after.1 - before.1) / runs))
}

fn used() -> (Duration, Duration) {
    let time = |time: TimeVal| {
        Duration::new(
            time.tv_sec().try_into().unwrap_or_default(),
            (time.tv_usec() * 1_000).try_into().unwrap_or_default(),
        )
    };
    getrusage(UsageWho::RUSAGE_SELF)
        .map(|usage| (time(usage.user_time()), time(usage.system_time())))
        .unwrap_or_default()
}

/// What a run meets that finds no worker ready.
pub struct Unprepared {
    /// From the request to a worker that can be given it.
    pub ready: Latency,
    /// From the request to the result.
    pub answered: Latency,
}

/// Runs on a pool that keeps no worker ahead of demand, each `pause` after the one before.
///
/// # Errors
/// The fault of the first run that meets one.
pub async fn unprepared(
    stand_in: Option<StandIn>,
    mode: StartMode,
    template_mb: usize,
    runs: usize,
) -> Result<Unprepared, Fault> {
    let waits = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&waits);
    let config = config(stand_in, |config| {
        config.spares = 0;
        config.start_mode = mode;
        config.body_config = template_mb.to_string().into_bytes();
        config.memory_mb = 512;
    });
    let pool = Pool::observed(
        config,
        Arc::new(move |event: &PoolEvent| {
            if let PoolEvent::RunBegun { waited, .. } = event {
                heard.lock().unwrap_or_else(PoisonError::into_inner).push(*waited);
            }
        }),
    )?;
    run_once(&pool).await?;
    let mut answered = Vec::with_capacity(runs);
    for _ in 0..runs {
        // The worker before is gone and nothing is left to do.
        tokio::time::sleep(Duration::from_millis(2)).await;
        answered.push(run_once(&pool).await?);
    }
    pool.dispose().await;
    let waits = waits.lock().unwrap_or_else(PoisonError::into_inner).split_off(1);
    Ok(Unprepared { ready: Latency::new(waits), answered: Latency::new(answered) })
}

/// From the start of a worker process to a template that can fork.
///
/// # Errors
/// The fault of a start that fails.
pub async fn exec_to_ready(starts: usize) -> Result<Latency, Fault> {
    let mut samples = Vec::new();
    for _ in 0..starts {
        let moments = Arc::new(Mutex::new((None, None)));
        let heard = Arc::clone(&moments);
        let pool = Pool::observed(
            config(None, |_| {}),
            Arc::new(move |event: &PoolEvent| {
                let mut moments = heard.lock().unwrap_or_else(PoisonError::into_inner);
                match event {
                    PoolEvent::TemplateStarting { .. } => moments.0 = Some(Instant::now()),
                    PoolEvent::TemplateUp { .. } => moments.1 = Some(Instant::now()),
                    _ => {}
                }
            }),
        )?;
        pool.warm_up().await?;
        pool.dispose().await;
        if let (Some(started), Some(up)) = *moments.lock().unwrap_or_else(PoisonError::into_inner) {
            samples.push(up - started);
        }
    }
    Ok(Latency::new(samples))
}

/// A fork that answers, by the size of the template in MB.
///
/// # Errors
/// The fault of the first run that meets one.
pub async fn fork_by_size(sizes_mb: &[usize]) -> Result<Vec<(usize, Latency)>, Fault> {
    let mut rows = Vec::new();
    for &size in sizes_mb {
        let figures = unprepared(Some(StandIn::NoEngine), StartMode::Fork, size, 200).await?;
        rows.push((size, figures.answered));
    }
    Ok(rows)
}
