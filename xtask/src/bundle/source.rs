//! One module: what it imports, what it exports, and its text without either.

use crate::Outcome;
use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Comment, Declaration, ExportNamedDeclaration, ImportDeclaration, ImportDeclarationSpecifier,
    ModuleExportName, Program, Statement, StringLiteral,
};
use oxc_parser::{Parser, ParserReturn};
use oxc_semantic::{Scoping, SemanticBuilder, SymbolId};
use oxc_span::{GetSpan, SourceType, Span};

/// A parsed module of the library.
#[derive(Debug)]
pub(super) struct Module {
    /// Relative to the folder of the entry, with forward slashes.
    pub(super) path: String,
    /// In the order of the source, which is the order of evaluation.
    pub(super) imports: Vec<Import>,
    pub(super) exports: Vec<Export>,
    /// The source without imports, without the word `export` and without comments.
    pub(super) body: String,
}

/// One import declaration, or one `export … from`.
#[derive(Debug)]
pub(super) struct Import {
    /// The path of the module it names, resolved.
    pub(super) from: String,
    pub(super) line: usize,
    pub(super) binds: Binds,
}

#[derive(Debug)]
pub(super) enum Binds {
    /// Pairs of the exported and the local name.
    Names(Vec<(String, String)>),
    /// The local name of the namespace.
    Namespace(String),
    /// `export { name as exported } from`: pairs of the name there and the name here.
    ReExport(Vec<(String, String)>),
}

#[derive(Debug)]
pub(super) struct Export {
    pub(super) name: String,
    pub(super) local: String,
}

/// Parses the module at `path`. Errors begin with `path:line`.
pub(super) fn parse(path: &str, text: &str) -> Outcome<Module> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::mjs()).parse();
    let at = Position { path, text };
    let program = checked(&parsed, at)?;
    let semantic = SemanticBuilder::new().with_check_syntax_error(true).build(program);
    if let Some(error) = semantic.diagnostics.errors().next() {
        return Err(at.diagnostic(error));
    }
    let mut reader =
        Reader { at, scoping: semantic.semantic.scoping(), imports: vec![], exports: vec![], cuts: vec![] };
    reader.read(program)?;
    let mut cuts = reader.cuts;
    cuts.extend(program.comments.iter().map(|comment| comment_cut(text, comment)));
    Ok(Module {
        path: path.to_owned(),
        imports: reader.imports,
        exports: reader.exports,
        body: cut(text, cuts),
    })
}

fn checked<'p, 'a>(parsed: &'p ParserReturn<'a>, at: Position<'_>) -> Outcome<&'p Program<'a>> {
    if let Some(error) = parsed.diagnostics.errors().next() {
        return Err(at.diagnostic(error));
    }
    let record = &parsed.module_record;
    if let Some(import) = record.dynamic_imports.first() {
        return Err(at.error(import.span, "import() has nothing to load from inside the isolate"));
    }
    if let Some(meta) = record.import_metas.first() {
        return Err(at.error(*meta, "import.meta does not exist in a script"));
    }
    Ok(&parsed.program)
}

/// A place in a source, for messages.
#[derive(Clone, Copy)]
struct Position<'t> {
    path: &'t str,
    text: &'t str,
}

impl Position<'_> {
    fn error(self, span: Span, message: &str) -> String {
        format!("{}:{}: {message}", self.path, self.line(span.start))
    }

    fn diagnostic(self, diagnostic: &oxc_diagnostics::OxcDiagnostic) -> String {
        let start = diagnostic.labels.first().map_or(0, oxc_span::LabeledSpan::offset);
        self.error(Span::empty(start), &diagnostic.message)
    }

    fn line(self, offset: u32) -> usize {
        self.text[..offset as usize].matches('\n').count() + 1
    }
}

struct Reader<'t> {
    at: Position<'t>,
    scoping: &'t Scoping,
    imports: Vec<Import>,
    exports: Vec<Export>,
    cuts: Vec<Cut>,
}

