//! [`Drive`]: talks to one worker until its run is over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use codemode_protocol::{Fault, HandleRequest, ToolCall, Usage};

use super::bounds::Bounds;
use super::calls::{Answer, Calls};
use super::clock::HostClock;
use super::console::Console;
use super::death::{Circumstances, End, classify, died};
use super::watch::MemoryWatch;
use crate::events::RunEnd;
use crate::ipc::control::Exit;
use crate::ipc::frame::{HostFrame, InvocationOutcome, Outcome, Settlement, Spent, WorkerFrame};
use crate::ipc::host::{Arrival, HostChannel};
use crate::job::{Finished, Job};
use crate::supervisor::{Lease, MemoryGroup, Shared};

/// One run and its worker.
pub(crate) struct Drive {
    lease: Lease,
    channel: HostChannel,
    calls: Calls,
    console: Console,
    clock: HostClock,
    watch: MemoryWatch,
    bounds: Bounds,
    /// Where the times of the clock count from.
    begun: Instant,
    phase: Phase,
    /// When the run, or the invocation, began.
    since: Duration,
    /// Processor time of the worker when it was last left to itself.
    spent_before: Option<Duration>,
    tool_calls: u32,
    tool_calls_completed: u32,
    /// A frame came in: the program is running.
    heard: bool,
}

/// What a worker is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Its run.
    Run,
    /// Its run is over and its program waits for invocations.
    Idle,
    /// An invocation.
    Invocation,
}

/// What a worker was waited for.
pub(crate) enum Served {
    /// The end of its run.
    Settled(Settlement),
    /// The end of an invocation.
    Invoked(InvocationOutcome, Spent),
}

/// What became of a run with one worker.
pub(crate) enum Verdict {
    /// It is over.
    Over(RunEnd, Result<Finished, Fault>),
    /// It is over and its program stays.
    Retained(Finished, Box<Drive>),
    /// The worker died before it had read its request. Says how.
    NeverBegan(Fault),
}

/// How long a worker whose channel closed may take to be reported gone.
const EXIT_PATIENCE: Duration = Duration::from_secs(2);
/// What is wrong with a frame that nobody waits for.
const OUT_OF_TURN: &str = "a frame out of turn";
/// Frames handled in a row before the bounds are looked at.
const FRAMES_PER_LOOK: usize = 64;

impl Drive {
    pub(crate) fn new(
        mut lease: Lease,
        channel: HostChannel,
        job: Job,
        bounds: Bounds,
        begun: Instant,
    ) -> Self {
        let watch = MemoryWatch::new(lease.worker().born.own_kib, bounds.memory_mb);
        Self {
            lease,
            channel,
            calls: Calls::new(job.dispatch, job.outbound, bounds.payload_limit),
            console: Console::new(bounds.console_limit, job.log_sink),
            clock: HostClock::new(Duration::ZERO, bounds.count_host_waits),
            watch,
            bounds,
            begun,
            phase: Phase::Run,
            since: Duration::ZERO,
            spent_before: None,
            tool_calls: 0,
            tool_calls_completed: 0,
            heard: false,
        }
    }

    /// Serves the run to its end.
    pub(crate) async fn finish(mut self, shared: &Arc<Shared>) -> Verdict {
        let end = match self.serve().await {
            Ok(Served::Settled(Settlement { outcome, usage })) => {
                self.lease.settled = true;
                let stays = outcome == Outcome::Retained;
                let finished = self.finished(outcome, usage);
                if stays {
                    self.rest();
                    self.lease.retain();
                    return Verdict::Retained(finished, Box::new(self));
                }
                self.calls.begin_all();
                return Verdict::Over(RunEnd::Settled, Ok(finished));
            }
            Ok(Served::Invoked(..)) => End::Violation(OUT_OF_TURN.to_owned()),
            Err(end) => end,
        };
        let never_began =
            end == End::Closed && !self.heard && self.channel.is_cut_off() && !shared.is_stopping();
        let (exit, how, outcome) = self.explain(end, shared).await;
        if never_began {
            return Verdict::NeverBegan(died(exit));
        }
        let ended = outcome.map(|outcome| {
            // The process came up and did its work: nothing is wrong with starting workers.
            self.lease.settled = true;
            let spent = self.spent(exit);
            self.finished(outcome, spent)
        });
        Verdict::Over(how, ended)
    }

    /// Starts an invocation of a retained program, on a clock of its own.
    pub(crate) fn invoke(&mut self, request: HandleRequest) {
        self.phase = Phase::Invocation;
        self.since = self.begun.elapsed();
        self.clock = HostClock::new(self.since, self.bounds.count_host_waits);
        self.calls.epoch += 1;
        self.tool_calls = 0;
        self.tool_calls_completed = 0;
        self.channel.send(&HostFrame::Invoke(request.into()));
    }

