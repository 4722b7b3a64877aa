//! The system calls that a template and a worker may make. Any other ends the process with `SIGSYS`.
//!
//! Putting a filter on costs time that grows with what it has to look at. So the template takes everything away that
//! neither it nor a worker needs, once, and workers inherit that by fork. A worker then takes away what only the
//! template needed, with a short filter of its own. A third filter, inherited too, answers what the C library asks and
//! can do without as a kernel does that has never heard of it.

use std::array;
use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

/// Stands for the worker's own number in the compiled filter until [`Filters::confine_worker`] puts it in.
const OWN_NUMBER: u32 = 0x7a5a_a5a7;

/// Most instructions of the filter of a worker.
const MOST_INSTRUCTIONS: usize = 192;

/// The flags with which the C library makes a thread: it shares everything with the process and ends with it.
const THREAD: u64 = (libc::CLONE_VM
    | libc::CLONE_FS
    | libc::CLONE_FILES
    | libc::CLONE_SIGHAND
    | libc::CLONE_THREAD
    | libc::CLONE_SYSVSEM
    | libc::CLONE_SETTLS
    | libc::CLONE_PARENT_SETTID
    | libc::CLONE_CHILD_CLEARTID) as u64;

/// How far a worker may go with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Whatever the arguments are.
    Always,
    /// Only with its own number as first argument.
    OnSelf,
    /// With zero (oneself) as first argument. The answer to another is `ENOSYS`, as it is for the template.
    OnZero,
    /// Only with zero (oneself) as first and null as third argument, a question; or about the number of processes and
    /// threads, which is a bound that cannot be raised.
    ToAsk,
    /// Only to make a thread of this process, for which the bound on threads leaves room until the program begins.
    ToThread,
    /// Only with `PR_SET_VMA` as first argument: a label on a mapping, which only /proc shows.
    ToName,
    /// Only mappings that are private and counted: shared, growing and huge-page ones escape the bound on data. So it is
    /// for the template.
    Counted,
    /// The answer is `ENOSYS`, as it is for the template.
    Unknown,
    /// Not at all: the call is for the template, and for the worker's own last preparations.
    Never,
}

/// How it is known that a call has to be on the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A worker without an engine does not get by without it.
    Pool,
    /// A worker with the engine does not get by without it.
    Engine,
    /// No test gets there. The reason says when it is needed all the same.
    Rare,
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyscallRow {
    /// Name of the call.
    pub name: &'static str,
    /// Its number on this machine.
    pub number: libc::c_long,
    /// What a worker may do with it. A template may make every call of the table, as far as a reach does not say.
    pub reach: Reach,
    /// How it is known that it has to be here.
    pub need: Need,
    /// What it is for.
    pub why: &'static str,
}

macro_rules! rows {
    ($($name:ident $number:ident $reach:ident $need:ident $why:literal;)*) => {
        &[$(SyscallRow {
            name: stringify!($name),
            number: libc::$number,
            reach: Reach::$reach,
            need: Need::$need,
            why: $why,
        }),*]
    };
}

