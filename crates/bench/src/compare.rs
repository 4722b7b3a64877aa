//! Worker programs against each other: several builds of this executable that take turns, so that whatever else the
//! machine does meets all of them. Tells differences of a few percent apart where runs of the whole table do not.

use std::time::Duration;

use codemode_protocol::Fault;

use crate::builder;
use crate::figures::{Latency, sequential, throughput};

const ROUNDS: usize = 30;
const RUNS: usize = 120;
const SPAN: Duration = Duration::from_millis(200);

/// What one of the programs came to.
pub struct Compared {
    /// Runs one after another: the median of each round.
    pub sequential: Latency,
    /// Runs a second, two at a time: the median of all rounds.
    pub per_second: f64,
}

/// Measures each of `programs` in turns.
///
/// # Errors
/// The fault of the first run that meets one.
pub async fn compare(programs: &[&str]) -> Result<Vec<Compared>, Fault> {
    let mut executors = Vec::new();
    for program in programs {
        executors.push(builder(2).worker_binary(*program).build()?);
    }
    let mut samples = vec![(Vec::new(), Vec::new()); programs.len()];
    for _ in 0..ROUNDS {
        for (executor, (medians, rates)) in executors.iter().zip(&mut samples) {
            sequential(executor, RUNS / 10).await?;
            let median = sequential(executor, RUNS).await?.percentile_ms(50.0);
            medians.push(Duration::from_secs_f64(median / 1e3));
            rates.push(throughput(executor, 2, SPAN).await?);
        }
    }
    for executor in executors {
        executor.dispose().await;
    }
    Ok(samples.into_iter().map(|(medians, rates)| Compared::new(medians, rates)).collect())
}

impl Compared {
    fn new(medians: Vec<Duration>, mut rates: Vec<f64>) -> Self {
        rates.sort_unstable_by(f64::total_cmp);
        Self { sequential: Latency::new(medians), per_second: rates[rates.len() / 2] }
    }
}
