//! [`Run`]: the state of one execution, shared between the steps and the host's functions.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use codemode_protocol::{Sentence, defaults};
use codemode_runtime::v8::{Function, Global, PinScope, PromiseResolver, Value};

use crate::clock::{GuestClock, Reading, RunClock};
use crate::console::ConsoleCapture;
use crate::natives::Subtle;
use crate::timers::TimerQueue;
use crate::{Host, Outbound, SandboxRequest};

/// The run of this isolate. Kept in an isolate slot while it executes.
pub(crate) type SharedRun = Rc<RefCell<Run>>;

pub(crate) struct Run {
    pub(crate) host: Box<dyn Host>,
    pub(crate) clock: RunClock,
    count_host_waits: bool,
    pub(crate) console: ConsoleCapture,
    pub(crate) console_limit: usize,
    pub(crate) timers: TimerQueue,
    pub(crate) subtle: Subtle,
    pub(crate) calls: BTreeMap<u32, PendingCall>,
    pub(crate) report: Option<Report>,
    /// What calls the request handler that the run reported: the program stays to serve it.
    pub(crate) handler: Option<Global<Function>>,
    pub(crate) ready: Option<Rc<Global<PromiseResolver>>>,
    pub(crate) has_dispatch: bool,
    pub(crate) outbound: Outbound,
    pub(crate) payload_limit_bytes: usize,
    pub(crate) tool_calls: u32,
    pub(crate) guest_clock: GuestClock,
    /// When the clock in place began.
    pub(crate) clock_since: Duration,
    /// Counts the clocks: an invocation of a retained handle has one of its own.
    epoch: u32,
    open_bytes: usize,
    last_call: u32,
    /// Closed segments of engine time.
    engine: Duration,
    /// Since when the open segment lasts.
    engine_since: Option<Duration>,
    /// Who keeps it open: the engine, work on another thread, or both.
    busy: u32,
}

/// A call that the host has not answered.
pub(crate) struct PendingCall {
    pub(crate) resolver: Global<PromiseResolver>,
    /// The clock that it holds a host wait of open.
    waits_for: Option<u32>,
    /// What it carries, in bytes.
    size_bytes: usize,
    /// Whether it is a request to the network, which a program can take back.
    outbound: bool,
}

/// The first outcome that a run reported.
pub(crate) enum Report {
    /// The program returned: the envelope JSON, written by the library.
    Returned(String),
    /// The program threw, or its clock ran out: the message.
    Threw(String),
    /// The program returned a request handler, in a run that retains handles.
    Handler,
    /// The program assigned the completion name itself.
    Assigned(Global<Value>),
    /// The library's envelope or message was past the payload bound: its size.
    TooLarge(usize),
}

impl Run {
    pub(crate) fn new(request: &SandboxRequest, mut host: Box<dyn Host>) -> Self {
        let started = host.now();
        let guest_clock = GuestClock::new(started, request.clock_resolution);
        let reading = Reading { wall: started, engine: Duration::ZERO };
        Self {
            host,
            clock: RunClock::start(reading, request.count_host_waits),
            count_host_waits: request.count_host_waits,
            console: ConsoleCapture::new(request.console_limit),
            console_limit: request.console_limit,
            timers: TimerQueue::new(guest_clock),
            subtle: Subtle::new(request.crypto_key_limit),
            calls: BTreeMap::new(),
            report: None,
            handler: None,
            ready: None,
            has_dispatch: request.has_dispatch,
            outbound: request.outbound,
            payload_limit_bytes: request.payload_limit_bytes,
            tool_calls: 0,
            guest_clock,
            clock_since: started,
            epoch: 0,
            open_bytes: 0,
            last_call: 0,
            engine: Duration::ZERO,
            engine_since: None,
            busy: 0,
        }
    }

    /// Both clocks at this moment.
    pub(crate) fn reading(&mut self) -> Reading {
        let wall = self.host.now();
        let open = self.engine_since.map_or(Duration::ZERO, |since| wall.saturating_sub(since));
        Reading { wall, engine: self.engine + open }
    }

