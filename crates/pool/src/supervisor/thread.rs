//! The pool's thread: parent of every launcher, reader of every control socket.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use codemode_protocol::defaults::HEARTBEAT_MISSES;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::Shared;
use super::launch::{DEATH_PATIENCE, Phase, Process, Role};
use super::pressure::Gauge;
use super::shared::Order;
use crate::config::StartMode;
use crate::dispatcher::message::{Cause, Event, Failure};
use crate::ipc::control::{FromTemplate, Inbox, ToTemplate, VERSION};
use crate::sys::{process, socket};

/// Starts the thread of a pool. It lives until the pool stops.
pub(crate) fn spawn(shared: Arc<Shared>) -> io::Result<()> {
    let name = "codemode-pool".to_owned();
    std::thread::Builder::new().name(name).spawn(move || Keeper::new(shared).run())?;
    Ok(())
}

struct Keeper {
    shared: Arc<Shared>,
    processes: Vec<Process>,
    inbox: Inbox,
    gauge: Gauge,
}

/// What became of a process after a message.
enum Verdict {
    Alive,
    Gone,
}

impl Keeper {
    fn new(shared: Arc<Shared>) -> Self {
        let gauge = Gauge::new(&shared.config.proc_folder, Instant::now());
        Self { shared, processes: Vec::new(), inbox: Inbox::default(), gauge }
    }

    fn run(mut self) {
        while !self.shared.is_stopping() {
            for order in self.shared.take_orders() {
                self.carry_out(order);
            }
            self.wait();
            self.enforce_deadlines();
            if let Some(pressed) = self.gauge.look(Instant::now()) {
                self.shared.apply(Event::Pressure(pressed)).perform();
            }
            self.shared.apply(Event::Tick).perform();
        }
        self.end_all();
        self.shared.thread_ended();
    }

    /// Kills everything and waits until it is gone.
    fn end_all(&mut self) {
        let workers = self.shared.workers_alive();
        for worker in &workers {
            process::pidfd_kill(worker.as_fd());
        }
        for process in &mut self.processes {
            process.kill();
        }
        for process in &mut self.processes {
            process.reap();
        }
        let deadline = Instant::now() + DEATH_PATIENCE;
        for worker in workers {
            // One that the kernel cannot end now is the kernel's to end later.
            let _ = socket::wait_readable(worker.as_fd(), deadline.saturating_duration_since(Instant::now()));
        }
    }

    fn carry_out(&mut self, order: Order) {
        let role = match order {
            Order::StartTemplate(template) => Role::Template(template),
            Order::Launch(worker) => Role::Single(worker),
            Order::CloseTemplate(template) => {
                let process =
                    self.processes.iter_mut().find(|process| process.role == Role::Template(template));
                // Its end comes in as that of its control socket.
                if let Some(process) = process {
                    process.kill();
                }
                return;
            }
        };
        match Process::start(&self.shared.config, self.shared.memory_group(), role) {
            Ok(process) => self.processes.push(process),
            Err(error) => {
                let program = self.shared.config.worker.program.display();
                let cause = format!("The worker program {program} could not be started: {error}.");
                self.report_failure(role, Failure::new(Cause::Setup, cause));
            }
        }
    }

    /// Waits for messages, an order or the next deadline, and takes in what came.
    fn wait(&mut self) {
        let timeout = self.time_to_next_deadline();
        let mut ready = vec![PollFd::new(self.shared.wake.as_fd(), PollFlags::POLLIN)];
        ready.extend(
            self.processes.iter().map(|process| PollFd::new(process.control.as_fd(), PollFlags::POLLIN)),
        );
        if poll(&mut ready, timeout).is_err() {
            return;
        }
        let ready: Vec<bool> = ready.iter().map(|fd| fd.any().unwrap_or(true)).collect();
        if ready[0] {
            // Only empties it.
            let _ = self.shared.wake.read();
        }
        // From the back, so that removals leave the rest in its place.
        for at in (0..self.processes.len()).rev() {
            if ready[at + 1]
                && let Verdict::Gone = self.take_in(at)
            {
                let mut process = self.processes.swap_remove(at);
                process.take_end();
                self.bury(process);
            }
        }
    }

