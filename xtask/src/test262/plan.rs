//! Which tests there are and in which ways each is run.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::frontmatter::Frontmatter;
use super::ledger::Ledger;
use crate::{Outcome, workspace};

/// A test of the suite.
#[derive(Debug)]
pub(super) struct Test {
    /// From the root of the suite.
    pub(super) path: String,
    pub(super) head: Frontmatter,
    /// The class of the ledger that leaves it out.
    pub(super) skipped: Option<String>,
}

impl Test {
    /// Whether it imports modules while it runs.
    pub(super) fn imports(&self) -> bool {
        self.head.features.iter().any(|feature| feature == "dynamic-import")
    }

    /// The first folder of the suite.
    pub(super) fn area(&self) -> &str {
        self.path.split('/').nth(1).unwrap_or_default()
    }
}

/// One way to run one test.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Job {
    pub(super) id: usize,
    pub(super) path: String,
    pub(super) goal: &'static str,
    pub(super) strict: bool,
    pub(super) asynchronous: bool,
    pub(super) harness: Vec<String>,
    /// The index of the test.
    #[serde(skip)]
    pub(super) test: usize,
}

/// The tests of the checkout whose path behind `test/` begins with one of `filters`, or all of them.
pub(super) fn tests(suite: &Path, filters: &[&str], ledger: &Ledger) -> Outcome<Vec<Test>> {
    let wanted = |path: &str| {
        path.ends_with(".js")
            && !path.contains("_FIXTURE")
            && (filters.is_empty() || filters.iter().any(|filter| path.starts_with(filter)))
    };
    let files = workspace::files(&suite.join("test"), &wanted)?;
    let read = |file: String| {
        let path = format!("test/{file}");
        let text = fs::read_to_string(suite.join(&path)).map_err(|error| format!("{path}: {error}"))?;
        let head = Frontmatter::parse(&text).map_err(|problem| format!("{path}: {problem}"))?;
        let skipped = ledger.skips(&head, &text).map(str::to_owned);
        Ok(Test { path, head, skipped })
    };
    files.into_iter().map(read).collect()
}

/// The jobs of all tests that are not left out, in their order.
pub(super) fn jobs(tests: &[Test]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (index, test) in tests.iter().enumerate().filter(|(_, test)| test.skipped.is_none()) {
        for strict in modes(&test.head) {
            jobs.push(Job {
                id: jobs.len(),
                path: test.path.clone(),
                goal: if test.head.has("module") { "module" } else { "script" },
                strict: *strict,
                asynchronous: test.head.has("async"),
                harness: harness(&test.head),
                test: index,
            });
        }
    }
    jobs
}

/// Whether a directive stands before the text, for each run.
fn modes(head: &Frontmatter) -> &'static [bool] {
    if head.has("module") || head.has("raw") || head.has("noStrict") {
        &[false]
    } else if head.has("onlyStrict") {
        &[true]
    } else {
        &[false, true]
    }
}

fn harness(head: &Frontmatter) -> Vec<String> {
    if head.has("raw") {
        return Vec::new();
    }
    let mut files = vec!["assert.js".to_owned(), "sta.js".to_owned()];
    if head.has("async") {
        files.push("doneprintHandle.js".to_owned());
    }
    for name in &head.includes {
        if !files.contains(name) {
            files.push(name.clone());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_decide_how_often_and_with_what() {
        let head = |flags: &[&str]| Frontmatter {
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            includes: vec!["compareArray.js".to_owned()],
            ..Frontmatter::default()
        };
        assert_eq!(modes(&head(&[])), [false, true]);
        assert_eq!(modes(&head(&["onlyStrict"])), [true]);
        assert_eq!(modes(&head(&["noStrict"])), [false]);
        assert_eq!(modes(&head(&["module", "async"])), [false]);
        assert_eq!(harness(&head(&["raw"])), Vec::<String>::new());
        assert_eq!(
            harness(&head(&["async"])),
            ["assert.js", "sta.js", "doneprintHandle.js", "compareArray.js"]
        );
    }
}
