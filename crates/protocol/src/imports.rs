//! Leading-import separation: the static imports of a program, and the expression that follows them.
//!
//! A program is an expression that the entry module calls, and static imports can only stand at the top of a
//! module. So the declarations in front are lifted out, and everything else stays exactly as it was written.

/// A program in two parts. `imports` followed by `body` is the program, byte for byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeparatedImports<'a> {
    /// The import declarations in front, with whatever stands before and between them. A hashbang line belongs
    /// here, because it is only legal where a module begins. Empty when the program begins with its expression.
    pub imports: &'a str,
    /// The rest. A comment between the last declaration and the expression belongs here.
    pub body: &'a str,
}

/// Splits a program after its last leading import declaration.
///
/// Follows the grammar of the language: default, namespace and named imports in every combination, string names,
/// `defer` and `source` phases, side-effect imports, `with` attributes, comments anywhere, and a missing semicolon
/// where the language inserts one. `import(…)` and `import.meta` are expressions. Text that is no well-formed
/// declaration is left in the body, where the engine reports it. Takes time linear in the length of the leading
/// imports and never fails.
pub fn separate_imports(code: &str) -> SeparatedImports<'_> {
    let mut scanner = Scanner { text: code, at: 0 };
    scanner.skip_hashbang();
    let mut end = scanner.at;
    while scanner.import_declaration().is_some() {
        end = scanner.at;
    }
    let (imports, body) = code.split_at(end);
    SeparatedImports { imports, body }
}

/// A position in the text, always on a character boundary.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

/// Every method that answers an `Option` answers `None` where the text is no declaration; the position is then
/// of no use any more.
impl<'a> Scanner<'a> {
    fn skip_hashbang(&mut self) {
        if self.text.starts_with("#!") {
            self.skip_line();
        }
    }

    /// One whole declaration, its semicolon included.
    fn import_declaration(&mut self) -> Option<()> {
        self.skip_trivia();
        if self.word()? != "import" {
            return None;
        }
        self.skip_trivia();
        if !self.at_quote() {
            self.import_clause()?;
        }
        self.string()?;
        self.attributes()?;
        self.end_of_statement()
    }

    /// `x`, `* as ns`, `{ … }`, `x, * as ns`, `x, { … }` or one with a phase, up to and with `from`.
    fn import_clause(&mut self) -> Option<()> {
        if self.peek()? == '*' || self.peek()? == '{' {
            self.bindings()?;
            return self.from();
        }
        let first = self.word()?;
        self.skip_trivia();
        match self.peek()? {
            ',' => {
                self.advance(',');
                self.skip_trivia();
                self.bindings()?;
                self.from()
            }
            '*' if first == "defer" => {
                self.bindings()?;
                self.from()
            }
            _ => self.second_word(first == "source"),
        }
    }

    /// After one word: `from`, or the binding of a source phase import and then `from`. The binding may be named
    /// `from` itself, so the token behind decides.
    fn second_word(&mut self, may_be_phase: bool) -> Option<()> {
        let second = self.word()?;
        self.skip_trivia();
        if second == "from" && self.at_quote() {
            return Some(());
        }
        if may_be_phase { self.from() } else { None }
    }

    fn from(&mut self) -> Option<()> {
        self.skip_trivia();
        let word = self.word()?;
        self.skip_trivia();
        (word == "from").then_some(())
    }

    /// `* as ns` or `{ … }`.
    fn bindings(&mut self) -> Option<()> {
        match self.peek()? {
            '*' => {
                self.advance('*');
                self.skip_trivia();
                self.as_binding()
            }
            '{' => self.braced(Self::named_import),
            _ => None,
        }
    }

    /// `a`, `a as b` or `"a" as b`.
    fn named_import(&mut self) -> Option<()> {
        let must_rename = self.at_quote();
        self.word_or_string()?;
        self.skip_trivia();
        let renamed = !matches!(self.peek()?, ',' | '}');
        if renamed || must_rename { self.as_binding() } else { Some(()) }
    }

    fn as_binding(&mut self) -> Option<()> {
        if self.word()? != "as" {
            return None;
        }
        self.skip_trivia();
        self.word().map(|_| ())
    }

    /// `with { key: "value", … }`, when it is there.
    fn attributes(&mut self) -> Option<()> {
        let before = self.at;
        self.skip_trivia();
        if self.word() != Some("with") {
            self.at = before;
            return Some(());
        }
        self.skip_trivia();
        self.braced(Self::attribute)
    }

    fn attribute(&mut self) -> Option<()> {
        self.word_or_string()?;
        self.skip_trivia();
        self.expect(':')?;
        self.skip_trivia();
        self.string()
    }

