//! What is left out, what differs from the engine, and why: `crates/testbed/test262/expectations.toml`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::frontmatter::Frontmatter;
use crate::Outcome;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    skip: BTreeMap<String, Skip>,
    #[serde(default)]
    differ: BTreeMap<String, Differ>,
}

/// A class of tests that are left out: those with one of the features or flags, or with one of the words in them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Skip {
    reason: String,
    #[serde(default)]
    features: Vec<String>,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    words: Vec<String>,
}

/// A class of tests that fail here and pass in a plain isolate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Differ {
    reason: String,
    tests: Vec<String>,
}

/// The ledger.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    skip: BTreeMap<String, Skip>,
    /// Class by test.
    differ: BTreeMap<String, String>,
}

impl Ledger {
    pub(super) fn parse(text: &str) -> Outcome<Self> {
        let file: File = toml::from_str(text).map_err(|error| format!("the ledger: {error}"))?;
        let reasons = file.skip.iter().map(|(class, skip)| (class, &skip.reason));
        let reasons = reasons.chain(file.differ.iter().map(|(class, differ)| (class, &differ.reason)));
        for (class, reason) in reasons {
            if reason.trim().is_empty() {
                return Err(format!("the ledger gives no reason for {class}"));
            }
        }
        let mut differ = BTreeMap::new();
        for (class, entry) in file.differ {
            for test in entry.tests {
                if let Some(other) = differ.insert(test.clone(), class.clone()) {
                    return Err(format!("the ledger has {test} under {other} and {class}"));
                }
            }
        }
        Ok(Self { skip: file.skip, differ })
    }

    /// The class that leaves a test out.
    pub(super) fn skips(&self, head: &Frontmatter, text: &str) -> Option<&str> {
        let matches = |(_, skip): &(&String, &Skip)| {
            head.features.iter().any(|feature| skip.features.contains(feature))
                || head.flags.iter().any(|flag| skip.flags.contains(flag))
                || skip.words.iter().any(|word| text.contains(word.as_str()))
        };
        self.skip.iter().find(matches).map(|(class, _)| class.as_str())
    }

    /// The class under which a test is listed.
    pub(super) fn class(&self, test: &str) -> Option<&str> {
        self.differ.get(test).map(String::as_str)
    }

    /// What is wrong with the listed tests among `ran`, of which `differing` failed here alone, one a line.
    pub(super) fn judge(&self, ran: &BTreeSet<&str>, differing: &BTreeMap<&str, String>) -> Vec<String> {
        let unlisted = differing.iter().filter(|(test, _)| !self.differ.contains_key(**test));
        let unlisted = unlisted.map(|(test, message)| format!("{test} fails here alone: {message}"));
        let stale = self.differ.keys().filter(|test| ran.contains(test.as_str()));
        let stale = stale.filter(|test| !differing.contains_key(test.as_str()));
        unlisted
            .chain(stale.map(|test| format!("{test} does not fail here alone, so its entry has to go")))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[skip.shared]\nreason = 'absent'\nfeatures = ['SharedArrayBuffer']\nwords = ['.agent']\n\
        [differ.design]\nreason = 'by design'\ntests = ['test/a.js']\n";

    #[test]
    fn classes_leave_tests_out_by_what_they_need() {
        let ledger = Ledger::parse(TEXT).expect("a ledger");
        let shared = Frontmatter { features: vec!["SharedArrayBuffer".to_owned()], ..Frontmatter::default() };
        assert_eq!(ledger.skips(&shared, ""), Some("shared"));
        assert_eq!(ledger.skips(&Frontmatter::default(), "$262.agent.start()"), Some("shared"));
        assert_eq!(ledger.skips(&Frontmatter::default(), "1"), None);
    }

    #[test]
    fn what_is_listed_differs_and_nothing_else_does() {
        let ledger = Ledger::parse(TEXT).expect("a ledger");
        let ran = BTreeSet::from(["test/a.js", "test/b.js"]);
        let differing = |names: &[&'static str]| -> BTreeMap<&str, String> {
            names.iter().map(|name| (*name, "x".to_owned())).collect()
        };
        assert!(ledger.judge(&ran, &differing(&["test/a.js"])).is_empty());
        assert_eq!(ledger.judge(&ran, &differing(&["test/a.js", "test/b.js"])).len(), 1);
        assert_eq!(ledger.judge(&ran, &differing(&[])).len(), 1);
        assert!(ledger.judge(&BTreeSet::new(), &differing(&[])).is_empty());
    }

    #[test]
    fn a_ledger_gives_reasons_and_repeats_nothing() {
        assert!(Ledger::parse("[differ.a]\nreason = ' '\ntests = []").is_err());
        assert!(Ledger::parse(&format!("{TEXT}[differ.b]\nreason = 'x'\ntests = ['test/a.js']")).is_err());
    }
}
