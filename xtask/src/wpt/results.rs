//! What became of the subtests of a file.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Names that stand for no subtest: the file as a whole, and subtests that did not run.
const WHOLE_FILE: &str = "(harness)";
const NOT_RUN: &str = "(not run)";

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

/// The subtests of one file, over all its variants.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    ran: usize,
    passed: usize,
    failures: BTreeMap<String, String>,
}

impl Outcomes {
    /// Counts one subtest.
    pub(super) fn add(&mut self, name: &str, passed: bool, message: &str) {
        self.ran += 1;
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
}
