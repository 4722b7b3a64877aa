//! Whether what happened is what a test wants.

use super::frontmatter::Frontmatter;

/// What an asynchronous test prints when it is well.
const COMPLETE: &str = "Test262:AsyncTestComplete";

/// An outcome as the runner writes it, or why there is none.
pub(super) type Answer = Result<String, String>;

/// Holds an answer against what the test says about itself.
///
/// # Errors
/// What happened in place of it.
pub(super) fn judge(head: &Frontmatter, answer: &Answer) -> Result<(), String> {
    let outcome = answer.as_deref().map_err(String::clone)?;
    let mut parts = outcome.splitn(3, '\n');
    let (what, first) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let fits = match (&head.negative, head.has("async")) {
        (Some(name), _) => what == "threw" && first == name,
        (None, true) => what == "printed" && outcome == format!("printed\n{COMPLETE}"),
        (None, false) => what == "completed",
    };
    if fits { Ok(()) } else { Err(outcome.replace('\n', " ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_test_ends_in_its_own_way() {
        let head = |negative: Option<&str>, flags: &[&str]| Frontmatter {
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            negative: negative.map(str::to_owned),
            ..Frontmatter::default()
        };
        let well = |head: &Frontmatter, outcome: &str| judge(head, &Ok(outcome.to_owned())).is_ok();
        let (plain, negative) = (head(None, &[]), head(Some("SyntaxError"), &[]));
        let asynchronous = head(None, &["async"]);
        assert!(well(&plain, "completed"));
        assert!(!well(&plain, "threw\nTest262Error\nno"));
        assert!(well(&negative, "threw\nSyntaxError\nno"));
        assert!(!well(&negative, "threw\nTypeError\nno"));
        assert!(!well(&negative, "completed"));
        assert!(well(&asynchronous, "printed\nTest262:AsyncTestComplete"));
        assert!(!well(&asynchronous, "printed\nTest262:AsyncTestFailure: no"));
        assert!(!well(&asynchronous, "completed"));
        assert_eq!(judge(&plain, &Err("timeout".to_owned())), Err("timeout".to_owned()));
    }
}
