//! Workers: kept ahead of demand, given to a job each, and gone behind it.

use std::time::Duration;

use super::State;
use crate::dispatcher::message::{Action, Cause, Failure, Mode, TemplateId, WorkerId};
use crate::dispatcher::queue::Tenant;
use crate::events::StartCause;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Starting,
    Idle,
    Running,
    /// Its run is over and its program serves the handles that it returned.
    Retained,
    /// Killed, or its run is over: only its exit is outstanding.
    Ending,
}

#[derive(Clone, Debug)]
pub(super) struct Worker {
    pub(super) phase: Phase,
    pub(super) template: Option<TemplateId>,
    /// Whose program it runs, while it does.
    pub(super) tenant: Option<Tenant>,
    /// Its exit was seen.
    pub(super) gone: bool,
}

impl State {
    pub(super) fn retained(&mut self, now: Duration, worker: WorkerId) {
        if self.leave_place(now, worker, Phase::Retained) {
            self.starts.clear();
            self.forks.clear();
        }
    }

    pub(super) fn released(&mut self, now: Duration, worker: WorkerId, settled: bool) {
        if !self.leave_place(now, worker, Phase::Ending) {
            let retained = self.workers.get_mut(&worker).filter(|entry| entry.phase == Phase::Retained);
            let Some(entry) = retained else { return };
            entry.phase = Phase::Ending;
        }
        if self.workers.get(&worker).is_some_and(|entry| entry.gone) {
            self.workers.remove(&worker);
        }
        if settled {
            self.starts.clear();
            self.forks.clear();
        }
    }

    /// Frees the place of a worker whose run is over. `false` when it has none.
    fn leave_place(&mut self, now: Duration, worker: WorkerId, next: Phase) -> bool {
        let running = self.workers.get_mut(&worker).filter(|entry| entry.phase == Phase::Running);
        let Some(entry) = running else { return false };
        entry.phase = next;
        self.running -= 1;
        self.pace.tick(now);
        if let Some(tenant) = entry.tenant.take() {
            self.queue.ended(&tenant);
        }
        true
    }

    pub(super) fn forked(&mut self, worker: WorkerId) {
        if let Some(entry) = self.workers.get_mut(&worker).filter(|entry| entry.phase == Phase::Starting) {
            entry.phase = Phase::Idle;
            self.idle.push_back(worker);
        }
    }

