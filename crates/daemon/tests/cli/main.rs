//! Runs the built binary over the tables in `cases/`: one case, one test.
//!
//! `case` says what a row may hold, `play` runs it, `judge` compares.
#![expect(clippy::unwrap_used, reason = "tests state their expectations with unwrap")]

mod case;
mod judge;
mod play;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use case::Case;
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let args = Arguments::from_args();
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/cases");
    let trials = case::read(&tables).into_iter().map(trial).collect();
    libtest_mimic::run(&args, trials).exit_code()
}

/// A case is a test of its own. One that needs a program which this machine lacks is reported as ignored.
fn trial((table, case): (String, Case)) -> Trial {
    let missing = case.needs.as_deref().filter(|program| !is_installed(program));
    let suffix = missing.map(|program| format!(" (skipped: no {program})")).unwrap_or_default();
    let name = format!("{table}: {}{suffix}", case.name);
    let ignored = missing.is_some();
    Trial::test(name, move || {
        let outcome = play::play(&table, &case)?;
        judge::judge(&case, &outcome).map_err(Into::into)
    })
    .with_ignored_flag(ignored)
}

fn is_installed(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}
