//! The ledger of what does not work yet: `cases/expected-failures.toml`, names of cases and reasons.

use std::collections::BTreeMap;

use crate::load::folder;

/// Cases that fail, by name, each with its reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger(BTreeMap<String, String>);

impl Ledger {
    /// The ledger of the suite.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read() -> Result<Self, String> {
        let path = folder().join("expected-failures.toml");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let entries: BTreeMap<String, String> = toml::from_str(&text).map_err(|error| error.to_string())?;
        match entries.iter().find(|(_, reason)| reason.trim().is_empty()) {
            Some((name, _)) => Err(format!("{name} is in the ledger without a reason")),
            None => Ok(Self(entries)),
        }
    }

    /// The entries that name none of `cases`.
    pub fn stale<'a>(&'a self, cases: &'a [String]) -> impl Iterator<Item = &'a String> {
        self.0.keys().filter(move |name| !cases.contains(name))
    }

    /// The outcome of a case in the light of its entry: a failure that is written down passes, and a success that
    /// is written down as a failure fails.
    ///
    /// # Errors
    /// The failure that is not written down, or the entry that has to go.
    pub fn judge(&self, case: &str, outcome: Result<(), String>) -> Result<(), String> {
        match (outcome, self.0.get(case)) {
            (Ok(()), Some(reason)) => Err(format!("passes, so its entry in the ledger has to go: {reason}")),
            (Err(_), Some(_)) => Ok(()),
            (outcome, None) => outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surprising_pass_fails() {
        let ledger = Ledger(BTreeMap::from([("a".to_owned(), "not built".to_owned())]));
        assert!(ledger.judge("a", Ok(())).is_err());
        assert!(ledger.judge("a", Err("broken".into())).is_ok());
        assert!(ledger.judge("b", Err("broken".into())).is_err());
        assert!(ledger.judge("b", Ok(())).is_ok());
        assert_eq!(ledger.stale(&["b".to_owned()]).collect::<Vec<_>>(), ["a"]);
    }
}
