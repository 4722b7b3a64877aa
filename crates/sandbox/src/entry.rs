//! The entry module: the program of a request and what surrounds it.

use std::fmt::Write as _;

use codemode_protocol::ProviderDescriptor;
use codemode_protocol::imports::separate_imports;

/// The file name in positions and stack traces.
pub const ENTRY_NAME: &str = "executor.js";

/// The specifier of the module that lends the entry its bindings. The linker answers it for the entry alone.
pub const BINDINGS_SPECIFIER: &str = "codemode:entry";

/// The import attribute, key and value, that tells that import from one of the program or of a map.
pub(crate) const BINDINGS_ATTRIBUTE: (&str, &str) = ("codemode", "entry");

/// The names that module exports. All of them are reserved provider names.
pub const BINDINGS: [&str; 5] =
    ["__dispatch", "__parseForDispatch", "__provider", "__settle", "__stringifyForDispatch"];

/// The line that the first line of a program has in positions when the request has no providers and no imports.
pub const PROGRAM_LINE: i32 = 62;

/// Why writing to a `String` does not fail.
const ANY_TEXT: &str = "a string takes any text";

/// The text of an entry module and where its first line stands.
#[derive(Debug, PartialEq, Eq)]
pub struct EntrySource {
    /// The module.
    pub text: String,
    /// The zero-based line number of its first line.
    pub line_offset: i32,
}

/// Assembles the entry module around `code`, which is not rewritten. With `retains` a request handler that it returns is
/// kept.
///
/// The program stands on lines of its own, so that a trailing comment in it cannot swallow what follows. Preludes
/// come after every proxy: provider source commonly reaches its own namespace.
pub fn build_entry(code: &str, providers: &[ProviderDescriptor], retains: bool) -> EntrySource {
    let separated = separate_imports(code);
    // Room for all of it but the providers.
    let mut text = String::with_capacity(code.len() + 512);
    if !separated.imports.is_empty() {
        text.push_str(separated.imports);
        text.push('\n');
    }
    let (key, value) = BINDINGS_ATTRIBUTE;
    let [first, others @ ..] = BINDINGS;
    write!(text, "import {{ {first}").expect(ANY_TEXT);
    for other in others {
        write!(text, ", {other}").expect(ANY_TEXT);
    }
    writeln!(text, " }} from {BINDINGS_SPECIFIER:?} with {{ {key}: {value:?} }};").expect(ANY_TEXT);
    for provider in providers {
        match &provider.proxy_source {
            Some(source) => text.push_str(source),
            None => {
                let positional = provider.positional_args.unwrap_or(true);
                let name = &provider.name;
                write!(text, "const {name} = __provider(\"{name}\", {positional});").expect(ANY_TEXT);
            }
        }
        text.push('\n');
    }
    for prelude in providers.iter().filter_map(|provider| provider.prelude.as_deref()) {
        text.push_str(prelude);
        text.push('\n');
    }
    text.push_str("globalThis.__resultJson = await __settle(async () => (\n");
    text.push_str(separated.body);
    text.push_str(if retains { "\n)(), true);\n" } else { "\n)());\n" });
    // Two lines precede the program in the plainest entry.
    EntrySource { text, line_offset: PROGRAM_LINE - 3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plainest_program_begins_on_its_documented_line() {
        let entry = build_entry("async () => 1", &[], false);
        let line = entry.text.lines().position(|line| line == "async () => 1").unwrap();
        assert_eq!(i32::try_from(line).unwrap() + 1 + entry.line_offset, PROGRAM_LINE);
    }

    #[test]
    fn preludes_come_after_every_proxy() {
        let mut first = ProviderDescriptor::new("first", ["a"]);
        first.prelude = Some("first.helper = () => second;".into());
        let mut second = ProviderDescriptor::new("second", ["b"]);
        second.positional_args = Some(false);
        let entry = build_entry("async () => 1", &[first, second], false);
        let at =
            |needle: &str| entry.text.find(needle).unwrap_or_else(|| panic!("{needle} in {}", entry.text));
        assert!(
            at("const first = __provider(\"first\", true);")
                < at("const second = __provider(\"second\", false);")
        );
        assert!(at("const second") < at("first.helper"));
    }
}
