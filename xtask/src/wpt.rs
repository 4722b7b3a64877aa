//! `cargo xtask wpt`: the web-platform-tests in our isolates, and in other runtimes for comparison.
//!
//! This crate links no engine. It puts the programs together, has `wpt-run` of the testbed run them, counts, and
//! compares with the ledger.

mod compose;
mod ledger;
mod results;
mod runtimes;
mod scope;
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use compose::Composer;
use ledger::Ledger;
use results::Outcomes;
pub(crate) use runtimes::build;
use runtimes::{Answer, Job};
use scope::File;
use table::Column;

use crate::{Outcome, workspace};

/// How many programs run at a time, of any runtime.
const PLACES: usize = 2;

pub(crate) const USAGE: &str = "\
  wpt --suite PATH [--area NAME]... [--peers] [--release] [--failures FILE]
                           run the web-platform-tests of a checkout, or only areas or files that begin with NAME";

/// What the command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options<'a> {
    suite: PathBuf,
    areas: Vec<&'a str>,
    peers: bool,
    release: bool,
    /// Where failures that nobody expects are written: file, subtest, message.
    failures: Option<PathBuf>,
}

/// Runs what `words` ask for, prints the table, and fails where the ledger and what happened differ or another
/// runtime is ahead in an area.
pub(crate) fn run(words: &[&str]) -> Outcome {
    let options = options(words)?;
    let files = scope::files(&workspace::read("crates/testbed/wpt/scope.tsv")?, &options.areas)?;
    let ledger = Ledger::parse(&workspace::read("crates/testbed/wpt/expectations.toml")?)?;
    let composer = Composer::new(&options.suite, workspace::read("crates/testbed/wpt/shim.js")?)?;
    let (jobs, owners) = jobs(&composer, &files)?;

    let answers = runtimes::isolates(&options.suite, &jobs, PLACES, options.release)?;
    let ours = outcomes(&files, &owners, &answers);
    let column = |name: String, outcomes: &BTreeMap<String, Outcomes>| Column {
        name,
        areas: table::areas(&files, outcomes),
        comparable: table::comparable(&files, outcomes, &ours, &ledger),
    };
    let mut columns = vec![column("codemode".to_owned(), &ours)];
    if options.peers {
        for peer in runtimes::peers() {
            let answers = peer.run(&options.suite, &jobs, PLACES)?;
            let theirs = outcomes(&files, &owners, &answers);
            columns.push(column(format!("{} {}", peer.name, peer.version), &theirs));
        }
    }
    print!("{}", table::render(&columns));
    for (reason, count) in ledger.reasons() {
        println!("expected to fail: {reason} {count}");
    }
    if let Some(path) = &options.failures {
        write_failures(path, &ledger, &ours)?;
    }
    let differences = ledger.judge(&ours);
    let behind = table::behind(&columns);
    if differences.is_empty() && behind.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = differences.iter().chain(&behind).cloned().collect();
    Err(format!("{}\n{} differences from the ledger", lines.join("\n"), differences.len()))
}

fn options<'a>(words: &[&'a str]) -> Outcome<Options<'a>> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().copied().ok_or_else(|| format!("{word} is followed by a value"));
        match *word {
            "--suite" => options.suite = PathBuf::from(value()?),
            "--area" => options.areas.push(value()?),
            "--failures" => options.failures = Some(PathBuf::from(value()?)),
            "--peers" => options.peers = true,
            "--release" => options.release = true,
            _ => return Err(format!("wpt does not know {word}\n\n{USAGE}")),
        }
    }
    if options.suite.as_os_str().is_empty() {
        return Err(format!("wpt needs a checkout of the suite\n\n{USAGE}"));
    }
    options.suite =
        fs::canonicalize(&options.suite).map_err(|error| format!("{}: {error}", options.suite.display()))?;
    Ok(options)
}

/// One job for each variant of each file, and the index of the file of each job.
fn jobs(composer: &Composer, files: &[File]) -> Outcome<(Vec<Job>, Vec<usize>)> {
    let mut jobs = Vec::new();
    let mut owners = Vec::new();
    for (owner, file) in files.iter().enumerate() {
        for code in composer.programs(&file.path)? {
            jobs.push(Job { id: jobs.len(), code });
            owners.push(owner);
        }
    }
    Ok((jobs, owners))
}

fn outcomes(files: &[File], owners: &[usize], answers: &[Answer]) -> BTreeMap<String, Outcomes> {
    let mut outcomes: BTreeMap<String, Outcomes> = BTreeMap::new();
    for (owner, answer) in owners.iter().zip(answers) {
        let outcome = answer.as_deref().map_err(String::clone);
        outcomes.entry(files[*owner].path.clone()).or_default().add_report(outcome);
    }
    for file in files {
        outcomes.entry(file.path.clone()).or_default().expect(file.subtests);
    }
    outcomes
}

fn write_failures(path: &Path, ledger: &Ledger, outcomes: &BTreeMap<String, Outcomes>) -> Outcome {
    let mut text = String::new();
    for (file, outcomes) in outcomes {
        for (subtest, message) in outcomes.failures().filter(|(subtest, _)| !ledger.lists(file, subtest)) {
            text.push_str(&serde_json::json!([file, subtest, message]).to_string());
            text.push('\n');
        }
    }
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_understood_or_refused() {
        let here = env!("CARGO_MANIFEST_DIR");
        let words = ["--suite", here, "--area", "url", "--area", "streams", "--peers"];
        let options = options(&words).expect("known words");
        assert_eq!(options.areas, ["url", "streams"]);
        assert!(options.peers && !options.release);
        for wrong in [&[][..], &["--suite"], &["--suite", "/no/such/folder"], &["--what"]] {
            assert!(super::options(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_committed_lists_are_well_formed() {
        let scope = workspace::read("crates/testbed/wpt/scope.tsv").expect("committed");
        let files = scope::files(&scope, &[]).expect("well formed");
        assert_eq!(files.len(), 346);
        let ledger = workspace::read("crates/testbed/wpt/expectations.toml").expect("committed");
        Ledger::parse(&ledger).expect("well formed");
    }
}
