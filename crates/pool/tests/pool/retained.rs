//! Retained executions with a worker that lies: what the host believes of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use codemode_pool::{Job, Outcome, Pool, PoolEvent, RetainedEnd, RunEnd};
use codemode_protocol::{FailureKind, Fault, FaultCode, HandleRequest, HandleResult, Sentence};

use crate::support::{
    config, envelope, job, on_runtime, pool, pool_with, pools, processes_of, program, tests,
};

tests!(
    a_worker_that_stays_serves_one_invocation_after_the_other,
    answers_that_are_none_cost_the_execution_alone,
    frames_out_of_turn_cost_the_execution,
    a_worker_that_stays_unasked_is_ended,
    a_spin_in_an_invocation_is_killed_on_its_bound,
    a_spin_between_invocations_is_killed_on_the_same_bound,
    the_end_of_an_execution_is_told,
    the_worker_is_gone_behind_every_end,
    dispose_lets_invocations_finish_and_takes_no_more,
    a_tenant_retains_as_many_as_it_may,
);

fn staying(code: &str) -> Job {
    let mut request = program(code);
    request.retain_handles = true;
    Job::new(request)
}

async fn retained(pool: &Pool, code: &str) -> String {
    let finished = pool.run(staying(code)).await.unwrap();
    assert_eq!(finished.outcome, Outcome::Retained);
    finished.execution_id.unwrap()
}

async fn invoke(pool: &Pool, id: &str) -> Result<HandleResult, Fault> {
    pool.invoke_handle(id, "fetch", HandleRequest::get("https://x.test/")).await
}

fn code_of(outcome: Result<HandleResult, Fault>) -> FaultCode {
    outcome.unwrap_err().code
}

fn a_worker_that_stays_serves_one_invocation_after_the_other() {
    for pool in pools() {
        on_runtime(async {
            let id =
                retained(&pool, "retain\nawait-invocation\nrespond 200\nawait-invocation\nrespond 599").await;
            assert_eq!((pool.counts().running, pool.counts().retained), (0, 1));
            for status in [200, 599] {
                let response = invoke(&pool, &id).await.unwrap().into_response().unwrap();
                assert_eq!((response.status, response.body), (status, Some(b"https://x.test/".to_vec())));
            }
        });
    }
}

fn answers_that_are_none_cost_the_execution_alone() {
    let pool = pool();
    on_runtime(async {
        for answer in [
            "respond 199",
            "respond 600",
            "respond 0",
            "respond-header a b=c",
            "respond-header =c",
            "respond-header a=bLFc",
        ] {
            let id = retained(&pool, &format!("retain\nawait-invocation\n{answer}")).await;
            let fault = invoke(&pool, &id).await.unwrap_err();
            assert_eq!((fault.code, fault.started), (FaultCode::WorkerCrashed, true), "{answer}: {fault:?}");
            assert_eq!(code_of(invoke(&pool, &id).await), FaultCode::HandlesClosed, "{answer}");
            assert_eq!(envelope(pool.run(job("answer next")).await), "next", "{answer}");
        }
    });
}

fn frames_out_of_turn_cost_the_execution() {
    let pool = pool();
    on_runtime(async {
        // An answer that nobody asked for, lines behind the run, a second end of the run.
        for frames in ["respond 200", "log late", "undefined", "retain"] {
            let id = retained(&pool, &format!("retain\n{frames}\nhang")).await;
            pool.until(|counts| counts.retained == 0).await;
            let fault = invoke(&pool, &id).await.unwrap_err();
            assert_eq!((fault.code, fault.started), (FaultCode::WorkerCrashed, false), "{frames}: {fault:?}");
            assert_eq!(code_of(invoke(&pool, &id).await), FaultCode::HandlesClosed, "{frames}");
        }
    });
}

fn a_worker_that_stays_unasked_is_ended() {
    let pool = pool();
    on_runtime(async {
        let fault = pool.run(job("retain\nhang")).await.unwrap_err();
        assert_eq!(fault.code, FaultCode::WorkerCrashed, "{fault:?}");
        let fault = pool.run(job("respond 200")).await.unwrap_err();
        assert_eq!(fault.code, FaultCode::WorkerCrashed, "{fault:?}");
        assert_eq!(pool.counts().retained, 0);
    });
}

fn a_spin_in_an_invocation_is_killed_on_its_bound() {
    let pool = pool_with(|config| config.grace = Duration::from_millis(10));
    on_runtime(async {
        let mut job = staying("retain\nawait-invocation\nspin");
        job.request.timeout_ms = 30;
        let id = pool.run(job).await.unwrap().execution_id.unwrap();
        let result = invoke(&pool, &id).await.unwrap();
        assert_eq!(result.kind, Some(FailureKind::Timeout), "{result:?}");
        assert!(result.usage.wall_ms >= 40.0, "{result:?}");
        assert_eq!(code_of(invoke(&pool, &id).await), FaultCode::HandlesClosed);
    });
}

