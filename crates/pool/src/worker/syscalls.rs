//! The system calls a worker may make once it is locked down. Anything else ends it with `SIGSYS`.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

/// Stands for the worker's own number in the compiled filter until [`Filter::for_process`] puts it in.
const OWN_NUMBER: u32 = 0x7a5a_a5a7;

/// When an allowed call is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    /// First argument is the worker's own number.
    OnSelf,
    /// First argument is zero (oneself) and third is null: a question, not a change.
    Question,
    /// First argument is zero: oneself.
    Zero,
}

/// One row of the table: name, number, when, why.
type Row = (&'static str, libc::c_long, When, &'static str);

macro_rules! rows {
    ($($name:ident $number:ident $when:ident $why:literal;)*) => {
        &[$((stringify!($name), libc::$number, When::$when, $why)),*]
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
    sched_getaffinity SYS_sched_getaffinity Zero "number of cores";
    sysinfo SYS_sysinfo Always "size of memory";
    prlimit64 SYS_prlimit64 Question "own limits, to read";
    exit SYS_exit Always "the end";
    exit_group SYS_exit_group Always "the end";
};

#[cfg(target_arch = "x86_64")]
const ARCH_ROWS: &[Row] = rows! {
    poll SYS_poll Always "waiting for a frame";
    time SYS_time Always "wall clock where the kernel's page cannot answer";
    pkey_mprotect SYS_pkey_mprotect Always "machine code under protection keys";
};

#[cfg(not(target_arch = "x86_64"))]
const ARCH_ROWS: &[Row] = &[];

/// The table: name of each allowed call and why it is.
pub fn table() -> impl Iterator<Item = (&'static str, &'static str)> {
    ROWS.iter().chain(ARCH_ROWS).map(|&(name, _, _, why)| (name, why))
}

/// The compiled filter. Compiled once in the template, put on in each worker.
pub(crate) struct Filter {
    program: BpfProgram,
    /// Instructions that compare with [`OWN_NUMBER`].
    own_number_at: Vec<usize>,
}

impl Filter {
    /// Compiles the table.
    ///
    /// # Errors
    /// Why this machine has no such filter.
    pub(crate) fn compile() -> Result<Self, String> {
        let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
        let mut rules = BTreeMap::new();
        for &(_, number, when, _) in ROWS.iter().chain(ARCH_ROWS) {
            rules.insert(number, rules_of(when)?);
        }
        let filter = SeccompFilter::new(rules, SeccompAction::KillProcess, SeccompAction::Allow, arch)
            .map_err(|error| error.to_string())?;
        let program = BpfProgram::try_from(filter).map_err(|error| error.to_string())?;
        let own_number_at: Vec<usize> =
            (0..program.len()).filter(|&at| program[at].k == OWN_NUMBER).collect();
        if own_number_at.len() != 1 {
            return Err(format!("{} places for the process number in the filter", own_number_at.len()));
        }
        Ok(Self { program, own_number_at })
    }

    /// Number of allowed calls.
    pub(crate) fn len() -> usize {
        ROWS.len() + ARCH_ROWS.len()
    }

    /// Puts the filter on, for the process with that number. There is no way back.
    pub(crate) fn apply(&mut self, own_number: i32) -> Result<(), String> {
        for &at in &self.own_number_at {
            self.program[at].k = own_number.unsigned_abs();
        }
        seccompiler::apply_filter(&self.program).map_err(|error| error.to_string())
    }
}

/// A call without rules is allowed whatever its arguments are.
fn rules_of(when: When) -> Result<Vec<SeccompRule>, String> {
    let equals = |argument: u8, length: SeccompCmpArgLen, value: u64| {
        SeccompCondition::new(argument, length, SeccompCmpOp::Eq, value).map_err(|error| error.to_string())
    };
    let conditions = match when {
        When::Always => return Ok(Vec::new()),
        When::OnSelf => vec![equals(0, SeccompCmpArgLen::Dword, u64::from(OWN_NUMBER))?],
        When::Question => {
            vec![equals(0, SeccompCmpArgLen::Dword, 0)?, equals(2, SeccompCmpArgLen::Qword, 0)?]
        }
        When::Zero => vec![equals(0, SeccompCmpArgLen::Dword, 0)?],
    };
    Ok(vec![SeccompRule::new(conditions).map_err(|error| error.to_string())?])
}
