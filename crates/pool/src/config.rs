//! [`PoolConfig`]: the settings of a pool, and what a template is told of them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use codemode_protocol::{Fault, FaultCode, defaults};
use rkyv::{Archive, Deserialize, Serialize};

/// Settings of a pool. [`PoolConfig::default`] is fit for use; [`PoolConfig::validate`] says what is out of bounds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PoolConfig {
    /// What is started as a worker.
    pub worker: WorkerCommand,
    /// Runs at the same time. Default: the number of cores.
    pub max_workers: usize,
    /// Workers kept ready ahead of demand. Default: the number of cores.
    pub spares: usize,
    /// Requests that may wait beyond the places.
    pub queue_limit: usize,
    /// Programs of one tenant that may run at the same time. `None`: as many as there are places.
    pub tenant_running_limit: Option<usize>,
    /// Requests of one tenant that may wait beyond the places it may take. `None`: up to the bound of the queue.
    pub tenant_queue_limit: Option<usize>,
    /// Turns that tenants by name get in a round of the queue. Others get one.
    pub tenant_weights: BTreeMap<String, u32>,
    /// How long a request may wait for a place. `None`: as long as it takes.
    pub queue_timeout: Option<Duration>,
    /// Executions that may be retained at the same time, those that run and may come to be retained included.
    pub retained_limit: usize,
    /// Those of one tenant. `None`: as many as there may be.
    pub tenant_retained_limit: Option<usize>,
    /// Idle time after which a retained execution is closed.
    pub handles_idle: Duration,
    /// Headroom past a run's timeout before its worker is killed.
    pub grace: Duration,
    /// Counted time after which a run is a long one: the nice value of its worker rises by ten, so that neither the host
    /// nor shorter runs wait for it where processors are short. One millisecond keeps runs that are shorter than that
    /// quick beside hostile ones. `None`, the default: never. Beside other programs that keep every processor busy a long
    /// run would get a tenth of what it gets now, and reach its bound.
    pub long_run: Option<Duration>,
    /// Largest message in bytes.
    pub payload_limit: usize,
    /// Memory budget of a run in MB.
    pub memory_mb: u32,
    /// Address space a worker may map beyond its budget before the kernel refuses, in MB: what the engine
    /// reserves and does not use.
    pub memory_headroom_mb: u32,
    /// Whether the kernel bounds the memory of all worker processes together.
    pub memory_group: MemoryGroupSetting,
    /// Forks after which a template is replaced.
    pub template_forks: u32,
    /// Age after which a template is replaced.
    pub template_age: Duration,
    /// Interval of a template's sign of life.
    pub heartbeat: Duration,
    /// How long a worker process may take to say its first word.
    pub greeting_deadline: Duration,
    /// How long an engine may take to start.
    pub start_deadline: Duration,
    /// How long [`crate::Pool::dispose`] lets running programs finish.
    pub drain: Duration,
    /// How workers are started.
    pub start_mode: StartMode,
    /// How much hardening is demanded.
    pub hardening: HardeningLevel,
    /// Whether worker processes write to the host's standard error: the engine's last words, for debugging.
    pub inherit_stderr: bool,
    /// Settings of the worker's body, opaque to the pool.
    pub body_config: Vec<u8>,
    /// Where this process reads about the machine. A test puts a folder of its own here.
    #[doc(hidden)]
    pub proc_folder: PathBuf,
    /// What a test of the hardening takes away from it.
    #[doc(hidden)]
    pub audit: Audit,
}

/// Whether worker processes get a control group (cgroup v2) with a bound on their memory. The bound is what all workers
/// may take by their own bounds, plus 512 MB, so that no honest run meets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MemoryGroupSetting {
    /// No group.
    #[default]
    Off,
    /// In the group above the one of this process, or in its own, whichever is delegated to it; none otherwise.
    /// [`crate::Pool::capabilities`] says under `memory group` what came of it.
    Auto,
    /// In this folder, which is a group that is delegated to this process and holds no process itself.
    At(PathBuf),
}

/// What a test of the hardening takes away from it. Workers have less of it then: [`HardeningLevel::Required`]
/// refuses a layer that is left out as one that the machine does not have.
#[doc(hidden)]
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// System calls of the list that are taken off it: from workers where those may make them, otherwise from
    /// templates.
    pub withheld_calls: Vec<String>,
    /// Layers that are not taken.
    pub absent_layers: Vec<String>,
}

/// Name of the capability that says how much of the hardening is on. Its value begins with `on`, `incomplete` or `off`.
pub const HARDENING: &str = "hardening";

/// The program that is started as a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerCommand {
    /// Path of the executable.
    pub program: PathBuf,
    /// Arguments behind the private marker.
    pub args: Vec<OsString>,
}

/// How workers are started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartMode {
    /// [`StartMode::Fork`] where the self-test says that it works, otherwise [`StartMode::Exec`].
    #[default]
    Auto,
    /// Forked from a template that has the engine up.
    Fork,
    /// Each started by itself, ahead of demand.
    Exec,
}

