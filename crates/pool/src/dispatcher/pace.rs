//! [`Pace`]: how often a place becomes free.

use std::time::Duration;

/// The mean time between ends of runs, recent ones weighing more.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    last: Option<Duration>,
    interval: Option<Duration>,
}

impl Pace {
    /// An end counts for an eighth of the mean.
    const WEIGHT: u32 = 8;
    /// What is said while nothing is known, and at least and at most.
    const UNKNOWN: Duration = Duration::from_millis(100);
    const LEAST: Duration = Duration::from_millis(10);
    const MOST: Duration = Duration::from_secs(60);

    /// A run ended.
    pub(crate) fn tick(&mut self, now: Duration) {
        if let Some(last) = self.last.replace(now) {
            let this = now.saturating_sub(last);
            self.interval = Some(match self.interval {
                Some(mean) => (mean * (Self::WEIGHT - 1) + this) / Self::WEIGHT,
                None => this,
            });
        }
    }

    /// About how long that many ends take.
    pub(crate) fn time_for(&self, ends: usize) -> Duration {
        let ends = u32::try_from(ends).unwrap_or(u32::MAX).max(1);
        self.interval.map_or(Self::UNKNOWN, |mean| mean.saturating_mul(ends)).clamp(Self::LEAST, Self::MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_ends_and_stays_in_its_bounds() {
        let mut pace = Pace::default();
        assert_eq!(pace.time_for(5), Pace::UNKNOWN);
        for second in 0..50 {
            pace.tick(Duration::from_secs(second));
        }
        assert_eq!(pace.time_for(0), Duration::from_secs(1));
        assert_eq!(pace.time_for(5), Duration::from_secs(5));
        assert_eq!(pace.time_for(usize::MAX), Pace::MOST);
        for _ in 0..200 {
            pace.tick(Duration::from_secs(50));
        }
        assert_eq!(pace.time_for(1), Pace::LEAST);
    }
}
