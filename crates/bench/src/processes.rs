//! What the kernel says of the processes below this one.

use std::fs;

/// A process below this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// Its parent.
    pub parent: u32,
    /// Its proportional set in KiB: private pages, and its share of shared ones. Zero where it may not be read.
    pub proportional_kib: u64,
    /// Its private pages in KiB: what one such process more would take.
    pub private_kib: u64,
}

/// Every process below this one, at any depth.
pub fn descendants() -> Vec<Process> {
    let all: Vec<(u32, u32)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
            Some((pid, parent(pid)?))
        })
        .collect();
    let mut below = vec![std::process::id()];
    let mut found = Vec::new();
    while let Some(ancestor) = below.pop() {
        for &(pid, parent) in all.iter().filter(|(_, parent)| *parent == ancestor) {
            below.push(pid);
            let sums = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
            let private_kib = sum_kib(&sums, "Private_Clean:") + sum_kib(&sums, "Private_Dirty:");
            found.push(Process { pid, parent, proportional_kib: sum_kib(&sums, "Pss:"), private_kib });
        }
    }
    found
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything; the parent is the second field behind it.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn sum_kib(sums: &str, name: &str) -> u64 {
    let line = sums.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
