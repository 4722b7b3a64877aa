//! Programs that end as they should.

use std::sync::{Arc, Mutex};

use codemode_pool::{FailKind, Outcome};
use codemode_protocol::{
    FaultCode, LogLevel, LogLine, OutboundRequest, OutboundResponse, Sentence, outbound_fn,
};

use crate::support::{envelope, job, job_with_tools, on_runtime, pool, pools, tests, texts};

tests!(
    answers_come_back,
    fields_of_the_pool_are_filled_in,
    lines_come_in_order_and_reach_the_sink,
    tool_calls_are_served_at_the_same_time,
    a_tool_that_panics_throws_inside,
    a_tool_nobody_serves_throws_inside,
    calls_that_nobody_waits_for_reach_the_host,
    an_answer_past_the_payload_bound_throws_inside,
    outbound_requests_are_performed_by_the_host,
    large_requests_and_answers_cross_whole,
    the_second_thread_works_while_the_first_is_served,
    each_run_has_randomness_of_its_own,
    code_comes_from_a_worker_that_compiles_and_from_no_other,
    a_worker_serves_one_run,
    no_path_lets_a_second_program_into_a_process,
);

fn answers_come_back() {
    for pool in pools() {
        on_runtime(async {
            assert_eq!(envelope(pool.run(job("answer {\"result\":42}")).await), "{\"result\":42}");
            let finished = pool.run(job("undefined")).await.unwrap();
            assert_eq!(finished.outcome, Outcome::Undefined);
            assert!(finished.usage.wall_ms > 0.0 && finished.usage.counted_ms == 1.5, "{:?}", finished.usage);
            let failed = pool.run(job("fail nope")).await.unwrap().outcome;
            assert_eq!(failed, Outcome::Failed { kind: FailKind::Thrown, text: "nope".to_owned() });
        });
    }
}

fn calls_that_nobody_waits_for_reach_the_host() {
    for (end, code) in [("answer early", None), ("crash 6", Some(FaultCode::WorkerCrashed))] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let mut job = job(&format!("tell 1\ntell 2\ntell 3\n{end}"));
        job.dispatch = Some(Arc::new(codemode_protocol::dispatch_fn(move |call| {
            sink.lock().unwrap().push(call.args_json);
            std::future::pending()
        })));
        let ended = on_runtime(async { pool().run(job).await });
        assert_eq!(ended.err().map(|fault| fault.code), code);
        assert_eq!(*seen.lock().unwrap(), ["1", "2", "3"], "{end}");
    }
}

fn code_comes_from_a_worker_that_compiles_and_from_no_other() {
    let pool = pool();
    on_runtime(async {
        let compiling = |code: &str| {
            let mut job = job(code);
            job.request.compile_only = true;
            job
        };
        let compiled = pool.run(compiling("compiled code")).await.unwrap();
        assert_eq!(compiled.outcome, Outcome::Compiled(b"code".to_vec()));
        let failed = pool.run(compiling("fail no")).await.unwrap().outcome;
        assert!(matches!(failed, Outcome::Failed { .. }));
        // What a run may say and a compilation may not, and the other way round.
        for job in [job("compiled code"), compiling("answer {}"), compiling("undefined"), compiling("retain")]
        {
            let fault = pool.run(job).await.unwrap_err();
            assert_eq!(fault.code, FaultCode::WorkerCrashed, "{fault:?}");
        }
    });
}

fn fields_of_the_pool_are_filled_in() {
    on_runtime(async {
        assert_eq!(envelope(pool().run(job("request\nreturn")).await), "false false 128 1000 33554432");
        assert_eq!(
            envelope(pool().run(job_with_tools("request\nreturn")).await),
            "true false 128 1000 33554432"
        );
    });
}

fn lines_come_in_order_and_reach_the_sink() {
    on_runtime(async {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut job = job("log one\nwarn two\nlog three\nundefined");
        let sink = Arc::clone(&seen);
        job.log_sink = Some(Arc::new(move |line: &LogLine| sink.lock().unwrap().push(line.clone())));
        let finished = pool().run(job).await.unwrap();
        let line = |level, text: &str| LogLine { level, text: text.to_owned() };
        assert_eq!(
            finished.logs,
            [line(LogLevel::Log, "one"), line(LogLevel::Warn, "two"), line(LogLevel::Log, "three")]
        );
        assert_eq!(*seen.lock().unwrap(), finished.logs);
    });
}

fn the_second_thread_works_while_the_first_is_served() {
    for pool in pools() {
        on_runtime(async {
            // The second time there is a thread already.
            let finished = pool.run(job_with_tools("aside\naside\nreturn")).await.unwrap();
            assert_eq!(finished.usage.tool_calls, 2);
        });
    }
}

fn tool_calls_are_served_at_the_same_time() {
    on_runtime(async {
        // No call is answered before all three are open.
        let barrier = Arc::new(tokio::sync::Barrier::new(3));
        let mut job = job("tools 3\nreturn");
        job.dispatch = Some(Arc::new(codemode_protocol::dispatch_fn(move |call| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                Ok(format!("{}.{}{}", call.provider, call.tool, call.args_json))
            }
        })));
        let finished = pool().run(job).await.unwrap();
        assert_eq!(finished.usage.tool_calls, 3);
        assert_eq!(finished.outcome, Outcome::Envelope("p.t[0],p.t[1],p.t[2]".to_owned()));
    });
}

