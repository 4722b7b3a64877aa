//! [`MemoryGroup`]: a control group of the kernel (cgroup v2) around all processes of a pool.
//!
//! One group for the pool and not one for each worker: what a single worker maps is bounded by `RLIMIT_DATA` already, a
//! group costs a folder and a move of the process, which takes longer than the whole run, and what is left to bound is
//! the sum, page tables and other memory of the kernel included.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::config::{MemoryGroupSetting, PoolConfig};

/// A folder of the cgroup file system. Dropping it ends what is in it and removes it.
#[derive(Debug)]
pub(crate) struct MemoryGroup {
    folder: PathBuf,
    limit_bytes: u64,
    /// Kills that were laid to somebody's account.
    accounted: AtomicU64,
}

impl MemoryGroup {
    /// Memory of launchers and templates, beside what workers may take.
    const BASE_BYTES: u64 = 512 << 20;

    /// The group of a pool with these settings, and what there is to tell about it.
    pub(crate) fn of(config: &PoolConfig) -> (Option<Self>, Option<String>) {
        let parents = match &config.memory_group {
            MemoryGroupSetting::Off => return (None, None),
            MemoryGroupSetting::At(folder) => Ok(vec![folder.clone()]),
            MemoryGroupSetting::Auto => delegated(&config.proc_folder),
        };
        let workers = (config.max_workers + config.spares) as u64;
        let each = u64::from(config.memory_mb + config.memory_headroom_mb) << 20;
        let limit_bytes = workers.saturating_mul(each).saturating_add(Self::BASE_BYTES);
        match parents.and_then(|parents| Self::make(&parents, limit_bytes)) {
            Ok(group) => {
                let says = format!("on: {} MB in {}", group.limit_bytes >> 20, group.folder.display());
                (Some(group), Some(says))
            }
            Err(why) => (None, Some(format!("off: {why}"))),
        }
    }