    fn time_to_next_deadline(&self) -> PollTimeout {
        let tick = self.shared.next_tick().map(|at| at.saturating_sub(self.shared.now()));
        let now = Instant::now();
        let deadlines = self.processes.iter().map(|process| process.deadline.saturating_duration_since(now));
        // Without a process there is none to give up.
        let look = (!self.processes.is_empty()).then(|| self.gauge.until_next(now));
        let Some(wait) = deadlines.chain(tick).chain(look).min() else { return PollTimeout::NONE };
        let millis = i32::try_from(wait.as_millis() + 1).unwrap_or(i32::MAX);
        PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX)
    }

    /// Reads everything that waits on the control socket of a process.
    fn take_in(&mut self, at: usize) -> Verdict {
        loop {
            match self.processes[at].control.receive(&mut self.inbox) {
                Ok(Some((message, beside))) => {
                    if let Verdict::Gone = self.hear(at, message, beside) {
                        return Verdict::Gone;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Verdict::Alive,
                Ok(None) | Err(_) => return Verdict::Gone,
            }
        }
    }

    fn hear(&mut self, at: usize, message: FromTemplate, beside: Option<OwnedFd>) -> Verdict {
        let shared = Arc::clone(&self.shared);
        let process = &mut self.processes[at];
        if process.phase == Phase::Up {
            process.deadline = Instant::now() + shared.config.heartbeat * HEARTBEAT_MISSES;
        }
        match message {
            FromTemplate::Speaking { version: VERSION } => {
                process.advance(Phase::Starting, shared.config.start_deadline);
            }
            FromTemplate::Speaking { version } => {
                let words = format!(
                    "The worker program is another build: it speaks version {version}, not {VERSION}."
                );
                process.last_words = Some(words);
                return Verdict::Gone;
            }
            FromTemplate::StartFailed { text } => process.last_words = Some(text),
            FromTemplate::TemplateForked => process.name(beside),
            FromTemplate::Hello { can_fork, capabilities } => {
                return self.greet(at, can_fork, capabilities);
            }
            FromTemplate::Forked { worker, born } => match beside {
                Some(pidfd) => shared.forked(worker, pidfd, born).perform(),
                // This process has no room for one more descriptor. The worker ends with its channel.
                None => {
                    let failure = Failure::new(Cause::Accident, "No descriptor is left to name a worker.");
                    shared.fork_failed(worker, failure).perform();
                }
            },
            FromTemplate::ForkFailed { worker, errno } => {
                let error = io::Error::from_raw_os_error(errno);
                shared
                    .fork_failed(worker, Failure::new(Cause::Accident, format!("The fork failed: {error}.")))
                    .perform();
            }
            FromTemplate::Exited { worker, exit } => shared.exited(worker, exit).perform(),
            FromTemplate::Heartbeat => {}
            FromTemplate::TemplateExited { exit } => process.exit = Some(exit),
        }
        Verdict::Alive
    }

    fn greet(&mut self, at: usize, can_fork: bool, capabilities: Vec<(String, String)>) -> Verdict {
        let shared = Arc::clone(&self.shared);
        let process = &mut self.processes[at];
        match process.role {
            Role::Template(template) => {
                if !can_fork && shared.config.start_mode == StartMode::Fork {
                    let fork = capabilities.iter().find(|(name, _)| name == "fork");
                    let why = fork.map_or("no reason given", |(_, why)| why);
                    process.last_words =
                        Some(format!("Workers are to be forked, and that does not work here ({why})."));
                    return Verdict::Gone;
                }
                process.advance(Phase::Up, shared.config.heartbeat * HEARTBEAT_MISSES);
                let control = Arc::clone(&process.control);
                shared.template_ready(template, control, can_fork, capabilities).perform();
            }
            Role::Single(worker) => {
                // A worker that waits gives no sign of life, and needs none: its channel says when it is gone.
                process.advance(Phase::Up, Duration::from_secs(u64::from(u32::MAX)));
                shared.set_capabilities(capabilities);
                let Ok((host, channel)) = socket::channel_pair() else { return Verdict::Gone };
                shared.expect_worker(worker, None, host);
                if process.control.send(&ToTemplate::Become { worker }, Some(channel.as_fd())).is_err() {
                    return Verdict::Gone;
                }
            }
        }
        Verdict::Alive
    }

    fn enforce_deadlines(&mut self) {
        let now = Instant::now();
        for at in (0..self.processes.len()).rev() {
            if now < self.processes[at].deadline {
                continue;
            }
            let mut process = self.processes.swap_remove(at);
            if process.phase == Phase::Starting {
                let words =
                    format!("The engine did not start within {:?}.", self.shared.config.start_deadline);
                process.last_words.get_or_insert(words);
            }
            process.reap();
            self.bury(process);
        }
    }

    /// Says what the end of a process means.
    fn bury(&mut self, process: Process) {
        let shared = &self.shared;
        match process.role {
            Role::Template(template) if process.phase == Phase::Up && process.last_words.is_none() => {
                shared.template_gone(template).perform();
            }
            Role::Single(worker) if process.phase == Phase::Up => {
                shared.exited(worker, process.exit.unwrap_or_default()).perform();
            }
            role => self.report_failure(role, process.failure()),
        }
    }

    fn report_failure(&self, role: Role, failure: Failure) {
        match role {
            Role::Template(template) => {
                self.shared.apply(Event::TemplateFailed { template, failure }).perform();
            }
            Role::Single(worker) => self.shared.fork_failed(worker, failure).perform(),
        }
    }
}
