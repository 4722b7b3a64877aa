//! Programs that stay behind their run: kept by name, invoked one request at a time, closed by their caller, by time
//! or by one of their bounds.
//!
//! An execution is a task that owns the worker's channel, as a run is a part of its caller's task. The registry holds
//! the way to it, and dropping that closes it.

mod execution;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codemode_protocol::handles::GRANTED_HANDLES;
use codemode_protocol::sentence::subject;
use codemode_protocol::{Fault, HandleRequest, HandleResult, Sentence};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::dispatcher::queue::Tenant;
use crate::run::Drive;
use crate::supervisor::Shared;
use execution::Execution;

/// The retained executions of a pool.
pub(crate) struct Registry {
    limit: usize,
    tenant_limit: Option<usize>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: HashMap<String, Entry>,
    /// Places taken by each tenant that has one, by executions and by runs that may come to be retained.
    places: HashMap<Tenant, usize>,
    /// Invocations that wait or run.
    invocations: usize,
    /// The pool is being disposed: what is there may finish, and nothing comes.
    disposed: bool,
}

/// The way to one execution.
struct Entry {
    requests: mpsc::Sender<Invocation>,
    /// Dropped, it closes the execution.
    _open: oneshot::Sender<Infallible>,
}

/// A request and who waits for its answer.
struct Invocation {
    request: HandleRequest,
    reply: oneshot::Sender<Result<HandleResult, Fault>>,
}

/// A place among the executions that may be retained.
pub(crate) struct Place {
    shared: Arc<Shared>,
    tenant: Tenant,
}

impl Drop for Place {
    fn drop(&mut self) {
        let places = &mut self.shared.retained.lock().places;
        if let Some(taken) = places.get_mut(&self.tenant) {
            *taken -= 1;
            if *taken == 0 {
                places.remove(&self.tenant);
            }
        }
    }
}

impl Registry {
    pub(crate) fn new(limit: usize, tenant_limit: Option<usize>) -> Self {
        Self { limit, tenant_limit, state: Mutex::default() }
    }

    /// Whether that tenant may take one more place. The bound that says no, otherwise.
    fn admit(&self, places: &HashMap<Tenant, usize>, tenant: &Tenant) -> Result<(), usize> {
        let own = places.get(tenant).copied().unwrap_or_default();
        match self.tenant_limit {
            Some(limit) if own >= limit => Err(limit),
            _ if places.values().sum::<usize>() >= self.limit => Err(self.limit),
            _ => Ok(()),
        }
    }

    /// Closes the execution of that name, if there is one.
    pub(crate) fn close(&self, execution_id: &str) {
        let entry = self.lock().entries.remove(execution_id);
        drop(entry);
    }

    /// Takes no invocation from here on.
    pub(crate) fn dispose(&self) {
        self.lock().disposed = true;
    }

    /// Whether no invocation waits or runs.
    pub(crate) fn is_drained(&self) -> bool {
        self.lock().invocations == 0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is complete before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An invocation that waits or runs.
struct Counted<'a>(&'a Shared);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.retained.lock().invocations -= 1;
        self.0.changed.notify_waiters();
    }
}

/// Takes a place before a run begins, so that no run is turned away at its end.
///
/// # Errors
/// `RETAINED_LIMIT` when there is none.
pub(crate) fn reserve(shared: &Arc<Shared>, tenant: &Tenant) -> Result<Place, Fault> {
    let places = &mut shared.retained.lock().places;
    if let Err(limit) = shared.retained.admit(places, tenant) {
        return Err(Sentence::RetainedLimit { limit }.into());
    }
    *places.entry(tenant.clone()).or_default() += 1;
    Ok(Place { shared: Arc::clone(shared), tenant: tenant.clone() })
}

/// Keeps the program of a run that is over, and answers its name. The task of it runs where its caller's does.
pub(crate) fn keep(shared: &Arc<Shared>, drive: Drive, place: Place) -> String {
    let execution_id = Uuid::new_v4().to_string();
    let (requests, waiting) = mpsc::channel(shared.config.queue_limit.max(1));
    let (open, closed) = oneshot::channel();
    shared.retained.lock().entries.insert(execution_id.clone(), Entry { requests, _open: open });
    let execution = Execution::new(Arc::clone(shared), execution_id.clone(), drive, waiting, closed, place);
    tokio::spawn(execution.serve());
    execution_id
}

/// See [`crate::Pool::invoke_handle`].
pub(crate) async fn invoke(
    shared: &Shared,
    execution_id: &str,
    handle: &str,
    request: HandleRequest,
) -> Result<HandleResult, Fault> {
    let (reply, answer) = oneshot::channel();
    let _counted = {
        let mut state = shared.retained.lock();
        if state.disposed {
            return Err(Sentence::PoolShuttingDown.into());
        }
        let Some(entry) = state.entries.get(execution_id) else { return Err(closed(execution_id)) };
        if !GRANTED_HANDLES.contains(&handle) {
            return Err(Sentence::HandleNotFound { handle: handle.to_owned() }.into());
        }
        let (size_bytes, limit_bytes) = (request.size_bytes(), shared.config.payload_limit);
        if size_bytes > limit_bytes {
            let sentence =
                Sentence::PayloadTooLarge { subject: subject::HANDLE_REQUEST, size_bytes, limit_bytes };
            return Ok(HandleResult::failed(sentence.kind(), sentence.to_string()));
        }
        entry.requests.try_send(Invocation { request, reply }).map_err(|error| match error {
            TrySendError::Full(_) => Sentence::QueueFull { limit: entry.requests.max_capacity() }.into(),
            TrySendError::Closed(_) => closed(execution_id),
        })?;
        state.invocations += 1;
        Counted(shared)
    };
    // An execution that closes drops those who wait for their turn.
    answer.await.unwrap_or_else(|_| Err(closed(execution_id)))
}

fn closed(execution_id: &str) -> Fault {
    Sentence::HandlesClosed { execution_id: execution_id.to_owned() }.into()
}
