//! Every invariant of `ARCHITECTURE.md` names what holds it, and that exists.
//!
//! An invariant begins with `**I-1.` and so on; after `Held by` follow names in backticks: `path::test` for a test
//! function in a file, a path alone for a file or folder of cases, `cargo xtask verify STEP` for a step of the gate.

use super::{report, step_names};
use crate::{Outcome, workspace};

const PAGE: &str = "ARCHITECTURE.md";

/// The step `invariants`.
pub(super) fn check() -> Outcome {
    let text = workspace::read(PAGE)?;
    let invariants = parse(&text);
    let mut findings = Vec::new();
    if invariants.is_empty() {
        findings.push(format!("{PAGE} states no invariant"));
    }
    for (index, invariant) in invariants.iter().enumerate() {
        if invariant.number != (index + 1).to_string() {
            findings.push(format!("{PAGE}: I-{} stands where I-{} belongs", invariant.number, index + 1));
        }
        if invariant.holders.is_empty() {
            findings.push(format!("{PAGE}: I-{} names nothing that holds it", invariant.number));
        }
        for holder in &invariant.holders {
            if let Err(reason) = exists(holder) {
                findings.push(format!("{PAGE}: I-{} is held by `{holder}`: {reason}", invariant.number));
            }
        }
    }
    report(findings)
}

#[derive(Debug, PartialEq, Eq)]
struct Invariant<'t> {
    number: &'t str,
    holders: Vec<&'t str>,
}

fn parse(text: &str) -> Vec<Invariant<'_>> {
    let sections = text.split("**I-").skip(1);
    sections
        .map(|section| {
            let number = section.split('.').next().unwrap_or_default();
            // The paragraph or list item ends the statement; what follows it is another matter.
            let own = section.split("\n\n").next().unwrap_or_default();
            let held = own.split_once("Held by").map_or("", |(_, held)| held);
            Invariant { number, holders: held.split('`').skip(1).step_by(2).collect() }
        })
        .collect()
}

fn exists(holder: &str) -> Outcome {
    if let Some(step) = holder.strip_prefix("cargo xtask verify ") {
        return if step_names().contains(&step) { Ok(()) } else { Err("verify has no such step".to_owned()) };
    }
    let Some((path, test)) = holder.split_once("::") else {
        return if workspace::root().join(holder).exists() {
            Ok(())
        } else {
            Err("there is no such file".to_owned())
        };
    };
    let text = workspace::read(path)?;
    if has_test(&text, test) { Ok(()) } else { Err(format!("{path} has no test function `{test}`")) }
}

/// A function under a test attribute, or one that a runner lists by name.
pub(super) fn has_test(text: &str, name: &str) -> bool {
    text.contains(&format!("fn {name}("))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invariants_are_numbers_with_holders() {
        let text =
            "x\n\n**I-1. One.** Text. Held by `a.rs::t`, `b/`.\n\n**I-2. Two.** `code`\n\nHeld by `late`\n";
        assert_eq!(
            parse(text),
            [
                Invariant { number: "1", holders: vec!["a.rs::t", "b/"] },
                Invariant { number: "2", holders: vec![] }
            ]
        );
    }

    #[test]
    fn holders_must_exist() {
        exists("cargo xtask verify layers").unwrap();
        exists("layers.toml").unwrap();
        exists("xtask/src/verify/invariants.rs::holders_must_exist").unwrap();
        for absent in ["cargo xtask verify nothing", "no/such/file", "layers.toml::t", "no.rs::t"] {
            exists(absent).unwrap_err();
        }
    }
}
