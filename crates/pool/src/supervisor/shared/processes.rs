//! What the pool's thread tells of processes, and what it asks about them.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use codemode_protocol::Sentence;
use tokio::sync::oneshot;

use super::{Alive, Order, Shared, ThreadState};
use crate::config::HARDENING;
use crate::dispatcher::message::{Event, Failure, TemplateId, WorkerId};
use crate::events::PoolEvent;
use crate::ipc::control::{Born, ControlSocket, Exit};
use crate::supervisor::followup::Followup;
use crate::supervisor::lease::WorkerHandle;

impl Shared {
    /// A template is up and can be asked for workers.
    pub(crate) fn template_ready(
        self: &Arc<Self>,
        template: TemplateId,
        control: Arc<ControlSocket>,
        can_fork: bool,
        capabilities: Vec<(String, String)>,
    ) -> Followup<'_> {
        self.warn_of_hardening(&capabilities);
        let mut inner = self.lock();
        inner.templates.insert(template, control);
        inner.capabilities = capabilities;
        self.apply_locked(&mut inner, Event::TemplateReady { template, can_fork })
    }

    /// What the last process that came up said about itself.
    pub(crate) fn set_capabilities(&self, capabilities: Vec<(String, String)>) {
        self.warn_of_hardening(&capabilities);
        self.lock().capabilities = capabilities;
    }

    /// Says once, and loudly, that workers have less hardening than there is.
    fn warn_of_hardening(&self, capabilities: &[(String, String)]) {
        let said = capabilities.iter().find(|(name, _)| name == HARDENING);
        let Some((_, says)) = said.filter(|(_, says)| !says.starts_with("on")) else { return };
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!("The hardening of workers is {says}.");
            self.observe(&PoolEvent::HardeningIncomplete { says: says.clone() });
        }
    }

    /// See [`Shared::set_capabilities`].
    pub(crate) fn capabilities(&self) -> Vec<(String, String)> {
        let mut said = self.lock().capabilities.clone();
        if let (false, Some(says)) = (said.is_empty(), &self.memory_group.1) {
            said.push(("memory group".to_owned(), says.clone()));
        }
        said
    }

    /// What the pool's thread is to do.
    pub(crate) fn take_orders(&self) -> Vec<Order> {
        std::mem::take(&mut self.lock().orders)
    }

    /// Keeps the host's end of a worker that is being made.
    pub(crate) fn expect_worker(&self, worker: WorkerId, template: Option<TemplateId>, stream: UnixStream) {
        self.lock().starting.insert(worker, (template, stream));
    }

    /// Keeps the host's end of a worker that is about to be asked for, and says of whom.
    pub(crate) fn expect_fork(
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
}