    /// Tool calls that have their answer, of the run or of the invocation.
    pub(crate) fn tool_calls_completed(&self) -> u32 {
        self.tool_calls_completed
    }

    /// Largest message in bytes.
    pub(crate) fn payload_limit(&self) -> usize {
        self.bounds.payload_limit
    }

    /// Ends the worker.
    pub(crate) fn kill(&mut self) {
        self.lease.worker().kill();
    }

    /// Ends the worker, and says what its end means.
    pub(crate) async fn explain(
        &mut self,
        end: End,
        shared: &Shared,
    ) -> (Option<Exit>, RunEnd, Result<Outcome, Fault>) {
        self.lease.worker().kill();
        // What a program asked for before it died was asked for. One that is killed is not helped on.
        if end == End::Closed {
            self.calls.begin_all();
        }
        self.calls.drop_all();
        let exit = self.exit().await;
        let is_killed =
            end == End::Closed && exit.is_some_and(|exit| exit.signal == Some(nix::libc::SIGKILL));
        let facts = Circumstances {
            exit,
            group_kill: is_killed && shared.memory_group().is_some_and(MemoryGroup::take_kill),
            born_kib: self.lease.worker().born.resident_kib,
            memory_mb: self.bounds.memory_mb,
            timeout_ms: self.bounds.timeout_ms,
            tool_calls_completed: self.tool_calls_completed,
            stopping: shared.is_stopping(),
        };
        let (how, outcome) = classify(end, facts);
        (exit, how, outcome)
    }

    /// Serves what the worker asks for until it has what it is waited for. A retained program that is not being invoked
    /// is served without end. Cancel-safe.
    ///
    /// # Errors
    /// Why the worker is at its end.
    pub(crate) async fn serve(&mut self) -> Result<Served, End> {
        let timer = tokio::time::sleep(Duration::ZERO);
        tokio::pin!(timer);
        loop {
            for _ in 0..FRAMES_PER_LOOK {
                match self.channel.next().map_err(End::Violation)? {
                    Some(frame) => {
                        if let Some(served) = self.take(frame)? {
                            return Ok(served);
                        }
                    }
                    None => break,
                }
            }
            let next_look = self.enforce()?;
            if self.channel.has_frame() {
                // Others run on this thread too.
                tokio::task::yield_now().await;
                continue;
            }
            timer.as_mut().reset((self.begun + next_look).into());
            // Answers wait while the worker does not read those it has.
            let takes_answers =
                self.calls.any() && self.channel.outgoing_bytes() <= self.bounds.payload_limit;
            tokio::select! {
                arrival = self.channel.exchange() => if let Arrival::End = arrival { return self.last_frames() },
                answer = self.calls.next(), if takes_answers => self.answer(answer),
                () = &mut timer => {}
            }
        }
    }

    /// The worker's half is closed: what it wrote before is still to be taken.
    fn last_frames(&mut self) -> Result<Served, End> {
        while let Some(frame) = self.channel.next().map_err(End::Violation)? {
            if let Some(served) = self.take(frame)? {
                return Ok(served);
            }
        }
        Err(End::Closed)
    }

    fn take(&mut self, frame: WorkerFrame) -> Result<Option<Served>, End> {
        self.heard = true;
        match frame {
            WorkerFrame::Console { level, text } if self.phase == Phase::Run => {
                self.console.take(level.into(), text).map_err(End::Violation)?;
            }
            WorkerFrame::ToolCall { id, provider, tool, args_json } => {
                self.tool_calls = self.tool_calls.saturating_add(1);
                let call = ToolCall { provider, tool, args_json };
                if self.calls.tool(id, call).map_err(End::Violation)? {
                    self.enter_wait();
                }
            }
            WorkerFrame::OutboundCall { id, request } => {
                let waits = self.bounds.outbound_waits;
                if self.calls.outbound(id, request, waits).map_err(End::Violation)? {
                    self.enter_wait();
                }
            }
            WorkerFrame::OutboundCancel { id } => {
                if self.calls.cancel_outbound(id) == Some(self.calls.epoch) {
                    self.leave_wait();
                }
            }
            WorkerFrame::Settled(settlement)
                if self.phase == Phase::Run && self.bounds.admit(&settlement.outcome) =>
            {
                return Ok(Some(Served::Settled(settlement)));
            }
            WorkerFrame::Invoked { outcome, usage } if self.phase == Phase::Invocation => {
                self.rest();
                return Ok(Some(Served::Invoked(outcome, usage)));
            }
            WorkerFrame::Console { .. } | WorkerFrame::Settled(_) | WorkerFrame::Invoked { .. } => {
                return Err(End::Violation(OUT_OF_TURN.to_owned()));
            }
            WorkerFrame::Broken { text } => return Err(End::Broken(text)),
        }
        Ok(None)
    }

