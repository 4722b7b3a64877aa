//! Relative links of the documents lead somewhere.

use super::report;
use crate::{Outcome, workspace};
use std::path::Path;

/// The step `links`.
pub(super) fn check() -> Outcome {
    let root = workspace::root();
    let mut findings = Vec::new();
    for page in workspace::files(&root, &|path| path.ends_with(".md"))? {
        let text = workspace::read(&page)?;
        let folder = root.join(&page).parent().map(Path::to_path_buf).unwrap_or_default();
        for (line, target) in relative_links(&text) {
            if !folder.join(target).exists() {
                findings.push(format!("{page}:{line}: there is no {target}"));
            }
        }
    }
    report(findings)
}

/// Line numbers and targets, without fragment, of the links in a Markdown text that name a file.
fn relative_links(text: &str) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    let mut in_code = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        for rest in line.split("](").skip(1) {
            let target = rest.split([')', '#', ' ']).next().unwrap_or_default();
            if !(target.is_empty() || target.contains("://") || target.starts_with("mailto:")) {
                links.push((number + 1, target));
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_are_found_and_others_are_not() {
        let text = "[a](docs/a.md) and [b](../b.md#part \"title\")\n[c](https://example.com) [d](#here)\n```\n[e](e.md)\n```\n[f](f)";
        assert_eq!(relative_links(text), [(1, "docs/a.md"), (1, "../b.md"), (6, "f")]);
    }
}