    /// The engine begins to execute code of the run, or another thread to work for it.
    pub(crate) fn begin_work(&mut self) {
        if self.busy == 0 {
            self.engine_since = Some(self.host.now());
        }
        self.busy += 1;
    }

    /// The engine has returned, or the other thread is done.
    pub(crate) fn end_work(&mut self) {
        self.busy -= 1;
        if self.busy == 0 {
            self.engine = self.reading().engine;
            self.engine_since = None;
        }
    }

    /// How long until `bound` can be reached, as [`RunClock::until`] says it.
    pub(crate) fn until(&mut self, bound: Duration) -> Option<Duration> {
        let now = self.reading();
        self.clock.until(bound, now, self.busy > 0)
    }

    /// Whether one more call of `size_bytes` may be open: the host holds every one until it has answered it.
    pub(crate) fn admit_call(&self, size_bytes: usize) -> Result<(), Sentence> {
        let limit_bytes = defaults::open_call_bytes_limit(self.payload_limit_bytes);
        if self.calls.len() >= defaults::OPEN_CALLS_LIMIT {
            return Err(Sentence::OpenCallsLimit { limit: defaults::OPEN_CALLS_LIMIT });
        }
        if self.open_bytes.saturating_add(size_bytes) > limit_bytes {
            return Err(Sentence::OpenCallBytesLimit { limit_bytes });
        }
        Ok(())
    }

    /// Registers a call that the host is about to receive, opening a host wait when it holds one.
    pub(crate) fn open_call(
        &mut self,
        resolver: Global<PromiseResolver>,
        waits: bool,
        outbound: bool,
        size_bytes: usize,
    ) -> u32 {
        self.last_call = self.last_call.wrapping_add(1);
        if waits {
            let now = self.reading();
            self.clock.enter_wait(now);
        }
        self.open_bytes += size_bytes;
        let waits_for = waits.then_some(self.epoch);
        self.calls.insert(self.last_call, PendingCall { resolver, waits_for, size_bytes, outbound });
        self.last_call
    }

    /// Takes a call that the host has answered. An answer to a call that is not open is `None`.
    pub(crate) fn close_call(&mut self, id: u32) -> Option<Global<PromiseResolver>> {
        let call = self.calls.remove(&id)?;
        self.open_bytes -= call.size_bytes;
        if call.waits_for == Some(self.epoch) {
            let now = self.reading();
            self.clock.leave_wait(now);
        }
        Some(call.resolver)
    }

    /// Takes back a request to the network. Nothing when it is answered, or no such request.
    pub(crate) fn cancel_request(&mut self, id: u32) {
        if self.calls.get(&id).is_some_and(|call| call.outbound) {
            self.close_call(id);
            self.host.cancel_request(id);
        }
    }

    /// Whether nothing is done for the program any more: it reported, and not a handler.
    pub(crate) fn is_over(&self) -> bool {
        self.report.is_some() && self.handler.is_none()
    }

    /// Reports the handler that `invoke` calls, unless something was reported before.
    pub(crate) fn report_handler(&mut self, invoke: Global<Function>) {
        if self.report.is_none() {
            self.handler = Some(invoke);
            self.report = Some(Report::Handler);
        }
    }

    /// Puts a fresh clock in place. Waits of the one before are its own and end with it.
    pub(crate) fn restart_clock(&mut self) {
        let now = self.reading();
        self.clock = RunClock::start(now, self.count_host_waits);
        self.clock_since = now.wall;
        self.tool_calls = 0;
        self.epoch += 1;
    }

    /// Keeps the first report; a later one cannot displace it.
    pub(crate) fn report(&mut self, report: Report) {
        self.report.get_or_insert(report);
    }
}

/// The run that this isolate executes, if any: the library may be called before one begins.
pub(crate) fn current(scope: &PinScope<'_, '_>) -> Option<SharedRun> {
    scope.get_slot::<SharedRun>().cloned()
}

/// Runs `work` with the engine clock of the run going.
pub(crate) fn in_engine<T>(run: &SharedRun, work: impl FnOnce() -> T) -> T {
    run.borrow_mut().begin_work();
    let value = work();
    run.borrow_mut().end_work();
    value
}
