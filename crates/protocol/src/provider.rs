//! [`ProviderDescriptor`] and the rules for provider names.

use crate::Sentence;

/// One provider: a name that the program sees, and what its proxy is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderDescriptor {
    /// The name of the constant the program calls tools on. See [`validate_providers`] for the rules.
    pub name: String,
    /// The tools the model is told about. A declaration and not a boundary.
    pub tools: Vec<String>,
    /// `false` sends the first argument alone, as one object; otherwise all arguments cross as an array.
    pub positional_args: Option<bool>,
    /// Source that runs after every proxy is declared.
    pub prelude: Option<String>,
    /// Source that replaces the generated proxy, verbatim.
    pub proxy_source: Option<String>,
}

impl ProviderDescriptor {
    /// A provider with a generated proxy.
    pub fn new<T: Into<String>>(name: impl Into<String>, tools: impl IntoIterator<Item = T>) -> Self {
        Self { name: name.into(), tools: tools.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}

/// Checks the names of all providers before any isolate exists.
///
/// For each provider in order: its name must not be reserved ([`is_reserved_name`]), must be an identifier
/// ([`is_identifier`]) and must not repeat an earlier one. Anything else is a name a host may choose, also one
/// that shadows another global, such as `fetch`.
///
/// # Errors
/// The sentence of the first name that fails.
pub fn validate_providers(providers: &[ProviderDescriptor]) -> Result<(), Sentence> {
    let mut seen = std::collections::HashSet::with_capacity(providers.len());
    for provider in providers {
        let name = &provider.name;
        if is_reserved_name(name) {
            return Err(Sentence::ProviderReserved { name: name.clone() });
        }
        if !is_identifier(name) {
            return Err(Sentence::ProviderNotIdentifier { name: name.clone() });
        }
        if !seen.insert(name.as_str()) {
            return Err(Sentence::ProviderDuplicate { name: name.clone() });
        }
    }
    Ok(())
}

/// Whether a provider may not take this name: a word of the language ([`RESERVED_WORDS`]), a name of the entry
/// module ([`ENTRY_NAMES`]) or a global that nearly all code reads ([`ENTRY_GLOBALS`]).
pub fn is_reserved_name(name: &str) -> bool {
    [RESERVED_WORDS, ENTRY_NAMES, ENTRY_GLOBALS].iter().any(|set| set.contains(&name))
}

/// Whether `name` can be the name of a constant, reserved words aside.
///
/// Exact for ASCII. Beyond ASCII the standard library knows `Alphabetic` where the language asks for `ID_Start`
/// and `ID_Continue`, so letters and numerals of every script pass, joined by combining vowel signs and digits
/// after the first character. The difference is small: enclosed letters such as `Ⓐ` are left out here as there,
/// combining marks that are not alphabetic are refused although the language admits them, and a name that
/// begins with a combining vowel sign passes here and meets the parser of the engine, in band.
pub fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(is_identifier_start) && characters.all(is_identifier_part)
}

fn is_identifier_start(character: char) -> bool {
    match character {
        'a'..='z' | 'A'..='Z' | '_' | '$' => true,
        _ => !character.is_ascii() && character.is_alphabetic() && !is_enclosed_letter(character),
    }
}

fn is_identifier_part(character: char) -> bool {
    character.is_ascii_digit() || is_identifier_start(character)
}

/// Letters in circles and squares are `Alphabetic` and still no part of an identifier.
fn is_enclosed_letter(character: char) -> bool {
    matches!(character, '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F189}')
}

/// Words that cannot name a constant in a module: strict mode and top-level `await` included.
pub const RESERVED_WORDS: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Names that the entry module declares, and names that stand between a run and its host. Whoever builds the
/// entry module may declare nothing in the scope of a program that is not here.
pub const ENTRY_NAMES: &[&str] = &[
    // Bindings of the entry module.
    "__dispatch",
    "__parseForDispatch",
    "__provider",
    "__settle",
    "__stringifyForDispatch",
    // The report of a run.
    "__invokeHandle",
    "__resultJson",
    "__resultReady",
    "__timeoutExpired",
    // The handshake with the host.
    "__consoleSink",
    "__hostBindings",
    "__hostDelay",
    "__hostDispatch",
    "__hostTimeout",
    "__performSubtleOperation",
    "__randomBytes",
    "__randomUUID",
    "__sendRequest",
];

/// Globals that proxies, preludes and nearly every program read. A provider of that name would break code that
/// its author never sees.
pub const ENTRY_GLOBALS: &[&str] = &[
    "Array",
    "ArrayBuffer",
    "Boolean",
    "Error",
    "Function",
    "Infinity",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "Reflect",
    "Set",
    "String",
    "Symbol",
    "TypeError",
    "Uint8Array",
    "atob",
    "btoa",
    "console",
    "globalThis",
    "setTimeout",
    "undefined",
];
