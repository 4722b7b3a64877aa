//! The dispatcher as a pure state machine: an event in, actions out.
//!
//! It knows places, the queue, workers and templates by number only, awaits nothing and reads no clock: callers
//! pass `now`, counted from the start of the pool. Whoever applies an event carries its actions out.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::backoff::Backoff;
use super::message::{
    Action, Cause, Counts, Event, Failure, JobId, Limits, Mode, Refusal, TemplateId, WorkerId,
};
use super::pace::Pace;
use super::queue::{Queue, Shares, Tenant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Starting,
    Idle,
    Running,
    /// Killed, or its run is over: only its exit is outstanding.
    Ending,
}

#[derive(Clone, Debug)]
struct Worker {
    phase: Phase,
    template: Option<TemplateId>,
    /// Whose program it runs, while it does.
    tenant: Option<Tenant>,
    /// Its exit was seen.
    gone: bool,
}

#[derive(Clone, Copy, Debug)]
struct Template {
    ready: bool,
    retiring: bool,
    born: Duration,
    forks: u32,
    /// Workers whose exit is outstanding.
    live: usize,
}

/// The state machine.
#[derive(Debug)]
pub(crate) struct State {
    limits: Limits,
    mode: Mode,
    /// Somebody asked: spares are kept.
    warm: bool,
    disposed: bool,
    queue: Queue,
    pace: Pace,
    workers: HashMap<WorkerId, Worker>,
    idle: VecDeque<WorkerId>,
    running: usize,
    templates: HashMap<TemplateId, Template>,
    current: Option<TemplateId>,
    incoming: Option<TemplateId>,
    /// Failures of templates and of workers started by themselves, which refuse callers at once.
    starts: Backoff,
    failed_start: u64,
    /// Failures of forked workers, which callers sit out for a while.
    forks: Backoff,
    last_number: u64,
}

impl State {
    pub(crate) fn new(limits: Limits, shares: Shares, mode: Mode) -> Self {
        Self {
            limits,
            mode,
            warm: false,
            disposed: false,
            queue: Queue::new(shares),
            pace: Pace::default(),
            workers: HashMap::new(),
            idle: VecDeque::new(),
            running: 0,
            templates: HashMap::new(),
            current: None,
            incoming: None,
            starts: Backoff::default(),
            failed_start: 0,
            forks: Backoff::default(),
            last_number: 0,
        }
    }

    /// Applies one event.
    pub(crate) fn apply(&mut self, now: Duration, event: Event) -> Vec<Action> {
        let mut actions = Vec::new();
        match event {
            Event::Submit { job, tenant } => self.submit(now, job, tenant, &mut actions),
            Event::Cancel(job) => self.queue.remove(job),
            Event::WarmUp => self.warm = true,
            Event::Released { worker, settled } => self.released(now, worker, settled),
            Event::TemplateReady { template, can_fork } => self.template_ready(now, template, can_fork),
            Event::TemplateFailed { template, failure } => {
                self.template_failed(now, template, failure, &mut actions);
            }
            Event::TemplateGone(template) => self.template_gone(now, template, &mut actions),
            Event::Forked(worker) => self.forked(worker),
            Event::ForkFailed { worker, failure } => self.fork_failed(now, worker, failure, &mut actions),
            Event::Exited { worker, text } => self.exited(now, worker, text, &mut actions),
            Event::Tick => {}
            Event::Dispose => self.dispose(&mut actions),
        }
        self.settle(now, &mut actions);
        actions
    }

    /// When a `Tick` is due, if nothing else happens before.
    pub(crate) fn next_tick(&self, now: Duration) -> Option<Duration> {
        if self.disposed {
            return None;
        }
        let retry = self.retry_at(now).filter(|_| self.warm);
        let current = self.current.and_then(|id| self.templates.get(&id)).filter(|_| self.incoming.is_none());
        let age = current.map(|template| template.born + self.limits.template_age);
        // Past its age, a template waits for the next try of a renewal that failed.
        let age = age.map(|age| age.max(self.starts.waits_until(now).unwrap_or(age)));
        [age, retry].into_iter().flatten().min()
    }

    pub(crate) fn counts(&self) -> Counts {
        let of = |phase| self.workers.values().filter(|worker| worker.phase == phase).count();
        Counts {
            running: self.running,
            idle: self.idle.len(),
            starting: of(Phase::Starting),
            ending: of(Phase::Ending),
            queued: self.queue.len(),
            templates: self.templates.len(),
        }
    }

