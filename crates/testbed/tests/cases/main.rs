//! All cases and scenarios, through executors with real worker processes.

mod scenarios;

use std::sync::{Arc, OnceLock};

use codemode_testbed::case::Settings;
use codemode_testbed::globals::Listing;
use codemode_testbed::ledger::Ledger;
use codemode_testbed::patched::patched;
use codemode_testbed::stage::{Stage, build};
use codemode_testbed::{compat, load, play, processes};
use libtest_mimic::{Arguments, Failed, Trial};
use tokio::runtime::Runtime;

/// What the tests of this binary share.
pub(crate) struct Suite {
    pub(crate) runtime: Runtime,
    stage: Stage,
    ledger: Ledger,
    clean: OnceLock<Result<Listing, String>>,
}

impl Suite {
    /// What a realm holds on an executor that has never run anything else.
    pub(crate) fn clean(&self) -> Result<&Listing, String> {
        let listing = self.clean.get_or_init(|| {
            self.runtime.block_on(async {
                let executor = build(&Settings::default(), 1).map_err(|fault| fault.to_string())?;
                let listing = play::listing(&executor).await;
                executor.dispose().await;
                listing
            })
        });
        listing.as_ref().map_err(String::clone)
    }

    fn judge(&self, name: &str, outcome: Result<(), String>) -> Result<(), Failed> {
        self.ledger.judge(name, outcome).map_err(Failed::from)
    }
}

fn main() {
    codemode_executor::run_worker_if_requested();
    let arguments = Arguments::from_args();
    let threads =
        arguments.test_threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let suite = Arc::new(Suite {
        runtime: Runtime::new().expect("a runtime starts"),
        // A case and its neighbour, and what a tool of either may start.
        stage: Stage::new(3 * threads),
        ledger: Ledger::read().unwrap_or_else(|problem| panic!("{problem}")),
        clean: OnceLock::new(),
    });
    let trials = trials(&suite);
    let conclusion = libtest_mimic::run(&arguments, trials);
    suite.runtime.block_on(suite.stage.dispose());
    let left = processes::descendants();
    if !left.is_empty() {
        eprintln!("processes outlive their executors: {left:?}");
        std::process::exit(101);
    }
    conclusion.exit();
}

fn trials(suite: &Arc<Suite>) -> Vec<Trial> {
    let mut trials = cases(suite);
    trials.append(&mut recorded(suite));
    trials
}

/// What a peer has recorded.
fn recorded(suite: &Arc<Suite>) -> Vec<Trial> {
    let cases = compat::Case::all().unwrap_or_else(|problem| panic!("{problem}"));
    let ledger = Arc::new(compat::Ledger::read().unwrap_or_else(|problem| panic!("{problem}")));
    let names: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    let mut trials = Vec::with_capacity(cases.len() + 1);
    for case in cases {
        let (suite, ledger) = (suite.clone(), ledger.clone());
        trials.push(Trial::test(format!("compat::{}", case.name), move || {
            let outcome = suite.runtime.block_on(async {
                let executor =
                    suite.stage.executor(&Settings::default()).map_err(|fault| fault.to_string())?;
                compat::perform(&executor, &case).await
            })?;
            ledger.judge(&case.name, &case.recorded, &outcome).map_err(Failed::from)
        }));
    }
    trials.push(Trial::test("compat::ledger_names_only_what_exists", move || match ledger.stale(&names) {
        stale if stale.is_empty() => Ok(()),
        stale => Err(format!("{stale:?}").into()),
    }));
    trials
}

fn cases(suite: &Arc<Suite>) -> Vec<Trial> {
    let mut cases = load::cases().unwrap_or_else(|problem| panic!("{problem}"));
    let conformance = cases.iter().filter(|case| case.id.starts_with("conformance/"));
    let again: Vec<_> = conformance.map(patched).collect();
    cases.extend(again);
    let mut names: Vec<String> = cases.iter().map(|case| case.id.clone()).collect();
    let mut trials = Vec::with_capacity(cases.len());
    for case in cases {
        let suite = suite.clone();
        trials.push(Trial::test(case.id.clone(), move || {
            let clean = suite.clean()?;
            let outcome = suite.runtime.block_on(play::play(&suite.stage, &case, clean));
            suite.judge(&case.id, outcome)
        }));
    }
    for (name, scenario) in scenarios::all() {
        names.push(name.to_owned());
        let suite = suite.clone();
        trials.push(Trial::test(name, move || suite.judge(name, scenario(&suite))));
    }
    let suite = suite.clone();
    trials.push(Trial::test("ledger::names_only_what_exists", move || {
        match suite.ledger.stale(&names).collect::<Vec<_>>() {
            stale if stale.is_empty() => Ok(()),
            stale => Err(format!("{stale:?}").into()),
        }
    }));
    trials
}
