//! Memory of the machine: pressure, a group of the kernel's, and what a worker can take without being counted.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use codemode_pool::{FailKind, MemoryGroupSetting, Outcome, Pool, PoolEvent, StartMode};
use codemode_protocol::Sentence;

use crate::support::{config, envelope, job, on_runtime, pool_with, processes_of, tests, texts};

tests!(
    pressure_is_answered_by_fewer_spares,
    page_tables_count_as_memory,
    processes_are_put_into_the_group_of_their_pool,
);

/// A folder that is gone with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("codemode-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Says that so much of a hundred is available. A reader sees the old text or the new.
fn say_available(folder: &Path, percent: u32) {
    let text = format!("MemTotal: 100 kB\nMemAvailable: {percent} kB\n");
    std::fs::write(folder.join("next"), text).unwrap();
    std::fs::rename(folder.join("next"), folder.join("meminfo")).unwrap();
}

fn pressure_is_answered_by_fewer_spares() {
    let folder = Folder::new("pressure");
    say_available(&folder.0, 50);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let mut config = config();
    config.spares = 2;
    config.proc_folder = folder.0.clone();
    let observer = move |event: &PoolEvent| {
        if let PoolEvent::MemoryPressure { short } = event {
            sink.lock().unwrap().push(*short);
        }
    };
    let pool = Pool::observed(config, Arc::new(observer)).unwrap();
    on_runtime(async {
        pool.warm_up().await.unwrap();
        say_available(&folder.0, 1);
        pool.until(|counts| counts.idle == 0 && counts.ending == 0).await;
        assert!(processes_of(&pool)[2].is_empty());
        // Served all the same, by a worker that is made for it.
        assert_eq!(envelope(pool.run(job("answer pressed")).await), "pressed");
        say_available(&folder.0, 50);
        pool.until(|counts| counts.idle == 2).await;
    });
    assert_eq!(*heard.lock().unwrap(), [true, false]);
}

fn page_tables_count_as_memory() {
    on_runtime(async {
        let pool = pool_with(|config| config.memory_mb = 64);
        let finished = pool.run(job("log kept\npage-tables 120\nspin")).await.unwrap();
        let text = Sentence::MemoryLimit { memory_mb: 64 }.to_string();
        assert_eq!(finished.outcome, Outcome::Failed { kind: FailKind::Memory, text });
        assert_eq!(texts(&finished), ["kept"]);
    });
}

fn processes_are_put_into_the_group_of_their_pool() {
    // A folder that stands in for one of the file system of groups.
    let folder = Folder::new("group");
    std::fs::write(folder.0.join("cgroup.controllers"), "cpu memory\n").unwrap();
    std::fs::write(folder.0.join("cgroup.subtree_control"), "memory\n").unwrap();
    for mode in [StartMode::Fork, StartMode::Exec] {
        on_runtime(async {
            let pool = pool_with(|config| {
                config.start_mode = mode;
                config.spares = 1;
                config.memory_group = MemoryGroupSetting::At(folder.0.clone());
            });
            pool.warm_up().await.unwrap();
            let said = pool.capabilities();
            let (_, says) = said.iter().find(|(name, _)| name == "memory group").unwrap();
            let group = Path::new(says.split(" in ").nth(1).unwrap());
            let admitted = std::fs::read_to_string(group.join("cgroup.procs")).unwrap();
            let [launchers, ..] = processes_of(&pool);
            assert_eq!(admitted, launchers[0].number.to_string(), "{says}");
            pool.dispose().await;
        });
    }
    on_runtime(async {
        let pool = pool_with(|config| config.memory_group = MemoryGroupSetting::At("/nowhere".into()));
        assert_eq!(envelope(pool.run(job("answer unbounded")).await), "unbounded");
        assert!(
            pool.capabilities()
                .iter()
                .any(|(name, says)| name == "memory group" && says.starts_with("off: "))
        );
    });
}
