//! [`MemoryWatch`]: the resident memory of a worker, seen from outside.

use std::time::Duration;

/// Looks at the resident set of a worker now and then.
pub(crate) struct MemoryWatch {
    /// Resident memory past which the worker is killed, in KiB.
    limit_kib: u64,
    page_kib: u64,
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
        let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok().flatten().unwrap_or(4096);
        Self {
            limit_kib: born_kib + budget_kib + margin_kib,
            page_kib: page.unsigned_abs() >> 10,
            next: Self::INTERVAL,
        }
    }

    /// Looks, when it is time to. `true` when the worker is past its limit.
    pub(crate) fn is_over(&mut self, now: Duration, number: impl FnOnce() -> Option<i32>) -> bool {
        if now < self.next {
            return false;
        }
        self.next = now + Self::INTERVAL;
        number().and_then(|number| self.own_kib(number)).is_some_and(|own| own > self.limit_kib)
    }

    /// Resident memory that is the worker's own and no file's.
    fn own_kib(&self, number: i32) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{number}/statm")).ok()?;
        let mut pages = text.split_whitespace().skip(1).map(str::parse::<u64>);
        let (resident, shared) = (pages.next()?.ok()?, pages.next()?.ok()?);
        Some(resident.saturating_sub(shared) * self.page_kib)
    }
}
