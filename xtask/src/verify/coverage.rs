//! Every test that `docs/spec-coverage.md` and the decisions name exists, and every quoted text stands where the page
//! says.
//!
//! A name in backticks in the last columns of a table is a case (`sandbox/timers::name`), a file of cases
//! (`sandbox/timers`), or a path with a function. In a row of quoted texts the first column is the text.

use super::invariants::has_test;
use super::report;
use crate::{Outcome, workspace};

const PAGE: &str = "docs/spec-coverage.md";
const DECISIONS: &str = "docs/decisions/0008-what-the-realm-keeps.md";
const CASES: &str = "crates/testbed/cases";
/// The heading of the rows whose first column is a text.
const QUOTED: &str = "## Quoted texts";
/// The sections of the document, each of which has a row.
const SECTIONS: [&str; 11] = [
    "One execution, end to end",
    "Isolate and its startup snapshot",
    "Entry module",
    "Two timeouts and the run clock",
    "Timers",
    "Tool calls across the boundary",
    "Modules",
    "Outbound",
    "Console",
    "Handles",
    "Crypto bridge",
];

/// The step `coverage`.
pub(super) fn check() -> Outcome {
    let mut findings = Vec::new();
    let text = workspace::read(PAGE)?;
    let (tests, quotes) = text.split_once(QUOTED).ok_or_else(|| format!("{PAGE} quotes nothing"))?;
    for section in SECTIONS {
        if !tests.contains(&format!("\n| {section} |")) {
            findings.push(format!("{PAGE} has no row for the section \"{section}\""));
        }
    }
    let decisions = workspace::read(DECISIONS)?;
    for (page, text) in [(PAGE, tests), (DECISIONS, &decisions)] {
        for name in rows(text).flat_map(|cells| names(cells.get(1..).unwrap_or_default())) {
            if let Err(reason) = exists(&name) {
                findings.push(format!("{page}: `{name}`: {reason}"));
            }
        }
    }
    for cells in rows(quotes) {
        let [quote, places] = cells[..] else { continue };
        let quote = quote.trim_matches('`');
        for place in names(&[places]) {
            match read(&place) {
                Ok(text) if holds(&text, quote) => {}
                Ok(_) => findings.push(format!("{PAGE}: {place} does not say \"{quote}\"")),
                Err(reason) => findings.push(format!("{PAGE}: `{place}`: {reason}")),
            }
        }
    }
    report(findings)
}

/// The cells of the rows of a text's tables, headings left out.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = text.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    lines.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
}

/// The names in backticks that look like tests.
fn names(cells: &[&str]) -> Vec<String> {
    let quoted = cells.iter().flat_map(|cell| cell.split('`').skip(1).step_by(2));
    quoted.filter(|name| name.contains('/')).map(str::to_owned).collect()
}

/// The text of a file of cases or of any other file.
fn read(name: &str) -> Result<String, String> {
    let cases = format!("{CASES}/{name}.toml");
    let is_cases = workspace::root().join(&cases).exists();
    workspace::read(if is_cases { &cases } else { name })
}

fn exists(name: &str) -> Outcome {
    let Some((file, test)) = name.split_once("::") else { return read(name).map(drop) };
    let text = read(file)?;
    let is_case = ['"', '\''].iter().any(|mark| text.contains(&format!("name = {mark}{test}{mark}")));
    if is_case || has_test(&text, test) { Ok(()) } else { Err(format!("{file} has no test `{test}`")) }
}

/// Whether a text stands there, written as it is or in a string with escapes.
fn holds(text: &str, quote: &str) -> bool {
    text.contains(quote) || text.contains(&quote.replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_names_are_found() {
        let text = "| what | by |\n|---|---|\n| `a` | `x/y::z`, `b`, `p/q` |\nplain `c/d`\n";
        let found: Vec<_> = rows(text).flat_map(|cells| names(&cells[1..])).collect();
        assert_eq!(found, ["x/y::z", "p/q"]);
    }

    #[test]
    fn what_is_named_must_exist() {
        exists("sandbox/timers").unwrap();
        exists("sandbox/timers::many_timers").unwrap();
        exists("xtask/src/verify/coverage.rs::what_is_named_must_exist").unwrap();
        for absent in ["sandbox/nothing", "sandbox/timers::nothing", "no/such.rs::t"] {
            exists(absent).unwrap_err();
        }
    }

    #[test]
    fn quotes_stand_as_they_are_or_with_escapes() {
        assert!(holds("say \\\"x\\\" now", "say \"x\""));
        assert!(!holds("say x", "say y"));
    }
}