    /// `{` items separated by commas, the last comma optional, `}`.
    fn braced(&mut self, item: fn(&mut Self) -> Option<()>) -> Option<()> {
        self.expect('{')?;
        self.skip_trivia();
        while self.peek()? != '}' {
            item(self)?;
            self.skip_trivia();
            if self.peek()? != '}' {
                self.expect(',')?;
                self.skip_trivia();
            }
        }
        self.expect('}')
    }

    /// A semicolon, or a place where the language inserts one: a line end or the end of the text. Trivia that no
    /// semicolon follows is left to the body.
    fn end_of_statement(&mut self) -> Option<()> {
        let end = self.at;
        let line_ended = self.skip_trivia();
        match self.peek() {
            Some(';') => self.advance(';'),
            Some(_) if !line_ended => return None,
            _ => self.at = end,
        }
        Some(())
    }

    fn word_or_string(&mut self) -> Option<()> {
        if self.at_quote() { self.string() } else { self.word().map(|_| ()) }
    }

    /// An identifier or a keyword as written. Whether its characters make one is left to the engine.
    fn word(&mut self) -> Option<&'a str> {
        let start = self.at;
        while let Some(character) = self.peek() {
            match character {
                '\\' => self.unicode_escape()?,
                _ if is_word_character(character) => self.advance(character),
                _ => break,
            }
        }
        let word = &self.text[start..self.at];
        let starts_well = word.chars().next().is_some_and(|first| !first.is_ascii_digit());
        starts_well.then_some(word)
    }

    /// `\u0061` or `\u{61}`.
    fn unicode_escape(&mut self) -> Option<()> {
        self.expect('\\')?;
        self.expect('u')?;
        if self.peek()? != '{' {
            for _ in 0..4 {
                self.hex_digit()?;
            }
            return Some(());
        }
        self.expect('{')?;
        self.hex_digit()?;
        while self.peek()? != '}' {
            self.hex_digit()?;
        }
        self.expect('}')
    }

    fn hex_digit(&mut self) -> Option<()> {
        let digit = self.peek()?;
        digit.is_ascii_hexdigit().then(|| self.advance(digit))
    }

    /// A string literal. Only a line feed or carriage return that nothing escapes ends it early.
    fn string(&mut self) -> Option<()> {
        let quote = self.peek().filter(|&character| is_quote(character))?;
        self.advance(quote);
        loop {
            let character = self.peek()?;
            self.advance(character);
            match character {
                '\\' => self.escaped()?,
                '\n' | '\r' => return None,
                _ if character == quote => return Some(()),
                _ => {}
            }
        }
    }

    /// Whatever follows a backslash in a string; a carriage return and line feed are one.
    fn escaped(&mut self) -> Option<()> {
        let character = self.peek()?;
        self.advance(character);
        if character == '\r' && self.peek() == Some('\n') {
            self.advance('\n');
        }
        Some(())
    }

    /// Skips white space, line ends and comments, and says whether a line ended on the way. Stops before a block
    /// comment that nothing closes.
    fn skip_trivia(&mut self) -> bool {
        let mut line_ended = false;
        while let Some(character) = self.peek() {
            if is_line_end(character) {
                line_ended = true;
                self.advance(character);
            } else if is_space(character) {
                self.advance(character);
            } else if self.rest().starts_with("//") {
                self.skip_line();
            } else if let Some(comment) = block_comment(self.rest()) {
                line_ended |= comment.contains(is_line_end);
                self.at += comment.len();
            } else {
                break;
            }
        }
        line_ended
    }

    /// Skips up to the next line end, which stays.
    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find(is_line_end).unwrap_or(rest.len());
    }

    fn expect(&mut self, character: char) -> Option<()> {
        (self.peek()? == character).then(|| self.advance(character))
    }

    fn at_quote(&self) -> bool {
        self.peek().is_some_and(is_quote)
    }

    fn advance(&mut self, character: char) {
        self.at += character.len_utf8();
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
}

fn block_comment(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("/*")?;
    let length = inner.find("*/")?;
    Some(&text[..length + 4])
}

fn is_quote(character: char) -> bool {
    matches!(character, '\'' | '"')
}

fn is_line_end(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// `WhiteSpace` of the language: the space separators, tab, vertical tab, form feed and the byte order mark.
fn is_space(character: char) -> bool {
    matches!(
        character,
        '\t' | '\u{B}' | '\u{C}' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' | '\u{FEFF}'
    )
}

fn is_word_character(character: char) -> bool {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '$' => true,
        _ => !character.is_ascii() && !is_space(character) && !is_line_end(character),
    }
}
