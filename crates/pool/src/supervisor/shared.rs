//! [`Shared`]: what runs and the pool's thread share, behind one short lock.

use std::collections::HashMap;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codemode_protocol::{Fault, Sentence};
use nix::sys::eventfd::{EfdFlags, EventFd};
use tokio::sync::{Notify, oneshot};

use super::{Lease, WorkerHandle, thread};
use crate::config::{PoolConfig, StartMode};
use crate::dispatcher::queue::{Shares, Tenant};
use crate::dispatcher::state::{
    Action, Counts, Event, Failure, JobId, Limits, Mode, Refusal, State, TemplateId, WorkerId,
};
use crate::ipc::control::{Born, ControlSocket, Exit, ToTemplate};
use crate::sys::socket;

/// What a waiting caller is told.
pub(crate) type Grant = Result<Lease, Fault>;

/// The state of a pool.
pub(crate) struct Shared {
    pub(crate) config: PoolConfig,
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

/// What is left to do once the lock is open. Callers are answered already.
#[must_use = "forks and refusals happen in `perform`"]
pub(crate) struct Followup<'a> {
    shared: &'a Arc<Shared>,
    forks: Vec<(TemplateId, WorkerId)>,
    killed: Vec<WorkerHandle>,
    answers: Vec<(oneshot::Sender<Grant>, Grant)>,
    wake: bool,
}

impl Shared {
    pub(crate) fn new(config: PoolConfig) -> std::io::Result<Arc<Self>> {
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
        let followup = self.apply_locked(&mut inner, Event::Exited { worker, text: describe(exit) });
        let gone = inner.idle.remove(&worker);
        drop(inner);
        drop(gone);
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
        let followup = self.apply_locked(&mut inner, Event::TemplateGone(template));
        drop(inner);
        drop(dropped);
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
        self.lock().state.failing(self.now()).map(|refusal| self.fault_of(refusal))
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

    fn apply_locked<'a>(self: &'a Arc<Self>, inner: &mut Inner, event: Event) -> Followup<'a> {
        let actions = inner.state.apply(self.now(), event);
        let mut followup = Followup {
            shared: self,
            forks: Vec::new(),
            killed: Vec::new(),
            answers: Vec::new(),
            wake: false,
        };
        for action in actions {
            match action {
                Action::Assign { job, worker } => {
                    if let Some(handle) = inner.idle.remove(&worker) {
                        let lease = Lease::new(handle, Arc::clone(self));
                        // Without a caller the lease is dropped outside the lock, and frees its place.
                        match inner.waiting.remove(&job) {
                            Some(caller) => followup.answers.push((caller, Ok(lease))),
                            None => followup.answers.push((oneshot::channel().0, Ok(lease))),
                        }
                    }
                }
                Action::Refuse { job, refusal } => {
                    let fault = self.fault_of(refusal);
                    if let Some(caller) = inner.waiting.remove(&job) {
                        followup.answers.push((caller, Err(fault)));
                    }
                }
                Action::Fork { template, worker } => followup.forks.push((template, worker)),
                Action::Kill(worker) => followup.killed.extend(inner.idle.remove(&worker)),
                Action::StartTemplate(template) => inner.orders.push(Order::StartTemplate(template)),
                Action::CloseTemplate(template) => inner.orders.push(Order::CloseTemplate(template)),
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
            let failure = Failure::of(format!("The pool's thread could not be started: {error}."));
            let event = match order {
                Order::StartTemplate(template) => Event::TemplateFailed { template, failure },
                Order::Launch(worker) => Event::ForkFailed { worker, failure },
                Order::CloseTemplate(_) => continue,
            };
            let mut more = self.apply_locked(inner, event);
            followup.answers.append(&mut more.answers);
        }
    }

    fn fault_of(&self, refusal: Refusal) -> Fault {
        match refusal {
            Refusal::QueueFull { limit, retry_after } => {
                Fault::from(Sentence::QueueFull { limit }).retry_after_ms(millis(retry_after))
            }
            Refusal::ShuttingDown => Sentence::PoolShuttingDown.into(),
            Refusal::Start { number, failure, retry_after } => {
                let sentence = if failure.setup {
                    Sentence::WorkerSetup
                } else {
                    Sentence::WorkerStartFailed { number }
                };
                let mut fault = Fault::from(sentence);
                fault.causes = failure.causes;
                if !failure.setup {
                    fault.retry_after_ms = Some(millis(retry_after));
                }
                fault
            }
        }
    }
}

impl Followup<'_> {
    /// Answers the callers whose turn it is.
    fn answer(&mut self) {
        for (caller, grant) in self.answers.drain(..) {
            // A caller that is gone drops its lease here, which frees the place.
            drop(caller.send(grant));
        }
    }

    /// Does what is left.
    pub(crate) fn perform(mut self) {
        self.answer();
        self.killed.clear();
        for (template, worker) in std::mem::take(&mut self.forks) {
            if let Err(error) = self.fork(template, worker) {
                let failure = Failure::of(format!("A worker could not be asked for: {error}."));
                self.shared.fork_failed(worker, failure).perform();
                // The next try is the thread's.
                self.wake = true;
            }
        }
        if self.wake {
            self.shared.wake_thread();
        }
        self.shared.changed.notify_waiters();
    }

    fn fork(&self, template: TemplateId, worker: WorkerId) -> std::io::Result<()> {
        let (host, channel) = socket::channel_pair()?;
        let mut inner = self.shared.lock();
        let Some(control) = inner.templates.get(&template).map(Arc::clone) else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        inner.starting.insert(worker, (Some(template), host));
        drop(inner);
        control.send(&ToTemplate::Fork { worker }, Some(channel.as_fd()))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// How a process ended, in words.
pub(crate) fn describe(exit: Exit) -> String {
    match (exit.code, exit.signal) {
        (_, Some(signal)) => match nix::sys::signal::Signal::try_from(signal) {
            Ok(name) => format!("signal {name}"),
            Err(_) => format!("signal {signal}"),
        },
        (Some(code), None) => format!("exit status {code}"),
        (None, None) => "an unknown end".to_owned(),
    }
}