    /// Whether that template is among those that are starting or up.
    pub(crate) fn knows_template(&self, template: TemplateId) -> bool {
        self.templates.contains_key(&template)
    }

    /// Whether no program runs.
    pub(crate) fn is_drained(&self) -> bool {
        self.running == 0
    }

    /// Whether everything is there that is kept ahead of demand.
    pub(crate) fn is_warm(&self) -> bool {
        (self.mode == Mode::Exec || self.current.is_some())
            && self.idle.len() + self.running >= self.limits.spares
    }

    /// What a request would meet now, when starts fail.
    pub(crate) fn failing(&self, now: Duration) -> Option<Refusal> {
        (self.starts.is_hopeless() || self.forks.is_hopeless()).then(|| self.start_refusal(now))
    }

    fn submit(&mut self, now: Duration, job: JobId, tenant: Tenant, actions: &mut Vec<Action>) {
        self.warm = true;
        let places = self.limits.max_workers.saturating_sub(self.running);
        if self.disposed {
            actions.push(Action::Refuse { job, refusal: Refusal::ShuttingDown });
        } else if self.starts.is_hopeless()
            && self.starts.waits_until(now).is_some()
            && self.current.is_none()
            && self.idle.is_empty()
        {
            actions.push(Action::Refuse { job, refusal: self.start_refusal(now) });
        } else if self.queue.len() >= places + self.limits.queue_limit {
            let limit = self.limits.queue_limit;
            actions.push(Action::Refuse { job, refusal: self.full(limit) });
        } else if let Some(limit) = self.queue.full_for(&tenant) {
            actions.push(Action::Refuse { job, refusal: self.full(limit) });
        } else {
            self.queue.push(tenant, job);
        }
    }

    fn full(&self, limit: usize) -> Refusal {
        Refusal::QueueFull { limit, retry_after: self.pace.time_for(self.queue.len().div_ceil(2)) }
    }

    fn released(&mut self, now: Duration, worker: WorkerId, settled: bool) {
        let Some(entry) = self.workers.get_mut(&worker).filter(|entry| entry.phase == Phase::Running) else {
            return;
        };
        entry.phase = Phase::Ending;
        self.running -= 1;
        self.pace.tick(now);
        if let Some(tenant) = entry.tenant.take() {
            self.queue.ended(&tenant);
        }
        if entry.gone {
            self.workers.remove(&worker);
        }
        if settled {
            self.starts.clear();
            self.forks.clear();
        }
    }

    fn template_ready(&mut self, now: Duration, template: TemplateId, can_fork: bool) {
        let Some(entry) = self.templates.get_mut(&template) else { return };
        entry.ready = true;
        entry.born = now;
        self.incoming = self.incoming.filter(|&id| id != template);
        if !can_fork {
            // The driver refuses such a template where forking is demanded.
            self.mode = Mode::Exec;
            entry.retiring = true;
            return;
        }
        if let Some(old) = self.current.replace(template).and_then(|old| self.templates.get_mut(&old)) {
            old.retiring = true;
        }
    }

    fn template_failed(
        &mut self,
        now: Duration,
        template: TemplateId,
        failure: Failure,
        actions: &mut Vec<Action>,
    ) {
        if self.templates.remove(&template).is_none() {
            return;
        }
        self.incoming = self.incoming.filter(|&id| id != template);
        self.starts.fail(now, failure);
        self.failed_start = template;
        // With a template that still forks the failed one is only a missed renewal.
        if self.current.is_none() && self.starts.is_hopeless() {
            self.refuse_all(now, actions);
        }
    }

    fn template_gone(&mut self, now: Duration, template: TemplateId, actions: &mut Vec<Action>) {
        let Some(entry) = self.templates.remove(&template) else { return };
        self.incoming = self.incoming.filter(|&id| id != template);
        self.current = self.current.filter(|&id| id != template);
        for worker in self.workers.values_mut().filter(|worker| worker.template == Some(template)) {
            worker.gone = true;
        }
        self.workers.retain(|_, worker| !worker.gone || worker.phase == Phase::Running);
        self.idle.retain(|worker| self.workers.contains_key(worker));
        if !entry.retiring {
            self.unused_death(now, template, Failure::new(Cause::Accident, "The template died."), actions);
        }
    }