const ROWS: &[SyscallRow] = rows! {
    write SYS_write Always Pool "last words of a panic or of the engine, on a descriptor that may be closed";
    writev SYS_writev Always Rare "last words of the C library, on a descriptor that may be closed";
    sendto SYS_sendto Always Pool "frames to the host";
    recvfrom SYS_recvfrom Always Pool "frames from the host";
    ppoll SYS_ppoll Always Pool "waiting for a frame or the second thread";
    mmap SYS_mmap Counted Pool "heap, buffers, machine code";
    munmap SYS_munmap Always Pool "giving memory back";
    mremap SYS_mremap Always Rare "the C library grows an allocation that has a mapping of its own";
    mprotect SYS_mprotect Always Engine "guard pages, machine code";
    madvise SYS_madvise Always Engine "giving pages back";
    brk SYS_brk Always Rare "the C library's heap, where the template left it no room";
    futex SYS_futex Always Pool "locks and one-time starts of the C and C++ libraries";
    sched_yield SYS_sched_yield Always Rare "the engine's locks, when one is held for longer than it spins";
    clock_gettime SYS_clock_gettime Always Engine "processor time; clocks where the kernel's page cannot answer";
    clock_getres SYS_clock_getres Always Rare "resolution of a clock that the kernel's page does not have";
    gettimeofday SYS_gettimeofday Always Rare "wall clock where the kernel's page cannot answer: some hypervisors";
    clock_nanosleep SYS_clock_nanosleep Always Rare "the engine's locks, when one is held for long";
    nanosleep SYS_nanosleep Always Rare "the same with an older C library";
    restart_syscall SYS_restart_syscall Always Rare "a wait that a stop and a continue interrupted: the kernel makes this call";
    getrandom SYS_getrandom Always Engine "randomness";
    getpid SYS_getpid Always Pool "abort() names its own process";
    gettid SYS_gettid Always Pool "abort() names its own thread";
    tgkill SYS_tgkill OnSelf Pool "abort() raises its signal";
    rt_sigaction SYS_rt_sigaction Always Pool "abort() and crash handlers reset a signal";
    rt_sigprocmask SYS_rt_sigprocmask Always Pool "abort() blocks and unblocks signals";
    rt_sigreturn SYS_rt_sigreturn Always Pool "returning from a crash handler";
    sigaltstack SYS_sigaltstack Always Pool "the stack of crash handlers";
    getrusage SYS_getrusage Always Rare "processor time of the engine's own statistics";
    sched_getaffinity SYS_sched_getaffinity OnZero Pool "the engine asks for the number of cores, the C library for those of a new thread";
    sysinfo SYS_sysinfo Always Rare "the engine asks for the size of memory as it sizes a heap";
    prlimit64 SYS_prlimit64 ToAsk Pool "no thread more once the program begins; the C library asks for the bound of the stack";
    clone SYS_clone ToThread Pool "the second thread; the template forks workers with it";
    clone3 SYS_clone3 Unknown Pool "its flags lie in memory, where no filter sees them; the C library tries clone next";
    rseq SYS_rseq Always Pool "what the C library does in a new thread, or ends the process";
    set_robust_list SYS_set_robust_list Always Pool "what the C library does in a new thread and in a forked child";
    exit SYS_exit Always Rare "the end of a thread";
    exit_group SYS_exit_group Always Pool "the end";

    close SYS_close Never Pool "channels of workers, once they have them";
    read SYS_read Never Pool "that a worker ended, from a signal descriptor";
    pidfd_open SYS_pidfd_open Never Pool "naming a worker";
    sendmsg SYS_sendmsg Never Pool "messages to the host, with descriptors";
    recvmsg SYS_recvmsg Never Pool "messages from the host, with descriptors";
    wait4 SYS_wait4 Never Pool "the exits of workers";
    getppid SYS_getppid Never Pool "whether the template still lives";
    prctl SYS_prctl ToName Rare "the engine's label on pages it gives back; the template follows its parent's death with it";
    fcntl SYS_fcntl Never Pool "whether a descriptor is open, which debug builds ask before they close it";
    close_range SYS_close_range Never Pool "closing what was inherited";
    process_madvise SYS_process_madvise Never Engine "copying the pages that every run writes to";
    seccomp SYS_seccomp Never Pool "the worker's own filter";
};

#[cfg(target_arch = "x86_64")]
const ARCH_ROWS: &[SyscallRow] = rows! {
    poll SYS_poll Always Pool "waiting for a frame";
    time SYS_time Always Rare "wall clock where the kernel's page cannot answer: some hypervisors";
    pkey_mprotect SYS_pkey_mprotect Always Rare "machine code on processors with protection keys";
    dup2 SYS_dup2 Never Pool "the channel to its place";
};

#[cfg(not(target_arch = "x86_64"))]
const ARCH_ROWS: &[SyscallRow] = rows! {
    dup3 SYS_dup3 Never Pool "the channel to its place";
};

/// The calls a template and its workers may make, and why each.
pub fn table() -> impl Iterator<Item = &'static SyscallRow> {
    ROWS.iter().chain(ARCH_ROWS)
}

/// The rows of [`table`] that a locked-down worker may use.
pub(crate) fn table_of_workers() -> impl Iterator<Item = &'static SyscallRow> {
    table().filter(|row| !matches!(row.reach, Reach::Unknown | Reach::Never))
}

/// The compiled filters.
pub(crate) struct Filters {
    unknown: BpfProgram,
    template: BpfProgram,
    worker: BpfProgram,
    /// The instruction of the worker's filter that compares with [`OWN_NUMBER`].
    own_number_at: Option<usize>,
}

impl Filters {
    /// Compiles the table without `withheld`, names of rows: those that are a worker's are taken from workers alone.
    ///
    /// # Errors
    /// Why this machine has no such filters.
    pub(crate) fn compile(withheld: &[String]) -> Result<Self, String> {
        let unknown = table().filter_map(|row| unknown_rules(row).transpose());
        let never_heard_of = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
        let unknown = compile(unknown, SeccompAction::Allow, never_heard_of)?;
        let is_withheld = |row: &SyscallRow| withheld.iter().any(|name| name == row.name);
        let template = table().filter(|row| row.reach != Reach::Never || !is_withheld(row));
        let template = template.map(|row| Ok((row.number, template_rules(row.number)?)));
        let template = compile(template, SeccompAction::KillProcess, SeccompAction::Allow)?;
        let reach = |row: &SyscallRow| if is_withheld(row) { Reach::Never } else { row.reach };
        let worker = table().filter(|row| !is_open(reach(row)));
        let worker = worker.map(|row| Ok((row.number, forbidden(reach(row))?)));
        let worker = compile(worker, SeccompAction::Allow, SeccompAction::KillProcess)?;
        // A call that is withheld may take the comparison with it.
        let mut places = (0..worker.len()).filter(|&at| worker[at].k == OWN_NUMBER);
        match (places.next(), places.next()) {
            (own_number_at, None) if own_number_at.is_some() || !withheld.is_empty() => {
                Ok(Self { unknown, template, worker, own_number_at })
            }
            _ => Err("the filter does not compare with the process number exactly once".to_owned()),
        }
    }