impl Reader<'_> {
    fn read(&mut self, program: &Program<'_>) -> Outcome {
        let mut code_began = false;
        for statement in &program.body {
            match statement {
                Statement::ImportDeclaration(import) if !code_began => self.import(import)?,
                Statement::ImportDeclaration(import) => {
                    return self.refuse(import.span, "an import stands before all other statements");
                }
                Statement::ExportFromDeclaration(export) if !code_began => {
                    let names = self.specifiers(&export.specifiers)?;
                    let from = self.resolve(&export.source)?;
                    self.imports.push(Import {
                        from,
                        line: self.at.line(export.span.start),
                        binds: Binds::ReExport(names),
                    });
                    self.cuts.push(Cut::statement(export.span));
                }
                Statement::ExportFromDeclaration(export) => {
                    return self.refuse(export.span, "`export … from` stands before all other statements");
                }
                Statement::ExportNamedDeclaration(export) => self.export_names(export)?,
                Statement::ExportDeclaration(export) => {
                    code_began = true;
                    self.export_declared(&export.declaration)?;
                    self.cuts.push(Cut::keep_line(export.span.start, export.declaration.span().start));
                }
                Statement::ExportDefaultDeclaration(export) => {
                    return self.refuse(export.span, "an export has a name; `default` is none");
                }
                Statement::ExportAllDeclaration(export) => {
                    return self.refuse(export.span, "exports are named one by one, not by `*`");
                }
                _ => code_began = true,
            }
        }
        Ok(())
    }

    fn import(&mut self, import: &ImportDeclaration<'_>) -> Outcome {
        let Some(specifiers) = &import.specifiers else {
            return self.refuse(import.span, "an import takes names or a namespace");
        };
        if import.phase.is_some() || import.with_clause.is_some() {
            return self.refuse(import.span, "an import has neither phase nor attributes");
        }
        let mut names = Vec::new();
        let mut namespace = None;
        for specifier in specifiers {
            match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(one) => {
                    names.push((self.name(&one.imported)?, one.local.name.to_string()));
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => {
                    namespace = Some(one.local.name.to_string());
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
                    return self.refuse(
                        one.span,
                        "an import takes names or a namespace, and no module has a default",
                    );
                }
            }
        }
        let binds = namespace.map_or(Binds::Names(names), Binds::Namespace);
        let from = self.resolve(&import.source)?;
        self.imports.push(Import { from, line: self.at.line(import.span.start), binds });
        self.cuts.push(Cut::statement(import.span));
        Ok(())
    }

    fn export_names(&mut self, export: &ExportNamedDeclaration<'_>) -> Outcome {
        for specifier in &export.specifiers {
            let ModuleExportName::IdentifierReference(local) = &specifier.local else {
                return self.refuse(specifier.span, "an export names a binding");
            };
            let symbol = local.reference_id.get().and_then(|id| self.scoping.get_reference(id).symbol_id());
            let Some(symbol) = symbol else {
                return self.refuse(specifier.span, &format!("`{}` is not declared here", local.name));
            };
            let name = self.name(&specifier.exported)?;
            self.export(name, &local.name, symbol, specifier.span)?;
        }
        self.cuts.push(Cut::statement(export.span));
        Ok(())
    }

    fn export_declared(&mut self, declaration: &Declaration<'_>) -> Outcome {
        let bindings = match declaration {
            Declaration::FunctionDeclaration(function) => function.id.iter().collect(),
            Declaration::ClassDeclaration(class) => class.id.iter().collect(),
            Declaration::VariableDeclaration(variables) => variables
                .declarations
                .iter()
                .flat_map(|one| one.id.get_binding_identifiers())
                .collect::<Vec<_>>(),
            other => return self.refuse(other.span(), "this is not JavaScript"),
        };
        for binding in bindings {
            self.export(binding.name.to_string(), &binding.name, binding.symbol_id(), binding.span)?;
        }
        Ok(())
    }

    /// Importers receive the value that the binding has when its module is done, so it must keep that value.
    fn export(&mut self, name: String, local: &str, symbol: SymbolId, span: Span) -> Outcome {
        if self.is_assigned_later(symbol) {
            return self.refuse(
                span,
                &format!("`{local}` is exported and assigned again; export a function instead"),
            );
        }
        self.exports.push(Export { name, local: local.to_owned() });
        Ok(())
    }

    /// Whether a function assigns the binding, which may happen after the module is done. The module's own
    /// statements and the static blocks of its classes have run by then.
    fn is_assigned_later(&self, symbol: SymbolId) -> bool {
        let mut writes =
            self.scoping.get_resolved_references(symbol).filter(|reference| reference.is_write());
        writes.any(|write| {
            let mut scopes = self.scoping.scope_ancestors(write.scope_id());
            scopes.any(|scope| self.scoping.scope_flags(scope).is_function())
        })
    }

    fn specifiers(&self, specifiers: &[oxc_ast::ast::ExportSpecifier<'_>]) -> Outcome<Vec<(String, String)>> {
        specifiers.iter().map(|one| Ok((self.name(&one.local)?, self.name(&one.exported)?))).collect()
    }

    fn name(&self, name: &ModuleExportName<'_>) -> Outcome<String> {
        let text = match name {
            ModuleExportName::IdentifierName(name) => name.name.as_str(),
            ModuleExportName::IdentifierReference(name) => name.name.as_str(),
            ModuleExportName::StringLiteral(_) => "",
        };
        match text {
            "" | "default" | "__proto__" => {
                Err(self.at.error(name.span(), "this cannot be the name of an export"))
            }
            text => Ok(text.to_owned()),
        }
    }

    fn resolve(&self, source: &StringLiteral<'_>) -> Outcome<String> {
        resolve(self.at.path, &source.value).map_err(|message| self.at.error(source.span, &message))
    }

    fn refuse<T>(&self, span: Span, message: &str) -> Outcome<T> {
        Err(self.at.error(span, message))
    }
}