    /// Makes a group in the first of `parents` that is delegated to this process.
    fn make(parents: &[PathBuf], limit_bytes: u64) -> Result<Self, String> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut why = "no group is delegated to this process".to_owned();
        for parent in parents {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let folder = parent.join(format!("codemode-pool-{}-{number}", std::process::id()));
            let group = Self { folder, limit_bytes, accounted: AtomicU64::new(0) };
            match group.set_up(parent) {
                Ok(()) => return Ok(group),
                Err(error) => why = format!("{}: {error}", parent.display()),
            }
        }
        Err(why)
    }

    fn set_up(&self, parent: &Path) -> io::Result<()> {
        let controllers = fs::read_to_string(parent.join("cgroup.controllers"))?;
        if !controllers.split_whitespace().any(|controller| controller == "memory") {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "it does not control memory"));
        }
        let passed_on = fs::read_to_string(parent.join("cgroup.subtree_control"))?;
        if !passed_on.split_whitespace().any(|controller| controller == "memory") {
            fs::write(parent.join("cgroup.subtree_control"), "+memory")?;
        }
        fs::create_dir(&self.folder)?;
        fs::write(self.folder.join("memory.max"), self.limit_bytes.to_string())?;
        // Without swap the file is not there, and nothing is swapped.
        let _ = fs::write(self.folder.join("memory.swap.max"), "0");
        Ok(())
    }

    /// Puts a process into the group, and with it those that it forks from now on.
    pub(crate) fn admit(&self, process: u32) -> io::Result<()> {
        fs::write(self.folder.join("cgroup.procs"), process.to_string())
    }

    /// Whether the kernel killed a process of the group that nobody was told of yet. Tells it once for each kill.
    pub(crate) fn take_kill(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events")).unwrap_or_default();
        let kills = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
        let kills = kills.and_then(|count| count.trim().parse::<u64>().ok()).unwrap_or(0);
        let take = |accounted| (accounted < kills).then_some(accounted + 1);
        self.accounted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // An older kernel has no such file; the processes are dead by then, or die with their launcher.
        let _ = fs::write(self.folder.join("cgroup.kill"), "1");
        // A process that is not quite gone keeps the folder, which is empty then and bounds nobody.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// The groups that may be delegated to this process: the one above its own, where a service manager puts the service
/// itself into a group further down, and its own, where it is alone in the root of a namespace.
fn delegated(proc_folder: &Path) -> Result<Vec<PathBuf>, String> {
    let read =
        |name: &str| fs::read_to_string(proc_folder.join(name)).map_err(|error| format!("{name}: {error}"));
    let (own, mounts) = (read("self/cgroup")?, read("self/mountinfo")?);
    let own = own.lines().find_map(|line| line.strip_prefix("0::")).ok_or("this machine has no cgroup v2")?;
    // Fields behind the separator: type, source, options. The fifth before it is the mount point.
    let mount = mounts.lines().find_map(|line| {
        let (before, behind) = line.split_once(" - ")?;
        behind.starts_with("cgroup2 ").then(|| before.split(' ').nth(4)).flatten()
    });
    let mount = Path::new(mount.ok_or("the cgroup v2 file system is not mounted")?);
    let own = mount.join(own.trim_start_matches('/'));
    let above = own.parent().filter(|above| above.starts_with(mount)).map(Path::to_owned);
    Ok(above.into_iter().chain([own]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of plain files that stands in for the file system, with the names and contents that
    /// Documentation/admin-guide/cgroup-v2.rst of the kernel gives them.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str, controllers: &str) -> Self {
            let root = std::env::temp_dir().join(format!("codemode-{name}-{}", std::process::id()));
            let service = root.join("mount/service");
            fs::create_dir_all(service.join("main")).unwrap();
            fs::create_dir_all(root.join("proc/self")).unwrap();
            for folder in [&service, &service.join("main")] {
                fs::write(folder.join("cgroup.controllers"), controllers).unwrap();
                fs::write(folder.join("cgroup.subtree_control"), "cpu\n").unwrap();
            }
            fs::write(root.join("proc/self/cgroup"), "1:name=systemd:/x\n0::/service/main\n").unwrap();
            let mount = root.join("mount");
            let mounts = format!(
                "20 1 0:5 / /proc rw - proc proc rw\n30 1 0:26 / {} rw,nosuid shared:9 - cgroup2 none rw\n",
                mount.display()
            );
            fs::write(root.join("proc/self/mountinfo"), mounts).unwrap();
            Self(root)
        }

        fn config(&self, setting: MemoryGroupSetting) -> PoolConfig {
            PoolConfig {
                memory_group: setting,
                proc_folder: self.0.join("proc"),
                max_workers: 3,
                spares: 1,
                memory_mb: 100,
                memory_headroom_mb: 28,
                ..PoolConfig::default()
            }
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_pool_gets_a_group_where_one_is_delegated() {
        let tree = Tree::new("delegated", "cpu memory pids\n");
        let (group, says) = MemoryGroup::of(&tree.config(MemoryGroupSetting::Auto));
        let (group, says) = (group.unwrap(), says.unwrap());
        let service = tree.0.join("mount/service");
        assert!(says.starts_with("on: 1024 MB in "), "{says}");
        assert!(group.folder.starts_with(&service) && !group.folder.starts_with(service.join("main")));
        let read = |name: &str| fs::read_to_string(group.folder.join(name)).unwrap();
        assert_eq!(read("memory.max"), (1_024u64 << 20).to_string());
        assert_eq!(read("memory.swap.max"), "0");
        assert_eq!(fs::read_to_string(service.join("cgroup.subtree_control")).unwrap(), "+memory");
        group.admit(4_711).unwrap();
        assert_eq!(read("cgroup.procs"), "4711");
    }

    #[test]
    fn each_kill_of_the_kernel_is_accounted_for_once() {
        let tree = Tree::new("kills", "memory\n");
        let setting = MemoryGroupSetting::At(tree.0.join("mount/service"));
        let group = MemoryGroup::of(&tree.config(setting)).0.unwrap();
        assert!(!group.take_kill(), "no file, no kill");
        let events = |kills: u32| {
            let text = format!("low 0\nhigh 0\nmax 9\noom 4\noom_kill {kills}\noom_group_kill 7\n");
            fs::write(group.folder.join("memory.events"), text).unwrap();
        };
        events(0);
        assert!(!group.take_kill());
        events(2);
        assert_eq!([group.take_kill(), group.take_kill(), group.take_kill()], [true, true, false]);
    }

    #[test]
    fn where_nothing_is_delegated_the_pool_says_why() {
        let tree = Tree::new("bare", "cpu pids\n");
        let (group, says) = MemoryGroup::of(&tree.config(MemoryGroupSetting::Auto));
        assert!(group.is_none() && says.unwrap().contains("does not control memory"));
        let nowhere = MemoryGroupSetting::At(tree.0.join("nowhere"));
        let (group, says) = MemoryGroup::of(&tree.config(nowhere));
        assert!(group.is_none() && says.unwrap().starts_with("off: "));
        fs::write(tree.0.join("proc/self/cgroup"), "4:memory:/x\n").unwrap();
        let says = MemoryGroup::of(&tree.config(MemoryGroupSetting::Auto)).1.unwrap();
        assert_eq!(says, "off: this machine has no cgroup v2");
        assert!(matches!(MemoryGroup::of(&tree.config(MemoryGroupSetting::Off)), (None, None)));
    }
}
