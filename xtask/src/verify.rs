//! The gate: every check that a change has to pass, in order of cost.

mod contract;
mod coverage;
mod invariants;
mod layers;
mod links;

use crate::{Outcome, bundle, engine, workspace};
use std::process::Command;
use std::time::Instant;

struct Step {
    name: &'static str,
    run: fn() -> Outcome,
}

const STEPS: &[Step] = &[
    Step { name: "fmt", run: || cargo(&["fmt", "--all", "--check"], &[]) },
    Step { name: "layers", run: layers::check },
    Step { name: "contract", run: contract::check },
    Step { name: "links", run: links::check },
    Step { name: "invariants", run: invariants::check },
    Step { name: "coverage", run: coverage::check },
    Step { name: "bundle", run: bundle::check },
    Step { name: "v8", run: || engine::check().map(drop) },
    Step {
        name: "clippy",
        run: || cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[]),
    },
    Step {
        name: "test",
        run: || cargo(&["test", "--workspace", "--lib", "--bins", "--tests", "--examples"], &[]),
    },
    Step { name: "doctest", run: || cargo(&["test", "--workspace", "--doc"], &[]) },
    Step {
        name: "doc",
        run: || cargo(&["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")]),
    },
];

/// The names that [`run`] takes.
pub(crate) fn step_names() -> Vec<&'static str> {
    STEPS.iter().map(|step| step.name).collect()
}

/// Runs the steps named, or all. Every step runs, whatever became of those before it; fails if one did.
pub(crate) fn run(names: &[&str]) -> Outcome {
    if let Some(unknown) = names.iter().find(|name| !step_names().contains(name)) {
        return Err(format!("verify has no step `{unknown}`; it has {}", step_names().join(" ")));
    }
    let mut failed = Vec::new();
    for step in STEPS.iter().filter(|step| names.is_empty() || names.contains(&step.name)) {
        let start = Instant::now();
        let outcome = (step.run)();
        let seconds = start.elapsed().as_secs_f64();
        println!("{} {:<10} {seconds:7.1} s", if outcome.is_ok() { "ok    " } else { "FAILED" }, step.name);
        if let Err(message) = outcome {
            println!("{message}\n");
            failed.push(step.name);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(" "))) }
}

/// Runs cargo in the workspace. What it prints is shown only if it fails.
fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Outcome {
    cargo_output(arguments, environment).map(drop)
}

/// Standard output of a successful run of cargo.
fn cargo_output(arguments: &[&str], environment: &[(&str, &str)]) -> Outcome<String> {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(workspace::root())
        .output()
        .map_err(|error| format!("cargo did not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        return Ok(text.into_owned());
    }
    let command = arguments.join(" ");
    Err(format!(
        "`cargo {command}` ended with {}\n{text}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// One message for all findings, or success where there are none.
fn report(findings: Vec<String>) -> Outcome {
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n")) }
}
