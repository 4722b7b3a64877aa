//! [`Backoff`]: how long to leave a start alone that keeps failing.

use std::time::Duration;

use super::message::{Cause, Failure};

/// Consecutive failures and when to try again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
    until: Duration,
    last: Option<Failure>,
}

impl Backoff {
    const LONGEST: Duration = Duration::from_secs(10);

    /// Notes a failure at `now`: the next try waits, twice as long for each failure before it.
    pub(crate) fn fail(&mut self, now: Duration, failure: Failure) {
        let wait = failure.cause.first_wait().saturating_mul(1 << self.failures.min(16)).min(Self::LONGEST);
        self.failures += 1;
        self.until = now + wait;
        self.last = Some(failure);
    }

    /// Something worked.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether those who wait are better told than kept: it failed for a reason that another try will meet too,
    /// or has failed too often for an accident.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.last.as_ref().is_some_and(|failure| self.failures >= failure.cause.patience())
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

impl Cause {
    fn first_wait(self) -> Duration {
        match self {
            Cause::Setup | Cause::Engine => Duration::from_millis(100),
            Cause::Accident => Duration::from_millis(5),
        }
    }

    /// Failures in a row after which callers are told.
    fn patience(self) -> u32 {
        match self {
            Cause::Setup | Cause::Engine => 1,
            Cause::Accident => 5,
        }
    }
}
