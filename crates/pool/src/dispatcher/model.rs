//! The state machine against a model of the world around it.
//!
//! The world starts what it is told to start, lets it fail or die at random, and keeps its own books. Whatever
//! the order of events, the promises below hold after each one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use super::message::{Action, Cause, Event, Failure, JobId, Limits, Mode, Refusal, TemplateId, WorkerId};
use super::queue::{Shares, Tenant};
use super::state::State;
use crate::events::StartCause;

/// What the test does next; numbers pick among what there is.
#[derive(Clone, Debug)]
enum Step {
    Submit(usize),
    CancelWaiting(usize),
    Retain(usize),
    EndRun { which: usize, settled: bool },
    TemplateUp { which: usize, can_fork: bool },
    TemplateFails(usize),
    TemplateDies(usize),
    WorkerUp(usize),
    WorkerFails(usize),
    WorkerDies(usize),
    Pass(u64),
    Press(bool),
    WarmUp,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let which = 0usize..8;
    let step = prop_oneof![
        6 => (0usize..3).prop_map(Step::Submit),
        1 => which.clone().prop_map(Step::CancelWaiting),
        6 => (which.clone(), any::<bool>()).prop_map(|(which, settled)| Step::EndRun { which, settled }),
        2 => which.clone().prop_map(Step::Retain),
        4 => (which.clone(), proptest::bool::weighted(0.95))
            .prop_map(|(which, can_fork)| Step::TemplateUp { which, can_fork }),
        1 => which.clone().prop_map(Step::TemplateFails),
        1 => which.clone().prop_map(Step::TemplateDies),
        8 => which.clone().prop_map(Step::WorkerUp),
        1 => which.clone().prop_map(Step::WorkerFails),
        4 => which.prop_map(Step::WorkerDies),
        3 => (0u64..3_000).prop_map(Step::Pass),
        1 => any::<bool>().prop_map(Step::Press),
        1 => Just(Step::WarmUp),
    ];
    proptest::collection::vec(step, 1..120)
}

fn shares() -> impl Strategy<Value = Shares> {
    let limit = || proptest::option::of(1usize..3);
    (limit(), limit(), 1u32..4).prop_map(|(running_limit, queue_limit, weight)| Shares {
        running_limit,
        queue_limit,
        weights: [("b".to_owned(), weight)].into(),
    })
}

fn limits() -> impl Strategy<Value = Limits> {
    (1usize..4, 0usize..4, 0usize..4, 1u32..12).prop_map(
        |(max_workers, spares, queue_limit, template_forks)| Limits {
            max_workers,
            spares,
            queue_limit,
            template_forks,
            template_age: Duration::from_secs(20),
        },
    )
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Starting,
    Up,
    Running(usize),
    /// Its run is over and its program stays.
    Retained,
    /// Told to die, or its run is over.
    Doomed,
}

/// Whether somebody holds the worker, who is told of its end.
fn is_in_use(life: Life) -> bool {
    matches!(life, Life::Running(_) | Life::Retained)
}

/// The world.
struct World {
    limits: Limits,
    shares: Shares,
    state: State,
    now: Duration,
    pressed: bool,
    /// Requests that wait, oldest first.
    waiting: Vec<(JobId, usize)>,
    workers: BTreeMap<WorkerId, (Life, Option<TemplateId>)>,
    /// Templates, and whether they are up.
    templates: BTreeMap<TemplateId, bool>,
    answered: BTreeSet<JobId>,
    jobs: u64,
}

impl World {
    fn new(limits: Limits, shares: Shares, mode: Mode) -> Self {
        Self {
            limits,
            shares: shares.clone(),
            state: State::new(limits, shares, mode),
            now: Duration::ZERO,
            pressed: false,
            waiting: Vec::new(),
            workers: BTreeMap::new(),
            templates: BTreeMap::new(),
            answered: BTreeSet::new(),
            jobs: 0,
        }
    }

    fn apply(&mut self, event: Event) {
        let actions = self.state.apply(self.now, event);
        for action in actions {
            self.carry_out(action);
        }
        self.check();
    }

