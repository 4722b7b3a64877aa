//! Namespaces: a world with no network, no files, no other processes and no privileges.

use std::io;

use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{Gid, Uid, chdir, getegid, geteuid, pivot_root, setgroups, setresgid, setresuid};

use super::report::Report;
use crate::sys::confine;

/// The user without rights that a template runs as when the host is root.
const NOBODY: u32 = 65_534;
const CAP_KILL: u32 = 5;

/// Enters what this machine permits. The process namespace holds for children only, so the caller forks once.
pub(crate) fn enter(report: &mut Report) {
    let spaces = CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWUTS;
    // What may be killed has to be known before capabilities go.
    let host_may_kill_anyone = has_capability(CAP_KILL);
    let (user, group) = (geteuid(), getegid());
    let enter = || match unshare(spaces) {
        Ok(()) => Ok("as a privileged user"),
        Err(Errno::EPERM) => unshare(spaces | CloneFlags::CLONE_NEWUSER)
            .map_err(io::Error::from)
            .and_then(|()| map_own_user(user, group))
            .map(|()| "in a user namespace"),
        Err(other) => Err(other.into()),
    };
    report.take("namespaces", || {
        enter().map(|how: &str| format!("process, network, ipc, mount, host name, {how}"))
    });
    if report.has("namespaces") {
        report.take("empty root", || leave_file_system().map(|()| String::new()));
    } else {
        report.missing("empty root", "it needs the mount namespace");
    }
    if user.is_root() && host_may_kill_anyone {
        report.take("unprivileged user", || become_nobody().map(|()| format!("user {NOBODY}")));
    } else {
        report.note("unprivileged user", format!("user {user}"));
    }
    report.take("no capabilities", || confine::drop_capabilities().map(|()| String::new()));
}

fn map_own_user(user: Uid, group: Gid) -> io::Result<()> {
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Replaces the root by an empty file system that cannot be written.
fn leave_file_system() -> nix::Result<()> {
    const NONE: Option<&str> = None;
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE)?;
    let bare = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    // Any folder that every system has does; what lies under it is not needed any more.
    mount(Some("none"), "/proc", Some("tmpfs"), bare, Some("size=4k,nr_inodes=1,mode=555"))?;
    mount(NONE, "/proc", NONE, bare | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY, NONE)?;
    chdir("/proc")?;
    // The old root is stacked onto the new one, then taken off.
    pivot_root(".", ".")?;
    umount2(".", MntFlags::MNT_DETACH)?;
    chdir("/")
}

fn become_nobody() -> nix::Result<()> {
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    setgroups(&[])?;
    setresgid(group, group, group)?;
    setresuid(user, user, user)
}

fn has_capability(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    effective
        .and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
        .is_some_and(|set| set >> number & 1 == 1)
}