/// How much hardening is demanded.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HardeningLevel {
    /// Every layer, or the pool does not start.
    Required,
    /// Every layer this machine permits. [`crate::Pool::capabilities`] says which are on.
    #[default]
    BestEffort,
    /// No layer: a worker can do what its user can. For debugging.
    Off,
}

/// What a template is told.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TemplateConfig {
    /// Memory budget of a run in MB.
    pub memory_mb: u32,
    /// Address space beyond the budget, in MB.
    pub memory_headroom_mb: u32,
    /// How much hardening is demanded.
    pub hardening: HardeningLevel,
    /// Interval of the sign of life in milliseconds.
    pub heartbeat_ms: u64,
    /// Whether descriptor 2 stays open.
    pub keep_stderr: bool,
    /// Settings of the body.
    pub body: Vec<u8>,
    /// What a test takes away.
    #[doc(hidden)]
    pub audit: Audit,
}

impl WorkerCommand {
    /// The executable of this process: this very file, even when another has taken its path by now.
    pub fn current_executable() -> Self {
        Self { program: PathBuf::from("/proc/self/exe"), args: Vec::new() }
    }
}

impl Default for PoolConfig {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            worker: WorkerCommand::current_executable(),
            max_workers: cores,
            spares: cores,
            queue_limit: defaults::QUEUE_LIMIT,
            tenant_running_limit: None,
            tenant_queue_limit: None,
            tenant_weights: BTreeMap::new(),
            queue_timeout: None,
            retained_limit: defaults::RETAINED_LIMIT,
            tenant_retained_limit: None,
            handles_idle: defaults::HANDLES_IDLE,
            grace: defaults::GRACE,
            long_run: None,
            payload_limit: defaults::PAYLOAD_LIMIT_BYTES,
            memory_mb: defaults::MEMORY_MB,
            memory_headroom_mb: 64,
            memory_group: MemoryGroupSetting::Off,
            template_forks: defaults::TEMPLATE_FORKS,
            template_age: defaults::TEMPLATE_AGE,
            heartbeat: defaults::HEARTBEAT,
            greeting_deadline: Duration::from_secs(10),
            start_deadline: Duration::from_secs(30),
            drain: Duration::from_secs(5),
            start_mode: StartMode::Auto,
            hardening: HardeningLevel::BestEffort,
            inherit_stderr: false,
            body_config: Vec::new(),
            proc_folder: PathBuf::from("/proc"),
            audit: Audit::default(),
        }
    }
}

impl PoolConfig {
    /// Says what is out of bounds.
    ///
    /// # Errors
    /// `INVALID_REQUEST` naming the setting and its bounds.
    pub fn validate(&self) -> Result<(), Fault> {
        let between = |name: &str, value: u128, least: u128, most: u128| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                let text = format!("The setting {name} is {value} and has to be between {least} and {most}.");
                Err(Fault::new(FaultCode::InvalidRequest, text))
            }
        };
        if self.worker.program.as_os_str().is_empty() {
            let text = "The setting worker.program is empty.";
            return Err(Fault::new(FaultCode::InvalidRequest, text));
        }
        between("max_workers", self.max_workers as u128, 1, 4_096)?;
        between("spares", self.spares as u128, 0, 4_096)?;
        between("queue_limit", self.queue_limit as u128, 0, 10_000_000)?;
        between("tenant_running_limit", self.tenant_running_limit.unwrap_or(1) as u128, 1, 4_096)?;
        between("tenant_queue_limit", self.tenant_queue_limit.unwrap_or(0) as u128, 0, 10_000_000)?;
        between("retained_limit", self.retained_limit as u128, 0, 4_096)?;
        between("tenant_retained_limit", self.tenant_retained_limit.unwrap_or(0) as u128, 0, 4_096)?;
        between("handles_idle_ms", self.handles_idle.as_millis(), 1, u128::from(defaults::MAX_DELAY_MS))?;
        between("grace_ms", self.grace.as_millis(), 0, u128::from(defaults::MAX_DELAY_MS))?;
        between("payload_limit", self.payload_limit as u128, 1 << 10, 1 << 30)?;
        between("memory_mb", u128::from(self.memory_mb), 8, 1 << 20)?;
        between("memory_headroom_mb", u128::from(self.memory_headroom_mb), 0, 1 << 20)?;
        between("template_forks", u128::from(self.template_forks), 1, u128::from(u32::MAX))?;
        between("template_age_ms", self.template_age.as_millis(), 1, u128::from(u64::MAX))?;
        between("heartbeat_ms", self.heartbeat.as_millis(), 1, 3_600_000)?;
        between("greeting_deadline_ms", self.greeting_deadline.as_millis(), 1, 3_600_000)?;
        between("start_deadline_ms", self.start_deadline.as_millis(), 1, 3_600_000)
    }

    pub(crate) fn for_template(&self) -> TemplateConfig {
        TemplateConfig {
            memory_mb: self.memory_mb,
            memory_headroom_mb: self.memory_headroom_mb,
            hardening: self.hardening,
            heartbeat_ms: u64::try_from(self.heartbeat.as_millis()).unwrap_or(u64::MAX),
            keep_stderr: self.inherit_stderr,
            body: self.body_config.clone(),
            audit: self.audit.clone(),
        }
    }
}
