//! `cargo xtask test262`: the suite of the language in our isolates, and what fails there in a plain isolate of the
//! same engine as well.
//!
//! This crate links no engine. It reads what the tests say about themselves, has `test262-run` of the testbed run
//! them, judges, and compares with the ledger.

mod engines;
mod frontmatter;
mod ledger;
mod plan;
mod table;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use engines::Engine;
use ledger::Ledger;
use plan::{Job, Test};
use table::{Count, Table};
use verdict::judge;

use crate::{Outcome, workspace, wpt};

pub(crate) const USAGE: &str = "\
  test262 --suite PATH [--filter DIR]... [--node PATH] [--release] [--failures FILE]
                           run a checkout of test262, or only the tests whose path behind test/ begins with DIR";

/// What the command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options<'a> {
    suite: PathBuf,
    filters: Vec<&'a str>,
    /// A Node that runs what fails here, too.
    node: Option<PathBuf>,
    release: bool,
    /// Where every failure is written: whose it is, test, strict or not, message.
    failures: Option<PathBuf>,
}

/// A run that failed in a worker, and what became of it elsewhere.
struct Failure<'a> {
    job: &'a Job,
    message: String,
    /// Whether the run came to an outcome at all.
    settled: bool,
    whose: Whose,
    passes_on_node: bool,
}

/// Why a run failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// It fails in a plain isolate of the same engine as well.
    Engine,
    /// It passes as a script in an isolate with the library, and was eval code in the worker.
    Goal,
    /// Ours.
    Ours,
}

/// Runs what `words` ask for, prints the table, and fails where the ledger and what happened differ.
pub(crate) fn run(words: &[&str]) -> Outcome {
    let options = options(words)?;
    let ledger = Ledger::parse(&workspace::read("crates/testbed/test262/expectations.toml")?)?;
    let tests = plan::tests(&options.suite, &options.filters, &ledger)?;
    let jobs = plan::jobs(&tests);
    let binary = wpt::build("test262-run", options.release)?;

    let answers = Engine::ours(&binary, &options.suite, "worker").all(&jobs)?;
    let mut failures: Vec<Failure> = Vec::new();
    for (job, answer) in jobs.iter().zip(&answers) {
        if let Err(message) = judge(&tests[job.test].head, answer) {
            let settled = answer.is_ok();
            failures.push(Failure { job, message, settled, whose: Whose::Ours, passes_on_node: false });
        }
    }
    attribute(&mut failures, &tests, &binary, &options)?;

    print!("{}", table(&tests, &jobs, &failures).render(options.node.is_some()));
    print_skipped(&tests);
    if let Some(path) = &options.failures {
        write_failures(path, &failures)?;
    }
    judge_ledger(&ledger, &tests, &failures)
}

/// Finds out whose the failures are.
fn attribute(failures: &mut [Failure], tests: &[Test], binary: &Path, options: &Options) -> Outcome {
    let plain = Engine::ours(binary, &options.suite, "plain");
    let library = Engine::ours(binary, &options.suite, "library");
    let everything: Vec<&Job> = failures.iter().map(|failure| failure.job).collect();
    let passing = |engine: &Engine, jobs: &[&Job]| -> Outcome<BTreeMap<usize, bool>> {
        let answers = engine.each(jobs)?.into_iter().collect::<BTreeMap<_, _>>();
        let passes = |job: &&Job| judge(&tests[job.test].head, &answers[&job.id]).is_ok();
        Ok(jobs.iter().map(|job| (job.id, passes(job))).collect())
    };
    let in_plain = passing(&plain, &everything)?;
    // What a script imports comes from the module map of the run, and not from the loader of these isolates; and what
    // ends a run without an outcome is not its goal.
    let excusable = |failure: &&Failure| {
        let Failure { job, settled, .. } = failure;
        *settled && in_plain[&job.id] && job.goal == "script" && !tests[job.test].imports()
    };
    let suspects: Vec<&Job> = failures.iter().filter(excusable).map(|failure| failure.job).collect();
    let as_script = passing(&library, &suspects)?;
    let on_node = match &options.node {
        Some(node) => passing(&Engine::node(node, &options.suite), &everything)?,
        None => BTreeMap::new(),
    };
    for failure in failures {
        let id = failure.job.id;
        failure.whose = match (in_plain[&id], as_script.get(&id)) {
            (false, _) => Whose::Engine,
            (true, Some(true)) => Whose::Goal,
            (true, _) => Whose::Ours,
        };
        failure.passes_on_node = on_node.get(&id) == Some(&true);
    }
    Ok(())
}