/// The path that `specifier` names, seen from the module at `importer`.
fn resolve(importer: &str, specifier: &str) -> Outcome<String> {
    if !(specifier.starts_with("./") || specifier.starts_with("../")) {
        return Err(format!("'{specifier}' is not a relative path"));
    }
    let mut parts: Vec<&str> = importer.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop().ok_or_else(|| format!("'{specifier}' leads out of the library"))?;
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// A part of the source that goes, and what stands in its place.
struct Cut {
    start: usize,
    end: usize,
    /// Takes the rest of the line with it, when that leaves nothing on it.
    whole_lines: bool,
    instead: &'static str,
}

impl Cut {
    fn statement(span: Span) -> Self {
        Self { start: span.start as usize, end: span.end as usize, whole_lines: true, instead: "" }
    }

    fn keep_line(start: u32, end: u32) -> Self {
        Self { start: start as usize, end: end as usize, whole_lines: false, instead: "" }
    }
}

fn comment_cut(text: &str, comment: &Comment) -> Cut {
    let (start, end) = (comment.span.start as usize, comment.span.end as usize);
    // A comment separates tokens, and one with a line break in it ends a line.
    let instead = if text[start..end].contains('\n') { "\n" } else { " " };
    Cut { start, end, whole_lines: true, instead }
}

fn cut(text: &str, mut cuts: Vec<Cut>) -> String {
    cuts.sort_by_key(|cut| (cut.start, std::cmp::Reverse(cut.end)));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for cut in cuts {
        if cut.start < done {
            continue;
        }
        out.push_str(&text[done..cut.start]);
        let blank_before = out.rsplit('\n').next().is_none_or(|line| line.trim().is_empty());
        let rest = text[cut.end..].split('\n').next().unwrap_or_default();
        done = cut.end;
        if !cut.whole_lines || !rest.trim().is_empty() {
            out.push_str(cut.instead);
            continue;
        }
        // Nothing follows on the line: what stood before the cut keeps its line break, or the line goes.
        out.truncate(out.trim_end_matches([' ', '\t']).len());
        done += rest.len();
        if blank_before && done < text.len() {
            done += 1;
        }
    }
    out.push_str(&text[done..]);
    format!("{}\n", out.trim())
}
