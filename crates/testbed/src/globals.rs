//! Everything a program finds on its global object, compared with the checked-in list `cases/globals.txt`.
//!
//! The list has one line an object: its name, a colon and the names of its members. Lines stand in sections, each
//! with a heading `## reason`, so that every name is there for a reason that somebody wrote down. A name that the
//! engine or the library brings and the list lacks is a failure, and so is one that is gone.

use std::collections::{BTreeMap, BTreeSet};

use codemode_protocol::Value;

/// A program that returns what a realm holds, one line an object.
pub const LISTING: &str = include_str!("listing.js");

/// The members of objects by the name of the object.
pub type Listing = BTreeMap<String, BTreeSet<String>>;

/// Reads the answer of [`LISTING`].
///
/// # Errors
/// What the answer has that a listing has not.
pub fn from_value(value: &Value) -> Result<Listing, String> {
    let Value::Array(lines) = value else { return Err("the listing is no array".into()) };
    lines.iter().map(|line| entry(line.as_str().ok_or("a line of the listing is no text")?)).collect()
}

/// Reads the checked-in list.
///
/// # Errors
/// The line that is out of form, or outside every section.
pub fn from_file(text: &str) -> Result<Listing, String> {
    let mut listing = Listing::new();
    let mut section = None;
    for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        if let Some(reason) = line.strip_prefix("## ") {
            section = Some(reason);
        } else if !line.starts_with('#') {
            if section.is_none() {
                return Err(format!("outside every section: {line}"));
            }
            let (name, members) = entry(line)?;
            if listing.insert(name.clone(), members).is_some() {
                return Err(format!("{name} comes twice"));
            }
        }
    }
    Ok(listing)
}

/// What `found` has more and less than `listed`, one difference a line.
pub fn differences(listed: &Listing, found: &Listing) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, members) in found {
        match listed.get(name) {
            None => lines.push(format!("new: {name}: {}", words(members))),
            Some(known) => {
                let new: BTreeSet<_> = members.difference(known).cloned().collect();
                let gone: BTreeSet<_> = known.difference(members).cloned().collect();
                if !new.is_empty() {
                    lines.push(format!("new in {name}: {}", words(&new)));
                }
                if !gone.is_empty() {
                    lines.push(format!("gone from {name}: {}", words(&gone)));
                }
            }
        }
    }
    lines.extend(listed.keys().filter(|name| !found.contains_key(*name)).map(|name| format!("gone: {name}")));
    lines
}

/// `text` with its lines brought up to `found`: members are replaced, what is gone is left out, and what is new
/// stands at the end without a section, where [`from_file`] refuses it until somebody has given it a reason.
pub fn updated(text: &str, found: &Listing) -> String {
    let mut out = String::new();
    let mut left = found.clone();
    for line in text.lines() {
        match line.split_once(": ").filter(|_| !line.starts_with('#')) {
            Some((name, _)) => {
                if let Some(members) = left.remove(name) {
                    out.push_str(&format!("{name}: {}\n", words(&members)));
                }
            }
            None => out.push_str(&format!("{line}\n")),
        }
    }
    let fresh = left.iter().map(|(name, members)| format!("{name}: {}\n", words(members)));
    format!("{}{out}", fresh.collect::<String>())
}

fn entry(line: &str) -> Result<(String, BTreeSet<String>), String> {
    let (name, members) = line.split_once(':').ok_or_else(|| format!("no colon: {line}"))?;
    let members = match members.trim() {
        kind if kind.starts_with('(') => BTreeSet::from([kind.to_owned()]),
        names => names.split_whitespace().map(str::to_owned).collect(),
    };
    Ok((name.to_owned(), members))
}

fn words(members: &BTreeSet<String>) -> String {
    members.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_is_new_and_what_is_gone() {
        let listed = from_file("# about\n## the language\nArray: from of\nNaN: (number)\n").unwrap();
        let found = from_value(&Value::from(vec!["Array: from isArray", "gc: length"])).unwrap();
        assert_eq!(
            differences(&listed, &found),
            ["new in Array: isArray", "gone from Array: of", "new: gc: length", "gone: NaN"]
        );
        assert!(from_file("Array: from").is_err());
        let text = updated("## the language\nArray: from of\nNaN: (number)\n", &found);
        assert_eq!(text, "gc: length\n## the language\nArray: from isArray\n");
    }
}