    pub(super) fn fork_failed(
        &mut self,
        now: Duration,
        worker: WorkerId,
        failure: Failure,
        actions: &mut Vec<Action>,
    ) {
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

    pub(super) fn exited(
        &mut self,
        now: Duration,
        worker: WorkerId,
        text: String,
        actions: &mut Vec<Action>,
    ) {
        let Some(entry) = self.workers.get_mut(&worker) else { return };
        if std::mem::replace(&mut entry.gone, true) {
            return;
        }
        let (phase, template) = (entry.phase, entry.template);
        self.forget_at_template(template);
        match phase {
            Phase::Running | Phase::Retained => {}
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

    pub(super) fn assign(&mut self, actions: &mut Vec<Action>) {
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

    pub(super) fn replenish(&mut self, now: Duration, actions: &mut Vec<Action>) {
        let places = self.limits.max_workers - self.running;
        let demanded = self.queue.eligible().min(places);
        let wanted = demanded + self.spares();
        let at_hand = self.workers.values().filter(|worker| self.is_at_hand(worker)).count();
        let lacking = wanted.saturating_sub(at_hand);
        let lacks_template = self.warm && self.mode != Mode::Exec && self.current.is_none();
        if lacking == 0 && !lacks_template {
            return;
        }
        let causes = (at_hand..wanted)
            .map(|number| if number < demanded { StartCause::Demand } else { StartCause::Ahead });
        if self.mode == Mode::Exec {
            if self.retry_at(now).is_none() {
                for cause in causes {
                    let worker = self.add_worker(None);
                    actions.push(Action::Launch { worker, cause });
                }
            }
        } else if let Some(template) = self.current {
            if self.forks.waits_until(now).is_none() {
                for cause in causes {
                    let worker = self.add_worker(Some(template));
                    actions.push(Action::Fork { template, worker, cause });
                }
            }
        } else if self.incoming.is_none() && self.retry_at(now).is_none() {
            self.start_template(now, actions);
        }
    }

    /// Whether that worker counts as ready or about to be. One that idles behind a template on its way out serves
    /// while there is no other, but is to be replaced.
    pub(super) fn is_at_hand(&self, worker: &Worker) -> bool {
        match worker.phase {
            Phase::Starting => true,
            Phase::Idle => self.is_fresh(worker),
            Phase::Running | Phase::Retained | Phase::Ending => false,
        }
    }

    pub(super) fn is_fresh(&self, worker: &Worker) -> bool {
        worker.template.is_none_or(|id| self.templates.get(&id).is_some_and(|template| !template.retiring))
    }

    /// Kills idle workers that are not to be kept: what was made for requests that were given up, all of them while
    /// memory is short, and those of templates on their way out once the new one's have taken their place.
    pub(super) fn trim(&mut self, actions: &mut Vec<Action>) {
        let keep = self.spares();
        let is_fresh =
            |state: &Self, id: &WorkerId| state.workers.get(id).is_some_and(|worker| state.is_fresh(worker));
        let fresh = self.idle.iter().filter(|id| is_fresh(self, id)).count();
        if fresh < keep || (fresh == keep && fresh == self.idle.len()) {
            return;
        }
        let idle = std::mem::take(&mut self.idle);
        for worker in idle {
            if self.idle.len() < keep && is_fresh(self, &worker) {
                self.idle.push_back(worker);
            } else {
                self.kill(worker, actions);
            }
        }
    }

    pub(super) fn add_worker(&mut self, template: Option<TemplateId>) -> WorkerId {
        let id = self.next_number();
        self.workers.insert(id, Worker { phase: Phase::Starting, template, tenant: None, gone: false });
        if let Some(template) = template.and_then(|id| self.templates.get_mut(&id)) {
            template.forks += 1;
            template.live += 1;
        }
        id
    }

    pub(super) fn kill(&mut self, worker: WorkerId, actions: &mut Vec<Action>) {
        if let Some(entry) = self.workers.get_mut(&worker) {
            entry.phase = Phase::Ending;
            actions.push(Action::Kill(worker));
        }
    }

    /// A worker ended that served nobody. Once is an accident; again and again is a reason to slow down, and then
    /// to tell those who wait.
    pub(super) fn unused_death(
        &mut self,
        now: Duration,
        worker: WorkerId,
        failure: Failure,
        actions: &mut Vec<Action>,
    ) {
        self.forks.fail(now, failure);
        self.failed_start = worker;
        if self.forks.is_hopeless() && self.idle.is_empty() && !self.any_starting() {
            self.refuse_all(now, actions);
        }
    }

    pub(super) fn any_starting(&self) -> bool {
        self.workers.values().any(|worker| worker.phase == Phase::Starting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatcher::message::{Event, Limits};
    use crate::dispatcher::queue::Shares;

    #[test]
    fn workers_made_for_requests_that_were_given_up_do_not_stay() {
        let limits = Limits {
            max_workers: 3,
            spares: 1,
            queue_limit: 9,
            template_forks: 100,
            template_age: Duration::from_secs(60),
        };
        let mut state = State::new(limits, Shares::default(), Mode::Exec);
        let mut launched = Vec::new();
        let mut apply = |event| {
            let actions = state.apply(Duration::ZERO, event);
            launched.extend(actions.iter().filter_map(|action| match action {
                Action::Launch { worker, .. } => Some(*worker),
                _ => None,
            }));
            let killed = actions.iter().filter(|action| matches!(action, Action::Kill(_))).count();
            (launched.clone(), killed)
        };
        for job in 1..=3 {
            apply(Event::Submit { job, tenant: "".into() });
        }
        for job in 1..=3 {
            apply(Event::Cancel(job));
        }
        let (launched, _) = apply(Event::Tick);
        assert_eq!(launched.len(), 4, "one for each request and one ahead");
        let killed: Vec<_> = launched.into_iter().map(|worker| apply(Event::Forked(worker)).1).collect();
        assert_eq!(killed, [0, 1, 1, 1]);
        assert_eq!(state.counts().idle, 1);
    }
}