    fn forked(&mut self, worker: WorkerId) {
        if let Some(entry) = self.workers.get_mut(&worker).filter(|entry| entry.phase == Phase::Starting) {
            entry.phase = Phase::Idle;
            self.idle.push_back(worker);
        }
    }

    fn fork_failed(&mut self, now: Duration, worker: WorkerId, failure: Failure, actions: &mut Vec<Action>) {
        let Some(entry) = self.workers.remove(&worker) else { return };
        self.forget_at_template(entry.template);
        if entry.template.is_none() {
            self.starts.fail(now, failure);
            self.failed_start = worker;
            if self.starts.is_hopeless() && self.idle.is_empty() && !self.any_starting() {
                self.refuse_all(now, actions);
            }
        } else {
            self.unused_death(now, worker, failure, actions);
        }
    }

    fn exited(&mut self, now: Duration, worker: WorkerId, text: String, actions: &mut Vec<Action>) {
        let Some(entry) = self.workers.get_mut(&worker) else { return };
        if std::mem::replace(&mut entry.gone, true) {
            return;
        }
        let (phase, template) = (entry.phase, entry.template);
        self.forget_at_template(template);
        match phase {
            Phase::Running => {}
            Phase::Ending => {
                self.workers.remove(&worker);
            }
            Phase::Starting | Phase::Idle => {
                self.workers.remove(&worker);
                self.idle.retain(|&idle| idle != worker);
                self.unused_death(now, worker, Failure::new(Cause::Accident, text), actions);
            }
        }
    }

    fn dispose(&mut self, actions: &mut Vec<Action>) {
        self.disposed = true;
        for job in self.queue.drain() {
            actions.push(Action::Refuse { job, refusal: Refusal::ShuttingDown });
        }
        for worker in std::mem::take(&mut self.idle) {
            self.kill(worker, actions);
        }
        for template in self.templates.values_mut() {
            template.retiring = true;
        }
        self.current = None;
    }

    /// Brings what is there in line with what is wanted.
    fn settle(&mut self, now: Duration, actions: &mut Vec<Action>) {
        if !self.disposed {
            self.assign(actions);
            self.replenish(now, actions);
            self.renew(now, actions);
            self.trim(actions);
        }
        self.close(actions);
    }

    fn assign(&mut self, actions: &mut Vec<Action>) {
        while self.running < self.limits.max_workers && !self.idle.is_empty() {
            let Some((tenant, job)) = self.queue.pop() else { return };
            let worker = self.idle.pop_front().expect("a worker idles");
            let entry = self.workers.get_mut(&worker).expect("an idle worker is known");
            entry.phase = Phase::Running;
            entry.tenant = Some(tenant);
            self.running += 1;
            actions.push(Action::Assign { job, worker });
        }
    }

    fn replenish(&mut self, now: Duration, actions: &mut Vec<Action>) {
        let places = self.limits.max_workers - self.running;
        let spares = if self.warm { self.limits.spares } else { 0 };
        let wanted = self.queue.eligible().min(places) + spares;
        let at_hand = self.workers.values().filter(|worker| self.is_at_hand(worker)).count();
        let lacking = wanted.saturating_sub(at_hand);
        let lacks_template = self.warm && self.mode != Mode::Exec && self.current.is_none();
        if lacking == 0 && !lacks_template {
            return;
        }
        if self.mode == Mode::Exec {
            if self.retry_at(now).is_none() {
                for _ in 0..lacking {
                    let worker = self.add_worker(None);
                    actions.push(Action::Launch(worker));
                }
            }
        } else if let Some(template) = self.current {
            if self.forks.waits_until(now).is_none() {
                for _ in 0..lacking {
                    let worker = self.add_worker(Some(template));
                    actions.push(Action::Fork { template, worker });
                }
            }
        } else if self.incoming.is_none() && self.retry_at(now).is_none() {
            self.start_template(now, actions);
        }
    }

    /// Whether that worker counts as ready or about to be. One that idles behind a template on its way out serves
    /// while there is no other, but is to be replaced.
    fn is_at_hand(&self, worker: &Worker) -> bool {
        match worker.phase {
            Phase::Starting => true,
            Phase::Idle => self.is_fresh(worker),
            Phase::Running | Phase::Ending => false,
        }
    }

    fn is_fresh(&self, worker: &Worker) -> bool {
        worker.template.is_none_or(|id| self.templates.get(&id).is_some_and(|template| !template.retiring))
    }