    /// Takes everything away from this process and its children that is not in the table.
    pub(crate) fn confine_template(&self) -> Result<(), String> {
        seccompiler::apply_filter(&self.unknown).map_err(|error| error.to_string())?;
        seccompiler::apply_filter(&self.template).map_err(|error| error.to_string())
    }

    /// Takes away what is not a worker's. `own_number` is the number of this process.
    pub(crate) fn confine_worker(&self, own_number: i32) -> Result<(), String> {
        // On the stack: the template's copy is a page that this process would otherwise not write to.
        let mut filter: [sock_filter; MOST_INSTRUCTIONS] = array::from_fn(|at| {
            self.worker.get(at).cloned().unwrap_or(sock_filter { code: 0, jt: 0, jf: 0, k: 0 })
        });
        let filter = filter.get_mut(..self.worker.len()).ok_or("the filter is too long")?;
        if let Some(at) = self.own_number_at {
            filter[at].k = own_number.unsigned_abs();
        }
        seccompiler::apply_filter(filter).map_err(|error| error.to_string())
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
            // A fork or a thread, and no namespace.
            let flags = libc::SIGCHLD | libc::CLONE_CHILD_SETTID | libc::CLONE_CHILD_CLEARTID;
            let others = !u64::from(flags.unsigned_abs());
            let fork = condition(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(others), 0)?;
            let thread = condition(0, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, THREAD)?;
            return Ok(vec![rule(&[fork])?, rule(&[thread])?]);
        }
        libc::SYS_mmap => {
            let uncounted = libc::MAP_SHARED | libc::MAP_GROWSDOWN | libc::MAP_HUGETLB;
            let uncounted = u64::from(uncounted.unsigned_abs());
            condition(3, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(uncounted), 0)?
        }
        libc::SYS_fcntl => {
            condition(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, u64::from(libc::F_GETFD.unsigned_abs()))?
        }
        _ => return Ok(Vec::new()),
    };
    rule(&[only]).map(|rule| vec![rule])
}

/// When a call is answered as one that does not exist. No rule: always.
fn unknown_rules(row: &SyscallRow) -> Result<Option<(libc::c_long, Vec<SeccompRule>)>, String> {
    Ok(match row.reach {
        Reach::Unknown => Some((row.number, Vec::new())),
        Reach::OnZero => Some((row.number, vec![first_is_not(0)?])),
        _ => None,
    })
}

/// Whether the filter of a worker has nothing to say about a call.
fn is_open(reach: Reach) -> bool {
    matches!(reach, Reach::Always | Reach::OnZero | Reach::Counted | Reach::Unknown)
}

fn first_is_not(value: u64) -> Result<SeccompRule, String> {
    rule(&[condition(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)?])
}

/// When a worker may not make a call. No rule: never.
fn forbidden(reach: Reach) -> Result<Vec<SeccompRule>, String> {
    Ok(match reach {
        Reach::Always | Reach::OnZero | Reach::Counted | Reach::Unknown | Reach::Never => Vec::new(),
        Reach::OnSelf => vec![first_is_not(u64::from(OWN_NUMBER))?],
        Reach::ToName => vec![first_is_not(u64::from(libc::PR_SET_VMA.unsigned_abs()))?],
        Reach::ToAsk => {
            let tasks = u64::from(libc::RLIMIT_NPROC);
            let changes = condition(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
            let another = condition(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, tasks)?;
            vec![first_is_not(0)?, rule(&[changes, another])?]
        }
        Reach::ToThread => {
            vec![rule(&[condition(0, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, THREAD)?])?]
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
        let mut numbers: Vec<_> = table().map(|row| row.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), table().count());
        assert!(table().all(|row| !row.why.is_empty()));
        assert!(table_of_workers().count() < table().count());
    }

    #[test]
    fn the_filter_of_a_worker_is_the_short_one() {
        let filters = Filters::compile(&[]).unwrap();
        assert!(filters.worker.len() * 3 / 2 < MOST_INSTRUCTIONS);
        assert!(filters.worker.len() * 2 < filters.template.len(), "{} instructions", filters.worker.len());
    }
}
