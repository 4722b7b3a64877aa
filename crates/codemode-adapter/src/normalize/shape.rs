//! Which of the shapes that the dialect distinguishes a program has.

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{ExportDefaultDeclarationKind, Expression, Program, Statement};
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{AstNode, AstNodes, SemanticBuilder};
use oxc_span::{GetSpan, SourceType, Span};
use std::ops::Range;
use std::thread;

/// Stack for one level of nesting, in parser and analysis. An unoptimised build was seen to need almost 3 KiB.
const STACK_PER_LEVEL_BYTES: usize = 8 << 10;
/// Address space that a parse may reserve; only what it touches becomes memory.
const MAX_STACK_BYTES: usize = 2 << 30;
const MIN_STACK_BYTES: usize = 1 << 20;
/// Parentheses that are tried as the parameters of an arrow function and then read again cost the square of their
/// depth, about 5 s of a core at this many.
const MAX_PARENTHESES: usize = 4_096;

/// The shape of a program, with byte ranges of its text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One expression statement, an arrow function.
    Arrow,
    /// `export default` alone, of a function without a name.
    DefaultFunction(Range<usize>),
    /// `export default` alone, of a class without a name.
    DefaultClass(Range<usize>),
    /// `export default` alone, of anything else.
    Default(Range<usize>),
    /// One function declaration, with its name.
    Function(String),
    /// An expression statement at the end; `before` is where that statement begins.
    EndsWithExpression { before: usize, expression: Range<usize> },
    /// Anything else, and what is not a module.
    Other,
}

/// The shape of `source`. A program that could take too much stack or time to parse has none.
pub(super) fn shape(source: &str) -> Shape {
    let stack = nesting_bound(source).saturating_mul(STACK_PER_LEVEL_BYTES).saturating_add(MIN_STACK_BYTES);
    if stack > MAX_STACK_BYTES || source.matches('(').count() > MAX_PARENTHESES {
        return Shape::Other;
    }
    // The parser recurses, and a program must not be able to overflow the stack of its host.
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("normalize".to_owned()).stack_size(stack);
        let parse = thread.spawn_scoped(scope, || parse(source));
        parse.ok().and_then(|handle| handle.join().ok()).unwrap_or(Shape::Other)
    })
}

/// At least as many levels as the syntax tree of `source` has. All that can open one is counted, in literals and
/// comments too: punctuation but for what only closes or separates, and what stands between words.
fn nesting_bound(source: &str) -> usize {
    let punctuation = source.bytes().filter(|byte| byte.is_ascii_punctuation() && !b",;)]}_$".contains(byte));
    let gaps =
        source.split(|c: char| c.is_ascii_whitespace() || !c.is_ascii()).filter(|part| !part.is_empty());
    punctuation.count() + gaps.count()
}

fn parse(source: &str) -> Shape {
    let allocator = Allocator::default();
    let options =
        ParseOptions { parse_regular_expression: true, preserve_parens: false, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, source, SourceType::mjs()).with_options(options).parse();
    let mut spaces = parsed.irregular_whitespaces.iter();
    if parsed.diagnostics.has_errors() || spaces.any(|space| is_no_space(space.source_text(source))) {
        return Shape::Other;
    }
    let built =
        SemanticBuilder::new().with_build_nodes(true).with_check_syntax_error(true).build(&parsed.program);
    let nodes = built.semantic.nodes();
    if built.diagnostics.has_errors() || nodes.iter().any(|node| is_refused(nodes, node)) {
        return Shape::Other;
    }
    classify(&parsed.program)
}

/// Characters that the parser takes for white space and the language does not.
fn is_no_space(text: &str) -> bool {
    matches!(text, "\u{85}" | "\u{200b}")
}

/// What the parser lets pass, ahead of the standard or against it, and the dialect's does not.
fn is_refused(nodes: &AstNodes<'_>, node: &AstNode<'_>) -> bool {
    match node.kind() {
        AstKind::Decorator(_) | AstKind::AccessorProperty(_) => true,
        AstKind::ImportDeclaration(import) => import.phase.is_some(),
        AstKind::ImportExpression(import) => import.phase.is_some(),
        AstKind::VariableDeclaration(variables) if variables.kind.is_await() => !may_await(nodes, node),
        _ => false,
    }
}

