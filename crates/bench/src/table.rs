//! The table: each figure, the peer's, the ratio, and what was aimed at.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use codemode_executor::StartMode;
use codemode_protocol::Fault;
use codemode_runtime::snapshot::SNAPSHOT;

use crate::executor;
use crate::figures::{Latency, cold_start, paced, sequential, throughput, tool_call};
use crate::memory::{self, Memory};
use crate::peer::Peer;
use crate::pool_figures::{
    exec_to_ready, fork_by_size, host_time, in_turns, pool, run_once, two_at_a_time, unprepared,
};
use crate::stand_in::StandIn;

/// Measures everything and prints it. `peer` is the folder with the installed peer.
///
/// # Errors
/// The fault of the first run that meets one.
pub async fn print(peer: Option<&Path>) -> Result<(), Fault> {
    let peer = peer.map(|folder| Peer::measure(folder, 1.0, memory::HOLDS));
    let peer = match peer {
        Some(Ok(peer)) => {
            println!("peer: {}", peer.versions);
            Some(peer)
        }
        Some(Err(problem)) => {
            println!("no peer: {problem}");
            None
        }
        None => None,
    };
    let peer = peer.as_ref();
    println!("{:<44} {:>16} {:>16} {:>8}  target", "", "codemode", "peer", "ratio");
    runs(peer).await?;
    workers(peer).await?;
    shares().await
}

async fn runs(peer: Option<&Peer>) -> Result<(), Fault> {
    let mut cold = Vec::new();
    for _ in 0..10 {
        cold.push(cold_start().await?);
    }
    let cold = Latency::new(cold).percentile_ms(50.0);
    row("cold start to first result, ms", cold, peer.map(|peer| peer.cold_ms), "< 50");
    let warm = executor(2)?;
    warm.warm_up().await?;
    sequential(&warm, 500).await?;
    let apart = paced(&warm, 600, Duration::from_millis(5)).await?;
    let following = sequential(&warm, 4_000).await?;
    let [p50, p99] = [50.0, 99.0];
    row("run, 5 ms apart, p50, ms", apart.percentile_ms(p50), peer.map(|peer| peer.paced_ms[0]), "");
    row("run, 5 ms apart, p99, ms", apart.percentile_ms(p99), peer.map(|peer| peer.paced_ms[1]), "");
    row(
        "run, one after another, p50, ms",
        following.percentile_ms(p50),
        peer.map(|peer| peer.warm_ms[0]),
        "< 0.5",
    );
    row(
        "run, one after another, p99, ms",
        following.percentile_ms(p99),
        peer.map(|peer| peer.warm_ms[1]),
        "< 2",
    );
    let call = tool_call(&warm, 100, 50).await?.as_secs_f64() * 1e3;
    row("one tool call, ms", call, peer.map(|peer| peer.tool_call_ms), "< 0.06");
    warm.dispose().await;
    for (at, at_once) in [1, 2, 4, 8].into_iter().enumerate() {
        let pool = executor(at_once)?;
        pool.warm_up().await?;
        let ours = throughput(&pool, at_once, Duration::from_secs(3)).await?;
        pool.dispose().await;
        let theirs = peer.and_then(|peer| peer.runs_per_second.get(at).copied());
        row(&format!("runs a second, {at_once} at a time"), ours, theirs, ">= 1500, 3 x the peer");
    }
    Ok(())
}

async fn workers(peer: Option<&Peer>) -> Result<(), Fault> {
    for workers in memory::WORKERS {
        let ours = memory::memory(workers).await?;
        let theirs = peer.and_then(|peer| peer.memory.get(&workers));
        let line = |what: &str, of: fn(&Memory) -> f64, target: &str| {
            row(&format!("{what} of {workers}, MiB"), of(&ours), theirs.map(of), target);
        };
        line("waiting worker, proportional,", |memory| memory.idle, "1/3 of the peer");
        line("running worker, proportional,", |memory| memory.running, "1/3 of the peer");
        line("waiting worker, its own pages,", |memory| memory.idle_private, "");
        line("running worker, its own pages,", |memory| memory.running_private, "");
        row(&format!("template and launcher, beside {workers} waiting, MiB"), ours.template, None, "");
    }
    let started = exec_to_ready(10).await?.percentile_ms(50.0);
    row("start of a template, exec to ready, p50, ms", started, None, "< 40");
    row("snapshot, MiB", SNAPSHOT.len() as f64 / f64::from(1 << 20), None, "< 4");
    let forked = unprepared(None, StartMode::Fork, 0, 300).await?;
    row("no worker ready: fork to ready, p50, ms", forked.ready.percentile_ms(50.0), None, "");
    row("no worker ready: fork to answer, p50, ms", forked.answered.percentile_ms(50.0), None, "");
    let exec = unprepared(None, StartMode::Exec, 0, 20).await?;
    row("no worker ready: exec to answer, p50, ms", exec.answered.percentile_ms(50.0), None, "");
    for (size, answered) in fork_by_size(&[0, 16, 64, 256]).await? {
        let name = format!("no engine, template + {size} MB: fork to answer, ms");
        row(&name, answered.percentile_ms(50.0), None, "");
    }
    Ok(())
}

async fn shares() -> Result<(), Fault> {
    let full = pool(None, |_| {})?;
    let bare = Arc::new(pool(Some(StandIn::EmptyGlobal), |_| {})?);
    let empty = Arc::new(pool(Some(StandIn::NoEngine), |_| {})?);
    for pool in [&full, &*bare, &*empty] {
        pool.warm_up().await?;
        for _ in 0..200 {
            run_once(pool).await?;
        }
    }
    let turns = in_turns(&[&full, &bare, &empty], 25, 60).await?;
    let [full_ms, bare_ms, empty_ms] = [0, 1, 2].map(|at| turns[at].percentile_ms(50.0));
    row("run with the library, p50, ms", full_ms, None, "");
    row("run with an empty global, p50, ms", bare_ms, None, "");
    row("  ratio", full_ms / bare_ms, None, "<= 1.3");
    row("run without an engine, p50, ms", empty_ms, None, "");
    row("runs a second, empty global, 2 at a time", two_at_a_time(&bare).await?, None, "");
    row("runs a second, no engine, 2 at a time", two_at_a_time(&empty).await?, None, "");
    let (user, kernel) = host_time(&full, 2_000).await?;
    row("host's own code a run, user mode, ms", user.as_secs_f64() * 1e3, None, "");
    row("  of a run", user.as_secs_f64() * 1e3 / full_ms, None, "< 0.1");
    row("host in the kernel a run, ms", kernel.as_secs_f64() * 1e3, None, "");
    for pool in [&full, &*bare, &*empty] {
        pool.dispose().await;
    }
    Ok(())
}

/// One line. The ratio is ours to the peer's.
pub fn row(name: &str, ours: f64, peer: Option<f64>, target: &str) {
    let theirs = peer.map(figure).unwrap_or_default();
    let ratio = peer.map(|peer| format!("{:.2}", ours / peer)).unwrap_or_default();
    println!("{name:<44} {:>16} {theirs:>16} {ratio:>8}  {target}", figure(ours));
}

fn figure(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}
