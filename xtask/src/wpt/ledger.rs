//! What is expected to fail and why: `crates/testbed/wpt/expectations.toml`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::results::{NOT_RUN, Outcomes, Removed};
use crate::Outcome;

/// One reason, and the subtests that fail for it, by file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    reason: String,
    #[serde(default)]
    needs: Vec<Absent>,
    files: BTreeMap<String, Vec<String>>,
}

/// What is absent by design: by the reference documents or because the minimum common web API does not have it.
#[derive(Clone, Copy, Debug, Deserialize)]
enum Absent {
    SharedArrayBuffer,
    WebAssembly,
    /// Of documents with canvases.
    OffscreenCanvas,
    /// Of documents with forms.
    FileList,
    /// Algorithms that Web Cryptography Level 2 does not list.
    #[serde(rename = "later algorithms")]
    LaterAlgorithms,
}

/// Why a subtest is listed.
#[derive(Debug)]
struct Listed {
    class: String,
    /// It takes what is absent by design.
    absent: bool,
}

/// The ledger: reasons by (file, subtest).
#[derive(Debug, Default)]
pub(super) struct Ledger(BTreeMap<(String, String), Listed>);

impl Ledger {
    pub(super) fn parse(text: &str) -> Outcome<Self> {
        let entries: BTreeMap<String, Entry> =
            toml::from_str(text).map_err(|error| format!("the ledger: {error}"))?;
        let mut ledger = BTreeMap::new();
        for (class, entry) in entries {
            if entry.reason.trim().is_empty() {
                return Err(format!("the ledger gives no reason for {class}"));
            }
            let absent = !entry.needs.is_empty();
            for (file, subtests) in entry.files {
                for subtest in subtests {
                    let listed = Listed { class: class.clone(), absent };
                    if ledger.insert((file.clone(), subtest.clone()), listed).is_some() {
                        return Err(format!("the ledger has {subtest:?} of {file} twice"));
                    }
                }
            }
        }
        Ok(Self(ledger))
    }

    /// How many subtests are listed for each reason.
    pub(super) fn reasons(&self) -> BTreeMap<&str, usize> {
        let mut reasons = BTreeMap::new();
        for listed in self.0.values() {
            *reasons.entry(listed.class.as_str()).or_default() += 1;
        }
        reasons
    }

    /// Whether this failure is listed.
    pub(super) fn lists(&self, file: &str, subtest: &str) -> bool {
        self.0.contains_key(&(file.to_owned(), subtest.to_owned()))
    }

    /// The subtests of a file that take what is absent by design.
    pub(super) fn absent(&self, file: &str) -> Removed {
        let names: BTreeSet<String> = self
            .0
            .iter()
            .filter(|((listed, _), reason)| listed == file && reason.absent)
            .map(|((_, subtest), _)| subtest.clone())
            .collect();
        Removed { undeclared: names.contains(NOT_RUN), names }
    }

    /// The differences between what is listed and what happened, one a line. Only files that ran are judged.
    pub(super) fn judge(&self, outcomes: &BTreeMap<String, Outcomes>) -> Vec<String> {
        let mut problems = Vec::new();
        for (file, outcomes) in outcomes {
            for (subtest, message) in outcomes.failures() {
                if !self.lists(file, subtest) {
                    problems.push(format!("{file}: {subtest:?} fails: {message}"));
                }
            }
            for (_, subtest) in self.0.keys().filter(|(listed, _)| listed == file) {
                if outcomes.failures().all(|(failed, _)| failed != subtest) {
                    problems.push(format!("{file}: {subtest:?} does not fail, so its entry has to go"));
                }
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[design]\nreason = \"absent by design\"\n[design.files]\n\"a.any.js\" = [\"one\"]\n";

    #[test]
    fn what_is_listed_fails_and_nothing_else_does() {
        let ledger = Ledger::parse(TEXT).expect("a ledger");
        let outcome = |failures: &[&str]| {
            let mut outcomes = Outcomes::default();
            for name in failures {
                outcomes.add(name, false, "x");
            }
            BTreeMap::from([("a.any.js".to_owned(), outcomes)])
        };
        assert!(ledger.judge(&outcome(&["one"])).is_empty());
        assert_eq!(ledger.judge(&outcome(&["one", "two"])).len(), 1);
        assert_eq!(ledger.judge(&outcome(&[])).len(), 1);
        assert!(ledger.judge(&BTreeMap::new()).is_empty());
    }

    #[test]
    fn a_ledger_gives_reasons_and_repeats_nothing() {
        assert!(Ledger::parse("[a]\nreason = \" \"\n[a.files]\n").is_err());
        let again = TEXT.replace("design", "other");
        assert!(Ledger::parse(&format!("{TEXT}{again}")).is_err());
    }

    #[test]
    fn what_is_absent_is_named_and_known() {
        let needs =
            |what: &str| TEXT.replace("\n[design.files]", &format!("\nneeds = [{what}]\n[design.files]"));
        assert!(Ledger::parse(TEXT).expect("a ledger").absent("a.any.js").names.is_empty());
        let ledger = Ledger::parse(&needs("\"WebAssembly\"")).expect("a ledger");
        assert_eq!(ledger.absent("a.any.js").names, ["one".to_owned()].into());
        assert!(ledger.absent("b.any.js").names.is_empty());
        assert!(Ledger::parse(&needs("\"a pony\"")).is_err());
    }
}
