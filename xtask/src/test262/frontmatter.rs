//! What a test says about itself: the YAML between `/*---` and `---*/`, of which a few plain forms are used.

use crate::Outcome;

/// What the runner has to know of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Frontmatter {
    pub(super) flags: Vec<String>,
    pub(super) includes: Vec<String>,
    pub(super) features: Vec<String>,
    /// The name of the constructor of what has to be thrown.
    pub(super) negative: Option<String>,
}

impl Frontmatter {
    /// Reads the head of `text`.
    pub(super) fn parse(text: &str) -> Outcome<Self> {
        let inner = text.split_once("/*---").and_then(|(_, rest)| rest.split_once("---*/"));
        let Some((yaml, _)) = inner else { return Err("no frontmatter".to_owned()) };
        let mut read = Self::default();
        let mut lines = yaml.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).peekable();
        while let Some(line) = lines.next() {
            let Some((key, value)) = line.split_once(':').filter(|_| !line.starts_with([' ', '\t'])) else {
                continue;
            };
            let mut block = Vec::new();
            while let Some(next) = lines.next_if(|next| next.starts_with([' ', '\t', '-', ']'])) {
                block.push(next.trim());
            }
            match key {
                "flags" => read.flags = list(value, &block)?,
                "includes" => read.includes = list(value, &block)?,
                "features" => read.features = list(value, &block)?,
                "negative" => {
                    let name = block.iter().find_map(|line| line.strip_prefix("type:"));
                    read.negative = Some(name.ok_or("negative without a type")?.trim().to_owned());
                }
                _ => {}
            }
        }
        Ok(read)
    }

    pub(super) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|known| known == flag)
    }
}

/// A list in brackets, over one line or more, or with one item a line.
fn list(value: &str, block: &[&str]) -> Outcome<Vec<String>> {
    let value = without_comment(value);
    if value.is_empty() {
        let items = block.iter().map(|line| without_comment(line)).filter(|line| !line.is_empty());
        let item = |line: &str| line.strip_prefix('-').map(|item| unquoted(item.trim()).to_owned());
        return items.map(|line| item(line).ok_or_else(|| format!("{line:?} in a list"))).collect();
    }
    let whole = format!("{value} {}", block.join(" "));
    let inner = whole.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let inner = inner.ok_or_else(|| format!("{whole:?} is no list"))?;
    Ok(inner
        .split(',')
        .map(|item| unquoted(item.trim()).to_owned())
        .filter(|item| !item.is_empty())
        .collect())
}

fn without_comment(text: &str) -> &str {
    text.split_once(" #").map_or(text, |(before, _)| before).trim()
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_that_tests_use_are_read() {
        let text = "// (c)\n/*---\nesid: x\ndescription: >\n  flags: [no]\nflags: [module, async]\n\
            includes: [a.js,\n  b.js]\nfeatures:\n  - one # why\n  - two\nnegative:\n  phase: parse\n  type: SyntaxError\n---*/\n";
        let read = Frontmatter::parse(text).expect("well formed");
        assert_eq!(read.flags, ["module", "async"]);
        assert_eq!(read.includes, ["a.js", "b.js"]);
        assert_eq!(read.features, ["one", "two"]);
        assert_eq!(read.negative.as_deref(), Some("SyntaxError"));
        let plain = Frontmatter::parse("/*---\r\ninfo: |\r\n  a\r\nflags: []\r\n---*/").expect("well formed");
        assert_eq!(plain, Frontmatter::default());
        assert!(Frontmatter::parse("1;").is_err());
        assert!(Frontmatter::parse("/*---\nflags: module\n---*/").is_err());
        assert!(Frontmatter::parse("/*---\nnegative:\n  phase: parse\n---*/").is_err());
    }
}
