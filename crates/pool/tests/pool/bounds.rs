//! Programs that meet a bound: in band, with their lines.

use std::sync::Arc;
use std::time::Duration;

use codemode_pool::{FailKind, Finished, Outcome, RunRequest};
use codemode_protocol::{FaultCode, Sentence, dispatch_fn};

use crate::support::{
    envelope, job, job_with_tools, on_runtime, pool, pool_with, pools, processes_of, program, tests, texts,
};

tests!(
    a_program_that_never_ends_is_killed_on_its_bound,
    a_long_run_goes_on_at_a_lower_priority,
    a_program_that_hangs_in_a_tool_call_is_not_charged_for_it,
    a_program_that_computes_while_a_tool_call_is_open_is_charged,
    host_waits_count_where_that_is_asked_for,
    memory_past_the_budget_is_the_memory_sentence,
    the_kernel_refuses_memory_past_the_budget,
    console_past_its_bound_ends_the_worker,
    open_calls_past_their_bound_end_the_worker,
    answers_nobody_reads_do_not_pile_up,
);

fn short(code: &str) -> RunRequest {
    RunRequest { timeout_ms: 30, ..program(code) }
}

fn quick() -> Arc<codemode_pool::Pool> {
    pool_with(|config| config.grace = Duration::from_millis(50))
}

#[track_caller]
fn assert_timed_out(finished: &Finished, bound_ms: u64) {
    let text = Sentence::ExecutionTimeout { bound_ms }.to_string();
    assert_eq!(finished.outcome, Outcome::Failed { kind: FailKind::Timeout, text });
}

fn a_program_that_never_ends_is_killed_on_its_bound() {
    for pool in pools() {
        on_runtime(async {
            for code in ["log kept\nspin", "log kept\nhang", "log kept\nwarn too\nclose\nspin"] {
                let mut job = job(code);
                job.request.timeout_ms = 30;
                if code.contains("close") {
                    // A channel that closes ends the worker at once, whatever it goes on to do.
                    let fault = pool.run(job).await.unwrap_err();
                    assert_eq!(fault.code, FaultCode::WorkerCrashed);
                    continue;
                }
                let finished = pool.run(job).await.unwrap();
                assert_timed_out(&finished, 30);
                assert_eq!(texts(&finished), ["kept"]);
                assert!(finished.usage.wall_ms >= 1_030.0, "{:?}", finished.usage);
            }
            assert_eq!(envelope(pool.run(job("answer next")).await), "next");
        });
    }
}

fn a_long_run_goes_on_at_a_lower_priority() {
    let own = nice_of("self");
    for (long_run, lowered) in [(Some(Duration::ZERO), (own + 10).min(19)), (None, own)] {
        let pool = pool_with(|config| {
            config.long_run = long_run;
            config.max_workers = 1;
            config.spares = 0;
        });
        on_runtime(async {
            // Between two calls the host takes note of the time.
            let mut job = job("tool p t []\ntool p t []\nreturn");
            let looked = Arc::downgrade(&pool);
            job.dispatch = Some(Arc::new(dispatch_fn(move |_| {
                let pool = looked.upgrade().unwrap();
                async move { Ok(nice_of(&processes_of(&pool)[2][0].number.to_string()).to_string()) }
            })));
            assert_eq!(envelope(pool.run(job).await), lowered.to_string(), "{long_run:?}");
        });
    }
}

/// The nice value of a process, as proc_pid_stat(5) has it.
fn nice_of(process: &str) -> i32 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    fields.split(' ').nth(16).unwrap().parse().unwrap()
}

fn a_program_that_hangs_in_a_tool_call_is_not_charged_for_it() {
    on_runtime(async {
        let (release, released) = tokio::sync::watch::channel(false);
        let mut job = job("tool p t []\nreturn");
        // Wide enough for a busy machine to come to the call.
        job.request.timeout_ms = 250;
        job.dispatch = Some(Arc::new(dispatch_fn(move |_| {
            let mut released = released.clone();
            async move {
                released.wait_for(|&released| released).await.map_err(|error| error.to_string())?;
                Ok("late".to_owned())
            }
        })));
        let pool = quick();
        let run = pool.run(job);
        tokio::pin!(run);
        // Twice the bound and the grace pass while the call is open.
        let bound = tokio::time::timeout(Duration::from_millis(600), &mut run).await;
        assert!(bound.is_err(), "{bound:?}");
        release.send(true).unwrap();
        let finished = run.await.unwrap();
        assert!(finished.usage.host_wait_ms >= 200.0, "{:?}", finished.usage);
        assert_eq!(finished.outcome, Outcome::Envelope("late".to_owned()));
    });
}

