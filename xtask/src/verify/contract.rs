//! Every crate begins with a contract page: what it is for, what it promises and what is elsewhere.

use super::report;
use crate::{Outcome, workspace};

const HEADINGS: [&str; 4] = ["Purpose", "Promises", "Not here", "Map"];

/// The step `contract`.
pub(super) fn check() -> Outcome {
    let crates = workspace::files(&workspace::root().join("crates"), &|path| path.ends_with("/src/lib.rs"))?;
    let mut findings = Vec::new();
    for path in crates {
        let path = format!("crates/{path}");
        let missing = missing(&workspace::read(&path)?);
        if !missing.is_empty() {
            findings.push(format!("{path}: the contract page has no heading {}", missing.join(", ")));
        }
    }
    report(findings)
}

fn missing(text: &str) -> Vec<&'static str> {
    let has = |heading: &str| text.lines().any(|line| line.strip_prefix("//! # ") == Some(heading));
    HEADINGS.into_iter().filter(|heading| !has(heading)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_whole_lines() {
        let page = "//! # Purpose\n//! # Promises\n//! # Not here\n//! # Mapping\n";
        assert_eq!(missing(page), ["Map"]);
    }
}