    fn carry_out(&mut self, action: Action) {
        match action {
            Action::Assign { job, worker } => {
                let at =
                    self.waiting.iter().position(|&(waiting, _)| waiting == job).expect("a job that waits");
                let (_, tenant) = self.waiting.remove(at);
                let earlier = self.waiting[..at].iter().any(|&(_, other)| other == tenant);
                assert!(!earlier, "the jobs of a tenant are served in order");
                let running = self.running_of(tenant);
                assert!(
                    self.shares.running_limit.is_none_or(|most| running < most),
                    "a tenant past its bound"
                );
                assert!(self.answered.insert(job), "a job is answered once");
                let (life, _) = self.workers.get_mut(&worker).expect("a worker that exists");
                assert_eq!(*life, Life::Up, "a worker serves one job, while it is there");
                *life = Life::Running(tenant);
            }
            Action::Refuse { job, refusal } => {
                self.waiting.retain(|&(waiting, _)| waiting != job);
                assert!(self.answered.insert(job), "a job is answered once");
                if let Refusal::QueueFull { retry_after, .. } = refusal {
                    assert!(!retry_after.is_zero(), "a time to come back");
                }
            }
            Action::StartTemplate(template) => {
                assert!(self.templates.values().all(|&up| up), "one template starts at a time");
                assert!(self.templates.insert(template, false).is_none());
            }
            Action::CloseTemplate(template) => {
                assert!(self.templates.remove(&template).is_some());
                let orphans = self.workers.values().filter(|(_, of)| *of == Some(template)).count();
                assert_eq!(orphans, 0, "a template is closed when its last worker is gone");
            }
            Action::Fork { template, worker, cause } => {
                assert!(cause == StartCause::Ahead || !self.waiting.is_empty(), "demand is a job that waits");
                assert_eq!(self.templates.get(&template), Some(&true), "a template that is up");
                assert!(self.workers.insert(worker, (Life::Starting, Some(template))).is_none());
            }
            Action::Launch { worker, cause } => {
                assert!(cause == StartCause::Ahead || !self.waiting.is_empty(), "demand is a job that waits");
                assert!(self.workers.insert(worker, (Life::Starting, None)).is_none());
            }
            Action::Kill(worker) => {
                let (life, _) = self.workers.get_mut(&worker).expect("a worker that exists");
                assert_eq!(*life, Life::Up, "only a worker that nobody uses is killed");
                *life = Life::Doomed;
            }
        }
    }

    fn running(&self) -> usize {
        self.workers.values().filter(|(life, _)| matches!(life, Life::Running(_))).count()
    }

    fn running_of(&self, tenant: usize) -> usize {
        self.workers.values().filter(|(life, _)| *life == Life::Running(tenant)).count()
    }

    /// Whether a request of the tenant could run if a worker were there.
    fn is_eligible(&self, tenant: usize) -> bool {
        self.shares.running_limit.is_none_or(|most| self.running_of(tenant) < most)
    }

    fn check(&self) {
        let counts = self.state.counts();
        assert_eq!(counts.queued, self.waiting.len());
        assert!(counts.running <= self.limits.max_workers, "{counts:?}");
        assert!(counts.queued <= self.limits.queue_limit + self.limits.max_workers, "{counts:?}");
        let up = self.workers.values().filter(|(life, _)| *life == Life::Up).count();
        assert_eq!(counts.idle, up, "{counts:?}");
        let retained = self.workers.values().filter(|(life, _)| *life == Life::Retained).count();
        assert_eq!((counts.running, counts.retained), (self.running(), retained), "{counts:?}");
        let starting = self.workers.values().filter(|(life, _)| *life == Life::Starting).count();
        assert_eq!(counts.starting, starting, "{counts:?}");
        assert!(starting <= self.limits.max_workers + self.limits.spares, "{counts:?}");
        let eligible = self.waiting.iter().any(|&(_, tenant)| self.is_eligible(tenant));
        let idle_and_waiting = counts.idle > 0 && eligible && counts.running < self.limits.max_workers;
        assert!(!idle_and_waiting, "a worker idles while a job waits: {counts:?}");
        assert!(!self.pressed || counts.idle == 0, "a worker idles while memory is short: {counts:?}");
    }

