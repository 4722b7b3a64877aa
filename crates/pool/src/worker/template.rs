//! The template: an engine that is up, and forks.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::stat::Mode;

use super::body::WorkerBody;
use super::child::{self, Lockdown, Tried};
use super::harden;
use super::launcher::Start;
use super::mapping;
use super::probe;
use super::report::Report;
use super::syscalls::{self, Filters};
use crate::config::{HardeningLevel, TemplateConfig};
use crate::ipc::codec;
use crate::ipc::control::{Born, ControlSocket, FromTemplate, Inbox, Outbox, ToTemplate};
use crate::sys::memory::{self, Prefault};
use crate::sys::process::{self, Fork};
use crate::sys::socket;

/// Most bytes that the self-test has to say.
const MOST_SAID_BYTES: u64 = 64 << 10;

/// Serves as a template. Never returns.
pub(crate) fn serve(start: Start, make: impl FnOnce() -> Box<dyn WorkerBody>) -> ! {
    let Start { control, config, proc_folder, report } = start;
    match Template::start(&control, config, &proc_folder, report, make) {
        Ok(mut template) => {
            // The folder would reach the files of the host.
            drop(proc_folder);
            template.serve(&control)
        }
        Err(text) => {
            // Without a host there is nobody to tell.
            let _ = control.send(&FromTemplate::start_failed(text), None);
            process::exit_now(1)
        }
    }
}

struct Template {
    body: Box<dyn WorkerBody>,
    lockdown: Lockdown,
    /// Workers by their number in this namespace.
    workers: Vec<(i32, u64)>,
    born: Born,
    heartbeat: Duration,
    exits: SignalFd,
    inbox: Inbox,
    outbox: Outbox,
}

