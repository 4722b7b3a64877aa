//! Workers and templates that die, and who notices.

use codemode_pool::StartMode;
use codemode_protocol::{Fault, FaultCode};
use nix::sys::signal::Signal;

use crate::raw;
use crate::support::{
    envelope, job, job_with_tools, kill, on_runtime, pool, pool_with, pools, processes_of, send,
    served_at_last, tests, wait_for_end,
};

tests!(
    a_crash_costs_its_own_caller_alone,
    every_way_to_die_is_a_fault_that_says_how,
    broken_frames_end_their_worker,
    a_killed_worker_is_noticed_at_once,
    a_killed_template_is_replaced,
    killed_spares_are_replaced,
    a_request_whose_worker_never_read_it_goes_to_another,
    faults_count_the_tool_calls_that_were_answered,
    every_caller_is_answered_while_processes_are_killed,
);

#[track_caller]
fn assert_crashed(ended: Result<codemode_pool::Finished, Fault>, says: &str) {
    let fault = ended.unwrap_err();
    assert_eq!(fault.code, FaultCode::WorkerCrashed, "{fault:?}");
    assert!(fault.started && fault.retryable(), "{fault:?}");
    let all = format!("{} {}", fault.message, fault.causes.join(" "));
    assert!(all.contains(says), "{all} has no {says}");
}

fn a_crash_costs_its_own_caller_alone() {
    for pool in pools() {
        on_runtime(async {
            let (crashed, served) =
                tokio::join!(pool.run(job("spin 30\ncrash 11")), pool.run(job("spin 60\nanswer unharmed")));
            assert_crashed(crashed, "SIGSEGV");
            assert_eq!(envelope(served), "unharmed");
            assert_eq!(envelope(pool.run(job("answer again")).await), "again");
        });
    }
}

fn every_way_to_die_is_a_fault_that_says_how() {
    on_runtime(async {
        let pool = pool();
        for (code, says) in [
            ("crash 6", "SIGABRT"),
            ("crash 5", "SIGTRAP"),
            ("crash 9", "killed from outside"),
            ("exit 3", "exit status 3"),
            ("panic out of tune", "out of tune"),
            ("panic-aside out of tune", "out of tune"),
            ("close\nhang", "worker"),
        ] {
            assert_crashed(pool.run(job(&format!("log kept\n{code}"))).await, says);
        }
    });
}

fn broken_frames_end_their_worker() {
    on_runtime(async {
        let pool = pool();
        for (code, says) in [
            ("oversized", "past the bound"),
            ("bytes 00000000", "invalid frame"),
            ("bytes 04000000 deadbeef\nhang", "invalid frame"),
            ("bytes 10000000 ffffffff ffffffff ffffffff ffffffff\nhang", "invalid frame"),
            // A frame that never ends is no frame.
            ("bytes 40000000 00\nexit 0", "exit status 0"),
        ] {
            assert_crashed(pool.run(job(code)).await, says);
        }
        assert_eq!(envelope(pool.run(job("answer fine")).await), "fine");
    });
}

fn a_killed_worker_is_noticed_at_once() {
    on_runtime(async {
        let pool = pool_with(|config| {
            config.spares = 0;
            config.max_workers = 1;
        });
        let (started, mut begun) = tokio::sync::mpsc::unbounded_channel();
        let mut job = job("log begun\nhang");
        job.log_sink =
            Some(std::sync::Arc::new(move |_: &codemode_protocol::LogLine| started.send(()).unwrap()));
        let run = tokio::spawn({
            let pool = std::sync::Arc::clone(&pool);
            async move { pool.run(job).await }
        });
        begun.recv().await.unwrap();
        let [_, _, workers] = processes_of(&pool);
        assert_eq!(workers.len(), 1, "{workers:?}");
        kill(workers[0]);
        assert_crashed(run.await.unwrap(), "SIGKILL");
        assert_eq!(envelope(pool.run(crate::support::job("answer next")).await), "next");
    });
}

fn a_killed_template_is_replaced() {
    on_runtime(async {
        let pool = pool_with(|config| config.start_mode = StartMode::Fork);
        for of in [0, 1, 0, 1] {
            let (started, mut begun) = tokio::sync::mpsc::unbounded_channel();
            let mut job = job("log begun\nhang");
            job.log_sink =
                Some(std::sync::Arc::new(move |_: &codemode_protocol::LogLine| started.send(()).unwrap()));
            let run = tokio::spawn({
                let pool = std::sync::Arc::clone(&pool);
                async move { pool.run(job).await }
            });
            begun.recv().await.unwrap();
            kill(processes_of(&pool)[of][0]);
            assert_crashed(run.await.unwrap(), "template");
            assert_eq!(envelope(pool.run(crate::support::job("answer next")).await), "next");
        }
        pool.until(|counts| counts.templates == 1 && counts.idle == 1 && counts.running == 0).await;
    });
}

