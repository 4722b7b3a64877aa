//! Text to values, without recursion.

use super::DecodeError;
use super::binary::finish_object;
use crate::Value;
use crate::defaults::VALUE_PARTS_LIMIT;

/// Reads one value whose arrays and objects nest at most `depth_limit` deep. Tagged bytes are no object and add
/// no level.
pub(super) fn parse(text: &str, depth_limit: usize) -> Result<Value, DecodeError> {
    let mut parser = Parser { text, at: 0, open: Vec::new(), depth_limit, parts: 0 };
    let mut value = parser.value()?;
    loop {
        value = match value {
            Some(value) => match parser.place(value)? {
                Placed::Done(value) => return Ok(value),
                Placed::Closed(value) => Some(value),
                Placed::More => parser.value()?,
            },
            None => parser.value()?,
        };
    }
}

/// An array or object whose end is still to come.
enum Open {
    Array(Vec<Value>),
    Object { members: Vec<(String, Value)>, key: String },
}

/// What became of a value that was read whole.
enum Placed {
    /// It is the whole text.
    Done(Value),
    /// It was the last one of a container, which is whole now.
    Closed(Value),
    /// A value follows.
    More,
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    open: Vec<Open>,
    depth_limit: usize,
    parts: usize,
}

impl Parser<'_> {
    /// A value read whole, or `None` when a container was opened and its first value follows.
    fn value(&mut self) -> Result<Option<Value>, DecodeError> {
        self.parts += 1;
        if self.parts > VALUE_PARTS_LIMIT {
            return Err(DecodeError::TooManyParts { parts_limit: VALUE_PARTS_LIMIT });
        }
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.open_object(),
            Some(b'[') => self.open_array(),
            Some(b'"') => self.string().map(Value::String).map(Some),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number).map(Some),
            Some(b'n') => self.literal("null", Value::Null),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            _ => Err(self.expected("a value")),
        }
    }

    fn open_array(&mut self) -> Result<Option<Value>, DecodeError> {
        self.at += 1;
        if self.open.len() >= self.depth_limit {
            return Err(self.too_deep());
        }
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Some(Value::Array(Vec::new())));
        }
        self.open.push(Open::Array(Vec::new()));
        Ok(None)
    }

    fn open_object(&mut self) -> Result<Option<Value>, DecodeError> {
        self.at += 1;
        // One level more than the limit, because the object may turn out to be bytes.
        if self.open.len() > self.depth_limit {
            return Err(self.too_deep());
        }
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return self.close_object(Vec::new()).map(Some);
        }
        let key = self.key()?;
        self.open.push(Open::Object { members: Vec::new(), key });
        Ok(None)
    }

    /// The value of an object, whose opening is no longer on the stack.
    fn close_object(&self, members: Vec<(String, Value)>) -> Result<Value, DecodeError> {
        let value = finish_object(members)?;
        let too_deep = self.open.len() >= self.depth_limit && matches!(value, Value::Object(_));
        if too_deep { Err(self.too_deep()) } else { Ok(value) }
    }

    /// Puts a value where it belongs and reads the comma or the end behind it.
    fn place(&mut self, value: Value) -> Result<Placed, DecodeError> {
        self.skip_space();
        let next = self.peek();
        match self.open.last_mut() {
            None if next.is_none() => return Ok(Placed::Done(value)),
            None => return Err(self.expected("the end")),
            Some(Open::Array(items)) => {
                items.push(value);
                if next != Some(b',') {
                    return self.close(next == Some(b']'), "`,` or `]`");
                }
                self.at += 1;
            }
            Some(Open::Object { members, key }) => {
                members.push((std::mem::take(key), value));
                if next != Some(b',') {
                    return self.close(next == Some(b'}'), "`,` or `}`");
                }
                self.at += 1;
                let next_key = self.key()?;
                if let Some(Open::Object { key, .. }) = self.open.last_mut() {
                    *key = next_key;
                }
            }
        }
        Ok(Placed::More)
    }

    fn close(&mut self, at_end: bool, expected: &'static str) -> Result<Placed, DecodeError> {
        if !at_end {
            return Err(self.expected(expected));
        }
        self.at += 1;
        match self.open.pop() {
            Some(Open::Object { mut members, .. }) => {
                // Many small containers are the most that a text of some length can take.
                members.shrink_to_fit();
                self.close_object(members).map(Placed::Closed)
            }
            Some(Open::Array(mut items)) => {
                items.shrink_to_fit();
                Ok(Placed::Closed(Value::Array(items)))
            }
            None => Err(self.expected("the end")),
        }
    }

    /// A key and its colon.
    fn key(&mut self) -> Result<String, DecodeError> {
        self.skip_space();
        if self.peek() != Some(b'"') {
            return Err(self.expected("a key"));
        }
        let key = self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.expected("`:`"));
        }
        self.at += 1;
        Ok(key)
    }

    fn literal(&mut self, word: &'static str, value: Value) -> Result<Option<Value>, DecodeError> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(self.expected(word));
        }
        self.at += word.len();
        Ok(Some(value))
    }

    fn string(&mut self) -> Result<String, DecodeError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let plain = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\');
            let Some(plain) = plain else {
                self.at = self.text.len();
                return Err(self.expected("the end of the string"));
            };
            out.push_str(&self.text[self.at..self.at + plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => return Err(self.expected("an escape in place of a control character")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, DecodeError> {
        self.at += 1;
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                let unit = self.hex_unit()?;
                return Ok(self.character(unit));
            }
            _ => return Err(self.expected("an escape")),
        };
        self.at += 1;
        Ok(character)
    }

    /// The character of a code unit, together with the second half of its pair where one follows.
    fn character(&mut self, unit: u16) -> char {
        let start = self.at;
        if (0xD800..0xDC00).contains(&unit) && self.text.as_bytes()[self.at..].starts_with(b"\\u") {
            self.at += 2;
            if let Ok(low @ 0xDC00..=0xDFFF) = self.hex_unit() {
                let offset = (u32::from(unit) - 0xD800) << 10 | (u32::from(low) - 0xDC00);
                return char::from_u32(0x1_0000 + offset).unwrap_or(char::REPLACEMENT_CHARACTER);
            }
            self.at = start;
        }
        char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn hex_unit(&mut self) -> Result<u16, DecodeError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else { return Err(self.expected("a hexadecimal digit")) };
            unit = unit << 4 | digit;
            self.at += 1;
        }
        Ok(u16::try_from(unit).expect("four hexadecimal digits"))
    }

    fn number(&mut self) -> Result<f64, DecodeError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let number: f64 = self.text[start..self.at].parse().expect("JSON numbers are numbers of Rust");
        if number.is_finite() { Ok(number) } else { Err(DecodeError::NumberOutOfRange { offset: start }) }
    }

    fn digits(&mut self) -> Result<(), DecodeError> {
        let rest = &self.text.as_bytes()[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn expected(&self, expected: &'static str) -> DecodeError {
        DecodeError::Syntax { offset: self.at, expected }
    }

    fn too_deep(&self) -> DecodeError {
        DecodeError::TooDeep { depth_limit: self.depth_limit }
    }
}
