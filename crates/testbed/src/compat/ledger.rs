//! What answers differently by choice, and what is left out: `compat/expectations.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    #[serde(default)]
    left_out: BTreeMap<String, LeftOut>,
    #[serde(default)]
    differ: BTreeMap<String, Differ>,
}

/// Cases of the recording that are not here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOut {
    reason: String,
    cases: Vec<String>,
}

/// Cases that answer differently, each with our outcome as JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Differ {
    reason: String,
    cases: BTreeMap<String, String>,
}

/// The ledger: by case, why it differs and what it answers here.
#[derive(Debug, Default)]
pub struct Ledger {
    differ: BTreeMap<String, (String, Json)>,
    left_out: Vec<String>,
}

impl Ledger {
    /// The ledger of the recording.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read() -> Result<Self, String> {
        let path = super::folder().join("expectations.toml");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let reasons = file.left_out.iter().map(|(class, entry)| (class, &entry.reason));
        for (class, reason) in reasons.chain(file.differ.iter().map(|(class, entry)| (class, &entry.reason)))
        {
            if reason.trim().is_empty() {
                return Err(format!("{class} is without a reason"));
            }
        }
        let mut differ = BTreeMap::new();
        for entry in file.differ.into_values() {
            for (case, outcome) in entry.cases {
                let outcome = serde_json::from_str(&outcome).map_err(|error| format!("{case}: {error}"))?;
                if differ.insert(case.clone(), (entry.reason.clone(), outcome)).is_some() {
                    return Err(format!("{case} is listed twice"));
                }
            }
        }
        let left_out = file.left_out.into_values().flat_map(|entry| entry.cases).collect();
        Ok(Self { differ, left_out })
    }

    /// The entries that do not fit the cases at hand: one that names none of them, or leaves one of them out.
    pub fn stale(&self, cases: &[String]) -> Vec<&String> {
        let unknown = self.differ.keys().filter(|name| !cases.contains(name));
        unknown.chain(self.left_out.iter().filter(|name| cases.contains(name))).collect()
    }

    /// Holds an outcome against the recording, or against the entry of the case.
    ///
    /// # Errors
    /// The difference, or the entry that has to go.
    pub fn judge(&self, case: &str, recorded: &Json, outcome: &Json) -> Result<(), String> {
        match self.differ.get(case) {
            Some((reason, _)) if outcome == recorded => {
                Err(format!("answers as the peer does, so its entry has to go: {reason}"))
            }
            Some((_, expected)) if outcome == expected => Ok(()),
            Some((_, expected)) => Err(format!("got      {outcome}\nexpected {expected}")),
            None if outcome == recorded => Ok(()),
            None => Err(format!("got      {outcome}\nrecorded {recorded}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_the_listed_one_and_nothing_else() {
        let text = "[left-out.other]\nreason = 'x'\ncases = ['gone']\n[differ.one]\nreason = 'by choice'\n\
            [differ.one.cases]\na = '{\"result\": 1}'\n";
        let ledger = Ledger::parse(text).expect("a ledger");
        let value = |number: u32| serde_json::json!({ "result": number });
        assert!(ledger.judge("a", &value(2), &value(1)).is_ok());
        assert!(ledger.judge("a", &value(2), &value(2)).is_err());
        assert!(ledger.judge("a", &value(2), &value(3)).is_err());
        assert!(ledger.judge("b", &value(2), &value(2)).is_ok());
        assert!(ledger.judge("b", &value(2), &value(1)).is_err());
        assert_eq!(ledger.stale(&["b".to_owned(), "gone".to_owned()]), ["a", "gone"]);
        assert!(Ledger::parse(&text.replace("by choice", " ")).is_err());
    }
}
