//! What a template and a worker take away from themselves besides namespaces and system calls.

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus, Scope};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use super::report::Report;

/// Descriptors a template may hold: channels and pidfds of workers that are being made.
const TEMPLATE_DESCRIPTORS: u64 = 256;

/// The stack that a worker has where the host's bound on it can be raised this far.
const STACK_BYTES: u64 = 8 << 20;

/// Gives this process the usual stack, where its host has less of it and may have more.
pub(crate) fn raise_stack() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_STACK)
        && soft < STACK_BYTES.min(hard)
    {
        // What it is then is what the engine goes by.
        let _ = setrlimit(Resource::RLIMIT_STACK, STACK_BYTES.min(hard), hard);
    }
}

/// Locks the template in, before the engine starts.
pub(crate) fn lock_in_template(report: &mut Report) {
    report.take("no new privileges", || prctl::set_no_new_privs().map(|()| String::new()));
    report.take("landlock", || match restrict_files_and_sockets() {
        Ok(RulesetStatus::FullyEnforced) => Ok("no path, no port, no signal".to_owned()),
        Ok(RulesetStatus::PartiallyEnforced) => Ok("no path, as far as this kernel knows".to_owned()),
        Ok(RulesetStatus::NotEnforced) => Err("this kernel has none".to_owned()),
        Err(error) => Err(error.to_string()),
    });
    report.take("not dumpable", || prctl::set_dumpable(false).map(|()| String::new()));
    let limits = [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_MEMLOCK, 0),
        (Resource::RLIMIT_NOFILE, TEMPLATE_DESCRIPTORS),
    ];
    report.take("resource limits", || {
        limits.iter().try_for_each(|&(limit, value)| setrlimit(limit, value, value)).map(|()| String::new())
    });
}

/// Bounds the descriptors of a worker: `descriptors` is the number of the highest open one plus one.
pub(crate) fn limit_descriptors(descriptors: u64) -> nix::Result<()> {
    setrlimit(Resource::RLIMIT_NOFILE, descriptors, descriptors)
}

/// Lets a worker make no process and no thread any more.
pub(crate) fn forbid_tasks() -> nix::Result<()> {
    setrlimit(Resource::RLIMIT_NPROC, 0, 0)
}

/// Bounds what this process may map to `bytes`, counted as the kernel counts `VmData`.
pub(crate) fn limit_data(bytes: u64) -> nix::Result<()> {
    setrlimit(Resource::RLIMIT_DATA, bytes, bytes)
}

fn restrict_files_and_sockets() -> Result<RulesetStatus, landlock::RulesetError> {
    let newest = ABI::V6;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(newest))?
        .handle_access(AccessNet::from_all(newest))?
        .scope(Scope::from_all(newest))?
        .create()?
        .restrict_self()?;
    Ok(status.ruleset)
}
