//! [`HostClock`]: counted time of a run, as the host can measure it.

use std::time::Duration;

/// Counts a run's time: on the wall, and while the run waits for functions of its caller, on the worker's
/// processor clock. Pure: callers pass both readings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostClock {
    /// Closed segments.
    counted: Duration,
    /// Time of closed waits on the wall.
    waited: Duration,
    /// Where the open segment began, on the wall.
    since: Duration,
    /// Where the open segment began on the processor clock, while a wait is open and the clock could be read.
    cpu_since: Option<Duration>,
    open_waits: usize,
    count_waits: bool,
}

impl HostClock {
    /// A clock that starts at `now`. `count_waits` leaves it on the wall throughout.
    pub(crate) fn new(now: Duration, count_waits: bool) -> Self {
        Self {
            counted: Duration::ZERO,
            waited: Duration::ZERO,
            since: now,
            cpu_since: None,
            open_waits: 0,
            count_waits,
        }
    }

    /// Whether the next [`HostClock::enter`] or [`HostClock::leave`] needs a reading of the processor clock.
    pub(crate) fn is_outermost(&self, entering: bool) -> bool {
        !self.count_waits && self.open_waits == usize::from(!entering)
    }

    /// A wait opens.
    pub(crate) fn enter(&mut self, now: Duration, cpu: Option<Duration>) {
        self.open_waits += 1;
        if self.open_waits == 1 {
            self.counted += now.saturating_sub(self.since);
            self.since = now;
            self.cpu_since = cpu;
        }
    }

    /// A wait closes.
    pub(crate) fn leave(&mut self, now: Duration, cpu: Option<Duration>) {
        if self.open_waits == 1 {
            self.counted += self.open_segment(now, cpu);
            self.waited += now.saturating_sub(self.since);
            self.since = now;
            self.cpu_since = None;
        }
        self.open_waits = self.open_waits.saturating_sub(1);
    }

    /// Counted time up to `now`. `cpu` matters only while a wait is open.
    pub(crate) fn elapsed(&self, now: Duration, cpu: Option<Duration>) -> Duration {
        self.counted + self.open_segment(now, cpu)
    }

    /// Wall time of all waits up to `now`.
    pub(crate) fn waited(&self, now: Duration) -> Duration {
        let open = if self.open_waits > 0 { now.saturating_sub(self.since) } else { Duration::ZERO };
        self.waited + open
    }

    /// Whether a wait is open and not counted.
    pub(crate) fn is_paused(&self) -> bool {
        self.open_waits > 0 && !self.count_waits
    }

    fn open_segment(&self, now: Duration, cpu: Option<Duration>) -> Duration {
        let wall = now.saturating_sub(self.since);
        match (self.is_paused(), self.cpu_since, cpu) {
            // Two threads of a worker may have computed at one time, which counts once.
            (true, Some(since), Some(cpu)) => cpu.saturating_sub(since).min(wall),
            _ => wall,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(value: u64) -> Duration {
        Duration::from_millis(value)
    }

    #[test]
    fn counts_the_wall_outside_of_waits_and_the_processor_inside() {
        let mut clock = HostClock::new(ms(1_000), false);
        assert_eq!(clock.elapsed(ms(1_010), None), ms(10));
        clock.enter(ms(1_010), Some(ms(5)));
        clock.enter(ms(1_500), Some(ms(900)));
        assert_eq!(clock.elapsed(ms(2_010), Some(ms(8))), ms(13));
        clock.leave(ms(2_500), Some(ms(901)));
        assert!(clock.is_paused());
        clock.leave(ms(3_010), Some(ms(25)));
        assert_eq!(clock.elapsed(ms(3_011), None), ms(31));
        assert_eq!(clock.waited(ms(4_000)), ms(2_000));
    }

    #[test]
    fn counts_everything_where_waits_count_and_where_no_processor_clock_can_be_read() {
        for (count_waits, cpu) in [(true, Some(ms(1))), (false, None)] {
            let mut clock = HostClock::new(ms(0), count_waits);
            clock.enter(ms(10), cpu);
            assert_eq!(clock.elapsed(ms(30), cpu), ms(30), "count_waits {count_waits}");
            clock.leave(ms(40), cpu);
            assert_eq!(clock.elapsed(ms(50), cpu), ms(50));
            assert_eq!(clock.waited(ms(50)), ms(30));
        }
    }

    #[test]
    fn a_processor_clock_ahead_of_the_wall_counts_as_the_wall() {
        let mut clock = HostClock::new(ms(0), false);
        clock.enter(ms(0), Some(ms(0)));
        assert_eq!(clock.elapsed(ms(10), Some(ms(1_000))), ms(10));
    }
}
