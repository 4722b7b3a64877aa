//! [`normalize_code`].

mod shape;

use crate::is_white_space;
use shape::{Shape, shape};

/// What an empty program becomes.
const EMPTY: &str = "async () => {}";

/// The words that may follow the opening fence.
const LANGUAGES: [&str; 7] = ["", "js", "javascript", "typescript", "ts", "tsx", "jsx"];

/// Raw model output as an arrow function that an executor can run, by the rules of `@cloudflare/codemode` 0.5.6.
///
/// One Markdown fence around the whole is taken off. Then, parsed as a module:
///
/// | the text is | the result |
/// |---|---|
/// | one arrow function | itself, with its comments and its semicolon |
/// | one `export default` of an anonymous function or class | an arrow that calls the one, returns the other |
/// | any other single `export default` | what is exported, from the start |
/// | one function declaration | an arrow that declares and calls it |
/// | statements that end with an expression | an arrow that returns that expression |
/// | anything else, also what does not parse | an arrow around it |
///
/// The last row is why a program that begins with `return` works. It also means that the result need not parse.
#[must_use]
pub fn normalize_code(raw: &str) -> String {
    let mut source = raw;
    loop {
        source = trim(without_fence(trim(source)));
        if source.is_empty() {
            return EMPTY.to_owned();
        }
        match shape(source) {
            Shape::Arrow => return source.to_owned(),
            Shape::DefaultFunction(text) => return arrow(&format!("return ({})();", &source[text])),
            Shape::DefaultClass(text) => return arrow(&format!("return ({});", &source[text])),
            Shape::Default(text) => source = &source[text],
            Shape::Function(name) => return arrow(&format!("{source}\nreturn {name}();")),
            Shape::EndsWithExpression { before, expression } => {
                return arrow(&format!("{}return ({})", &source[..before], &source[expression]));
            }
            Shape::Other => return arrow(source),
        }
    }
}

fn arrow(body: &str) -> String {
    format!("async () => {{\n{body}\n}}")
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_white_space)
}

/// What is between the fences, where `text` begins with one and ends with one; else `text`.
fn without_fence(text: &str) -> &str {
    let Some(opened) = text.strip_prefix("```") else { return text };
    let inside = LANGUAGES.iter().find_map(|language| {
        let after = opened.strip_prefix(language)?;
        let blanks = after.len() - after.trim_start_matches(is_white_space).len();
        let line_end = after[..blanks].rfind('\n')?;
        after[line_end + 1..].strip_suffix("```")
    });
    inside.unwrap_or(text)
}