fn a_spin_between_invocations_is_killed_on_the_same_bound() {
    let pool = pool_with(|config| config.grace = Duration::from_millis(10));
    on_runtime(async {
        for code in ["retain\nspin", "retain\nawait-invocation\nrespond 200\nspin"] {
            let mut job = staying(code);
            job.request.timeout_ms = 30;
            let id = pool.run(job).await.unwrap().execution_id.unwrap();
            if code.contains("respond") {
                assert_eq!(invoke(&pool, &id).await.unwrap().kind, None);
            }
            pool.until(|counts| counts.retained == 0 && counts.ending == 0).await;
            // The next caller is told why.
            let result = invoke(&pool, &id).await.unwrap();
            let text = Sentence::ExecutionTimeout { bound_ms: 30 }.to_string();
            assert_eq!((result.kind, result.error), (Some(FailureKind::Timeout), Some(text)), "{code}");
            assert_eq!(code_of(invoke(&pool, &id).await), FaultCode::HandlesClosed, "{code}");
        }
    });
}

fn the_end_of_an_execution_is_told() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let mut config = config();
    config.handles_idle = Duration::from_millis(30);
    let observer = move |event: &PoolEvent| match event {
        PoolEvent::RetainedEnded { end, invocations, .. } => {
            sink.lock().unwrap().push((Some(*end), *invocations));
        }
        PoolEvent::RunEnded { end: RunEnd::Settled, .. } => sink.lock().unwrap().push((None, 0)),
        _ => {}
    };
    let pool = Pool::observed(config, Arc::new(observer)).unwrap();
    on_runtime(async {
        let id = retained(&pool, "retain\nawait-invocation\nrespond 200\nhang").await;
        invoke(&pool, &id).await.unwrap();
        pool.close_handles(&id);
        pool.until(|counts| counts.retained == 0).await;
        retained(&pool, "retain\nhang").await;
        pool.until(|counts| counts.retained == 0).await;
        retained(&pool, "retain\ncrash 6").await;
        pool.dispose().await;
    });
    let seen = seen.lock().unwrap();
    let ends: Vec<_> =
        seen.iter().filter_map(|(end, invocations)| end.map(|end| (end, *invocations))).collect();
    assert_eq!(ends[..2], [(RetainedEnd::Closed, 1), (RetainedEnd::Idle, 0)], "{seen:?}");
    assert_eq!(seen.iter().filter(|(end, _)| end.is_none()).count(), 3, "{seen:?}");
}

fn the_worker_is_gone_behind_every_end() {
    let pool = pool();
    on_runtime(async {
        pool.warm_up().await.unwrap();
        let idle = processes_of(&pool)[2].len();
        for end in ["hang", "close\nhang", "exit 0", "crash 6"] {
            let id = retained(&pool, &format!("retain\n{end}")).await;
            pool.close_handles(&id);
            pool.until(|counts| counts.retained == 0 && counts.ending == 0 && counts.starting == 0).await;
            assert_eq!(processes_of(&pool)[2].len(), idle, "{end}");
        }
    });
}

fn dispose_lets_invocations_finish_and_takes_no_more() {
    let pool = pool();
    on_runtime(async {
        let (began, began_at) = tokio::sync::oneshot::channel();
        let (go_on, goes_on) = tokio::sync::oneshot::channel::<()>();
        let gates = Mutex::new(Some((began, goes_on)));
        let mut job = staying("retain\nawait-invocation\ntool p t []\nrespond 200");
        job.dispatch = Some(Arc::new(codemode_protocol::dispatch_fn(move |_call| {
            let (began, goes_on) = gates.lock().unwrap().take().unwrap();
            async move {
                began.send(()).unwrap();
                goes_on.await.unwrap();
                Ok("done".to_owned())
            }
        })));
        let id = pool.run(job).await.unwrap().execution_id.unwrap();
        retained(&pool, "retain\nhang").await;
        let invoked = tokio::spawn({
            let (pool, id) = (Arc::clone(&pool), id.clone());
            async move { invoke(&pool, &id).await }
        });
        began_at.await.unwrap();
        let disposed = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.dispose().await }
        });
        // The last to be refused says that dispose has begun.
        while code_of(invoke(&pool, "no such execution").await) != FaultCode::Internal {
            tokio::task::yield_now().await;
        }
        go_on.send(()).unwrap();
        let response = invoked.await.unwrap().unwrap().into_response().unwrap();
        assert_eq!(response.body, Some(b"done".to_vec()));
        disposed.await.unwrap();
        pool.until(|counts| counts.retained == 0).await;
        assert!(processes_of(&pool).iter().all(Vec::is_empty));
    });
}

fn a_tenant_retains_as_many_as_it_may() {
    let pool = pool_with(|config| {
        config.retained_limit = 3;
        config.tenant_retained_limit = Some(2);
    });
    on_runtime(async {
        let run = async |tenant: &str| {
            let mut job = staying("retain\nhang");
            job.tenant = Some(tenant.into());
            pool.run(job).await.map(|finished| finished.execution_id.unwrap())
        };
        let first = run("a").await.unwrap();
        run("a").await.unwrap();
        let fault = run("a").await.unwrap_err();
        assert_eq!(fault.code, FaultCode::RetainedLimit);
        assert!(fault.message.contains("retains 2 executions"), "{fault}");
        run("b").await.unwrap();
        let fault = run("b").await.unwrap_err();
        assert!(fault.message.contains("retains 3 executions"), "{fault}");
        pool.close_handles(&first);
        pool.until(|counts| counts.retained == 2).await;
        run("b").await.unwrap();
    });
}
