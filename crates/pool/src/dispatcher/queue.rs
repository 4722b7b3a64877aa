//! [`Queue`]: requests that wait, fairly by tenant.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::message::JobId;

/// Who a request is for. Requests without a name share the empty one.
pub(crate) type Tenant = Arc<str>;

/// Bounds and weights of tenants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares {
    /// Programs of one tenant that may run at the same time.
    pub(crate) running_limit: Option<usize>,
    /// Requests of one tenant that may wait beyond the places it may take.
    pub(crate) queue_limit: Option<usize>,
    /// Turns a tenant gets in a round, for those that get more than one.
    pub(crate) weights: BTreeMap<String, u32>,
}

/// What a tenant has in the pool.
#[derive(Debug, Default)]
struct Lane {
    waiting: VecDeque<JobId>,
    running: usize,
    /// Turns left in this round.
    turns: u32,
}

/// Requests that wait. Tenants take turns, each in the order of its own requests.
#[derive(Debug)]
pub(crate) struct Queue {
    shares: Shares,
    lanes: BTreeMap<Tenant, Lane>,
    /// Tenants with waiting requests, in the order of their turns.
    ring: VecDeque<Tenant>,
    waiting: usize,
}

impl Queue {
    pub(crate) fn new(shares: Shares) -> Self {
        Self { shares, lanes: BTreeMap::new(), ring: VecDeque::new(), waiting: 0 }
    }

