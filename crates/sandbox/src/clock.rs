//! [`RunClock`]: which time counts against the bound of a run.

use std::time::Duration;

/// A reading of both clocks of a run at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Monotonic wall time.
    pub wall: Duration,
    /// Time spent executing this run, by the engine and by work that it started on another thread, overlaps counted
    /// once. It stands still while the run only waits.
    pub engine: Duration,
}

/// Counts the time of one run.
///
/// The run is a chain of segments. While no host wait is open a segment counts wall time. While at least one is
/// open it counts engine time, so that the program's own work still spends the bound and a passive await on the
/// caller's function costs nothing. With `count_host_waits` every segment counts wall time.
#[derive(Debug)]
pub struct RunClock {
    count_host_waits: bool,
    closed: Duration,
    open_since: Reading,
    waits: u32,
    waited: Duration,
    wait_since: Duration,
}

impl RunClock {
    /// A clock that starts now.
    pub fn start(now: Reading, count_host_waits: bool) -> Self {
        Self {
            count_host_waits,
            closed: Duration::ZERO,
            open_since: now,
            waits: 0,
            waited: Duration::ZERO,
            wait_since: Duration::ZERO,
        }
    }

    /// The counted time.
    pub fn elapsed(&self, now: Reading) -> Duration {
        let open = if self.paused() {
            now.engine.saturating_sub(self.open_since.engine)
        } else {
            now.wall.saturating_sub(self.open_since.wall)
        };
        self.closed + open
    }

    /// Whether only engine time counts at the moment.
    pub fn paused(&self) -> bool {
        self.waits > 0 && !self.count_host_waits
    }

    /// Opens a host wait. Only the outermost edge changes what counts.
    pub fn enter_wait(&mut self, now: Reading) {
        if self.waits == 0 {
            self.close_segment(now);
            self.wait_since = now.wall;
        }
        self.waits += 1;
    }

    /// Closes a host wait.
    pub fn leave_wait(&mut self, now: Reading) {
        if self.waits == 1 {
            self.close_segment(now);
            self.waited += now.wall.saturating_sub(self.wait_since);
        }
        self.waits = self.waits.saturating_sub(1);
    }

    /// Wall time spent with at least one host wait open.
    pub fn waited(&self, now: Reading) -> Duration {
        let open = if self.waits > 0 { now.wall.saturating_sub(self.wait_since) } else { Duration::ZERO };
        self.waited + open
    }

    /// How long until `bound` can be reached at the earliest: zero when it is reached, `None` while nothing but
    /// engine time counts, since none passes while the run waits, unless it is `working` on another thread.
    pub fn until(&self, bound: Duration, now: Reading, working: bool) -> Option<Duration> {
        let left = bound.saturating_sub(self.elapsed(now));
        if left.is_zero() || working || !self.paused() { Some(left) } else { None }
    }

    fn close_segment(&mut self, now: Reading) {
        self.closed = self.elapsed(now);
        self.open_since = now;
    }
}

/// The clock of a run as its program sees it: rounded down, so that it never runs ahead and never back.
#[derive(Clone, Copy, Debug, Default)]
pub struct GuestClock {
    started: Duration,
    /// Zero: as fine as the host's.
    resolution: Duration,
}

impl GuestClock {
    /// The clock of a run that started at `started`.
    pub fn new(started: Duration, resolution: Duration) -> Self {
        Self { started, resolution }
    }

    /// Time since the start of the run that the program may see at `now`.
    pub fn since_start(&self, now: Duration) -> Duration {
        self.down(now.saturating_sub(self.started))
    }

    /// The first moment at which the program may see that `delay` has passed since `now`.
    pub fn after(&self, now: Duration, delay: Duration) -> Duration {
        let due = (now + delay).saturating_sub(self.started);
        let down = self.down(due);
        self.started + if down == due { due } else { down + self.resolution }
    }

    fn down(&self, time: Duration) -> Duration {
        let Some(rest) = time.as_nanos().checked_rem(self.resolution.as_nanos()) else { return time };
        // A rest is less than a resolution, which is far below the 584 years that this holds.
        time - Duration::from_nanos(u64::try_from(rest).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(wall_ms: u64, engine_ms: u64) -> Reading {
        Reading { wall: Duration::from_millis(wall_ms), engine: Duration::from_millis(engine_ms) }
    }

    fn ms(value: u64) -> Duration {
        Duration::from_millis(value)
    }

    #[test]
    fn a_coarse_clock_steps_and_never_runs_ahead_or_back() {
        let us = Duration::from_micros;
        let clock = GuestClock::new(us(1_030), us(100));
        let mut last = Duration::ZERO;
        for now in 1_030..2_500 {
            let seen = clock.since_start(us(now));
            assert!(seen >= last && seen <= us(now - 1_030), "{seen:?} at {now}");
            assert_eq!(seen.as_nanos() % 100_000, 0);
            last = seen;
        }
        assert_eq!(last, us(1_400));
        // A timer is not seen before its delay has passed on the clock that the program reads.
        for now in [1_030, 1_031, 1_129, 1_130] {
            let due = clock.after(us(now), us(1_000));
            assert!(clock.since_start(due) >= clock.since_start(us(now)) + us(1_000), "{due:?}");
            assert!(clock.since_start(due - us(1)) < us(now + 1_000 - 1_030), "{due:?}");
        }
        let fine = GuestClock::new(ms(5), Duration::ZERO);
        assert_eq!(fine.since_start(us(5_001)), us(1));
        assert_eq!(fine.after(us(5_001), ms(1)), us(6_001));
    }

    #[test]
    fn wall_time_counts_while_the_program_owns_the_run() {
        let clock = RunClock::start(at(100, 0), false);
        assert_eq!(clock.elapsed(at(150, 10)), ms(50));
        assert_eq!(clock.until(ms(80), at(150, 10), false), Some(ms(30)));
    }

    #[test]
    fn engine_time_counts_while_a_host_wait_is_open() {
        let mut clock = RunClock::start(at(0, 0), false);
        clock.enter_wait(at(10, 5));
        assert_eq!(clock.elapsed(at(1_010, 9)), ms(14));
        assert_eq!(clock.until(ms(20), at(1_010, 9), false), None);
        assert_eq!(clock.until(ms(20), at(1_010, 9), true), Some(ms(6)));
        clock.leave_wait(at(1_010, 9));
        assert_eq!(clock.elapsed(at(1_015, 9)), ms(19));
        assert_eq!(clock.waited(at(1_015, 9)), ms(1_000));
    }

    #[test]
    fn an_inner_wait_changes_nothing() {
        let mut clock = RunClock::start(at(0, 0), false);
        clock.enter_wait(at(10, 10));
        clock.enter_wait(at(20, 10));
        clock.leave_wait(at(500, 10));
        assert!(clock.paused());
        assert_eq!(clock.elapsed(at(600, 12)), ms(12));
        clock.leave_wait(at(600, 12));
        assert!(!clock.paused());
        assert_eq!(clock.waited(at(700, 12)), ms(590));
    }

    #[test]
    fn counting_host_waits_keeps_every_segment_on_the_wall() {
        let mut clock = RunClock::start(at(0, 0), true);
        clock.enter_wait(at(10, 1));
        assert_eq!(clock.elapsed(at(1_010, 1)), ms(1_010));
        assert_eq!(clock.until(ms(1_000), at(1_010, 1), false), Some(Duration::ZERO));
    }
}
