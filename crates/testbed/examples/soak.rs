//! Many runs, with figures, through one executor.
//!
//! `cargo run --release -p codemode-testbed --example soak` is a storm of ten minutes: twice as many callers as places,
//! one run in fifty hostile. `-- storm SECONDS [PLACES]` is a shorter one, `-- RUNS [AT_A_TIME]` that many runs of one
//! honest program and what they leave behind.

use std::fmt::Display;
use std::time::Duration;

use codemode_testbed::soak::soak;
use codemode_testbed::storm::{Length, storm};

fn main() {
    codemode_executor::run_worker_if_requested();
    let number = |at: usize, default: usize| match std::env::args().nth(at) {
        Some(text) => text.parse().unwrap_or_else(|_| panic!("argument {at} is a number, not {text:?}")),
        None => default,
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match std::env::args().nth(1).as_deref() {
        None | Some("storm") => {
            let length = Length::Time(Duration::from_secs(number(2, 600) as u64));
            let report = runtime.block_on(storm(number(3, cores), length, 3_000));
            conclude(report.map(|report| (report.verdict(), report)));
        }
        Some(_) => {
            let figures = runtime.block_on(soak(number(1, 10_000), number(2, 2)));
            conclude(figures.map(|figures| (figures.verdict(), figures)));
        }
    }
}

fn conclude(outcome: Result<(Result<(), String>, impl Display), String>) {
    match outcome {
        Ok((verdict, figures)) => {
            println!("{figures}");
            if let Err(problem) = verdict {
                eprintln!("{}", problem.lines().next().unwrap_or_default());
                std::process::exit(1);
            }
        }
        Err(problem) => {
            eprintln!("{problem}");
            std::process::exit(1);
        }
    }
}