    /// Requests that wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting
    }

    /// Whether the tenant is at its own bound, which is the answer's.
    pub(crate) fn full_for(&self, tenant: &Tenant) -> Option<usize> {
        let limit = self.shares.queue_limit?;
        let lane = self.lanes.get(tenant)?;
        let places = self.shares.running_limit.map_or(0, |most| most.saturating_sub(lane.running));
        (lane.waiting.len() >= limit.saturating_add(places)).then_some(limit)
    }

    /// Requests that could run if there were places.
    pub(crate) fn eligible(&self) -> usize {
        self.ring.iter().map(|tenant| self.eligible_of(tenant)).sum()
    }

    /// Puts a request at the end of its tenant's lane.
    pub(crate) fn push(&mut self, tenant: Tenant, job: JobId) {
        let weight = self.weight_of(&tenant);
        let lane = self.lanes.entry(Arc::clone(&tenant)).or_default();
        if lane.waiting.is_empty() {
            lane.turns = weight;
            self.ring.push_back(tenant);
        }
        lane.waiting.push_back(job);
        self.waiting += 1;
    }

    /// Takes the next request, which runs from now on.
    pub(crate) fn pop(&mut self) -> Option<(Tenant, JobId)> {
        let at = self.ring.iter().position(|tenant| self.eligible_of(tenant) > 0)?;
        let tenant = Arc::clone(&self.ring[at]);
        let weight = self.weight_of(&tenant);
        let lane = self.lanes.get_mut(&tenant).expect("a tenant of the ring has a lane");
        let job = lane.waiting.pop_front().expect("a tenant of the ring has requests that wait");
        lane.running += 1;
        lane.turns = lane.turns.saturating_sub(1);
        self.waiting -= 1;
        if lane.waiting.is_empty() {
            self.ring.remove(at);
        } else if lane.turns == 0 {
            lane.turns = weight;
            self.ring.remove(at);
            self.ring.push_back(Arc::clone(&tenant));
        }
        Some((tenant, job))
    }

    /// A run of the tenant is over.
    pub(crate) fn ended(&mut self, tenant: &Tenant) {
        if let Some(lane) = self.lanes.get_mut(tenant) {
            lane.running = lane.running.saturating_sub(1);
        }
        self.forget_if_gone(tenant);
    }

    /// Takes a request out that waits. Unknown ones are ignored.
    pub(crate) fn remove(&mut self, job: JobId) {
        let Some((tenant, lane)) = self.lanes.iter_mut().find(|(_, lane)| lane.waiting.contains(&job)) else {
            return;
        };
        lane.waiting.retain(|&waiting| waiting != job);
        self.waiting -= 1;
        if lane.waiting.is_empty() {
            let tenant = Arc::clone(tenant);
            self.ring.retain(|other| *other != tenant);
            self.forget_if_gone(&tenant);
        }
    }

    /// Takes all requests out, in the order in which they came.
    pub(crate) fn drain(&mut self) -> Vec<JobId> {
        let mut jobs: Vec<_> = self.lanes.values_mut().flat_map(|lane| lane.waiting.drain(..)).collect();
        jobs.sort_unstable();
        self.ring.clear();
        self.waiting = 0;
        self.lanes.retain(|_, lane| lane.running > 0);
        jobs
    }

    fn eligible_of(&self, tenant: &Tenant) -> usize {
        let Some(lane) = self.lanes.get(tenant) else { return 0 };
        let places = self.shares.running_limit.map_or(usize::MAX, |most| most.saturating_sub(lane.running));
        lane.waiting.len().min(places)
    }

    fn weight_of(&self, tenant: &Tenant) -> u32 {
        self.shares.weights.get(&**tenant).copied().unwrap_or(1).max(1)
    }

    fn forget_if_gone(&mut self, tenant: &Tenant) {
        if self.lanes.get(tenant).is_some_and(|lane| lane.running == 0 && lane.waiting.is_empty()) {
            self.lanes.remove(tenant);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(shares: Shares, jobs: &[(&str, JobId)]) -> Queue {
        let mut queue = Queue::new(shares);
        jobs.iter().for_each(|&(tenant, job)| queue.push(tenant.into(), job));
        queue
    }

    fn order(queue: &mut Queue) -> Vec<JobId> {
        std::iter::from_fn(|| queue.pop().map(|(_, job)| job)).collect()
    }

    #[test]
    fn one_tenant_is_served_in_order() {
        assert_eq!(order(&mut queue(Shares::default(), &[("", 1), ("", 2), ("", 3)])), [1, 2, 3]);
    }

    #[test]
    fn a_tenant_with_many_requests_does_not_hold_up_another() {
        let jobs = [("many", 1), ("many", 2), ("many", 3), ("many", 4), ("few", 5), ("few", 6)];
        assert_eq!(order(&mut queue(Shares::default(), &jobs)), [1, 5, 2, 6, 3, 4]);
    }

    #[test]
    fn weights_are_turns_in_a_round() {
        let shares = Shares { weights: [("heavy".to_owned(), 2)].into(), ..Shares::default() };
        let jobs = [("light", 1), ("heavy", 2), ("light", 3), ("heavy", 4), ("heavy", 5), ("heavy", 6)];
        assert_eq!(order(&mut queue(shares, &jobs)), [1, 2, 4, 3, 5, 6]);
    }

    #[test]
    fn a_tenant_at_its_bound_is_passed_over_until_a_run_ends() {
        let shares = Shares { running_limit: Some(1), queue_limit: Some(1), ..Shares::default() };
        let mut queue = queue(shares, &[("a", 1), ("a", 2), ("b", 3)]);
        assert_eq!(queue.eligible(), 2);
        assert_eq!(queue.full_for(&"a".into()), Some(1));
        assert_eq!(order(&mut queue), [1, 3]);
        assert_eq!((queue.len(), queue.eligible()), (1, 0));
        queue.ended(&"a".into());
        assert_eq!(order(&mut queue), [2]);
    }

    #[test]
    fn nothing_is_kept_of_a_tenant_that_has_nothing_here() {
        let mut queue = queue(Shares::default(), &[("a", 1), ("b", 2), ("c", 3)]);
        assert_eq!(queue.pop().unwrap().1, 1);
        queue.remove(2);
        queue.remove(99);
        assert_eq!(queue.drain(), [3]);
        queue.ended(&"a".into());
        assert!(queue.lanes.is_empty() && queue.ring.is_empty() && queue.len() == 0);
    }
}