    fn answer(&mut self, answer: Answer) {
        if answer.waited == Some(self.calls.epoch) {
            self.leave_wait();
        }
        if answer.tool {
            self.tool_calls_completed = self.tool_calls_completed.saturating_add(1);
        }
        self.channel.send(&answer.frame);
    }

    /// The program waits for the next invocation. Its timers go on, under the bound of a run in processor time.
    fn rest(&mut self) {
        self.phase = Phase::Idle;
        self.spent_before = self.cpu();
    }

    fn enter_wait(&mut self) {
        let cpu = self.clock.is_outermost(true).then(|| self.cpu()).flatten();
        self.clock.enter(self.begun.elapsed(), cpu);
    }

    fn leave_wait(&mut self) {
        let cpu = self.clock.is_outermost(false).then(|| self.cpu()).flatten();
        self.clock.leave(self.begun.elapsed(), cpu);
    }

    /// Ends a run past its bounds, otherwise says when to look again, counted from the start of the run.
    fn enforce(&mut self) -> Result<Duration, End> {
        let now = self.begun.elapsed();
        if self.watch.is_over(now, || self.lease.worker().status()) {
            return Err(End::Memory);
        }
        if self.phase == Phase::Idle {
            let spent = self.spent_before.and_then(|before| Some(self.cpu()?.saturating_sub(before)));
            let is_over = spent.is_some_and(|spent| spent >= self.bounds.kill_after);
            return if is_over { Err(End::Timeout) } else { Ok(self.watch.next) };
        }
        let at_most = self.clock.elapsed(now, None);
        let long_in = self.lower_priority(at_most);
        let mut left = self.bounds.kill_after.saturating_sub(at_most);
        if self.clock.is_paused() {
            // The processor clock is behind the wall, and is asked only when the wall says that it may matter.
            if left.is_zero() {
                let cpu = self.cpu();
                let counted = self.clock.elapsed(now, cpu);
                left = self.bounds.kill_after.saturating_sub(counted);
                // A clock that hardly moves need not be asked all the time.
                if !left.is_zero() {
                    left = left.max(Duration::from_millis(1));
                }
            }
        }
        if left.is_zero() {
            return Err(End::Timeout);
        }
        Ok((now + left.min(long_in)).min(self.watch.next))
    }

    /// Lowers the priority of a long run, otherwise says how long until it is one. One that waits for its caller gets no
    /// longer by that.
    fn lower_priority(&mut self, counted: Duration) -> Duration {
        let Some(long_run) = self.bounds.long_run.filter(|_| !self.clock.is_paused()) else {
            return Duration::MAX;
        };
        let left = long_run.saturating_sub(counted);
        if !left.is_zero() {
            return left;
        }
        self.bounds.long_run = None;
        self.lease.worker().lower_priority();
        Duration::MAX
    }

    fn cpu(&mut self) -> Option<Duration> {
        self.lease.worker().cpu()
    }

    async fn exit(&mut self) -> Option<Exit> {
        let exit = &mut self.lease.worker().exit;
        // A template that died with its worker drops the other end.
        tokio::time::timeout(EXIT_PATIENCE, exit).await.ok()?.ok()
    }

    /// What can be known of a run that could not say it itself.
    pub(crate) fn spent(&self, exit: Option<Exit>) -> Spent {
        let counted = self.clock.elapsed(self.begun.elapsed(), None);
        let cpu = exit.map_or(Duration::ZERO, Exit::cpu);
        Spent {
            counted_ms: millis(counted.min(self.bounds.kill_after)),
            cpu_ms: millis(cpu),
            tool_calls: self.tool_calls,
            ..Spent::default()
        }
    }

    fn finished(&mut self, outcome: Outcome, spent: Spent) -> Finished {
        let usage = self.usage(spent);
        Finished { outcome, execution_id: None, logs: self.console.take_lines(), usage }
    }

    /// What the run or the invocation spent.
    pub(crate) fn usage(&self, spent: Spent) -> Usage {
        let now = self.begun.elapsed();
        let mut usage = Usage::default();
        // The worker may have begun before this side noticed.
        usage.wall_ms = millis(now.saturating_sub(self.since)).max(spent.counted_ms);
        usage.host_wait_ms = millis(self.clock.waited(now));
        usage.counted_ms = spent.counted_ms;
        usage.cpu_ms = spent.cpu_ms;
        usage.peak_heap_bytes = spent.peak_heap_bytes;
        usage.peak_buffer_bytes = spent.peak_buffer_bytes;
        usage.tool_calls = spent.tool_calls;
        usage
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