fn a_tool_that_panics_throws_inside() {
    on_runtime(async {
        let sentence = Sentence::ToolFailed { provider: "p".to_owned(), tool: "panics".to_owned() };
        assert_eq!(
            envelope(pool().run(job_with_tools("tool p panics []\nreturn")).await),
            format!("thrown {sentence}")
        );
        assert_eq!(
            envelope(pool().run(job_with_tools("tool p throws []\nreturn")).await),
            "thrown no such order"
        );
    });
}

fn a_tool_nobody_serves_throws_inside() {
    on_runtime(async {
        let sentence = Sentence::ToolNotFound { provider: "p".to_owned(), tool: "t".to_owned() };
        assert_eq!(envelope(pool().run(job("tool p t []\nreturn")).await), format!("thrown {sentence}"));
    });
}

fn an_answer_past_the_payload_bound_throws_inside() {
    on_runtime(async {
        let pool = crate::support::pool_with(|config| config.payload_limit = 2_000);
        assert_eq!(envelope(pool.run(job_with_tools("tool p long 2000\nreturn")).await).len(), 2_000);
        let answer = envelope(pool.run(job_with_tools("tool p long 2001\nreturn")).await);
        let subject = codemode_protocol::sentence::subject::TOOL_ANSWER;
        let sentence = Sentence::PayloadTooLarge { subject, size_bytes: 2001, limit_bytes: 2000 };
        assert_eq!(answer, format!("thrown {sentence}"));
    });
}

fn outbound_requests_are_performed_by_the_host() {
    on_runtime(async {
        let pool = pool();
        assert_eq!(
            envelope(pool.run(job("fetch https://example.com/\nreturn")).await),
            Sentence::OutboundDisabled.to_string()
        );
        let mut job = job("fetch https://example.com/\nreturn");
        job.outbound = Some(Arc::new(outbound_fn(|request: OutboundRequest| async move {
            let body = Some(format!("{} {}", request.method, request.url).into_bytes());
            Ok(OutboundResponse { status: 201, body, ..OutboundResponse::default() })
        })));
        assert_eq!(envelope(pool.run(job).await), "201 GET https://example.com/");
    });
}

fn large_requests_and_answers_cross_whole() {
    for pool in pools() {
        on_runtime(async {
            let text = "y".repeat(9 << 20);
            assert_eq!(envelope(pool.run(job(&format!("answer {text}"))).await), text);
            assert_eq!(
                envelope(pool.run(job_with_tools("tool p long 9000000\nreturn")).await).len(),
                9_000_000
            );
            let mut large = job("size\nreturn");
            let name = "n".repeat(40 << 20);
            large.request.modules = vec![codemode_pool::ipc::frame::Module {
                name,
                body: codemode_pool::ipc::frame::ModuleBody::Unsupported,
                code_cache: None,
            }];
            let refused = pool.run(large).await.unwrap().outcome;
            assert!(matches!(refused, Outcome::Failed { kind: FailKind::Payload, .. }), "{refused:?}");
        });
    }
}

fn each_run_has_randomness_of_its_own() {
    for pool in pools() {
        on_runtime(async {
            let mut seeds = Vec::new();
            for _ in 0..20 {
                seeds.push(envelope(pool.run(job("seed\nreturn")).await));
            }
            seeds.sort();
            seeds.dedup();
            assert_eq!(seeds.len(), 20);
        });
    }
}

/// Every way for a run to end, and one to be given up.
const WAYS: &[&str] = &[
    "answer x",
    "undefined",
    "fail x",
    "settle-and-stay",
    "retain",
    "crash 6",
    "exit 0",
    "exit 3",
    "panic x",
    "close",
    "oversized",
    "bytes 00000000",
    "tool p t []\nreturn",
    "tool p panics []\nreturn",
    "hang",
];

fn no_path_lets_a_second_program_into_a_process() {
    for pool in pools() {
        let births = Arc::new(Mutex::new(Vec::new()));
        on_runtime(async {
            for _ in 0..3 {
                for way in WAYS {
                    let (births, told) = (Arc::clone(&births), Arc::new(tokio::sync::Notify::new()));
                    let mut job = job_with_tools(&format!("births\nlog-last\n{way}"));
                    job.request.retain_handles = *way == "retain";
                    let tell = Arc::clone(&told);
                    job.log_sink = Some(Arc::new(move |line: &LogLine| {
                        births.lock().unwrap().push(line.text.clone());
                        tell.notify_one();
                    }));
                    let run = pool.run(job);
                    if *way == "hang" {
                        // Given up once it runs.
                        tokio::select! { _ = run => unreachable!("it hangs"), () = told.notified() => {} }
                    } else {
                        // Faults are part of it.
                        let _ = run.await;
                    }
                }
            }
        });
        let mut births = births.lock().unwrap().clone();
        assert_eq!(births.len(), 3 * WAYS.len());
        assert!(births.iter().all(|birth| birth.ends_with(" 1")), "a process was given two: {births:?}");
        births.sort();
        births.dedup();
        assert_eq!(births.len(), 3 * WAYS.len(), "two programs came out of one process");
    }
}

fn a_worker_serves_one_run() {
    on_runtime(async {
        // One that settles and goes on is gone before its place is given away.
        let pool = crate::support::pool_with(|config| {
            config.max_workers = 1;
            config.spares = 0;
        });
        for _ in 0..20 {
            assert_eq!(envelope(pool.run(job("log x\nsettle-and-stay")).await), "stayed");
        }
        pool.until(|counts| counts.ending == 0).await;
        let finished = pool.run(job("log only\nundefined")).await.unwrap();
        assert_eq!(texts(&finished), ["only"]);
    });
}
