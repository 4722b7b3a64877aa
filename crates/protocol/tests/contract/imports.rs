//! Properties of import separation.

use codemode_protocol::{SeparatedImports, separate_imports};
use proptest::prelude::*;

fn of(choices: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(choices)
}

/// What may stand between two tokens.
fn trivia() -> impl Strategy<Value = String> {
    let piece = of(&[
        " ",
        "\t",
        "\u{a0}",
        "\u{feff}",
        "\n",
        "\r\n",
        "\u{2028}",
        "/* } from 'x' */",
        "/*\n*/",
        "// ; {\n",
    ]);
    prop::collection::vec(piece, 1..3).prop_map(|pieces| pieces.concat())
}

/// The tokens of a declaration, which trivia may join.
fn declaration() -> impl Strategy<Value = Vec<&'static str>> {
    let clause = of(&[
        "a|from|'m'",
        "from|from|'m'",
        "{|}|from|\"m\"",
        "{|a|}|from|'m'",
        "{|a|,|b|as|c|,|}|from|'m'",
        "{|'a-}'|as|b|}|from|'m'",
        "*|as|ns|from|'m'",
        "a|,|*|as|ns|from|'m'",
        "a|,|{|as|as|as|}|from|'m'",
        "defer|*|as|ns|from|'m'",
        "source|x|from|'m'",
        "'m'",
        "\"it's\\\"}\"",
    ]);
    let attributes = of(&["", "|with|{|}", "|with|{|type|:|'json'|}", "|with|{|'a'|:|\"b}\"|,|}"]);
    (clause, attributes).prop_map(|(clause, attributes)| {
        let attributes = attributes.split('|').filter(|token| !token.is_empty());
        std::iter::once("import").chain(clause.split('|')).chain(attributes).collect()
    })
}

/// A declaration as text, ended by a semicolon.
fn written() -> impl Strategy<Value = String> {
    declaration().prop_flat_map(|tokens| {
        let gaps = prop::collection::vec(trivia(), tokens.len());
        gaps.prop_map(move |gaps| {
            tokens.iter().zip(gaps).map(|(token, gap)| format!("{token}{gap}")).collect::<String>() + ";"
        })
    })
}

fn body() -> impl Strategy<Value = &'static str> {
    of(&[
        "",
        "async () => 1",
        "/* c */ async () => 1",
        "import('x')",
        "import.meta",
        "\n;",
        "x",
        "import a from",
        "/*",
    ])
}

proptest! {
    #[test]
    fn well_formed_declarations_are_lifted(
        lead in prop_oneof![Just(String::new()), trivia()],
        declarations in prop::collection::vec(written(), 0..4),
        body in body(),
    ) {
        let imports = if declarations.is_empty() { String::new() } else { lead + &declarations.concat() };
        let code = format!("{imports}{body}");
        prop_assert_eq!(separate_imports(&code), SeparatedImports { imports: &imports, body });
    }

    #[test]
    fn arbitrary_bytes_lose_nothing(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let code = String::from_utf8_lossy(&bytes);
        let separated = separate_imports(&code);
        prop_assert_eq!(format!("{}{}", separated.imports, separated.body), code);
    }

    #[test]
    fn a_damaged_declaration_loses_nothing(code in written(), at in any::<prop::sample::Index>(), put in any::<char>()) {
        let places: Vec<usize> = code.char_indices().map(|(place, _)| place).collect();
        let mut damaged = code;
        damaged.insert(*at.get(&places), put);
        let separated = separate_imports(&damaged);
        prop_assert_eq!(format!("{}{}", separated.imports, separated.body), damaged.as_str());
        // What is lifted stays lifted, and nothing behind it is a declaration.
        prop_assert_eq!(separate_imports(separated.imports).imports, separated.imports);
        prop_assert_eq!(separate_imports(separated.body).imports, "");
    }
}

#[test]
fn a_long_program_costs_linear_time() {
    let imports = "import { a as b } from 'x' // note\n".repeat(100_000);
    let hard = "/*".repeat(500_000);
    let code = format!("{imports}{hard}");
    assert_eq!(separate_imports(&code).imports.len() + " // note\n".len(), imports.len());
}