    fn pick<T: Copy>(which: usize, mut among: Vec<T>) -> Option<T> {
        if among.is_empty() { None } else { Some(among.swap_remove(which % among.len())) }
    }

    fn workers_where(&self, holds: impl Fn(Life) -> bool) -> Vec<WorkerId> {
        self.workers.iter().filter(|(_, (life, _))| holds(*life)).map(|(&id, _)| id).collect()
    }

    fn templates_where(&self, is_up: bool) -> Vec<TemplateId> {
        self.templates.iter().filter(|&(_, &up)| up == is_up).map(|(&id, _)| id).collect()
    }

    fn take(&mut self, step: Step) {
        let failure = |number: usize| Failure::new([Cause::Engine, Cause::Accident][number % 2], "failed");
        match step {
            Step::Submit(tenant) => {
                self.jobs += 1;
                self.waiting.push((self.jobs, tenant));
                self.apply_submit(self.jobs, tenant);
            }
            Step::CancelWaiting(which) => {
                if let Some((job, _)) = Self::pick(which, self.waiting.clone()) {
                    self.waiting.retain(|&(waiting, _)| waiting != job);
                    self.answered.insert(job);
                    self.apply(Event::Cancel(job));
                }
            }
            Step::Retain(which) => {
                let running = self.workers_where(|life| matches!(life, Life::Running(_)));
                if let Some(worker) = Self::pick(which, running) {
                    self.workers.get_mut(&worker).unwrap().0 = Life::Retained;
                    self.apply(Event::Retained(worker));
                }
            }
            Step::EndRun { which, settled } => {
                let running = self.workers_where(is_in_use);
                if let Some(worker) = Self::pick(which, running) {
                    self.workers.get_mut(&worker).unwrap().0 = Life::Doomed;
                    self.apply(Event::Released { worker, settled });
                }
            }
            Step::TemplateUp { which, can_fork } => {
                if let Some(template) = Self::pick(which, self.templates_where(false)) {
                    self.templates.insert(template, true);
                    self.apply(Event::TemplateReady { template, can_fork });
                }
            }
            Step::TemplateFails(which) => {
                if let Some(template) = Self::pick(which, self.templates_where(false)) {
                    self.templates.remove(&template);
                    self.apply(Event::TemplateFailed { template, failure: failure(which) });
                }
            }
            Step::TemplateDies(which) => {
                if let Some(template) = Self::pick(which, self.templates_where(true)) {
                    self.templates.remove(&template);
                    // A run whose worker died is still to be told so by its own channel.
                    self.workers.retain(|_, (life, of)| *of != Some(template) || is_in_use(*life));
                    self.apply(Event::TemplateGone(template));
                }
            }
            Step::WorkerUp(which) => {
                if let Some(worker) = Self::pick(which, self.workers_where(|life| life == Life::Starting)) {
                    self.workers.get_mut(&worker).unwrap().0 = Life::Up;
                    self.apply(Event::Forked(worker));
                }
            }
            Step::WorkerFails(which) => {
                if let Some(worker) = Self::pick(which, self.workers_where(|life| life == Life::Starting)) {
                    self.workers.remove(&worker);
                    self.apply(Event::ForkFailed { worker, failure: failure(which) });
                }
            }
            Step::WorkerDies(which) => {
                let mortal = self.workers_where(|life| matches!(life, Life::Up | Life::Doomed));
                if let Some(worker) = Self::pick(which, mortal) {
                    self.workers.remove(&worker);
                    self.apply(Event::Exited { worker, text: "died".to_owned() });
                }
            }
            Step::Pass(millis) => {
                self.now += Duration::from_millis(millis);
                self.apply(Event::Tick);
            }
            Step::Press(pressed) => {
                self.pressed = pressed;
                self.apply(Event::Pressure(pressed));
            }
            Step::WarmUp => self.apply(Event::WarmUp),
        }
    }

