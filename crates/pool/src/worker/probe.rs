//! Whether the layers that were taken show: in what the kernel says of this process, and in what it refuses.

use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::stat::Mode;

use super::report::Report;

/// Doubts every layer of a template that does not show. `status` is what the kernel says of this process. To be
/// called before system calls are filtered: it makes some that are not on the list.
pub(crate) fn verify_template(report: &mut Report, status: &str) {
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let is_none = |set: &str| field(set).is_some_and(|bits| bits.bytes().all(|bit| bit == b'0'));
    let is_bounded = |limit| getrlimit(limit).is_ok_and(|(soft, hard)| (soft, hard) == (0, 0));

    report.verify("namespaces", std::process::id() == 1);
    report.verify("empty root", ["/proc", "/etc", "/usr"].iter().all(|path| !Path::new(path).exists()));
    let nobody = |ids: &str| ids.split_whitespace().all(|id| id != "0");
    report.verify(
        "unprivileged user",
        ["Uid:", "Gid:", "Groups:"].iter().all(|&ids| field(ids).is_some_and(nobody)),
    );
    report.verify(
        "no capabilities",
        ["CapEff:", "CapPrm:", "CapInh:", "CapAmb:"].iter().all(|&set| is_none(set)),
    );
    report.verify("no new privileges", field("NoNewPrivs:") == Some("1"));
    let listing = open("/", OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC, Mode::empty());
    report.verify("landlock", matches!(listing, Err(Errno::EACCES)));
    report.verify("not dumpable", prctl::get_dumpable() == Ok(false));
    report.verify("resource limits", is_bounded(Resource::RLIMIT_CORE) && is_bounded(Resource::RLIMIT_FSIZE));
}
