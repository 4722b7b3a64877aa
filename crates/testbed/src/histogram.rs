//! [`Histogram`]: durations counted by size, in memory that does not grow with their number.

use std::time::Duration;

/// Each power of two is so many steps: what is read back is at most a thirty-second part too large.
const STEPS: u64 = 32;
const BUCKETS: usize = 40 * STEPS as usize;

/// Durations, counted in microseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0 }
    }
}

impl Histogram {
    /// Counts one.
    pub fn add(&mut self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.counts[bucket(micros)] += 1;
        self.total += 1;
    }

    /// Counts everything that `other` has counted.
    pub fn absorb(&mut self, other: &Histogram) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
    }

    /// How many were counted.
    pub fn len(&self) -> u64 {
        self.total
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// What `percent` of all are not longer than, in milliseconds, rounded up to the step.
    pub fn percentile_ms(&self, percent: f64) -> f64 {
        let wanted = (self.total as f64 * percent / 100.0).ceil() as u64;
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted.max(1) {
                return upper(index) as f64 / 1e3;
            }
        }
        0.0
    }
}

/// Below one power of two steps the steps are microseconds.
fn bucket(micros: u64) -> usize {
    let power = u64::from(micros.max(1).ilog2()).saturating_sub(u64::from(STEPS.ilog2()));
    let within = micros >> power;
    usize::try_from(power * STEPS + within).unwrap_or(BUCKETS).min(BUCKETS - 1)
}

/// The largest duration of a bucket.
fn upper(index: usize) -> u64 {
    let index = index as u64;
    if index < 2 * STEPS {
        return index;
    }
    let power = index / STEPS - 1;
    ((index - power * STEPS + 1) << power) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_back_is_at_most_a_step_too_large() {
        for micros in
            (0..200).chain((1..34).flat_map(|power| [(1 << power) - 1, 1 << power, (1 << power) + 7]))
        {
            let read = upper(bucket(micros));
            assert!(read >= micros && read - micros <= micros / STEPS, "{micros} read back as {read}");
        }
    }

    #[test]
    fn percentiles_are_those_of_what_was_counted() {
        let mut histogram = Histogram::default();
        (1..=100).for_each(|ms| histogram.add(Duration::from_millis(ms)));
        for percent in [1.0, 50.0, 99.0, 100.0] {
            let read = histogram.percentile_ms(percent);
            assert!((percent..=percent * 1.04).contains(&read), "{percent}: {read}");
        }
    }
}