    fn renew(&mut self, now: Duration, actions: &mut Vec<Action>) {
        let Some(current) = self.current.and_then(|id| self.templates.get(&id)) else { return };
        // The spares a template begins with do not wear it: or one renewal would be the reason for the next.
        let begins_with = u32::try_from(self.limits.spares).unwrap_or(u32::MAX);
        let worn = current.forks >= self.limits.template_forks.saturating_add(begins_with);
        let old = now >= current.born + self.limits.template_age;
        if (worn || old) && self.incoming.is_none() && self.starts.waits_until(now).is_none() {
            self.start_template(now, actions);
        }
    }

    /// Kills idle workers of templates on their way out once the new one's have taken their place.
    fn trim(&mut self, actions: &mut Vec<Action>) {
        let is_fresh =
            |state: &Self, id: &WorkerId| state.workers.get(id).is_some_and(|worker| state.is_fresh(worker));
        let fresh = self.idle.iter().filter(|id| is_fresh(self, id)).count();
        if fresh >= self.limits.spares && fresh < self.idle.len() {
            let idle = std::mem::take(&mut self.idle);
            let (keep, old): (VecDeque<_>, VecDeque<_>) = idle.into_iter().partition(|id| is_fresh(self, id));
            self.idle = keep;
            for worker in old {
                self.kill(worker, actions);
            }
        }
    }

    fn close(&mut self, actions: &mut Vec<Action>) {
        let done = |template: &Template| template.ready && template.retiring && template.live == 0;
        let mut closed: Vec<_> =
            self.templates.iter().filter(|(_, template)| done(template)).map(|(&id, _)| id).collect();
        closed.sort_unstable();
        for id in closed {
            self.templates.remove(&id);
            actions.push(Action::CloseTemplate(id));
        }
    }

    fn start_template(&mut self, now: Duration, actions: &mut Vec<Action>) {
        let id = self.next_number();
        let template = Template { ready: false, retiring: false, born: now, forks: 0, live: 0 };
        self.templates.insert(id, template);
        self.incoming = Some(id);
        actions.push(Action::StartTemplate(id));
    }

    fn add_worker(&mut self, template: Option<TemplateId>) -> WorkerId {
        let id = self.next_number();
        self.workers.insert(id, Worker { phase: Phase::Starting, template, tenant: None, gone: false });
        if let Some(template) = template.and_then(|id| self.templates.get_mut(&id)) {
            template.forks += 1;
            template.live += 1;
        }
        id
    }

    fn kill(&mut self, worker: WorkerId, actions: &mut Vec<Action>) {
        if let Some(entry) = self.workers.get_mut(&worker) {
            entry.phase = Phase::Ending;
            actions.push(Action::Kill(worker));
        }
    }

    fn forget_at_template(&mut self, template: Option<TemplateId>) {
        if let Some(template) = template.and_then(|id| self.templates.get_mut(&id)) {
            template.live -= 1;
        }
    }

    /// A worker ended that served nobody. Once is an accident; again and again is a reason to slow down, and then
    /// to tell those who wait.
    fn unused_death(&mut self, now: Duration, worker: WorkerId, failure: Failure, actions: &mut Vec<Action>) {
        self.forks.fail(now, failure);
        self.failed_start = worker;
        if self.forks.is_hopeless() && self.idle.is_empty() && !self.any_starting() {
            self.refuse_all(now, actions);
        }
    }

    fn refuse_all(&mut self, now: Duration, actions: &mut Vec<Action>) {
        let refusal = self.start_refusal(now);
        for job in self.queue.drain() {
            actions.push(Action::Refuse { job, refusal: refusal.clone() });
        }
    }

    fn start_refusal(&self, now: Duration) -> Refusal {
        let until = self.retry_at(now).unwrap_or(now);
        let failure = self.starts.last().or(self.forks.last()).cloned();
        let failure = failure.unwrap_or_else(|| Failure::new(Cause::Accident, "It is not known why."));
        Refusal::Start { number: self.failed_start, failure, retry_after: until - now }
    }

    /// When something may be started again, while that lies ahead.
    fn retry_at(&self, now: Duration) -> Option<Duration> {
        self.starts.waits_until(now).max(self.forks.waits_until(now))
    }

    fn any_starting(&self) -> bool {
        self.workers.values().any(|worker| worker.phase == Phase::Starting)
    }

    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }
}
