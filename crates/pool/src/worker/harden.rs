//! What a template and a worker take away from themselves besides namespaces and system calls.

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus, Scope};
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};

use super::report::Report;

/// Descriptors a template may hold: channels and pidfds of workers that are being made.
const TEMPLATE_DESCRIPTORS: u64 = 256;

/// Locks the template in, before the engine starts.
pub(crate) fn lock_in_template(report: &mut Report) {
    report.record("no new privileges", prctl::set_no_new_privs());
    match restrict_files_and_sockets() {
        Ok(RulesetStatus::FullyEnforced) => report.on("landlock", "on: no path, no port, no signal"),
        Ok(RulesetStatus::PartiallyEnforced) => {
            report.on("landlock", "on: no path, as far as this kernel knows");
        }
        Ok(RulesetStatus::NotEnforced) => report.missing("landlock", "this kernel has none"),
        Err(error) => report.missing("landlock", error),
    }
    report.record("not dumpable", prctl::set_dumpable(false));
    let limits = [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_MEMLOCK, 0),
        (Resource::RLIMIT_NOFILE, TEMPLATE_DESCRIPTORS),
    ];
    report.record(
        "resource limits",
        limits.iter().try_for_each(|&(limit, value)| setrlimit(limit, value, value)),
    );
}

/// Takes the last limits of a worker. `descriptors` is the number of the highest open one plus one.
pub(crate) fn limit_worker(descriptors: u64) -> nix::Result<()> {
    setrlimit(Resource::RLIMIT_NOFILE, descriptors, descriptors)?;
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