impl Template {
    fn start(
        control: &ControlSocket,
        config: TemplateConfig,
        proc_folder: &OwnedFd,
        mut report: Report,
        make: impl FnOnce() -> Box<dyn WorkerBody>,
    ) -> Result<Self, String> {
        let say = |what: &'static str| move |error: nix::Error| format!("{what}: {error}");
        prctl::set_pdeathsig(Signal::SIGKILL).map_err(say("the death of the launcher cannot be followed"))?;
        let status = open_in(proc_folder, "self/status", OFlag::O_RDONLY)
            .map_err(say("the process status cannot be read"))?;
        let maps = open_in(proc_folder, "self/maps", OFlag::O_RDONLY)
            .map_err(say("the memory map cannot be read"))?;
        let detail = open_in(proc_folder, "self/smaps", OFlag::O_RDONLY)
            .map_err(say("the memory map cannot be read"))?;
        harden::raise_stack();
        // The page map belongs to who may look into this process: for as long as there is nothing in it to see, itself.
        let _ = prctl::set_dumpable(true);
        let pages = open_in(proc_folder, "self/pagemap", OFlag::O_RDONLY).ok();
        let hardened = config.hardening != HardeningLevel::Off;
        if hardened {
            harden::lock_in_template(&mut report);
        }
        report.demand(config.hardening)?;

        let mut body = make();
        let prepared = catch_unwind(AssertUnwindSafe(|| body.prepare(&config))).unwrap_or_else(|panic| {
            Err(format!("the engine panicked as it started: {}", child::panic_text(&*panic)))
        })?;
        if let Some(pages) = &pages {
            let _ = mapping::forget_use(&maps, pages);
            body.rehearse()?;
        }
        let settled =
            pages.and_then(|pages| mapping::settle(&maps, &detail, &pages).ok()).unwrap_or_default();
        report.note(
            "huge pages",
            format!("{} MB of constants, {} KB of data", settled.constants >> 20, settled.data >> 10),
        );
        let mappings =
            mapping::read_all(&maps).map_err(|error| format!("the memory map cannot be read: {error}"))?;
        memory::make_forkable(mapping::ranges(&mappings));
        drop((maps, detail));

        let exits = SigSet::from_iter([Signal::SIGCHLD]);
        exits.thread_block().map_err(say("signals cannot be held back"))?;
        let exits = SignalFd::with_flags(&exits, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
            .map_err(say("exits cannot be followed"))?;
        let lockdown = Lockdown {
            filters: None,
            hardened,
            keep_stderr: config.keep_stderr,
            data_limit: 0,
            prefault: Prefault::default(),
        };
        let mut template = Self {
            body,
            lockdown,
            workers: Vec::new(),
            born: Born::default(),
            heartbeat: Duration::from_millis(config.heartbeat_ms.max(1)),
            exits,
            inbox: Inbox::default(),
            outbox: Outbox::default(),
        };
        let status = mapping::read_all(&status)
            .map_err(|error| format!("the process status cannot be read: {error}"))?;
        let state = Status::parse(&status)?;
        template.born = state.born;
        template.lockdown.data_limit =
            (state.data_kib << 10) + (u64::from(config.memory_mb + config.memory_headroom_mb) << 20);
        let test = socket::channel_pair().map_err(|error| format!("no socket pair: {error}"))?;
        if hardened {
            probe::verify_template(&mut report, &status);
            template.filter_calls(&config.audit.withheld_calls, &mut report);
        }
        let can_fork = template.try_out(state.threads, test, &settled.writable, &mut report)?;
        report.demand(config.hardening)?;

        let mut capabilities = report.into_capabilities(config.hardening);
        capabilities.extend(prepared.capabilities);
        control
            .send(&FromTemplate::Hello { can_fork, capabilities }, None)
            .map_err(|error| format!("the host cannot be told: {error}"))?;
        Ok(template)
    }

    /// Takes every system call away that neither this process nor a worker needs.
    fn filter_calls(&mut self, withheld: &[String], report: &mut Report) {
        report.take("system call filter", || {
            let filters = Filters::compile(withheld)?;
            filters.confine_template()?;
            self.lockdown.filters = Some(filters);
            Ok::<_, String>(format!("{} calls allowed", syscalls::table_of_workers().count()))
        });
    }

    /// Lets a child of its own do what every worker does, and reports whether workers can be forked.
    fn try_out(
        &mut self,
        threads: u64,
        (host, worker): (UnixStream, OwnedFd),
        writable: &[(usize, usize)],
        report: &mut Report,
    ) -> Result<bool, String> {
        let pid = match process::fork(threads) {
            Ok(Fork::Child) => child::try_out(&mut *self.body, &self.lockdown, worker, writable),
            Ok(Fork::Parent(pid)) => pid,
            Err(error) => {
                report.note("fork", format!("off: {error}"));
                return Ok(false);
            }
        };
        drop(worker);
        let exit = process::wait_for(pid).map_err(|error| format!("the self-test was lost: {error}"))?;
        let mut said = Vec::new();
        // One that could say nothing is told by its end.
        let tried = host.take(MOST_SAID_BYTES).read_to_end(&mut said).ok();
        let tried = tried.and_then(|_| codec::decode::<Tried>(&said).ok()).unwrap_or_default();
        match (exit.code, exit.signal) {
            (Some(child::OK), _) => {
                report.note("fork", "on");
                report
                    .note("second thread", if tried.second_thread { "on" } else { "off: it cannot be made" });
                let written: Vec<_> = tried.written.iter().map(|&page| page as usize).collect();
                report.note("pages copied ahead", written.len().to_string());
                self.lockdown.prefault = Prefault::new(&written);
                self.overstep(report)?;
                Ok(true)
            }
            (Some(_), _) => Err(format!("the self-test failed: {}", tried.problem)),
            (None, signal) => {
                report.note(
                    "fork",
                    format!("off: a forked copy of the engine died by signal {}", signal.unwrap_or(0)),
                );
                Ok(false)
            }
        }
    }

    /// Lets another child do what no worker may, and doubts the filter when that is let through.
    fn overstep(&mut self, report: &mut Report) -> Result<(), String> {
        if self.lockdown.filters.is_none() {
            return Ok(());
        }
        let exit = match process::fork(1) {
            Ok(Fork::Child) => child::overstep(&mut *self.body, &self.lockdown),
            Ok(Fork::Parent(pid)) => process::wait_for(pid),
            Err(error) => Err(error),
        };
        let exit = exit.map_err(|error| format!("the filter could not be tried: {error}"))?;
        report.verify("system call filter", exit.signal == Some(libc::SIGSYS));
        Ok(())
    }

    fn serve(&mut self, control: &ControlSocket) -> ! {
        let mut next_beat = Instant::now() + self.heartbeat;
        loop {
            let now = Instant::now();
            if now >= next_beat {
                self.tell(control, &FromTemplate::Heartbeat, None);
                next_beat = now + self.heartbeat;
            }
            let wait = i32::try_from((next_beat - now).as_millis() + 1).unwrap_or(i32::MAX);
            let mut ready = [
                PollFd::new(control.as_fd(), PollFlags::POLLIN),
                PollFd::new(self.exits.as_fd(), PollFlags::POLLIN),
            ];
            match poll(&mut ready, PollTimeout::try_from(wait).unwrap_or(PollTimeout::MAX)) {
                Ok(_) => {}
                Err(Errno::EINTR) => continue,
                // A template that cannot hear its host is of no use; one that ends is replaced.
                Err(_) => process::exit_now(1),
            }
            let [host, child] = ready.map(|fd| fd.any().unwrap_or(true));
            if host {
                self.obey(control);
            }
            if child {
                // Several exits may stand behind one signal.
                let _ = self.exits.read_signal();
                self.reap(control);
            }
        }
    }

    fn obey(&mut self, control: &ControlSocket) {
        match control.receive(&mut self.inbox) {
            Ok(Some((ToTemplate::Fork { worker }, Some(channel)))) => self.fork(control, worker, channel),
            Ok(Some((ToTemplate::Become { worker }, Some(channel)))) => {
                self.turn_into(control, worker, channel)
            }
            // The descriptor did not fit into this process.
            Ok(Some((ToTemplate::Fork { worker }, None))) => {
                self.tell(control, &FromTemplate::ForkFailed { worker, errno: libc::EMFILE }, None);
            }
            // The host is gone, or speaks another language.
            _ => process::exit_now(0),
        }
    }

    fn fork(&mut self, control: &ControlSocket, worker: u64, channel: OwnedFd) {
        let template = std::process::id() as i32;
        // The self-test saw to it that there is one thread.
        let pid = match process::fork(1) {
            Ok(Fork::Child) => child::serve(&mut *self.body, &self.lockdown, channel, template),
            Ok(Fork::Parent(pid)) => pid,
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(0);
                return self.tell(control, &FromTemplate::ForkFailed { worker, errno }, None);
            }
        };
        drop(channel);
        self.workers.push((pid, worker));
        match process::pidfd_open(pid) {
            Ok(pidfd) => {
                self.tell(control, &FromTemplate::Forked { worker, born: self.born }, Some(pidfd.as_fd()));
            }
            // The worker reads the end of its channel and exits by itself; the report of that follows.
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(0);
                self.tell(control, &FromTemplate::ForkFailed { worker, errno }, None);
            }
        }
    }

    fn turn_into(&mut self, control: &ControlSocket, worker: u64, channel: OwnedFd) -> ! {
        let Ok(own) = process::pidfd_open(std::process::id() as i32) else { process::exit_now(1) };
        self.tell(control, &FromTemplate::Forked { worker, born: self.born }, Some(own.as_fd()));
        child::serve(&mut *self.body, &self.lockdown, channel, nix::unistd::getppid().as_raw())
    }

    fn reap(&mut self, control: &ControlSocket) {
        while let Ok(Some((pid, exit))) = process::wait_any(false) {
            if let Some(at) = self.workers.iter().position(|&(number, _)| number == pid) {
                let (_, worker) = self.workers.swap_remove(at);
                self.tell(control, &FromTemplate::Exited { worker, exit }, None);
            }
        }
    }

    fn tell(
        &mut self,
        control: &ControlSocket,
        message: &FromTemplate,
        beside: Option<std::os::fd::BorrowedFd<'_>>,
    ) {
        if control.send_by(&mut self.outbox, message, beside).is_err() {
            // The host is gone.
            process::exit_now(0);
        }
    }
}

/// What the kernel says about this process.
struct Status {
    threads: u64,
    data_kib: u64,
    /// What a copy of this process begins with.
    born: Born,
}

impl Status {
    fn parse(text: &str) -> Result<Self, String> {
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
            number.ok_or_else(|| format!("the process status has no {name}"))
        };
        let born = Born { resident_kib: field("VmRSS:")?, own_kib: field("RssAnon:")? };
        Ok(Self { threads: field("Threads:")?, data_kib: field("VmData:")?, born })
    }
}

fn open_in(folder: &OwnedFd, path: &str, access: OFlag) -> nix::Result<File> {
    Ok(File::from(openat(folder, path, access | OFlag::O_CLOEXEC, Mode::empty())?))
}
