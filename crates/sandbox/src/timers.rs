//! [`TimerQueue`]: the pending timers of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use codemode_protocol::defaults::MAX_DELAY_MS;

use crate::clock::GuestClock;

/// Timers by the moment they are due; those due at one moment fire in the order they were set.
#[derive(Debug, Default)]
pub(crate) struct TimerQueue {
    clock: GuestClock,
    due: BTreeSet<(Duration, u64, u32)>,
    keys: BTreeMap<u32, (Duration, u64)>,
    set: u64,
}

impl TimerQueue {
    /// No timer, and the clock by which the program sees them fire.
    pub(crate) fn new(clock: GuestClock) -> Self {
        Self { clock, ..Self::default() }
    }

    /// Sets the timer `id` to be due `delay_ms` from `now`, clamped into one millisecond to the widest delay.
    pub(crate) fn start(&mut self, id: u32, delay_ms: f64, now: Duration) {
        self.stop(id);
        let delay = (delay_ms.trunc().clamp(1.0, MAX_DELAY_MS as f64)) as u64;
        let moment = self.clock.after(now, Duration::from_millis(delay));
        self.set += 1;
        self.due.insert((moment, self.set, id));
        self.keys.insert(id, (moment, self.set));
    }

    /// Forgets the timer `id`.
    pub(crate) fn stop(&mut self, id: u32) {
        if let Some((moment, order)) = self.keys.remove(&id) {
            self.due.remove(&(moment, order, id));
        }
    }

    /// Takes the next timer that is due at `now`.
    pub(crate) fn take_due(&mut self, now: Duration) -> Option<u32> {
        let &(moment, order, id) = self.due.first()?;
        if moment > now {
            return None;
        }
        self.due.remove(&(moment, order, id));
        self.keys.remove(&id);
        Some(id)
    }

    /// How long until the next timer is due.
    pub(crate) fn until_next(&self, now: Duration) -> Option<Duration> {
        self.due.first().map(|(moment, ..)| moment.saturating_sub(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(value: u64) -> Duration {
        Duration::from_millis(value)
    }

    fn order(queue: &mut TimerQueue, now: Duration) -> Vec<u32> {
        std::iter::from_fn(|| queue.take_due(now)).collect()
    }

    #[test]
    fn equal_delays_fire_in_the_order_they_were_set() {
        let mut queue = TimerQueue::default();
        for (id, delay) in [(1, 5.0), (2, 0.0), (3, 1.0), (4, 5.0)] {
            queue.start(id, delay, ms(0));
        }
        assert_eq!(queue.until_next(ms(0)), Some(ms(1)));
        assert_eq!(order(&mut queue, ms(5)), [2, 3, 1, 4]);
    }

    #[test]
    fn timers_of_a_coarse_clock_fire_at_its_steps() {
        let mut queue = TimerQueue::new(GuestClock::new(ms(3), ms(10)));
        for (id, delay) in [(1, 1.0), (2, 10.0), (3, 11.0)] {
            queue.start(id, delay, ms(3));
        }
        assert_eq!(order(&mut queue, ms(12)), [0; 0]);
        assert_eq!(order(&mut queue, ms(13)), [1, 2]);
        assert_eq!(queue.until_next(ms(13)), Some(ms(10)));
        assert_eq!(order(&mut queue, ms(23)), [3]);
    }

    #[test]
    fn a_stopped_timer_never_fires_and_delays_are_clamped() {
        let mut queue = TimerQueue::default();
        queue.start(1, 1.0, ms(0));
        queue.start(2, f64::INFINITY, ms(0));
        queue.start(3, -7.0, ms(0));
        queue.stop(1);
        assert_eq!(order(&mut queue, ms(1)), [3]);
        assert_eq!(queue.until_next(ms(0)), Some(ms(MAX_DELAY_MS)));
    }
}