fn killed_spares_are_replaced() {
    on_runtime(async {
        let pool = pool_with(|config| config.spares = 3);
        pool.warm_up().await.unwrap();
        for _ in 0..3 {
            let [_, _, workers] = processes_of(&pool);
            assert_eq!(workers.len(), 3);
            for &worker in &workers {
                let end = raw::pidfd(worker.number);
                kill(worker);
                wait_for_end(&end);
            }
            assert_eq!(envelope(pool.run(job("answer served")).await), "served");
            pool.until(|counts| counts.idle == 3 && counts.ending == 0).await;
        }
    });
}

fn a_request_whose_worker_never_read_it_goes_to_another() {
    for pool in pools() {
        on_runtime(async {
            // The second does not fit the socket: the worker dies while a part of it is still here.
            for length in [10, 2 << 20] {
                pool.warm_up().await.unwrap();
                let [_, templates, workers] = processes_of(&pool);
                // Started one by one, a worker is what its launcher forked.
                let spare = *workers.first().or(templates.first()).unwrap();
                send(spare, Signal::SIGSTOP);
                let text = "y".repeat(length);
                let job = job(&format!("answer {text}"));
                let run = tokio::spawn({
                    let pool = std::sync::Arc::clone(&pool);
                    async move { pool.run(job).await }
                });
                pool.until(|counts| counts.running == 1).await;
                kill(spare);
                assert_eq!(envelope(run.await.unwrap()), text);
                pool.until(|counts| counts.running == 0 && counts.ending == 0).await;
            }
        });
    }
}

fn faults_count_the_tool_calls_that_were_answered() {
    on_runtime(async {
        let fault = pool().run(job_with_tools("tool p t []\ntool p t []\ncrash 6")).await.unwrap_err();
        assert_eq!(fault.tool_calls_completed, 2);
    });
}

fn every_caller_is_answered_while_processes_are_killed() {
    for pool in
        [pool_with(|config| config.spares = 2), pool_with(|config| config.start_mode = StartMode::Exec)]
    {
        on_runtime(async {
            pool.warm_up().await.unwrap();
            let (done, mut over) = tokio::sync::mpsc::channel::<()>(1);
            let lanes: Vec<_> = (0..4)
                .map(|lane| {
                    let (pool, done) = (std::sync::Arc::clone(&pool), done.clone());
                    tokio::spawn(async move {
                        let answered = lane_of_runs(&pool, lane).await;
                        drop(done);
                        answered
                    })
                })
                .collect();
            drop(done);
            let mut strikes = 0usize;
            // Strikes launchers, templates and workers in turn until the last lane is through.
            while let Err(tokio::sync::mpsc::error::TryRecvError::Empty) = over.try_recv() {
                let kind = &processes_of(&pool)[strikes % 3];
                if let Some(&victim) = kind.get(strikes % kind.len().max(1)) {
                    // It may be gone by itself.
                    let _ =
                        nix::sys::signal::kill(nix::unistd::Pid::from_raw(victim.number), Signal::SIGKILL);
                }
                strikes += 1;
                let _ = tokio::time::timeout(std::time::Duration::from_millis(7), over.recv()).await;
            }
            let mut answered = 0;
            for lane in lanes {
                answered += lane.await.unwrap();
            }
            assert!(answered > 0 && strikes > 3, "{answered} answers, {strikes} strikes");
            assert_eq!(served_at_last(&pool, "answer calm").await, "calm");
            pool.until(|counts| counts.running == 0 && counts.ending == 0 && counts.queued == 0).await;
            pool.dispose().await;
            assert!(processes_of(&pool).iter().all(Vec::is_empty));
        });
    }
}

/// Runs programs of every kind, and counts those that answered. Each has to come to an end, and to one of its own.
async fn lane_of_runs(pool: &codemode_pool::Pool, lane: usize) -> usize {
    let mut answered = 0;
    for number in 0..40 {
        let text = format!("{lane}.{number}");
        let code = match number % 8 {
            3 => "crash 6".to_owned(),
            5 => "oversized".to_owned(),
            6 => "spin 5\nlog late".to_owned(),
            _ => format!("log {text}\ntool p t \"{text}\"\nreturn"),
        };
        let run = pool.run(job_with_tools(&code));
        if number % 8 == 6 {
            // Given up in the middle.
            let _ = tokio::time::timeout(std::time::Duration::from_millis(2), run).await;
            continue;
        }
        match run.await {
            Ok(finished) => {
                assert_eq!(
                    finished.outcome,
                    codemode_pool::Outcome::Envelope(format!("{{\"result\":\"{text}\"}}"))
                );
                assert_eq!(crate::support::texts(&finished), [text]);
                answered += 1;
            }
            Err(fault) => {
                assert_eq!(fault.code, FaultCode::WorkerCrashed, "{fault:?}");
                // Refused while nothing starts: comes back when it is told to, or all would be refused at once.
                if let Some(wait_ms) = fault.retry_after_ms {
                    tokio::time::sleep(std::time::Duration::from_millis(wait_ms)).await;
                }
            }
        }
    }
    answered
}
