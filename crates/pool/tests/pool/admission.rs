//! Places and the queue.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use codemode_pool::{Job, Pool};
use codemode_protocol::{FaultCode, LogLine, Sentence, dispatch_fn};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::support::{envelope, job, on_runtime, pool_with, tests};

tests!(
    the_queue_is_bounded_and_in_order,
    a_request_that_waits_too_long_is_told,
    a_dropped_request_leaves_the_queue,
    a_dropped_run_is_killed_and_frees_its_place,
    no_more_run_than_there_are_places,
    tenants_take_turns_and_meet_their_own_bounds,
);

fn one_place(queue_limit: usize) -> Arc<Pool> {
    pool_with(|config| {
        config.max_workers = 1;
        config.queue_limit = queue_limit;
    })
}

/// A run that holds its place until `gate` opens.
fn held(
    pool: &Arc<Pool>,
    gate: &watch::Sender<bool>,
) -> (JoinHandle<String>, tokio::sync::oneshot::Receiver<()>) {
    let (told, begun) = tokio::sync::oneshot::channel();
    let told = Mutex::new(Some(told));
    let gate = gate.subscribe();
    let mut job = job("tool p t []\nreturn");
    job.dispatch = Some(Arc::new(dispatch_fn(move |_| {
        let mut gate = gate.clone();
        if let Some(told) = told.lock().unwrap().take() {
            told.send(()).unwrap();
        }
        async move {
            gate.wait_for(|&open| open).await.map_err(|error| error.to_string())?;
            Ok("held".to_owned())
        }
    })));
    (spawn(pool, job), begun)
}

fn spawn(pool: &Arc<Pool>, job: Job) -> JoinHandle<String> {
    let pool = Arc::clone(pool);
    tokio::spawn(async move { envelope(pool.run(job).await) })
}

fn the_queue_is_bounded_and_in_order() {
    on_runtime(async {
        let pool = one_place(3);
        let (gate, _) = watch::channel(false);
        let (first, begun) = held(&pool, &gate);
        begun.await.unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut waiting = Vec::new();
        for number in 0..3 {
            let seen = Arc::clone(&order);
            let mut job = job(&format!("log {number}\nanswer {number}"));
            job.log_sink = Some(Arc::new(move |line: &LogLine| seen.lock().unwrap().push(line.text.clone())));
            waiting.push(spawn(&pool, job));
            pool.until(|counts| counts.queued == number + 1).await;
        }
        let fault = pool.run(job("answer never")).await.unwrap_err();
        assert_eq!((fault.code, fault.started), (FaultCode::QueueFull, false));
        assert_eq!(fault.message, Sentence::QueueFull { limit: 3 }.to_string());
        gate.send(true).unwrap();
        assert_eq!(first.await.unwrap(), "held");
        for (number, run) in waiting.into_iter().enumerate() {
            assert_eq!(run.await.unwrap(), number.to_string());
        }
        assert_eq!(*order.lock().unwrap(), ["0", "1", "2"]);
    });
}

fn a_request_that_waits_too_long_is_told() {
    on_runtime(async {
        let pool = pool_with(|config| {
            config.max_workers = 1;
            config.queue_timeout = Some(Duration::from_millis(20));
        });
        pool.warm_up().await.unwrap();
        let (gate, _) = watch::channel(false);
        let (first, begun) = held(&pool, &gate);
        begun.await.unwrap();
        let fault = pool.run(job("answer never")).await.unwrap_err();
        assert_eq!((fault.code, fault.started, fault.retryable()), (FaultCode::QueueTimeout, false, true));
        assert_eq!(pool.counts().queued, 0);
        gate.send(true).unwrap();
        first.await.unwrap();
    });
}

fn a_dropped_request_leaves_the_queue() {
    on_runtime(async {
        let pool = one_place(10);
        let (gate, _) = watch::channel(false);
        let (first, begun) = held(&pool, &gate);
        begun.await.unwrap();
        let waiting = spawn(&pool, job("answer never"));
        let last = spawn(&pool, job("answer last"));
        pool.until(|counts| counts.queued == 2).await;
        waiting.abort();
        pool.until(|counts| counts.queued == 1).await;
        gate.send(true).unwrap();
        assert_eq!((first.await.unwrap(), last.await.unwrap()), ("held".to_owned(), "last".to_owned()));
    });
}

fn a_dropped_run_is_killed_and_frees_its_place() {
    on_runtime(async {
        let pool = one_place(10);
        for code in ["log x\nspin", "log x\nhang"] {
            let (told, mut begun) = tokio::sync::mpsc::unbounded_channel();
            let mut endless = job(code);
            endless.log_sink = Some(Arc::new(move |_: &LogLine| told.send(()).unwrap()));
            let run = spawn(&pool, endless);
            begun.recv().await.unwrap();
            run.abort();
            assert_eq!(envelope(pool.run(job("answer after")).await), "after");
            pool.until(|counts| counts.running == 0 && counts.ending == 0).await;
        }
    });
}

fn no_more_run_than_there_are_places() {
    on_runtime(async {
        let pool = pool_with(|config| config.max_workers = 3);
        let most = Arc::new(Mutex::new((0, 0)));
        let runs = (0..40).map(|_| {
            let most = Arc::clone(&most);
            let mut job = job("tool p t []\nreturn");
            job.dispatch = Some(Arc::new(dispatch_fn(move |_| {
                let most = Arc::clone(&most);
                {
                    let mut now = most.lock().unwrap();
                    now.0 += 1;
                    now.1 = now.1.max(now.0);
                }
                async move {
                    tokio::task::yield_now().await;
                    most.lock().unwrap().0 -= 1;
                    Ok("counted".to_owned())
                }
            })));
            spawn(&pool, job)
        });
        for run in runs.collect::<Vec<_>>() {
            assert_eq!(run.await.unwrap(), "counted");
        }
        let (_, most) = *most.lock().unwrap();
        assert!((1..=3).contains(&most), "{most} at once");
    });
}

fn tenants_take_turns_and_meet_their_own_bounds() {
    on_runtime(async {
        let pool = pool_with(|config| {
            config.max_workers = 1;
            config.tenant_queue_limit = Some(3);
        });
        let (gate, _) = watch::channel(false);
        let (first, begun) = held(&pool, &gate);
        begun.await.unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut waiting = Vec::new();
        for (at, name) in ["many", "many", "many", "few"].into_iter().enumerate() {
            let seen = Arc::clone(&order);
            let mut job = job(&format!("log {name}\nanswer {name}"));
            job.tenant = Some(name.into());
            job.log_sink = Some(Arc::new(move |line: &LogLine| seen.lock().unwrap().push(line.text.clone())));
            waiting.push(spawn(&pool, job));
            pool.until(|counts| counts.queued == at + 1).await;
        }
        let mut refused = job("answer never");
        refused.tenant = Some("many".into());
        let fault = pool.run(refused).await.unwrap_err();
        assert_eq!(
            (fault.code, fault.message),
            (FaultCode::QueueFull, Sentence::QueueFull { limit: 3 }.to_string())
        );
        assert!(fault.retry_after_ms.is_some_and(|wait_ms| wait_ms > 0));
        gate.send(true).unwrap();
        first.await.unwrap();
        for run in waiting {
            run.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), ["many", "few", "many", "many"]);
    });
}