    fn apply_submit(&mut self, job: JobId, tenant: usize) {
        // The book has the job in its queue already; the promise about the bounds is on those before it.
        let before = self.waiting.len() - 1;
        let before_of = self.waiting.iter().filter(|&&(_, other)| other == tenant).count() - 1;
        let places = self.limits.max_workers - self.running();
        let own_places = self.shares.running_limit.map_or(0, |most| most - self.running_of(tenant).min(most));
        let full = before >= self.limits.queue_limit + places
            || self.shares.queue_limit.is_some_and(|limit| before_of > 0 && before_of >= limit + own_places);
        let name = Tenant::from(["a", "b", "c"][tenant]);
        let actions = self.state.apply(self.now, Event::Submit { job, tenant: name });
        let refused = actions.iter().any(
            |action| matches!(action, Action::Refuse { job: other, refusal: Refusal::QueueFull { .. } } if *other == job),
        );
        let failing = actions.iter().any(|action| matches!(action, Action::Refuse { .. })) && !refused;
        assert!(
            refused == full || failing,
            "refused {refused}, full {full}, {before} before, {before_of} its own"
        );
        for action in actions {
            self.carry_out(action);
        }
        self.check();
    }

    /// From here on everything works: nobody is left waiting.
    fn run_out(&mut self) {
        for _ in 0..10_000 {
            if let Some(template) = Self::pick(0, self.templates_where(false)) {
                self.take_up(template);
            } else if let Some(worker) = Self::pick(0, self.workers_where(|life| life == Life::Starting)) {
                self.workers.get_mut(&worker).unwrap().0 = Life::Up;
                self.apply(Event::Forked(worker));
            } else if let Some(worker) = Self::pick(0, self.workers_where(is_in_use)) {
                self.workers.get_mut(&worker).unwrap().0 = Life::Doomed;
                self.apply(Event::Released { worker, settled: true });
            } else if let Some(worker) = Self::pick(0, self.workers_where(|life| life == Life::Doomed)) {
                self.workers.remove(&worker);
                self.apply(Event::Exited { worker, text: "over".to_owned() });
            } else if self.waiting.is_empty() {
                return;
            } else {
                let tick = self.state.next_tick(self.now).expect("what waits has a next try");
                self.now = self.now.max(tick) + Duration::from_millis(1);
                self.apply(Event::Tick);
            }
        }
        panic!("jobs wait although everything works: {:?}", self.state);
    }

    fn take_up(&mut self, template: TemplateId) {
        self.templates.insert(template, true);
        self.apply(Event::TemplateReady { template, can_fork: true });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn promises_hold_in_every_order(
        limits in limits(),
        shares in shares(),
        mode in prop_oneof![4 => Just(Mode::Auto), 1 => Just(Mode::Fork), 1 => Just(Mode::Exec)],
        steps in steps(),
        disposed in any::<bool>(),
    ) {
        let mut world = World::new(limits, shares, mode);
        for step in steps {
            world.take(step);
        }
        if disposed {
            world.apply(Event::Dispose);
            prop_assert!(world.waiting.is_empty());
            prop_assert!(world.workers_where(|life| life == Life::Up).is_empty());
            let running = world.running();
            world.run_out_disposed();
            prop_assert!(running == 0 || world.state.is_drained());
            prop_assert_eq!(world.templates.values().filter(|&&up| up).count(), 0);
        } else {
            world.run_out();
            prop_assert_eq!(world.answered.len() as u64, world.jobs);
            let counts = world.state.counts();
            prop_assert_eq!((counts.running, counts.queued, counts.ending), (0, 0, 0));
        }
    }
}

impl World {
    fn run_out_disposed(&mut self) {
        while let Some((&worker, &(life, _))) = self.workers.iter().next() {
            if is_in_use(life) {
                self.workers.get_mut(&worker).unwrap().0 = Life::Doomed;
                self.apply(Event::Released { worker, settled: true });
            }
            self.workers.remove(&worker);
            self.apply(Event::Exited { worker, text: "over".to_owned() });
        }
    }
}
