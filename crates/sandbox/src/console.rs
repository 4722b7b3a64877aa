//! [`ConsoleCapture`]: the bound on what one run may write.

/// What surrounds the text of a line as it crosses a wire.
const LINE_SHAPE: &str = r#"{"level":"error","text":},"#;

/// Counts the text of a run and closes at the bound.
///
/// Each line is charged the shape around it plus the length of its text as JSON, in UTF-16 code units: escaping
/// reaches six units a character, and an empty line is not free.
#[derive(Debug)]
pub struct ConsoleCapture {
    left: usize,
    closed: bool,
}

/// What to do with one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Send it.
    Line,
    /// Drop it whole and send the final warning line.
    Final,
    /// Drop it: the bound was reached before.
    Closed,
}

impl ConsoleCapture {
    /// A capture that admits `limit` code units.
    pub fn new(limit: usize) -> Self {
        Self { left: limit, closed: false }
    }

    /// Charges one line whose text takes `json_length` code units as JSON.
    pub fn admit(&mut self, json_length: usize) -> Admission {
        let cost = LINE_SHAPE.len() + json_length;
        if self.closed {
            Admission::Closed
        } else if cost <= self.left {
            self.left -= cost;
            Admission::Line
        } else {
            self.closed = true;
            Admission::Final
        }
    }

    /// Drops everything from here on, without a final line: no bound was reached.
    pub fn stop(&mut self) {
        self.closed = true;
    }

    /// The longest text that could still be admitted, as a way out before a huge text is measured.
    pub fn room(&self) -> usize {
        if self.closed { 0 } else { self.left }
    }
}

/// The length of `JSON.stringify(text)` in UTF-16 code units, by ECMA-262 QuoteJSONString.
pub fn json_length(units: impl IntoIterator<Item = u16>) -> usize {
    let mut length = 2;
    let mut high = false;
    for unit in units {
        let surrogate_high = (0xD800..0xDC00).contains(&unit);
        let surrogate_low = (0xDC00..0xE000).contains(&unit);
        if high && !surrogate_low {
            length += 5; // the lone high surrogate before this unit is escaped
        }
        length += match unit {
            0x08 | 0x09 | 0x0A | 0x0C | 0x0D | 0x22 | 0x5C => 2,
            0x00..=0x1F => 6,
            _ if surrogate_low && !high => 6,
            _ => 1,
        };
        high = surrogate_high;
    }
    length + if high { 5 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    #[test]
    fn lengths_are_those_of_json_stringify() {
        // Expected values by ECMA-262 QuoteJSONString: quotes, two-unit escapes, six-unit escapes.
        for (text, expected) in
            [("", 2), ("ab", 4), ("\"\\", 6), ("\n\t\r\u{8}\u{c}", 12), ("\u{1}", 8), ("é", 3), ("😀", 4)]
        {
            assert_eq!(json_length(units(text)), expected, "{text:?}");
        }
        assert_eq!(json_length([0xD800]), 8, "a lone high surrogate");
        assert_eq!(json_length([0xDC00]), 8, "a lone low surrogate");
        assert_eq!(json_length([0xD800, 0xD800, 0xDC00]), 10, "a lone one before a pair");
    }

    #[test]
    fn empty_lines_reach_the_bound() {
        let mut capture = ConsoleCapture::new(3 * (LINE_SHAPE.len() + 2));
        for _ in 0..3 {
            assert_eq!(capture.admit(2), Admission::Line);
        }
        assert_eq!(capture.admit(2), Admission::Final);
        assert_eq!(capture.admit(2), Admission::Closed);
    }
}
