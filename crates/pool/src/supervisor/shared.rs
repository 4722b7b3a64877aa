//! [`Shared`]: what runs and the pool's thread share, behind one short lock.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codemode_protocol::{Fault, Sentence};
use nix::sys::eventfd::{EfdFlags, EventFd};
use tokio::sync::{Notify, oneshot};

use super::followup::{Followup, fault_of};
use super::{Lease, WorkerHandle, thread};
use crate::config::{PoolConfig, StartMode};
use crate::dispatcher::message::{
    Action, Cause, Counts, Event, Failure, JobId, Limits, Mode, TemplateId, WorkerId,
};
use crate::dispatcher::queue::{Shares, Tenant};
use crate::dispatcher::state::State;
use crate::events::{PoolEvent, PoolObserver};
use crate::ipc::control::{Born, ControlSocket, Exit};

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
    /// Everything ends.
    stopping: AtomicBool,
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
        Ok(Arc::new(Self {
            config,
            observer,
            born: Instant::now(),
            inner: Mutex::new(inner),
            wake: EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)?,
            stopping: AtomicBool::new(false),
            changed: Notify::new(),
        }))
    }

    /// Time since the pool was made, the dispatcher's clock.
    pub(crate) fn now(&self) -> Duration {
        self.born.elapsed()
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

    /// A template is up and can be asked for workers.
    pub(crate) fn template_ready(
        self: &Arc<Self>,
        template: TemplateId,
        control: Arc<ControlSocket>,
        can_fork: bool,
        capabilities: Vec<(String, String)>,
    ) -> Followup<'_> {
        let mut inner = self.lock();
        inner.templates.insert(template, control);
        inner.capabilities = capabilities;
        self.apply_locked(&mut inner, Event::TemplateReady { template, can_fork })
    }

    /// What the last process that came up said about itself.
    pub(crate) fn set_capabilities(&self, capabilities: Vec<(String, String)>) {
        self.lock().capabilities = capabilities;
    }

    /// See [`Shared::set_capabilities`].
    pub(crate) fn capabilities(&self) -> Vec<(String, String)> {
        self.lock().capabilities.clone()
    }

    /// What the pool's thread is to do.
    pub(crate) fn take_orders(&self) -> Vec<Order> {
        std::mem::take(&mut self.lock().orders)
    }

    /// Keeps the host's end of a worker that is being made.
    pub(crate) fn expect_worker(&self, worker: WorkerId, template: Option<TemplateId>, stream: UnixStream) {
        self.lock().starting.insert(worker, (template, stream));
    }

    /// A worker exists. `pidfd` names it.
    pub(crate) fn forked(self: &Arc<Self>, worker: WorkerId, pidfd: OwnedFd, born: Born) -> Followup<'_> {
        let mut inner = self.lock();
        if let Some((template, stream)) = inner.starting.remove(&worker) {
            let (told, exit) = oneshot::channel();
            let pidfd = Arc::new(pidfd);
            inner.alive.insert(worker, Alive { template, pidfd: Arc::clone(&pidfd), told });
            inner.idle.insert(worker, WorkerHandle::new(worker, stream, pidfd, born, exit));
        }
        self.apply_locked(&mut inner, Event::Forked(worker))
    }

    /// A worker did not come to be.
    pub(crate) fn fork_failed(self: &Arc<Self>, worker: WorkerId, failure: Failure) -> Followup<'_> {
        let mut inner = self.lock();
        inner.starting.remove(&worker);
        self.apply_locked(&mut inner, Event::ForkFailed { worker, failure })
    }

    /// Tells whoever waits for it how a worker ended, then applies that it did.
    pub(crate) fn exited(self: &Arc<Self>, worker: WorkerId, exit: Exit) -> Followup<'_> {
        let mut inner = self.lock();
        if let Some(alive) = inner.alive.remove(&worker) {
            // Nobody may be left who wants to know.
            let _ = alive.told.send(exit);
        }
        inner.starting.remove(&worker);
        let mut followup = self.apply_locked(&mut inner, Event::Exited { worker, text: exit.describe() });
        let gone = inner.idle.remove(&worker);
        drop(inner);
        drop(gone);
        if self.is_observed() {
            followup.events.push(PoolEvent::WorkerExited {
                worker,
                how: exit.describe(),
                cpu: exit.cpu(),
                max_resident_bytes: exit.max_resident_kib << 10,
            });
        }
        followup
    }

    /// Forgets a template that is gone with all its workers.
    pub(crate) fn template_gone(self: &Arc<Self>, template: TemplateId) -> Followup<'_> {
        let mut inner = self.lock();
        inner.templates.remove(&template);
        inner.starting.retain(|_, (of, _)| *of != Some(template));
        let orphans: Vec<_> = inner
            .alive
            .extract_if(|_, alive| alive.template == Some(template))
            .map(|(worker, _)| worker)
            .collect();
        let dropped: Vec<_> = orphans.iter().filter_map(|worker| inner.idle.remove(worker)).collect();
        let known = inner.state.knows_template(template);
        let mut followup = self.apply_locked(&mut inner, Event::TemplateGone(template));
        drop(inner);
        drop(dropped);
        // One that was closed was reported then.
        if known {
            followup.events.push(PoolEvent::TemplateEnded { template, retired: false });
        }
        followup
    }

    pub(crate) fn counts(&self) -> Counts {
        self.lock().state.counts()
    }

    pub(crate) fn is_drained(&self) -> bool {
        self.lock().state.is_drained()
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

    /// Descriptors of all workers whose exit was not reported.
    pub(crate) fn workers_alive(&self) -> Vec<Arc<OwnedFd>> {
        self.lock().alive.values().map(|alive| Arc::clone(&alive.pidfd)).collect()
    }

    /// The last act of the pool's thread: nobody is left waiting.
    pub(crate) fn thread_ended(&self) {
        let mut inner = self.lock();
        inner.thread = ThreadState::Ended;
        let waiting = std::mem::take(&mut inner.waiting);
        let idle = std::mem::take(&mut inner.idle);
        inner.starting.clear();
        inner.alive.clear();
        inner.templates.clear();
        drop(inner);
        drop(idle);
        for (_, caller) in waiting {
            // The caller may be gone.
            let _ = caller.send(Err(Sentence::PoolShuttingDown.into()));
        }
        self.changed.notify_waiters();
    }

    pub(crate) fn wake_thread(&self) {
        // Full means that it is awake anyway.
        let _ = self.wake.write(1);
    }

    /// Tells the observer, if there is one.
    pub(crate) fn observe(&self, event: &PoolEvent) {
        if let Some(observer) = &self.observer {
            observer.event(event);
        }
    }

    /// Whether anybody watches.
    pub(crate) fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// Keeps the host's end of a worker that is about to be asked for, and says of whom.
    pub(super) fn expect_fork(
        &self,
        template: TemplateId,
        worker: WorkerId,
        host: UnixStream,
    ) -> std::io::Result<Arc<ControlSocket>> {
        let mut inner = self.lock();
        let Some(control) = inner.templates.get(&template).map(Arc::clone) else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        inner.starting.insert(worker, (Some(template), host));
        Ok(control)
    }

    fn apply_locked<'a>(self: &'a Arc<Self>, inner: &mut Inner, event: Event) -> Followup<'a> {
        let mut followup = Followup::new(self);
        if self.is_observed() {
            followup.events.extend(told_by(&event));
        }
        for action in inner.state.apply(self.now(), event) {
            match action {
                Action::Assign { job, worker } => {
                    if let Some(handle) = inner.idle.remove(&worker) {
                        followup.assign(inner.waiting.remove(&job), handle);
                    }
                }
                Action::Refuse { job, refusal } => {
                    let fault = fault_of(refusal);
                    if let Some(caller) = inner.waiting.remove(&job) {
                        followup.answers.push((caller, Err(fault)));
                    }
                }
                Action::Fork { template, worker } => followup.forks.push((template, worker)),
                Action::Kill(worker) => followup.killed.extend(inner.idle.remove(&worker)),
                Action::StartTemplate(template) => {
                    inner.orders.push(Order::StartTemplate(template));
                    followup.events.push(PoolEvent::TemplateStarting { template });
                }
                Action::CloseTemplate(template) => {
                    inner.orders.push(Order::CloseTemplate(template));
                    followup.events.push(PoolEvent::TemplateEnded { template, retired: true });
                }
                Action::Launch(worker) => inner.orders.push(Order::Launch(worker)),
            }
        }
        followup.wake = !inner.orders.is_empty();
        if followup.wake && inner.thread == ThreadState::Unborn {
            inner.thread = ThreadState::Running;
            if let Err(error) = thread::spawn(Arc::clone(self)) {
                inner.thread = ThreadState::Unborn;
                self.fail_orders(inner, &error, &mut followup);
            }
        }
        followup
    }

    /// Nobody is there to carry orders out.
    fn fail_orders(self: &Arc<Self>, inner: &mut Inner, error: &std::io::Error, followup: &mut Followup<'_>) {
        for order in std::mem::take(&mut inner.orders) {
            let failure =
                Failure::new(Cause::Engine, format!("The pool's thread could not be started: {error}."));
            let event = match order {
                Order::StartTemplate(template) => Event::TemplateFailed { template, failure },
                Order::Launch(worker) => Event::ForkFailed { worker, failure },
                Order::CloseTemplate(_) => continue,
            };
            followup.absorb(self.apply_locked(inner, event));
        }
    }
}

/// What an observer hears of an event of the dispatcher.
fn told_by(event: &Event) -> Option<PoolEvent> {
    match event {
        Event::TemplateReady { template, .. } => Some(PoolEvent::TemplateUp { template: *template }),
        Event::TemplateFailed { template, failure } => {
            Some(PoolEvent::TemplateFailed { template: *template, causes: failure.texts.clone() })
        }
        Event::ForkFailed { worker, failure } => {
            Some(PoolEvent::WorkerFailed { worker: *worker, causes: failure.texts.clone() })
        }
        Event::Dispose => Some(PoolEvent::Disposed),
        _ => None,
    }
}
