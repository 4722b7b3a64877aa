//! What a worker cannot do.

use std::sync::{Arc, Mutex};

use codemode_pool::worker::{Need, syscall_table};
use codemode_pool::{HARDENING, HardeningLevel, Pool, PoolEvent, StartMode};
use codemode_protocol::FaultCode;

use crate::support::{envelope, job, job_with_tools, on_runtime, pool_with, pools, tests};

tests!(
    a_worker_holds_nothing,
    calls_on_the_list_are_needed,
    what_is_on_is_reported,
    without_hardening_the_pool_works_and_says_so_loudly,
    a_required_layer_that_is_missing_is_named,
);

fn a_worker_holds_nothing() {
    for pool in pools() {
        on_runtime(async {
            assert_eq!(envelope(pool.run(job("environment\nreturn")).await), "0");
            assert_eq!(envelope(pool.run(job("descriptors\nreturn")).await), "1");
        });
    }
}

/// Programs that together need what a worker without an engine needs.
const NEEDY: &[&str] = &[
    "log x\ntool p t []\ntool p t []\nreturn",
    "fetch https://example.com/\nreturn",
    "allocate 20\nspin 1\nseed\nanswer x",
    "answer x",
    "crash 6",
    "aside\naside\nreturn",
    "fault",
    "exit 3",
    "panic x",
];

/// The first program that dies, or does not start, because a call is withheld.
async fn missed(calls: &[&str]) -> Option<String> {
    let pool = pool_with(|config| {
        config.start_mode = StartMode::Fork;
        config.audit.withheld_calls = calls.iter().map(|&call| call.to_owned()).collect();
    });
    for code in NEEDY {
        let Err(fault) = pool.run(job_with_tools(code)).await else { continue };
        if !fault.started || fault.message.contains("SIGSYS") {
            return Some(format!("{code:?}: {fault:?}"));
        }
    }
    None
}

fn calls_on_the_list_are_needed() {
    on_runtime(async {
        let rows = |need| syscall_table().filter(move |row| row.need == need).map(|row| row.name);
        assert_eq!(missed(&rows(Need::Rare).collect::<Vec<_>>()).await, None);
        // Release builds do not ask before they close.
        for name in rows(Need::Pool).filter(|&name| cfg!(debug_assertions) || name != "fcntl") {
            assert!(missed(&[name]).await.is_some(), "nothing misses {name}");
        }
    });
}

fn what_is_on_is_reported() {
    on_runtime(async {
        let pool = pool_with(|_| {});
        pool.warm_up().await.unwrap();
        let said = pool.capabilities();
        for &name in LAYERS.iter().chain(&["engine", "second thread", HARDENING]) {
            assert!(said.iter().any(|(said, _)| said == name), "{name} is missing in {said:?}");
        }
        // A machine that has every layer must accept being asked for every layer, and any other must refuse.
        let all = !said.iter().any(|(_, value)| value.starts_with("off"));
        let strict = pool_with(|config| config.hardening = HardeningLevel::Required);
        let started = strict.warm_up().await;
        assert_eq!(started.is_ok(), all, "{started:?} {said:?}");
    });
}

/// Settings, and what the pool warns of: the settings, and not the machine, since the names come first.
fn warned_of(level: HardeningLevel, absent: &str, mode: StartMode) -> Option<String> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let mut config = crate::support::config();
    config.hardening = level;
    config.start_mode = mode;
    config.audit.absent_layers = vec![absent.to_owned()];
    let observer = move |event: &PoolEvent| {
        if let PoolEvent::HardeningIncomplete { says } = event {
            sink.lock().unwrap().push(says.clone());
        }
    };
    let pool = Pool::observed(config, Arc::new(observer)).unwrap();
    on_runtime(async {
        for _ in 0..3 {
            assert_eq!(envelope(pool.run(job("answer soft")).await), "soft");
        }
        pool.dispose().await;
    });
    let said = pool.capabilities();
    let (_, hardening) = said.iter().find(|(name, _)| name == HARDENING).unwrap();
    let heard = heard.lock().unwrap();
    assert!(heard.len() <= 1 && heard.iter().all(|says| says == hardening), "{heard:?} {hardening}");
    heard.first().cloned()
}

fn without_hardening_the_pool_works_and_says_so_loudly() {
    for mode in [StartMode::Fork, StartMode::Exec] {
        let off = "off: a worker can do what its user can";
        let before = crate::warnings::count(off);
        assert_eq!(warned_of(HardeningLevel::Off, "", mode).as_deref(), Some(off));
        assert!(crate::warnings::count(off) > before);
        let lacking = warned_of(HardeningLevel::BestEffort, "not dumpable", mode).unwrap();
        assert!(lacking.contains("not dumpable (the settings leave it out)"), "{lacking}");
        assert!(crate::warnings::count(&lacking) > 0);
    }
}

/// Every layer that can be required.
const LAYERS: &[&str] = &[
    "namespaces",
    "empty root",
    "no capabilities",
    "no new privileges",
    "landlock",
    "not dumpable",
    "resource limits",
    "system call filter",
];

fn a_required_layer_that_is_missing_is_named() {
    for mode in [StartMode::Fork, StartMode::Exec] {
        on_runtime(async {
            for &layer in LAYERS {
                let pool = pool_with(|config| {
                    config.start_mode = mode;
                    config.hardening = HardeningLevel::Required;
                    config.audit.absent_layers = vec![layer.to_owned()];
                });
                let fault = pool.run(job("answer never")).await.unwrap_err();
                let named = format!("{layer} (the settings leave it out)");
                assert!(fault.causes.iter().any(|cause| cause.contains(&named)), "{layer}: {fault:?}");
                assert_eq!(fault.code, FaultCode::WorkerCrashed);
            }
        });
    }
}
