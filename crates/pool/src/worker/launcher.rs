//! The first process of a template: enters namespaces, forks the template, and tells the host how it ended.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, IntoRawFd, OwnedFd};

use nix::fcntl::{OFlag, open};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::unistd::setsid;

use super::body::WorkerBody;
use super::report::Report;
use super::{namespaces, template};
use crate::config::{HardeningLevel, TemplateConfig};
use crate::ipc::codec;
use crate::ipc::control::{ControlSocket, FromTemplate, Inbox, ToTemplate, VERSION};
use crate::sys::process::{self, Fork};

/// Number of the control socket once it is in its place.
const CONTROL: i32 = 3;

/// What a template starts from.
pub(crate) struct Start {
    pub(crate) control: ControlSocket,
    pub(crate) config: TemplateConfig,
    /// `/proc` of the host, opened before the file system went away.
    pub(crate) proc_folder: OwnedFd,
    pub(crate) report: Report,
}

/// Serves as a launcher, and in its child as a template. Never returns.
pub(crate) fn serve(make: impl FnOnce() -> Box<dyn WorkerBody>) -> ! {
    let start = match set_up() {
        Ok(Some(start)) => start,
        // The host is gone: nobody to tell.
        Ok(None) => process::exit_now(0),
        Err(error) => {
            eprintln!(
                "This process was asked to serve as a worker of a pool, and no pool is there: {error}."
            );
            process::exit_now(2)
        }
    };
    match process::fork(1) {
        Ok(Fork::Child) => template::serve(start, make),
        Ok(Fork::Parent(template)) => watch(&start.control, template),
        Err(error) => {
            let text = format!("the template could not be forked: {error}");
            // Without a host there is nobody to tell.
            let _ = start.control.send(&FromTemplate::start_failed(text), None);
            process::exit_now(1)
        }
    }
}

fn set_up() -> io::Result<Option<Start>> {
    let control = ControlSocket::new(take_control()?);
    control.send(&FromTemplate::Speaking { version: VERSION }, None)?;
    let Some((ToTemplate::Configure, Some(beside))) = control.receive(&mut Inbox::default())? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    File::from(beside).read_to_end(&mut bytes)?;
    let config: TemplateConfig =
        codec::decode(&bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;

    // A session of its own: an interrupt typed at the host's terminal is the host's to handle.
    let _ = setsid();
    let proc_folder = open("/proc", OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC, Mode::empty())?;
    let mut report = Report::without(config.audit.absent_layers.clone());
    report.note("out of memory", be_killed_first());
    if config.hardening != HardeningLevel::Off {
        namespaces::enter(&mut report);
    }
    // Behind every change of credentials, since those clear it.
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    Ok(Some(Start { control, config, proc_folder, report }))
}

/// Where the machine runs out of memory, its kernel ends a worker and not its host. Children inherit that.
fn be_killed_first() -> String {
    match std::fs::write("/proc/self/oom_score_adj", "1000") {
        Ok(()) => "workers are killed before others".to_owned(),
        Err(error) => format!("workers are killed as others are: {error}"),
    }
}

/// Takes the control socket from descriptor 0, where the host put it, and closes everything else but stderr.
fn take_control() -> io::Result<OwnedFd> {
    let control = process::move_to(process::adopt(0)?, CONTROL)?;
    if nix::sys::socket::getsockopt(&control, nix::sys::socket::sockopt::SockType)
        != Ok(nix::sys::socket::SockType::SeqPacket)
    {
        return Err(io::Error::new(io::ErrorKind::NotConnected, "standard input is no control socket"));
    }
    process::close_from(CONTROL as u32 + 1)?;
    // The lowest free number is 0 now. It stays open for good.
    let _ = File::open("/dev/null")?.into_raw_fd();
    Ok(control)
}

fn watch(control: &ControlSocket, template: i32) -> ! {
    // Before anything else: whoever ends this process has to know what ends with it.
    if let Ok(pidfd) = process::pidfd_open(template) {
        // Without a host there is nobody to tell.
        let _ = control.send(&FromTemplate::TemplateForked, Some(pidfd.as_fd()));
    }
    if let Ok(exit) = process::wait_for(template) {
        // Without a host there is nobody to tell.
        let _ = control.send(&FromTemplate::TemplateExited { exit }, None);
    }
    process::exit_now(0)
}
