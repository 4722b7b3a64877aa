//! Templates: one current, one coming up, and old ones until their last worker is gone.

use std::time::Duration;

use super::State;
use super::workers::Phase;
use crate::dispatcher::message::{Action, Cause, Failure, Mode, TemplateId};

#[derive(Clone, Copy, Debug)]
pub(super) struct Template {
    pub(super) ready: bool,
    pub(super) retiring: bool,
    pub(super) born: Duration,
    pub(super) forks: u32,
    /// Workers whose exit is outstanding.
    pub(super) live: usize,
}

impl State {
    /// Whether that template is among those that are starting or up.
    pub(crate) fn knows_template(&self, template: TemplateId) -> bool {
        self.templates.contains_key(&template)
    }

    pub(super) fn template_ready(&mut self, now: Duration, template: TemplateId, can_fork: bool) {
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

    pub(super) fn template_failed(
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

    pub(super) fn template_gone(&mut self, now: Duration, template: TemplateId, actions: &mut Vec<Action>) {
        let Some(entry) = self.templates.remove(&template) else { return };
        self.incoming = self.incoming.filter(|&id| id != template);
        self.current = self.current.filter(|&id| id != template);
        for worker in self.workers.values_mut().filter(|worker| worker.template == Some(template)) {
            worker.gone = true;
        }
        self.workers
            .retain(|_, worker| !worker.gone || matches!(worker.phase, Phase::Running | Phase::Retained));
        self.idle.retain(|worker| self.workers.contains_key(worker));
        if !entry.retiring {
            self.unused_death(now, template, Failure::new(Cause::Accident, "The template died."), actions);
        }
    }

    pub(super) fn renew(&mut self, now: Duration, actions: &mut Vec<Action>) {
        let Some(current) = self.current.and_then(|id| self.templates.get(&id)) else { return };
        // The spares a template begins with do not wear it: or one renewal would be the reason for the next.
        let begins_with = u32::try_from(self.limits.spares).unwrap_or(u32::MAX);
        let worn = current.forks >= self.limits.template_forks.saturating_add(begins_with);
        let old = now >= current.born + self.limits.template_age;
        if (worn || old) && self.incoming.is_none() && self.starts.waits_until(now).is_none() {
            self.start_template(now, actions);
        }
    }

    pub(super) fn close(&mut self, actions: &mut Vec<Action>) {
        let done = |template: &Template| template.ready && template.retiring && template.live == 0;
        let mut closed: Vec<_> =
            self.templates.iter().filter(|(_, template)| done(template)).map(|(&id, _)| id).collect();
        closed.sort_unstable();
        for id in closed {
            self.templates.remove(&id);
            actions.push(Action::CloseTemplate(id));
        }
    }

    pub(super) fn start_template(&mut self, now: Duration, actions: &mut Vec<Action>) {
        let id = self.next_number();
        let template = Template { ready: false, retiring: false, born: now, forks: 0, live: 0 };
        self.templates.insert(id, template);
        self.incoming = Some(id);
        actions.push(Action::StartTemplate(id));
    }

    pub(super) fn forget_at_template(&mut self, template: Option<TemplateId>) {
        if let Some(template) = template.and_then(|id| self.templates.get_mut(&id)) {
            template.live -= 1;
        }
    }
}