fn a_program_that_computes_while_a_tool_call_is_open_is_charged() {
    on_runtime(async {
        let mut job = job_with_tools("log before\nspin-in-tool");
        job.request = short(&job.request.code);
        let finished = quick().run(job).await.unwrap();
        assert_timed_out(&finished, 30);
        assert_eq!(texts(&finished), ["before"]);
        // Bound and grace are 80 ms: on the processor while the call is open, on the wall before.
        let usage = &finished.usage;
        let outside = usage.wall_ms - usage.host_wait_ms;
        assert!(usage.cpu_ms + outside >= 79.0, "{usage:?}");
    });
}

fn host_waits_count_where_that_is_asked_for() {
    on_runtime(async {
        let mut job = job_with_tools("tool p slow []\nreturn");
        job.request = RunRequest { count_host_waits: true, ..short(&job.request.code) };
        assert_timed_out(&quick().run(job).await.unwrap(), 30);
    });
}

fn memory_past_the_budget_is_the_memory_sentence() {
    let text = Sentence::MemoryLimit { memory_mb: 64 }.to_string();
    let memory = Outcome::Failed { kind: FailKind::Memory, text };
    on_runtime(async {
        let pool = pool_with(|config| config.memory_mb = 64);
        // The engine crashes as it finds no more memory.
        let finished = pool.run(job("log kept\nallocate-then-crash 60")).await.unwrap();
        assert_eq!((texts(&finished), finished.outcome.clone()), (vec!["kept"], memory.clone()));
        // The same crash without memory is a crash.
        assert_eq!(pool.run(job("allocate-then-crash 10")).await.unwrap_err().code, FaultCode::WorkerCrashed);
        // Where the kernel's bound is too wide, the host looks at the resident set.
        let wide = pool_with(|config| {
            config.memory_mb = 64;
            config.memory_headroom_mb = 1_000;
        });
        let finished = wide.run(job("log kept\nallocate 200\nspin")).await.unwrap();
        assert_eq!((texts(&finished), finished.outcome.clone()), (vec!["kept"], memory.clone()));
    });
}

fn the_kernel_refuses_memory_past_the_budget() {
    for pool in pools() {
        on_runtime(async {
            assert_eq!(envelope(pool.run(job("allocate-or-say 100\nreturn")).await), "mapped");
            assert_eq!(envelope(pool.run(job("allocate-or-say 250\nreturn")).await), "refused");
        });
    }
}

fn console_past_its_bound_ends_the_worker() {
    on_runtime(async {
        let mut job = job("flood 1000");
        job.request.console_limit = 100_000;
        let fault = pool().run(job).await.unwrap_err();
        assert_eq!(fault.code, FaultCode::WorkerCrashed);
        assert!(fault.started && fault.message.contains("console"), "{fault}");
    });
}

fn open_calls_past_their_bound_end_the_worker() {
    on_runtime(async {
        let mut job = job_with_tools("tools-unread 20000");
        job.dispatch = Some(Arc::new(dispatch_fn(|_| std::future::pending())));
        let fault = pool().run(job).await.unwrap_err();
        assert!(fault.message.contains("10000 open calls"), "{fault}");
    });
}

fn answers_nobody_reads_do_not_pile_up() {
    on_runtime(async {
        let pool = pool_with(|config| {
            config.payload_limit = 1 << 20;
            config.grace = Duration::from_millis(200);
        });
        let made = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = Arc::clone(&made);
        let mut job = job("tools-unread 500");
        job.request.timeout_ms = 100;
        job.request.count_host_waits = true;
        job.dispatch = Some(Arc::new(dispatch_fn(move |_| {
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            async { Ok("z".repeat(1 << 20)) }
        })));
        assert_timed_out(&pool.run(job).await.unwrap(), 100);
        let made = made.load(std::sync::atomic::Ordering::Relaxed);
        assert!((1..10).contains(&made), "{made} answers of 1 MiB were made for a worker that reads none");
    });
}
