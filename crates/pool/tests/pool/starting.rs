//! Workers that do not come up, and what their callers are told.

use std::time::Duration;

use codemode_pool::{PoolConfig, StartMode, WorkerCommand};
use codemode_protocol::FaultCode;

use crate::support::{envelope, job, on_runtime, pool_with, tests};

tests!(
    nothing_starts_before_the_first_run,
    an_engine_that_fails_to_start_is_reported_with_its_reason,
    an_engine_that_does_not_start_in_time_is_reported,
    a_program_that_is_not_set_up_is_told_what_to_add,
    a_missing_program_is_reported,
    an_engine_that_cannot_be_forked_falls_back,
    a_pool_is_warm_before_its_first_run,
    settings_out_of_bounds_are_refused,
);

fn nothing_starts_before_the_first_run() {
    let pool = pool_with(|_| {});
    assert_eq!(pool.counts(), codemode_pool::Counts::default());
    assert!(crate::support::processes_of(&pool).iter().all(Vec::is_empty));
}

fn an_engine_that_fails_to_start_is_reported_with_its_reason() {
    for mode in [StartMode::Fork, StartMode::Exec] {
        on_runtime(async {
            for (wish, cause) in [
                ("the engine lacks a probe", "the engine lacks a probe"),
                ("panic", "prepared to panic"),
                ("self-test-fails", "out of tune"),
                ("exit", "exit status 9"),
            ] {
                let pool = pool_with(|config| {
                    config.start_mode = mode;
                    config.spares = 0;
                    config.body_config = wish.into();
                });
                let fault = pool.run(job("answer never")).await.unwrap_err();
                assert_eq!(fault.code, FaultCode::WorkerCrashed, "{fault:?}");
                assert_eq!((fault.message.as_str(), fault.started), ("Worker 1 failed to start.", false));
                assert!(fault.causes.iter().any(|text| text.contains(cause)), "{wish}: {fault:?}");
                assert!(fault.retryable() && fault.retry_after_ms.is_some(), "{fault:?}");
            }
        });
    }
}

fn an_engine_that_does_not_start_in_time_is_reported() {
    on_runtime(async {
        let pool = pool_with(|config| {
            config.body_config = "hang".into();
            config.start_deadline = Duration::from_millis(100);
        });
        let fault = pool.run(job("answer never")).await.unwrap_err();
        assert!(fault.causes.iter().any(|text| text.contains("did not start within")), "{fault:?}");
    });
}

fn a_program_that_is_not_set_up_is_told_what_to_add() {
    on_runtime(async {
        for (program, argument) in [("/bin/true", ""), ("/bin/sleep", "1000")] {
            let pool = pool_with(|config| {
                config.worker = WorkerCommand { program: program.into(), args: vec![argument.into()] };
                config.greeting_deadline = Duration::from_millis(300);
            });
            let fault = pool.run(job("answer never")).await.unwrap_err();
            assert_eq!(fault.code, FaultCode::WorkerSetup, "{fault:?}");
            assert!(fault.message.contains("codemode_executor::run_worker_if_requested()"), "{fault}");
        }
    });
}

fn a_missing_program_is_reported() {
    on_runtime(async {
        let pool = pool_with(|config| config.worker.program = "/nowhere/at/all".into());
        let fault = pool.run(job("answer never")).await.unwrap_err();
        assert_eq!(fault.code, FaultCode::WorkerSetup);
        assert!(fault.causes[0].contains("/nowhere/at/all"), "{fault:?}");
    });
}

fn an_engine_that_cannot_be_forked_falls_back() {
    on_runtime(async {
        for wish in ["fork-crash", "thread"] {
            let pool = pool_with(|config| config.body_config = wish.into());
            assert_eq!(envelope(pool.run(job("answer fallen back")).await), "fallen back");
            let said = pool.capabilities();
            let fork = &said.iter().find(|(name, _)| name == "fork").unwrap().1;
            assert!(fork.starts_with("off"), "{fork}");
            let strict = pool_with(|config| {
                config.body_config = wish.into();
                config.start_mode = StartMode::Fork;
            });
            let fault = strict.run(job("answer never")).await.unwrap_err();
            assert!(fault.causes[0].contains("to be forked"), "{fault:?}");
        }
    });
}

fn a_pool_is_warm_before_its_first_run() {
    on_runtime(async {
        for mode in [StartMode::Fork, StartMode::Exec] {
            for spares in [0, 2] {
                let pool = pool_with(|config| {
                    config.start_mode = mode;
                    config.spares = spares;
                });
                pool.warm_up().await.unwrap();
                assert_eq!(pool.counts().idle, spares);
            }
        }
    });
}

fn settings_out_of_bounds_are_refused() {
    let refused = |change: fn(&mut PoolConfig)| {
        let mut config = PoolConfig::default();
        change(&mut config);
        codemode_pool::Pool::new(config).unwrap_err()
    };
    for (change, names) in [
        ((|config| config.max_workers = 0) as fn(&mut PoolConfig), "max_workers"),
        (|config| config.memory_mb = 1, "memory_mb"),
        (|config| config.worker.program = "".into(), "worker.program"),
        (|config| config.heartbeat = Duration::ZERO, "heartbeat"),
    ] {
        let fault = refused(change);
        assert_eq!(fault.code, FaultCode::InvalidRequest);
        assert!(fault.message.contains(names), "{fault}");
    }
}
