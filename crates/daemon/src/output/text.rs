//! Text that cannot steer a terminal.

/// The text with every control character but line break and tab as an escape.
pub(super) fn visible(text: &str) -> String {
    escape(text, |character| character.is_control() && !matches!(character, '\n' | '\t'))
}

/// The JSON with the control characters that JSON lets through as escapes: the same value, in visible characters.
pub(super) fn visible_json(json: &str) -> String {
    escape(json, |character| character.is_control() && character >= '\u{7f}')
}

/// A message of several lines, all but the first indented.
pub(super) fn block(text: &str) -> String {
    text.replace('\n', "\n  ")
}

fn escape(text: &str, is_hidden: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        if is_hidden(character) {
            out.push_str(&format!("\\u{:04x}", u32::from(character)));
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
    fn json_stays_the_same_value() {
        let json = "\"a\u{7f}\u{9b}\\u001b\"";
        assert_eq!(visible_json(json), "\"a\\u007f\\u009b\\u001b\"");
    }

    #[test]
    fn a_block_is_told_by_its_indentation() {
        assert_eq!(block("a\nb\nc"), "a\n  b\n  c");
    }
}
