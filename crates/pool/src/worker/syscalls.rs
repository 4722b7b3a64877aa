//! The system calls that a template and a worker may make. Any other ends the process with `SIGSYS`.
//!
//! Two filters, since putting a filter on costs time that grows with what it has to look at. The template takes
//! everything away that neither it nor a worker needs, once, and workers inherit that by fork. A worker then
//! takes away what only the template needed, with a short filter of its own.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

/// Stands for the worker's own number in the compiled filter until [`Filters::confine_worker`] puts it in.
const OWN_NUMBER: u32 = 0x7a5a_a5a7;

/// How far a worker may go with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Worker {
    /// Whatever the arguments are.
    Always,
    /// Only with its own number as first argument.
    OnSelf,
    /// Only with zero (oneself) as first argument.
    OnZero,
    /// Only with zero (oneself) as first and null as third argument: a question, not a change.
    ToAsk,
    /// Only with `PR_SET_VMA` as first argument: a label on a mapping, which only /proc shows.
    ToName,
    /// Not at all: the call is for the template, and for the worker's own last preparations.
    Never,
}

/// One row of the table: name, number, what a worker may do, why.
type Row = (&'static str, libc::c_long, Worker, &'static str);

macro_rules! rows {
    ($($name:ident $number:ident $worker:ident $why:literal;)*) => {
        &[$((stringify!($name), libc::$number, Worker::$worker, $why)),*]
    };
}

const ROWS: &[Row] = rows! {
    read SYS_read Always "the channel";
    write SYS_write Always "the channel, and the engine's last words on a closed descriptor";
    writev SYS_writev Always "the C library's last words on a closed descriptor";
    sendto SYS_sendto Always "frames to the host";
    recvfrom SYS_recvfrom Always "frames from the host";
    ppoll SYS_ppoll Always "waiting for a frame";
    close SYS_close Always "taking back the one descriptor there is";
    mmap SYS_mmap Always "heap, buffers, machine code";
    munmap SYS_munmap Always "giving memory back";
    mremap SYS_mremap Always "growing large allocations";
    mprotect SYS_mprotect Always "guard pages, machine code";
    madvise SYS_madvise Always "giving pages back";
    brk SYS_brk Always "the C library's heap";
    futex SYS_futex Always "locks of the C and C++ libraries";
    sched_yield SYS_sched_yield Always "spinning locks";
    clock_gettime SYS_clock_gettime Always "clocks where the kernel's page cannot answer";
    clock_getres SYS_clock_getres Always "resolution of clocks";
    gettimeofday SYS_gettimeofday Always "wall clock where the kernel's page cannot answer";
    clock_nanosleep SYS_clock_nanosleep Always "waiting";
    nanosleep SYS_nanosleep Always "waiting";
    restart_syscall SYS_restart_syscall Always "a wait that a stop interrupted";
    getrandom SYS_getrandom Always "randomness";
    getpid SYS_getpid Always "abort() names its own process";
    gettid SYS_gettid Always "abort() names its own thread";
    tgkill SYS_tgkill OnSelf "abort() raises its signal";
    rt_sigaction SYS_rt_sigaction Always "abort() and crash handlers reset a signal";
    rt_sigprocmask SYS_rt_sigprocmask Always "abort() blocks and unblocks signals";
    rt_sigreturn SYS_rt_sigreturn Always "returning from a crash handler";
    sigaltstack SYS_sigaltstack Always "the stack of crash handlers";
    getrusage SYS_getrusage Always "processor time for the usage report";
    sched_getaffinity SYS_sched_getaffinity OnZero "number of cores";
    sysinfo SYS_sysinfo Always "size of memory";
    prlimit64 SYS_prlimit64 ToAsk "own limits, to read";
    exit SYS_exit Always "the end";
    exit_group SYS_exit_group Always "the end";

    clone SYS_clone Never "forking a worker";
    set_robust_list SYS_set_robust_list Never "what the C library does in a forked child";
    pidfd_open SYS_pidfd_open Never "naming a worker";
    sendmsg SYS_sendmsg Never "messages to the host, with descriptors";
    recvmsg SYS_recvmsg Never "messages from the host, with descriptors";
    wait4 SYS_wait4 Never "the exits of workers";
    getppid SYS_getppid Never "whether the template still lives";
    prctl SYS_prctl ToName "the engine's label on pages it gives back; the template follows its parent's death with it";
    dup3 SYS_dup3 Never "the channel to its place";
    fcntl SYS_fcntl Never "whether a descriptor is open, which debug builds ask before they close it";
    close_range SYS_close_range Never "closing what was inherited";
    seccomp SYS_seccomp Never "the worker's own filter";
};

#[cfg(target_arch = "x86_64")]
const ARCH_ROWS: &[Row] = rows! {
    poll SYS_poll Always "waiting for a frame";
    time SYS_time Always "wall clock where the kernel's page cannot answer";
    pkey_mprotect SYS_pkey_mprotect Always "machine code under protection keys";
    dup2 SYS_dup2 Never "the channel to its place";
};