fn may_await(nodes: &AstNodes<'_>, node: &AstNode<'_>) -> bool {
    let around = nodes.ancestor_kinds(node.id()).find_map(|kind| match kind {
        AstKind::Function(function) => Some(function.r#async),
        AstKind::ArrowFunctionExpression(arrow) => Some(arrow.r#async),
        AstKind::StaticBlock(_) => Some(false),
        _ => None,
    });
    around.unwrap_or(true)
}

fn classify(program: &Program<'_>) -> Shape {
    match (program.directives.as_slice(), program.body.as_slice()) {
        ([.., last], []) => Shape::expression(last.span, last.expression.span),
        ([], [only]) => classify_only(only),
        (_, [.., last]) => classify_last(last),
        ([], []) => Shape::Other,
    }
}

fn classify_only(statement: &Statement<'_>) -> Shape {
    match statement {
        Statement::ExpressionStatement(only) if is_arrow(&only.expression) => Shape::Arrow,
        Statement::ExportDefaultDeclaration(export) => {
            let text = range(export.declaration.span());
            match &export.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(function) if function.id.is_none() => {
                    Shape::DefaultFunction(text)
                }
                ExportDefaultDeclarationKind::ClassDeclaration(class) if class.id.is_none() => {
                    Shape::DefaultClass(text)
                }
                _ => Shape::Default(text),
            }
        }
        Statement::FunctionDeclaration(function) => {
            function.id.as_ref().map_or(Shape::Other, |id| Shape::Function(id.name.to_string()))
        }
        other => classify_last(other),
    }
}

fn classify_last(statement: &Statement<'_>) -> Shape {
    match statement {
        Statement::ExpressionStatement(last) => Shape::expression(last.span, last.expression.span()),
        _ => Shape::Other,
    }
}

fn is_arrow(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::ArrowFunctionExpression(_))
}

impl Shape {
    fn expression(statement: Span, expression: Span) -> Self {
        Self::EndsWithExpression { before: statement.start as usize, expression: range(expression) }
    }
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_dialect_does_not_parse_has_no_shape() {
        let sources = [
            "\u{200b}1",
            "1\u{85}",
            "@dec class A {}\n1",
            "class A { accessor x = 1 }\n1",
            "import defer * as a from 'a';\n1",
            "function f() { await using a = b }\n1",
            "class A { static { await using a = b } }\n1",
            "export { missing };\n1",
            "a: a: 1",
        ];
        for source in sources {
            assert_eq!(shape(source), Shape::Other, "{source:?}");
        }
        assert_eq!(shape("'\u{200b}'"), Shape::EndsWithExpression { before: 0, expression: 0..5 });
    }

    #[test]
    fn more_than_can_be_parsed_has_no_shape() {
        let parentheses = "()".repeat(MAX_PARENTHESES);
        assert_eq!(
            shape(&format!("f{parentheses}")),
            Shape::EndsWithExpression { before: 0, expression: 0..8193 }
        );
        assert_eq!(shape(&format!("f(){parentheses}")), Shape::Other);
        assert_eq!(shape(&"!".repeat(MAX_STACK_BYTES / STACK_PER_LEVEL_BYTES)), Shape::Other);
    }

    /// Overflowing the stack would end the test process.
    #[test]
    fn deep_nesting_ends_in_a_shape() {
        let levels = 1_000;
        let cases = [
            ("(", "1", ")"),
            ("[", "", "]"),
            ("({a:", "1", "})"),
            ("{", "", "}"),
            ("x=>", "1", ""),
            ("async()=>{", "", "}"),
            ("function f(){", "", "}"),
            ("class A{static{", "", "}}"),
            ("class A extends ", "B", "{}"),
            ("`${", "1", "}`"),
            ("!", "1", ""),
            ("- ", "1", ""),
            ("typeof ", "1", ""),
            ("new ", "A", ""),
            ("await ", "1", ""),
            ("a=", "1", ""),
            ("a?b:", "1", ""),
            ("a?", "1", ":b"),
            ("a**", "1", ""),
            ("if(a)", "b", ""),
            ("if(a);else ", "b", ""),
            ("for(;;)", "b", ""),
            ("l: ", "b", ""),
            ("", "a", "+a"),
            ("", "a", ".b"),
            ("", "a", "[0]"),
            ("", "a", "()"),
            ("", "a", "``"),
            ("", "a", "?.b"),
            ("(a=", "1", ")=>1"),
            ("f(", "", ")"),
            ("f(async(", "", ")=>1)"),
            ("do ", "b", " while(1)"),
            ("try{", "", "}finally{}"),
            ("let {a:", "b", "}=1"),
        ];
        for (open, middle, close) in cases {
            let source = format!("{}{middle}{}", open.repeat(levels), close.repeat(levels));
            shape(&source);
            shape(&open.repeat(levels));
        }
    }
}
