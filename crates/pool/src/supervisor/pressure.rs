//! [`Gauge`]: whether the machine runs out of memory.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Looks at the machine's memory now and then.
pub(crate) struct Gauge {
    folder: PathBuf,
    pressed: bool,
    next: Instant,
}

/// Share of memory that is available, and share of time in which somebody waited for memory, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Reading {
    available: Option<f64>,
    stalled: Option<f64>,
}

impl Gauge {
    /// Between two looks.
    const INTERVAL: Duration = Duration::from_secs(1);
    /// Pressure begins below this share of available memory, and ends above twice as much.
    const AVAILABLE_PERCENT: f64 = 5.0;
    /// Pressure begins above this share of stalled time over ten seconds, and ends below half of it.
    const STALLED_PERCENT: f64 = 20.0;
    /// Above this share of available memory, stalls are those of a machine that reads and writes much: the kernel takes
    /// pages of files back, which are no shortage.
    const AMPLE_PERCENT: f64 = 25.0;

    /// A gauge that reads the files of `folder`, which is `/proc` outside of tests.
    pub(crate) fn new(folder: &Path, now: Instant) -> Self {
        Self { folder: folder.to_owned(), pressed: false, next: now }
    }

    /// How long until the next look.
    pub(crate) fn until_next(&self, now: Instant) -> Duration {
        self.next.saturating_duration_since(now)
    }

    /// Looks, when it is time to. Answers a change: whether memory is short from now on.
    pub(crate) fn look(&mut self, now: Instant) -> Option<bool> {
        if now < self.next {
            return None;
        }
        self.next = now + Self::INTERVAL;
        let read = |name: &str| std::fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        let reading = Reading::of(&read("meminfo"), &read("pressure/memory"));
        let pressed = reading.is_pressed(self.pressed);
        (std::mem::replace(&mut self.pressed, pressed) != pressed).then_some(pressed)
    }
}

impl Reading {
    /// What `meminfo` and `pressure/memory` say, as far as there are any.
    fn of(meminfo: &str, pressure: &str) -> Self {
        let kib = |name: &str| -> Option<f64> {
            meminfo.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
        };
        let available = kib("MemAvailable:").zip(kib("MemTotal:")).map(|(free, all)| free / all * 100.0);
        let some = pressure.lines().find_map(|line| line.strip_prefix("some "));
        let average = some.and_then(|line| line.split(' ').find_map(|field| field.strip_prefix("avg10=")));
        Self { available, stalled: average.and_then(|average| average.parse().ok()) }
    }

    /// Whether memory is short, with what it was before: a machine at the edge is not told to change all the time.
    fn is_pressed(self, before: bool) -> bool {
        let (available, stalled) = if before {
            (Gauge::AVAILABLE_PERCENT * 2.0, Gauge::STALLED_PERCENT / 2.0)
        } else {
            (Gauge::AVAILABLE_PERCENT, Gauge::STALLED_PERCENT)
        };
        let ample = self.available.is_some_and(|percent| percent >= Gauge::AMPLE_PERCENT);
        self.available.is_some_and(|percent| percent < available)
            || !ample && self.stalled.is_some_and(|percent| percent > stalled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Documentation/accounting/psi.rst of the kernel has it.
    fn psi(average: &str) -> String {
        format!(
            "some avg10={average} avg60=1.50 avg300=0.10 total=12345\nfull avg10=99.00 avg60=0.00 avg300=0.00 total=9\n"
        )
    }

    /// As proc_meminfo(5) has it.
    fn meminfo(available: u64) -> String {
        format!(
            "MemTotal:       1000000 kB\nMemFree:          1 kB\nMemAvailable:   {available} kB\nBuffers: 2 kB\n"
        )
    }

    #[test]
    fn pressure_begins_and_ends_at_different_readings() {
        for (available, stalled, before, after) in [
            (500_000, "0.00", false, false),
            (49_000, "0.00", false, true),
            (51_000, "0.00", false, false),
            (51_000, "0.00", true, true),
            (101_000, "0.00", true, false),
            (249_000, "20.50", false, true),
            (249_000, "19.50", false, false),
            (249_000, "19.50", true, true),
            (249_000, "9.50", true, false),
            (250_000, "20.50", false, false),
            (250_000, "20.50", true, false),
        ] {
            let reading = Reading::of(&meminfo(available), &psi(stalled));
            assert_eq!(reading.is_pressed(before), after, "{available} {stalled} {before}");
        }
    }

    #[test]
    fn a_machine_that_says_nothing_is_not_pressed() {
        for (meminfo, pressure) in
            [("", ""), ("MemTotal: x kB", "some avg10=x"), ("MemAvailable: 1 kB", "full")]
        {
            assert_eq!(Reading::of(meminfo, pressure), Reading::default());
        }
        assert!(!Reading::default().is_pressed(true));
    }

    #[test]
    fn a_gauge_looks_once_in_its_interval_and_tells_changes() {
        let folder = std::env::temp_dir().join(format!("codemode-gauge-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (write, now) =
            (|text: String| std::fs::write(folder.join("meminfo"), text).unwrap(), Instant::now());
        let mut gauge = Gauge::new(&folder, now);
        write(meminfo(500_000));
        assert_eq!(gauge.look(now), None);
        write(meminfo(1));
        assert_eq!(gauge.look(now + Gauge::INTERVAL / 2), None);
        assert_eq!(gauge.until_next(now + Gauge::INTERVAL / 2), Gauge::INTERVAL / 2);
        assert_eq!(gauge.look(now + Gauge::INTERVAL), Some(true));
        assert_eq!(gauge.look(now + Gauge::INTERVAL * 2), None);
        write(meminfo(500_000));
        assert_eq!(gauge.look(now + Gauge::INTERVAL * 3), Some(false));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