#[cfg(not(target_arch = "x86_64"))]
const ARCH_ROWS: &[Row] = &[];

fn all_rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().chain(ARCH_ROWS)
}

/// The calls a locked-down worker may make, and why each.
pub fn table() -> impl Iterator<Item = (&'static str, &'static str)> {
    all_rows().filter(|(_, _, worker, _)| *worker != Worker::Never).map(|&(name, _, _, why)| (name, why))
}

/// The compiled filters.
pub(crate) struct Filters {
    template: BpfProgram,
    worker: BpfProgram,
    /// The instruction of the worker's filter that compares with [`OWN_NUMBER`].
    own_number_at: usize,
}

impl Filters {
    /// Compiles the table.
    ///
    /// # Errors
    /// Why this machine has no such filters.
    pub(crate) fn compile() -> Result<Self, String> {
        let template = all_rows().map(|&(_, number, _, _)| Ok((number, template_rules(number)?)));
        let template = compile(template, SeccompAction::KillProcess, SeccompAction::Allow)?;
        let worker = all_rows().filter(|(_, _, worker, _)| *worker != Worker::Always);
        let worker = worker.map(|&(_, number, worker, _)| Ok((number, forbidden(worker)?)));
        let worker = compile(worker, SeccompAction::Allow, SeccompAction::KillProcess)?;
        let mut places = (0..worker.len()).filter(|&at| worker[at].k == OWN_NUMBER);
        match (places.next(), places.next()) {
            (Some(own_number_at), None) => Ok(Self { template, worker, own_number_at }),
            _ => Err("the filter does not compare with the process number exactly once".to_owned()),
        }
    }

    /// Takes everything away from this process and its children that is not in the table.
    pub(crate) fn confine_template(&self) -> Result<(), String> {
        seccompiler::apply_filter(&self.template).map_err(|error| error.to_string())
    }

    /// Takes away what is not a worker's. `own_number` is the number of this process.
    pub(crate) fn confine_worker(&mut self, own_number: i32) -> Result<(), String> {
        self.worker[self.own_number_at].k = own_number.unsigned_abs();
        seccompiler::apply_filter(&self.worker).map_err(|error| error.to_string())
    }
}

type Rules = Result<(libc::c_long, Vec<SeccompRule>), String>;

fn compile(
    rows: impl Iterator<Item = Rules>,
    otherwise: SeccompAction,
    on_match: SeccompAction,
) -> Result<BpfProgram, String> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
    let rules = rows.collect::<Result<BTreeMap<_, _>, _>>()?;
    let filter = SeccompFilter::new(rules, otherwise, on_match, arch).map_err(|error| error.to_string())?;
    BpfProgram::try_from(filter).map_err(|error| error.to_string())
}

/// When the template may make a call. No rule: always.
fn template_rules(number: libc::c_long) -> Result<Vec<SeccompRule>, String> {
    let only = match number {
        libc::SYS_clone => {
            // A fork, and neither a thread nor a namespace.
            let flags = libc::SIGCHLD | libc::CLONE_CHILD_SETTID | libc::CLONE_CHILD_CLEARTID;
            let others = !u64::from(flags.unsigned_abs());
            condition(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(others), 0)?
        }
        libc::SYS_fcntl => {
            condition(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, u64::from(libc::F_GETFD.unsigned_abs()))?
        }
        _ => return Ok(Vec::new()),
    };
    rule(&[only]).map(|rule| vec![rule])
}

/// When a worker may not make a call. No rule: never.
fn forbidden(worker: Worker) -> Result<Vec<SeccompRule>, String> {
    let first_is_not = |value| {
        condition(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value).and_then(|is_not| rule(&[is_not]))
    };
    Ok(match worker {
        Worker::Always | Worker::Never => Vec::new(),
        Worker::OnSelf => vec![first_is_not(u64::from(OWN_NUMBER))?],
        Worker::OnZero => vec![first_is_not(0)?],
        Worker::ToName => vec![first_is_not(u64::from(libc::PR_SET_VMA.unsigned_abs()))?],
        Worker::ToAsk => {
            let changes = rule(&[condition(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?])?;
            vec![first_is_not(0)?, changes]
        }
    })
}

fn condition(
    argument: u8,
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, String> {
    SeccompCondition::new(argument, length, operator, value).map_err(|error| error.to_string())
}

fn rule(conditions: &[SeccompCondition]) -> Result<SeccompRule, String> {
    SeccompRule::new(conditions.to_vec()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_there_once_and_has_a_reason() {
        let mut numbers: Vec<_> = all_rows().map(|row| row.1).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all_rows().count());
        assert!(all_rows().all(|row| !row.3.is_empty()));
        assert!(table().count() < all_rows().count());
    }

    #[test]
    fn the_filter_of_a_worker_is_the_short_one() {
        let filters = Filters::compile().unwrap();
        assert!(filters.worker.len() * 2 < filters.template.len(), "{} instructions", filters.worker.len());
    }
}