fn table(tests: &[Test], jobs: &[Job], failures: &[Failure]) -> Table {
    let mut table = Table::default();
    for test in tests {
        table.area(test.area()).files += 1;
        table.area(test.area()).skipped += usize::from(test.skipped.is_some());
    }
    for job in jobs {
        table.area(tests[job.test].area()).runs += 1;
    }
    for failure in failures {
        let count: &mut Count = table.area(tests[failure.job.test].area());
        match failure.whose {
            Whose::Engine => count.engine += 1,
            Whose::Goal => count.goal += 1,
            Whose::Ours => count.ours += 1,
        }
        count.node += usize::from(failure.passes_on_node && failure.whose == Whose::Engine);
    }
    table
}

fn print_skipped(tests: &[Test]) {
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for class in tests.iter().filter_map(|test| test.skipped.as_deref()) {
        *classes.entry(class).or_default() += 1;
    }
    for (class, count) in classes {
        println!("left out: {class} {count}");
    }
}

fn judge_ledger(ledger: &Ledger, tests: &[Test], failures: &[Failure]) -> Outcome {
    let ran: BTreeSet<&str> = tests.iter().map(|test| test.path.as_str()).collect();
    let mut differing: BTreeMap<&str, String> = BTreeMap::new();
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for failure in failures.iter().filter(|failure| failure.whose == Whose::Ours) {
        let known = differing.insert(&failure.job.path, failure.message.clone()).is_some();
        if let Some(class) = ledger.class(&failure.job.path).filter(|_| !known) {
            *classes.entry(class).or_default() += 1;
        }
    }
    for (class, count) in classes {
        println!("differs: {class} {count}");
    }
    match ledger.judge(&ran, &differing) {
        problems if problems.is_empty() => Ok(()),
        problems => Err(format!("{}\n{} differences from the ledger", problems.join("\n"), problems.len())),
    }
}

fn write_failures(path: &Path, failures: &[Failure]) -> Outcome {
    let mut text = String::new();
    for failure in failures {
        let whose = format!("{:?}", failure.whose).to_lowercase();
        let line = serde_json::json!([
            whose,
            failure.job.path,
            failure.job.strict,
            failure.passes_on_node,
            failure.message
        ]);
        text.push_str(&format!("{line}\n"));
    }
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn options<'a>(words: &[&'a str]) -> Outcome<Options<'a>> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().copied().ok_or_else(|| format!("{word} is followed by a value"));
        match *word {
            "--suite" => options.suite = PathBuf::from(value()?),
            "--filter" => options.filters.push(value()?),
            "--node" => options.node = Some(PathBuf::from(value()?)),
            "--failures" => options.failures = Some(PathBuf::from(value()?)),
            "--release" => options.release = true,
            _ => return Err(format!("test262 does not know {word}\n\n{USAGE}")),
        }
    }
    if options.suite.as_os_str().is_empty() {
        return Err(format!("test262 needs a checkout of the suite\n\n{USAGE}"));
    }
    options.suite =
        fs::canonicalize(&options.suite).map_err(|error| format!("{}: {error}", options.suite.display()))?;
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_understood_or_refused() {
        let here = env!("CARGO_MANIFEST_DIR");
        let words = ["--suite", here, "--filter", "language/", "--release"];
        let options = options(&words).expect("known words");
        assert_eq!(options.filters, ["language/"]);
        assert!(options.release && options.node.is_none());
        for wrong in [&[][..], &["--suite"], &["--suite", "/no/such/folder"], &["--what"]] {
            assert!(super::options(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_committed_ledger_is_well_formed() {
        let ledger = workspace::read("crates/testbed/test262/expectations.toml").expect("committed");
        Ledger::parse(&ledger).expect("well formed");
    }
}
