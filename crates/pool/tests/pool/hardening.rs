//! What a worker cannot do.

use codemode_pool::{HardeningLevel, StartMode};

use crate::support::{envelope, job, on_runtime, pool_with, pools, tests};

tests!(
    a_worker_holds_nothing,
    calls_off_the_list_end_the_worker,
    what_is_on_is_reported,
    without_hardening_the_pool_still_works_and_says_so,
);

fn a_worker_holds_nothing() {
    for pool in pools() {
        on_runtime(async {
            assert_eq!(envelope(pool.run(job("environment\nreturn")).await), "0");
            assert_eq!(envelope(pool.run(job("descriptors\nreturn")).await), "1");
        });
    }
}

fn calls_off_the_list_end_the_worker() {
    for pool in pools() {
        on_runtime(async {
            for (name, number) in [
                ("openat", libc::SYS_openat),
                ("socket", libc::SYS_socket),
                ("connect", libc::SYS_connect),
                ("execve", libc::SYS_execve),
                ("clone", libc::SYS_clone),
                ("clone3", libc::SYS_clone3),
                ("ptrace", libc::SYS_ptrace),
                ("kill", libc::SYS_kill),
                ("tgkill of another", libc::SYS_tgkill),
                ("process_vm_readv", libc::SYS_process_vm_readv),
                ("pidfd_open", libc::SYS_pidfd_open),
                ("io_uring_setup", libc::SYS_io_uring_setup),
                ("bpf", libc::SYS_bpf),
                ("userfaultfd", libc::SYS_userfaultfd),
                ("prctl", libc::SYS_prctl),
                ("seccomp", libc::SYS_seccomp),
                ("sendmsg", libc::SYS_sendmsg),
                ("recvmsg", libc::SYS_recvmsg),
                ("dup", libc::SYS_dup),
                ("memfd_create", libc::SYS_memfd_create),
                ("a number of the x32 interface", 0x4000_0000 | libc::SYS_read),
            ] {
                let fault = pool.run(job(&format!("syscall {number}"))).await.unwrap_err();
                assert!(fault.message.contains("SIGSYS"), "{name}: {fault}");
            }
        });
    }
}

fn what_is_on_is_reported() {
    on_runtime(async {
        let pool = pool_with(|_| {});
        pool.warm_up().await.unwrap();
        let said = pool.capabilities();
        for name in
            ["namespaces", "no new privileges", "landlock", "system call filter", "resource limits", "engine"]
        {
            assert!(said.iter().any(|(said, _)| said == name), "{name} is missing in {said:?}");
        }
        // A machine that has every layer must accept being asked for every layer, and any other must refuse.
        let all = !said.iter().any(|(_, value)| value.starts_with("off"));
        let strict = pool_with(|config| config.hardening = HardeningLevel::Required);
        let started = strict.warm_up().await;
        assert_eq!(started.is_ok(), all, "{started:?} {said:?}");
    });
}

fn without_hardening_the_pool_still_works_and_says_so() {
    for mode in [StartMode::Fork, StartMode::Exec] {
        on_runtime(async {
            let pool = pool_with(|config| {
                config.hardening = HardeningLevel::Off;
                config.start_mode = mode;
            });
            assert_eq!(envelope(pool.run(job("answer soft")).await), "soft");
            assert!(
                pool.capabilities()
                    .iter()
                    .any(|(name, value)| name == "hardening" && value.starts_with("off"))
            );
        });
    }
}
