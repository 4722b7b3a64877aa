//! [`sanitize_tool_name`].

use crate::is_white_space;

/// Words that a tool cannot be called by, in the dialect: those of ECMAScript 3 and what came later.
const RESERVED: [&str; 65] = [
    "abstract",
    "arguments",
    "await",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "function",
    "goto",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "int",
    "interface",
    "let",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "volatile",
    "while",
    "with",
    "yield",
];

/// An ASCII identifier for a tool of any name.
///
/// Hyphens, dots and white space become `_`; every other character outside `[A-Za-z0-9_$]` is dropped; a leading
/// digit gains `_` before it and a reserved word `_` after it; nothing becomes `_`. The result is its own result.
/// Different names can meet in one identifier.
#[must_use]
pub fn sanitize_tool_name(name: &str) -> String {
    let mut clean: String = name.chars().filter_map(clean_char).collect();
    if clean.is_empty() {
        clean.push('_');
    }
    if clean.starts_with(|c: char| c.is_ascii_digit()) {
        clean.insert(0, '_');
    }
    if RESERVED.contains(&clean.as_str()) {
        clean.push('_');
    }
    clean
}

fn clean_char(c: char) -> Option<char> {
    match c {
        '-' | '.' => Some('_'),
        c if is_white_space(c) => Some('_'),
        c if c.is_ascii_alphanumeric() || c == '_' || c == '$' => Some(c),
        _ => None,
    }
}
