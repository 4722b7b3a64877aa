//! [`Backoff`]: how long to leave a start alone that keeps failing.

use std::time::Duration;

use super::message::Failure;

/// Consecutive failures and when to try again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
    until: Duration,
    last: Option<Failure>,
}

impl Backoff {
    const LONGEST: Duration = Duration::from_secs(10);

    /// Notes a failure at `now`: the next try waits `first`, doubled for each failure before it.
    pub(crate) fn fail(&mut self, now: Duration, first: Duration, failure: Failure) {
        let wait = first.saturating_mul(1 << self.failures.min(16)).min(Self::LONGEST);
        self.failures += 1;
        self.until = now + wait;
        self.last = Some(failure);
    }

    /// Something worked.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Consecutive failures.
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    /// When the next try is allowed, while that lies ahead of `now`.
    pub(crate) fn waits_until(&self, now: Duration) -> Option<Duration> {
        (self.failures > 0 && now < self.until).then_some(self.until)
    }

    /// What failed last.
    pub(crate) fn last(&self) -> Option<&Failure> {
        self.last.as_ref()
    }
}
