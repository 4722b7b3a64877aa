//! Starting a worker process and following its first words.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};

use super::memory_group::MemoryGroup;
use crate::config::PoolConfig;
use crate::dispatcher::message::{Cause, Failure, TemplateId, WorkerId};
use crate::ipc::codec;
use crate::ipc::control::{ControlSocket, Exit, ToTemplate};
use crate::sys::{process, socket};
use crate::worker::MARKER;

/// How long a process may take to be gone once its control socket has closed.
const END_PATIENCE: Duration = Duration::from_millis(100);
/// How long a killed process may take to be gone.
pub(super) const DEATH_PATIENCE: Duration = Duration::from_secs(2);

/// What a process was started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// To fork workers.
    Template(TemplateId),
    /// To be one.
    Single(WorkerId),
}

/// How far a process has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It has not spoken.
    Silent,
    /// It starts its engine.
    Starting,
    /// It serves.
    Up,
}

/// A process that the pool's thread started.
pub(crate) struct Process {
    pub(crate) role: Role,
    pub(crate) phase: Phase,
    pub(crate) control: Arc<ControlSocket>,
    /// When it has to have come further, or to have given a sign of life.
    pub(crate) deadline: Instant,
    /// What it said as it gave up.
    pub(crate) last_words: Option<String>,
    /// How the process behind the launcher ended.
    pub(crate) exit: Option<Exit>,
    launcher: Child,
    template: Option<OwnedFd>,
    /// Somebody else killed it.
    killed_outside: bool,
}

impl Process {
    /// Starts one.
    pub(crate) fn start(config: &PoolConfig, group: Option<&MemoryGroup>, role: Role) -> io::Result<Self> {
        let (ours, theirs) = socket::message_pair()?;
        fcntl(&ours, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        let control = ControlSocket::new(ours);
        let settings = config_file(config)?;
        let stderr = if config.inherit_stderr { Stdio::inherit() } else { Stdio::null() };
        let launcher = Command::new(&config.worker.program)
            .arg(MARKER)
            .args(&config.worker.args)
            .env_clear()
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()?;
        let process = Self {
            role,
            phase: Phase::Silent,
            control: Arc::new(control),
            deadline: Instant::now() + config.greeting_deadline,
            last_words: None,
            exit: None,
            launcher,
            template: None,
            killed_outside: false,
        };
        process.let_begin(group, &settings)
    }

    /// Bounds the process and only then tells it what to do, so that whatever it forks is bounded too.
    fn let_begin(mut self, group: Option<&MemoryGroup>, settings: &OwnedFd) -> io::Result<Self> {
        let begun = group
            .map_or(Ok(()), |group| group.admit(self.launcher.id()))
            .and_then(|()| self.control.send(&ToTemplate::Configure, Some(settings.as_fd())));
        match begun {
            // One that is gone by now says so by the end of its control socket.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.reap();
                Err(error)
            }
            _ => Ok(self),
        }
    }

    /// The process came further.
    pub(crate) fn advance(&mut self, phase: Phase, next_within: Duration) {
        self.phase = phase;
        self.deadline = Instant::now() + next_within;
    }

    /// Keeps the descriptor that names the process behind the launcher.
    pub(crate) fn name(&mut self, pidfd: Option<OwnedFd>) {
        self.template = pidfd;
    }

    /// Kills launcher and template, and with them every worker.
    pub(crate) fn kill(&mut self) {
        if let Some(template) = &self.template {
            process::pidfd_kill(template.as_fd());
        }
        // A launcher that is gone is no error.
        let _ = self.launcher.kill();
    }

    /// Kills it and waits until it is gone.
    pub(crate) fn reap(&mut self) {
        self.kill();
        // It was killed: this does not wait for long.
        let _ = self.launcher.wait();
        // One that the kernel cannot end now is the kernel's to end later.
        let _ = match &self.template {
            Some(template) => socket::wait_readable(template.as_fd(), DEATH_PATIENCE).map(|_| ()),
            // A template without a name yet follows its launcher, or the end of this socket.
            None => self.control.close_and_drain(DEATH_PATIENCE),
        };
    }

    /// Takes the end of a process whose control socket has closed.
    pub(crate) fn take_end(&mut self) {
        if self.phase != Phase::Up && self.last_words.is_none() {
            self.killed_outside = self.was_killed();
        }
        self.reap();
    }

    /// Whether something else than this pool killed it.
    fn was_killed(&mut self) -> bool {
        // The socket closes a moment before the process is gone; a foreign program may live on without it.
        if let Ok(launcher) = process::pidfd_open(self.launcher.id() as i32) {
            let _ = socket::wait_readable(launcher.as_fd(), END_PATIENCE);
        }
        let launcher = self.launcher.try_wait().ok().flatten().and_then(|status| status.signal());
        let template = self.exit.and_then(|exit| exit.signal);
        [launcher, template].contains(&Some(libc::SIGKILL))
    }

    /// Why it did not come up.
    pub(crate) fn failure(&self) -> Failure {
        if let Some(words) = &self.last_words {
            return Failure::new(Cause::Engine, words.clone());
        }
        if self.killed_outside {
            return Failure::new(
                Cause::Accident,
                "The worker process was killed from outside as it started.",
            );
        }
        match (self.phase, self.exit) {
            (Phase::Silent, _) => Failure::new(
                Cause::Setup,
                "The worker process ended or kept silent instead of entering worker mode.",
            ),
            (_, Some(exit)) => {
                Failure::new(Cause::Engine, format!("The worker process ended with {}.", exit.describe()))
            }
            (_, None) => Failure::new(Cause::Engine, "The worker process ended as it started."),
        }
    }
}

/// The settings, as a file in memory: they may be longer than a message.
fn config_file(config: &PoolConfig) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("pool settings", MFdFlags::MFD_CLOEXEC)?);
    file.write_all(&codec::encode(&config.for_template()))?;
    file.rewind()?;
    Ok(file.into())
}
