//! Carrying out what the dispatcher decides, as far as the lock is needed for it.

use std::sync::Arc;

use super::{Inner, Order, Shared, ThreadState};
use crate::dispatcher::message::{Action, Cause, Event, Failure};
use crate::events::PoolEvent;
use crate::supervisor::followup::{Followup, fault_of};
use crate::supervisor::thread;

impl Shared {
    pub(super) fn apply_locked<'a>(self: &'a Arc<Self>, inner: &mut Inner, event: Event) -> Followup<'a> {
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
                Action::Fork { template, worker, cause } => {
                    followup.forks.push((template, worker));
                    followup.events.push(PoolEvent::WorkerStarting { worker, forked: true, cause });
                }
                Action::Kill(worker) => followup.killed.extend(inner.idle.remove(&worker)),
                Action::StartTemplate(template) => {
                    inner.orders.push(Order::StartTemplate(template));
                    followup.events.push(PoolEvent::TemplateStarting { template });
                }
                Action::CloseTemplate(template) => {
                    inner.orders.push(Order::CloseTemplate(template));
                    followup.events.push(PoolEvent::TemplateEnded { template, retired: true });
                }
                Action::Launch { worker, cause } => {
                    inner.orders.push(Order::Launch(worker));
                    followup.events.push(PoolEvent::WorkerStarting { worker, forked: false, cause });
                }
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
    pub(super) fn fail_orders(
        self: &Arc<Self>,
        inner: &mut Inner,
        error: &std::io::Error,
        followup: &mut Followup<'_>,
    ) {
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
        Event::Pressure(short) => Some(PoolEvent::MemoryPressure { short: *short }),
        Event::Dispose => Some(PoolEvent::Disposed),
        _ => None,
    }
}
