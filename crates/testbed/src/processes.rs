//! The processes below this one, as the kernel lists them.

use std::fs;

/// One process below this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// The number of its parent.
    pub parent: u32,
    /// The letter of its state; `Z` is dead and not waited for.
    pub state: char,
    /// Its command line. Empty for a dead one.
    pub command: Vec<String>,
}

/// Every process below this one, children and theirs.
pub fn descendants() -> Vec<Process> {
    let all: Vec<Process> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(read)
        .collect();
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![std::process::id()];
    while let Some(parent) = parents.pop() {
        for process in all.iter().filter(|process| process.parent == parent) {
            parents.push(process.pid);
            found.push(process.clone());
        }
    }
    found.sort_by_key(|process| process.pid);
    found
}

/// The children of a process, as `/proc/PID/task/TID/children` has them: none where the kernel was built without it, and
/// one that ends meanwhile may hide another.
pub fn children(pid: u32) -> impl Iterator<Item = u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
}

impl Process {
    /// Whether a word of its command line is `tag`.
    pub fn is_tagged(&self, tag: &str) -> bool {
        self.command.iter().any(|word| word == tag)
    }
}

/// The resident memory of a process in bytes.
pub fn resident_bytes(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

/// The number of open descriptors of this process.
pub fn open_descriptors() -> usize {
    fs::read_dir("/proc/self/fd").into_iter().flatten().count()
}

/// What the kernel says of a process. `None` when it is gone.
pub fn read(pid: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything, so what counts starts behind the last one.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?.chars().next()?;
    let command = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let command = command.split_terminator('\0').map(str::to_owned).collect();
    Some(Process { pid, parent: fields.next()?.parse().ok()?, state, command })
}
