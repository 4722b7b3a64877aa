//! Text that cannot steer a terminal.

/// The text with every character that steers a terminal but line break and tab as an escape.
pub(super) fn visible(text: &str) -> String {
    escape(text, |character| is_steering(character) && !matches!(character, '\n' | '\t'))
}

/// The JSON with the steering characters that JSON lets through as escapes: the same value, in visible characters.
pub(super) fn visible_json(json: &str) -> String {
    escape(json, |character| is_steering(character) && character >= '\u{7f}')
}

/// A console line of level `log`, which has no mark of its own: where it would read as something that this command
/// says, it gets one.
pub(super) fn unmistakable(line: &str) -> String {
    const OURS: [&str; 7] = ["error:", "failed (", "fault ", "hint:", "[log]", "[warn]", "[error]"];
    let is_ours = OURS.iter().any(|start| line.trim_start().starts_with(start));
    if is_ours { format!("[log] {line}") } else { line.to_owned() }
}

/// Control characters, and format characters that reorder, hide or break what is around them (Unicode, general
/// categories Cc, Zl and Zp, the bidirectional controls and the tags).
fn is_steering(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// A message of several lines, all but the first indented.
pub(super) fn block(text: &str) -> String {
    text.replace('\n', "\n  ")
}

fn escape(text: &str, is_hidden: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_show() {
        assert_eq!(visible("a\tb\nc\r\u{1b}[31m\u{7f}\u{9b}é"), "a\tb\nc\\u000d\\u001b[31m\\u007f\\u009bé");
    }

    #[test]
    fn characters_that_reorder_or_hide_show() {
        assert_eq!(
            visible("a\u{202e}b\u{2066}c\u{2028}d\u{feff}\u{e0041}"),
            "a\\u202eb\\u2066c\\u2028d\\ufeff\\udb40\\udc41"
        );
        // What joins letters and pictures in some scripts stays.
        assert_eq!(visible("\u{200d}\u{fe0f}é日"), "\u{200d}\u{fe0f}é日");
    }

    #[test]
    fn a_line_that_reads_as_ours_is_marked() {
        for (line, shown) in [
            ("failed (timeout): no", "[log] failed (timeout): no"),
            ("  fault X: no", "[log]   fault X: no"),
            ("[warn] no", "[log] [warn] no"),
            ("it failed (again)", "it failed (again)"),
            ("", ""),
        ] {
            assert_eq!(unmistakable(line), shown);
        }
    }

    #[test]
    fn json_stays_the_same_value() {
        let json = "\"a\u{7f}\u{9b}\\u001b\"";
        assert_eq!(visible_json(json), "\"a\\u007f\\u009b\\u001b\"");
    }

    #[test]
    fn a_block_is_told_by_its_indentation() {
        assert_eq!(block("a\nb\nc"), "a\n  b\n  c");
    }
}
