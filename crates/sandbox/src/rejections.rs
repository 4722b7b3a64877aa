//! [`Rejections`]: the promises of a run that were rejected and that nobody handles, as HTML tracks them (8.1.7.3,
//! unhandled promise rejections).
//!
//! A rejection is a matter of the program alone: it changes no outcome and writes no line. All that follows from it
//! is an event, so all that is kept here is what an event takes, and never more than [`LIMIT`] of it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::num::NonZeroI32;
use std::rc::Rc;

use codemode_runtime::v8::{self, Global, Isolate, Local, OwnedIsolate, PinScope, Promise, Weak};

/// How many rejections wait for their event, and how many announced ones are remembered. More are not announced.
const LIMIT: usize = 1_024;

/// The rejections of the run in this isolate. Kept in an isolate slot while it executes.
pub(crate) type SharedRejections = Rc<RefCell<Rejections>>;

/// See the module.
#[derive(Default)]
pub(crate) struct Rejections {
    /// HTML's "about-to-be-notified rejected promises list".
    fresh: Vec<Held>,
    /// HTML's "outstanding rejected promises weak set", by identity hash.
    outstanding: Vec<(NonZeroI32, Weak<Promise>)>,
    /// Promises that were outstanding when they got a handler.
    handled: Vec<Global<Promise>>,
    /// What is being announced.
    batch: VecDeque<Announcement>,
    /// The last answer of `next` was of a batch.
    in_batch: bool,
    /// Whether the program ever listened. Until then a rejection must keep nothing alive.
    heard: bool,
    /// Rejections since `fresh` was last searched for what may leave it.
    since_search: usize,
}

/// A promise that was rejected.
enum Held {
    Strongly(Global<Promise>),
    Weakly(Weak<Promise>),
}

impl Held {
    /// The promise, where it exists and has no handler.
    fn unhandled<'s>(&self, scope: &PinScope<'s, '_, ()>) -> Option<Local<'s, Promise>> {
        let promise = match self {
            Self::Strongly(promise) => Some(Local::new(scope, promise)),
            Self::Weakly(promise) => promise.to_local(scope),
        };
        promise.filter(|promise| !promise.has_handler())
    }
}

/// An event to fire.
pub(crate) enum Announcement {
    /// `unhandledrejection`, unless the promise has got a handler meanwhile.
    Unhandled(Global<Promise>),
    /// `rejectionhandled`.
    Handled(Global<Promise>),
}

impl Rejections {
    /// The program listens to rejections.
    pub(crate) fn hear(&mut self) {
        self.heard = true;
    }

    /// Whether there is something to announce.
    pub(crate) fn is_waiting(&self) -> bool {
        !(self.fresh.is_empty() && self.handled.is_empty() && self.batch.is_empty())
    }

    /// The next rejection to announce. What is rejected while a batch is announced waits until something else had its
    /// turn, which this tells by answering `None` once, so that a listener that rejects again keeps nobody waiting.
    pub(crate) fn next(&mut self, scope: &mut PinScope<'_, '_, ()>) -> Option<Announcement> {
        if self.batch.is_empty() && !self.in_batch {
            self.take(scope);
        }
        let next = self.batch.pop_front();
        self.in_batch = next.is_some();
        next
    }

    /// Makes a batch of what is known so far, in order.
    fn take(&mut self, scope: &mut PinScope<'_, '_, ()>) {
        let handled = std::mem::take(&mut self.handled);
        let fresh = std::mem::take(&mut self.fresh);
        self.since_search = 0;
        self.batch.extend(handled.into_iter().map(Announcement::Handled));
        for held in &fresh {
            let Some(promise) = held.unhandled(scope) else { continue };
            if self.heard {
                self.batch.push_back(Announcement::Unhandled(Global::new(scope, promise)));
            } else {
                self.announced(scope, promise);
            }
        }
    }

    /// A promise was announced and still has no handler.
    pub(crate) fn announced(&mut self, scope: &mut PinScope<'_, '_, ()>, promise: Local<'_, Promise>) {
        if self.outstanding.len() == LIMIT {
            self.outstanding.retain(|(_, promise)| !promise.is_empty());
        }
        if self.outstanding.len() < LIMIT {
            self.outstanding.push((promise.get_identity_hash(), Weak::new(scope, promise)));
        }
    }

    fn rejected(&mut self, scope: &mut PinScope<'_, '_, ()>, promise: Local<'_, Promise>) {
        self.since_search += 1;
        // Searched at most once in LIMIT rejections, so that a flood of them stays cheap.
        if self.fresh.len() == LIMIT && self.since_search >= LIMIT {
            self.fresh.retain(|held| held.unhandled(scope).is_some());
            self.since_search = 0;
        }
        if self.fresh.len() < LIMIT {
            self.fresh.push(if self.heard {
                Held::Strongly(Global::new(scope, promise))
            } else {
                Held::Weakly(Weak::new(scope, promise))
            });
        }
    }

    fn got_handler(&mut self, scope: &PinScope<'_, '_, ()>, promise: Local<'_, Promise>) {
        if self.outstanding.is_empty() {
            return;
        }
        let hash = promise.get_identity_hash();
        let is_it = |(known, weak): &(NonZeroI32, Weak<Promise>)| *known == hash && *weak == promise;
        if let Some(index) = self.outstanding.iter().position(is_it) {
            self.outstanding.swap_remove(index);
            self.handled.push(Global::new(scope, promise));
        }
    }
}

/// Lets the engine tell of promises that are rejected without a handler, and of handlers that come late.
pub(crate) fn track_rejections(isolate: &mut OwnedIsolate) {
    isolate.set_promise_reject_callback(track);
}

extern "C" fn track(message: v8::PromiseRejectMessage<'_>) {
    v8::callback_scope!(unsafe scope, &message);
    let Some(rejections) = current(scope) else { return };
    let promise = message.get_promise();
    match message.get_event() {
        v8::PromiseRejectEvent::PromiseRejectWithNoHandler => {
            rejections.borrow_mut().rejected(scope, promise);
        }
        v8::PromiseRejectEvent::PromiseHandlerAddedAfterReject => {
            rejections.borrow_mut().got_handler(scope, promise);
        }
        // Settling a promise again changes nothing.
        v8::PromiseRejectEvent::PromiseRejectAfterResolved
        | v8::PromiseRejectEvent::PromiseResolveAfterResolved => {}
    }
}

/// The rejections of the run that this isolate executes, if any.
pub(crate) fn current(isolate: &Isolate) -> Option<SharedRejections> {
    isolate.get_slot::<SharedRejections>().cloned()
}
