//! The dispatcher as a pure state machine: an event in, actions out.
//!
//! It knows places, the queue, workers and templates by number only, awaits nothing and reads no clock: callers
//! pass `now`, counted from the start of the pool. Whoever applies an event carries its actions out.

mod admission;
mod templates;
mod workers;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::backoff::Backoff;
use super::message::{Action, Counts, Event, Limits, Mode, Refusal, TemplateId, WorkerId};
use super::pace::Pace;
use super::queue::{Queue, Shares};
use templates::Template;
use workers::{Phase, Worker};

/// The state machine.
#[derive(Debug)]
pub(crate) struct State {
    limits: Limits,
    mode: Mode,
    /// Somebody asked: spares are kept.
    warm: bool,
    disposed: bool,
    /// The machine's memory is short: nothing is kept ahead of demand.
    pressed: bool,
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
            pressed: false,
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
            Event::Retained(worker) => self.retained(now, worker),
            Event::Released { worker, settled } => self.released(now, worker, settled),
            Event::TemplateReady { template, can_fork } => self.template_ready(now, template, can_fork),
            Event::TemplateFailed { template, failure } => {
                self.template_failed(now, template, failure, &mut actions);
            }
            Event::TemplateGone(template) => self.template_gone(now, template, &mut actions),
            Event::Forked(worker) => self.forked(worker),
            Event::ForkFailed { worker, failure } => self.fork_failed(now, worker, failure, &mut actions),
            Event::Exited { worker, text } => self.exited(now, worker, text, &mut actions),
            Event::Pressure(pressed) => self.pressed = pressed,
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
            retained: of(Phase::Retained),
            idle: self.idle.len(),
            starting: of(Phase::Starting),
            ending: of(Phase::Ending),
            queued: self.queue.len(),
            templates: self.templates.len(),
        }
    }

    /// Whether no program runs.
    pub(crate) fn is_drained(&self) -> bool {
        self.running == 0
    }

    /// Whether everything is there that is kept ahead of demand.
    pub(crate) fn is_warm(&self) -> bool {
        (self.mode == Mode::Exec || self.current.is_some()) && self.idle.len() + self.running >= self.spares()
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

    /// Workers to keep ahead of demand.
    fn spares(&self) -> usize {
        if self.warm && !self.pressed { self.limits.spares } else { 0 }
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

    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }
}
