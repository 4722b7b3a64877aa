//! What became of the subtests of a file.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// Names that stand for no subtest: the file as a whole, and subtests that did not run.
const WHOLE_FILE: &str = "(harness)";
pub(super) const NOT_RUN: &str = "(not run)";

/// What a program hands over.
#[derive(Debug, Deserialize)]
struct Report {
    /// The harness's status of the file; 0 is well.
    status: u32,
    message: String,
    results: Vec<Subtest>,
}

#[derive(Debug, Deserialize)]
struct Subtest {
    name: String,
    /// 0 passed; 1 failed, 2 timed out, 3 not run, 4 a precondition failed.
    status: u32,
    message: String,
}

/// Subtests of a file that are left out of a comparison.
#[derive(Debug, Default)]
pub(super) struct Removed {
    /// Their names.
    pub(super) names: BTreeSet<String>,
    /// Those that our run did not declare go too.
    pub(super) undeclared: bool,
}

/// The subtests of one file, over all its variants.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    ran: usize,
    passed: usize,
    failures: BTreeMap<String, String>,
    /// Every subtest that was declared, and whether it passed.
    declared: Vec<(String, bool)>,
}

impl Outcomes {
    /// Counts one subtest.
    pub(super) fn add(&mut self, name: &str, passed: bool, message: &str) {
        self.ran += 1;
        self.declared.push((name.to_owned(), passed));
        if passed {
            self.passed += 1;
        } else {
            self.failures.insert(name.to_owned(), message.to_owned());
        }
    }

    /// Counts what one variant came to: the text of its report, or why there is none.
    pub(super) fn add_report(&mut self, outcome: Result<&str, String>) {
        let report =
            outcome.and_then(|text| serde_json::from_str::<Report>(text).map_err(|error| error.to_string()));
        match report {
            Ok(report) => {
                for subtest in report.results {
                    self.add(&subtest.name, subtest.status == 0, &subtest.message);
                }
                if report.status != 0 {
                    self.failures.insert(WHOLE_FILE.to_owned(), report.message);
                }
            }
            Err(problem) => {
                self.failures.insert(WHOLE_FILE.to_owned(), problem);
            }
        }
    }

    /// Compares with how many subtests the file has.
    pub(super) fn expect(&mut self, subtests: usize) {
        if self.ran < subtests {
            let message = format!("{} of {subtests} subtests", subtests - self.ran);
            self.failures.insert(NOT_RUN.to_owned(), message);
            self.ran = subtests;
        }
    }

    pub(super) fn failures(&self) -> impl Iterator<Item = (&String, &String)> {
        self.failures.iter()
    }

    pub(super) fn passed(&self) -> usize {
        self.passed
    }

    /// How many there are, run or not.
    pub(super) fn total(&self) -> usize {
        self.ran
    }

    /// How many passed, and how many there are, without those that are `removed`. `ours` is our run of the file: what
    /// remains of it is what everybody is measured by.
    pub(super) fn without(&self, removed: &Removed, ours: &Self) -> (usize, usize) {
        if removed.names.is_empty() {
            return (self.passed, self.ran);
        }
        let known: BTreeSet<&str> = ours.declared.iter().map(|(name, _)| name.as_str()).collect();
        let stays =
            |name: &str| !removed.names.contains(name) && (!removed.undeclared || known.contains(name));
        let passed = self.declared.iter().filter(|(name, passed)| *passed && stays(name)).count();
        let total = if removed.undeclared {
            ours.declared.iter().filter(|(name, _)| stays(name)).count()
        } else {
            ours.ran - ours.declared.iter().filter(|(name, _)| !stays(name)).count()
        };
        (passed.min(total), total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_run_counts_as_failed() {
        let mut outcomes = Outcomes::default();
        let report = r#"{"status":2,"message":"late","results":[
            {"name":"a","status":0,"message":""},{"name":"b","status":1,"message":"no"}]}"#;
        outcomes.add_report(Ok(report));
        outcomes.add_report(Err("ended".to_owned()));
        outcomes.expect(4);
        assert_eq!((outcomes.passed(), outcomes.total()), (1, 4));
        let names: Vec<&str> = outcomes.failures().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["(harness)", "(not run)", "b"]);
    }

    #[test]
    fn the_same_subtests_are_removed_for_all() {
        let run = |results: &[(&str, bool)], subtests| {
            let mut outcomes = Outcomes::default();
            for (name, passed) in results {
                outcomes.add(name, *passed, "");
            }
            outcomes.expect(subtests);
            outcomes
        };
        let removed = |names: &[&str], undeclared| Removed {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            undeclared,
        };
        // Ours cannot run `shared`; a peer can and fails `plain`; another fails it as we do.
        let ours = run(&[("plain", true), ("shared", false)], 2);
        let peer = run(&[("plain", false), ("shared", true)], 2);
        let names = removed(&["shared"], false);
        assert_eq!(ours.without(&names, &ours), (1, 1));
        assert_eq!(peer.without(&names, &ours), (0, 1));
        assert_eq!(peer.without(&Removed::default(), &ours), (1, 2));
        assert_eq!(run(&[], 2).without(&names, &ours), (0, 1));
        // Ours does not declare the third; for nobody it counts. A peer that declares nothing fails what counts.
        let ours = run(&[("a", true), ("b", false)], 3);
        let undeclared = removed(&[NOT_RUN], true);
        assert_eq!(ours.without(&undeclared, &ours), (1, 2));
        assert_eq!(run(&[("a", true), ("b", true), ("c", true)], 3).without(&undeclared, &ours), (2, 2));
        assert_eq!(run(&[], 3).without(&undeclared, &ours), (0, 2));
    }
}
