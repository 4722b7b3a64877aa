//! [`Shared`]: what runs and the pool's thread share, behind one short lock.

mod actions;
mod processes;

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codemode_protocol::Fault;
use nix::sys::eventfd::{EfdFlags, EventFd};
use tokio::sync::{Notify, oneshot};

use crate::config::{PoolConfig, StartMode};
use crate::dispatcher::message::{Counts, Event, JobId, Limits, Mode, TemplateId, WorkerId};
use crate::dispatcher::queue::{Shares, Tenant};
use crate::dispatcher::state::State;
use crate::events::{PoolEvent, PoolObserver};
use crate::ipc::control::{ControlSocket, Exit};
use crate::retained::Registry;
use crate::supervisor::followup::{Followup, fault_of};
use crate::supervisor::memory_group::MemoryGroup;
use crate::supervisor::{Lease, WorkerHandle};

/// What a waiting caller is told.
pub(crate) type Grant = Result<Lease, Fault>;

/// The state of a pool.
pub(crate) struct Shared {
    pub(crate) config: PoolConfig,
    observer: Option<Arc<dyn PoolObserver>>,
    born: Instant,
    inner: Mutex<Inner>,
    /// Wakes the pool's thread.
    pub(crate) wake: EventFd,
    /// Bounds the memory of all processes together, and says what came of asking for that.
    memory_group: (Option<MemoryGroup>, Option<String>),
    /// Everything ends.
    stopping: AtomicBool,
    last_run: AtomicU64,
    /// It was told that hardening is not complete.
    warned: AtomicBool,
    /// Programs that stayed behind their run.
    pub(crate) retained: Registry,
    /// Something changed, for those who wait for a state.
    pub(crate) changed: Notify,
}

struct Inner {
    state: State,
    last_job: JobId,
    waiting: HashMap<JobId, oneshot::Sender<Grant>>,
    idle: HashMap<WorkerId, WorkerHandle>,
    /// Host ends of workers that are being made, with the template whose end ends them.
    starting: HashMap<WorkerId, (Option<TemplateId>, UnixStream)>,
    /// Workers whose exit was not reported.
    alive: HashMap<WorkerId, Alive>,
    /// Control sockets of the templates that are up.
    templates: HashMap<TemplateId, Arc<ControlSocket>>,
    orders: Vec<Order>,
    thread: ThreadState,
    capabilities: Vec<(String, String)>,
}

/// A worker whose exit was not reported.
struct Alive {
    /// The template whose end ends the worker.
    template: Option<TemplateId>,
    pidfd: Arc<OwnedFd>,
    /// Who is told of the exit.
    told: oneshot::Sender<Exit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThreadState {
    Unborn,
    Running,
    Ended,
}

/// What only the pool's thread may do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    StartTemplate(TemplateId),
    CloseTemplate(TemplateId),
    Launch(WorkerId),
}

impl Shared {
    pub(crate) fn new(
        config: PoolConfig,
        observer: Option<Arc<dyn PoolObserver>>,
    ) -> std::io::Result<Arc<Self>> {
        let retained = Registry::new(config.retained_limit, config.tenant_retained_limit);
        let limits = Limits {
            max_workers: config.max_workers,
            spares: config.spares,
            queue_limit: config.queue_limit,
            template_forks: config.template_forks,
            template_age: config.template_age,
        };
        let shares = Shares {
            running_limit: config.tenant_running_limit,
            queue_limit: config.tenant_queue_limit,
            weights: config.tenant_weights.clone(),
        };
        let mode = match config.start_mode {
            StartMode::Auto => Mode::Auto,
            StartMode::Fork => Mode::Fork,
            StartMode::Exec => Mode::Exec,
        };
        let inner = Inner {
            state: State::new(limits, shares, mode),
            last_job: 0,
            waiting: HashMap::new(),
            idle: HashMap::new(),
            starting: HashMap::new(),
            alive: HashMap::new(),
            templates: HashMap::new(),
            orders: Vec::new(),
            thread: ThreadState::Unborn,
            capabilities: Vec::new(),
        };
        let memory_group = MemoryGroup::of(&config);
        Ok(Arc::new(Self {
            config,
            memory_group,
            observer,
            born: Instant::now(),
            inner: Mutex::new(inner),
            wake: EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)?,
            stopping: AtomicBool::new(false),
            last_run: AtomicU64::new(0),
            warned: AtomicBool::new(false),
            retained,
            changed: Notify::new(),
        }))
    }

    /// Time since the pool was made, the dispatcher's clock.
    pub(crate) fn now(&self) -> Duration {
        self.born.elapsed()
    }

    /// What bounds the memory of all processes together.
    pub(crate) fn memory_group(&self) -> Option<&MemoryGroup> {
        self.memory_group.0.as_ref()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Every change is complete before anything can panic.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for a worker. The answer may be there already.
    pub(crate) fn submit(
        self: &Arc<Self>,
        tenant: Tenant,
    ) -> (JobId, oneshot::Receiver<Grant>, Followup<'_>) {
        let (sender, receiver) = oneshot::channel();
        let mut inner = self.lock();
        inner.last_job += 1;
        let job = inner.last_job;
        inner.waiting.insert(job, sender);
        let mut followup = self.apply_locked(&mut inner, Event::Submit { job, tenant });
        drop(inner);
        followup.answer();
        (job, receiver, followup)
    }

    /// Gives a request up that may still wait.
    pub(crate) fn cancel(self: &Arc<Self>, job: JobId) {
        let mut inner = self.lock();
        // An answer on its way is dropped with the receiver, and frees its place.
        let waiting = inner.waiting.remove(&job);
        let followup = self.apply_locked(&mut inner, Event::Cancel(job));
        drop(inner);
        drop(waiting);
        followup.perform();
    }

    /// Applies one event.
    pub(crate) fn apply(self: &Arc<Self>, event: Event) -> Followup<'_> {
        let mut inner = self.lock();
        self.apply_locked(&mut inner, event)
    }

    pub(crate) fn counts(&self) -> Counts {
        self.lock().state.counts()
    }

    pub(crate) fn is_drained(&self) -> bool {
        self.retained.is_drained() && self.lock().state.is_drained()
    }

    pub(crate) fn is_warm(&self) -> bool {
        self.lock().state.is_warm()
    }

    pub(crate) fn next_tick(&self) -> Option<Duration> {
        self.lock().state.next_tick(self.now())
    }

    /// The fault a request meets while workers do not start.
    pub(crate) fn start_fault(&self) -> Option<Fault> {
        self.lock().state.failing(self.now()).map(fault_of)
    }

    /// Ends everything. The pool's thread does the rest.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.wake_thread();
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Whether the pool's thread is done, or never was.
    pub(crate) fn thread_is_over(&self) -> bool {
        self.lock().thread != ThreadState::Running
    }

    pub(crate) fn wake_thread(&self) {
        // Full means that it is awake anyway.
        let _ = self.wake.write(1);
    }

    /// Tells the observer, if there is one.
    pub(crate) fn observe(&self, event: &PoolEvent) {
        if let Some(observer) = &self.observer {
            // Events come of drops too, where a panic would end the process, and on the pool's own thread.
            let _ = catch_unwind(AssertUnwindSafe(|| observer.event(event)));
        }
    }

    /// The number of the next request, for those who watch.
    pub(crate) fn next_run(&self) -> u64 {
        self.last_run.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Whether anybody watches.
    pub(crate) fn is_observed(&self) -> bool {
        self.observer.is_some()
    }
}
