//! [`MemoryWatch`]: the resident memory of a worker, seen from outside.

use std::time::Duration;

/// Looks at the resident set of a worker now and then.
pub(crate) struct MemoryWatch {
    /// Memory past which the worker is killed, in KiB.
    limit_kib: u64,
    /// When to look next, since the start of the run.
    pub(crate) next: Duration,
}

impl MemoryWatch {
    /// Shorter runs are never looked at.
    const INTERVAL: Duration = Duration::from_millis(100);

    /// A watch over a worker that was born with `born_kib` and may grow by `memory_mb`, with the margin that the
    /// bounds inside of it leave.
    pub(crate) fn new(born_kib: u64, memory_mb: u32) -> Self {
        let budget_kib = u64::from(memory_mb) << 10;
        let margin_kib = (budget_kib / 4).max(32 << 10);
        Self { limit_kib: born_kib + budget_kib + margin_kib, next: Self::INTERVAL }
    }

    /// Looks, when it is time to. `status` reads what the kernel says of the worker. `true` when it is past its limit.
    pub(crate) fn is_over(&mut self, now: Duration, status: impl FnOnce() -> Option<String>) -> bool {
        if now < self.next {
            return false;
        }
        self.next = now + Self::INTERVAL;
        status().is_some_and(|status| own_kib(&status) > self.limit_kib)
    }
}

/// Memory that is the worker's own and no file's, in KiB: resident, swapped out, and the page tables of both, which a
/// worker can grow without any of the other two.
fn own_kib(status: &str) -> u64 {
    const OWN: [&str; 4] = ["RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:"];
    let kib = |line: &str| {
        let figure = OWN.iter().find_map(|name| line.strip_prefix(name))?;
        figure.split_whitespace().next()?.parse::<u64>().ok()
    };
    status.lines().filter_map(kib).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As proc_pid_status(5) has it.
    const STATUS: &str = "Name:\tx\nVmRSS:\t  900 kB\nRssAnon:\t  100 kB\nRssFile:\t 5000 kB\nRssShmem:\t   20 kB\n\
                          VmPTE:\t    3 kB\nVmSwap:\t    4 kB\n";

    #[test]
    fn everything_that_is_a_workers_own_counts() {
        assert_eq!(own_kib(STATUS), 127);
        assert_eq!(own_kib("RssAnon:\n"), 0);
    }

    #[test]
    fn looks_once_in_its_interval() {
        let mut watch = MemoryWatch::new(0, 8);
        let over = || Some(format!("RssAnon: {} kB", ((8 + 32) << 10) + 1));
        assert!(!watch.is_over(MemoryWatch::INTERVAL / 2, || unreachable!("not yet")));
        assert!(watch.is_over(MemoryWatch::INTERVAL, over));
        assert!(!watch.is_over(MemoryWatch::INTERVAL * 3 / 2, || unreachable!("not again")));
        assert!(!watch.is_over(MemoryWatch::INTERVAL * 2, || None));
    }
}
