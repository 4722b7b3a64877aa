//! [`Linker`]: from names to compiled modules, each name once.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use codemode_protocol::{ModuleSource, Sentence};
use codemode_runtime::v8::script_compiler::{CompileOptions, NoCacheReason};
use codemode_runtime::v8::{
    self, FixedArray, Global, Local, Module, Object, PinScope, Promise, PromiseResolver, ScriptOrigin, Value,
    script_compiler,
};

use super::map::Modules;
use crate::bytes::array_buffer;
use crate::entry::{BINDINGS, BINDINGS_ATTRIBUTE, BINDINGS_SPECIFIER, ENTRY_NAME};
use crate::text::{error, js_string, name, string_or_empty};

/// The linker of the run of this isolate, in an isolate slot.
pub(crate) type SharedLinker = Rc<Linker>;

/// The name of the entry module: the root that its specifiers resolve against.
pub(crate) const ENTRY: &str = "";

type NamedModule = (Global<Module>, String);

/// The module that lends every entry its bindings. Made by the first run of an isolate.
pub(crate) type SharedBindings = Rc<Global<Module>>;

pub(crate) struct Linker {
    pub(crate) modules: Modules,
    library: Rc<Global<Object>>,
    /// The identity hash of the entry, which is known by it unless it is that of another module.
    entry: Cell<Option<i32>>,
    compiled: RefCell<BTreeMap<String, Global<Module>>>,
    /// By identity hash, which two modules may share.
    names: RefCell<BTreeMap<i32, Vec<NamedModule>>>,
    bindings: RefCell<Option<SharedBindings>>,
    /// The values of json modules, which are read when the module is linked.
    parsed: RefCell<BTreeMap<String, Global<Value>>>,
}

/// What an import says about the module it wants: its attributes, in order.
pub(crate) struct Attributes(Vec<(String, String)>);

/// Who asks for a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// A declaration, while the graph is linked.
    Static,
    /// `import()`.
    Dynamic,
}

impl Linker {
    /// A linker without modules. `bindings` are those that [`Linker::bindings`] gave out for this isolate before.
    pub(crate) fn new(
        modules: Modules,
        library: Rc<Global<Object>>,
        bindings: Option<SharedBindings>,
    ) -> SharedLinker {
        Rc::new(Self {
            modules,
            library,
            entry: Cell::default(),
            compiled: RefCell::default(),
            names: RefCell::default(),
            bindings: RefCell::new(bindings),
            parsed: RefCell::default(),
        })
    }

    /// The linker of the run that this isolate executes.
    pub(crate) fn current(scope: &PinScope<'_, '_>) -> Option<SharedLinker> {
        scope.get_slot::<SharedLinker>().cloned()
    }

    /// The function `key` of the library.
    pub(crate) fn library_function<'s>(
        &self,
        scope: &mut PinScope<'s, '_>,
        key: &str,
    ) -> Option<Local<'s, v8::Function>> {
        let library = Local::new(scope, &*self.library);
        let key = name(scope, key);
        Local::<v8::Function>::try_from(library.get(scope, key.into())?).ok()
    }

    /// Compiles the entry module, whose first line stands at `line_offset`. `None` leaves an exception behind.
    pub(crate) fn compile_entry<'s>(
        &self,
        scope: &mut PinScope<'s, '_>,
        text: &str,
        line_offset: i32,
    ) -> Option<Local<'s, Module>> {
        let module = compile_text(scope, ENTRY_NAME, text, line_offset, None)?;
        self.entry.set(Some(module.get_identity_hash().get()));
        Some(module)
    }

    /// The module under `name`, compiled at the first request. `None` leaves an exception behind.
    pub(crate) fn module<'s>(
        &self,
        scope: &mut PinScope<'s, '_>,
        specifier: &str,
        importer: &str,
        attributes: &Attributes,
        phase: Phase,
    ) -> Option<Local<'s, Module>> {
        if let Some(key) = attributes.unknown() {
            let sentence =
                Sentence::ImportAttributeUnknown { specifier: specifier.to_owned(), key: key.to_owned() };
            // By ECMA-262, AllImportAttributesSupported and its callers.
            return match phase {
                Phase::Static => throw_syntax_error(scope, &sentence),
                Phase::Dynamic => throw_type_error(scope, &sentence),
            };
        }
        let name = self.modules.resolve(specifier, importer);
        let shown = if importer == ENTRY { ENTRY_NAME } else { importer };
        let source = match self.modules.source(&name, specifier, shown) {
            Ok(source) => source,
            Err(sentence) => return throw(scope, &sentence),
        };
        if let Some(asked) = attributes.wrong_type(source) {
            let sentence = Sentence::ModuleTypeMismatch { name, asked: asked.to_owned() };
            return throw_type_error(scope, &sentence);
        }
        if let Some(module) = self.compiled.borrow().get(&name) {
            return Some(Local::new(scope, module));
        }
        let module = match source {
            ModuleSource::Js(text) => compile_text(scope, &name, text, 0, self.modules.code(&name))?,
            ModuleSource::Unsupported => return throw(scope, &Sentence::UnsupportedModuleKind { name }),
            ModuleSource::Json(text) => {
                let value = parse_json(scope, &name, text)?;
                self.parsed.borrow_mut().insert(name.clone(), Global::new(scope, value));
                synthetic(scope, &name)?
            }
            _ => synthetic(scope, &name)?,
        };
        self.remember(scope, module, &name);
        self.compiled.borrow_mut().insert(name, Global::new(scope, module));
        Some(module)
    }

    /// The module of the bindings, where a program has imported it.
    pub(crate) fn bindings(&self) -> Option<SharedBindings> {
        self.bindings.borrow().clone()
    }

    fn bindings_module<'s>(&self, scope: &mut PinScope<'s, '_>) -> Local<'s, Module> {
        if let Some(module) = self.bindings.borrow().as_deref() {
            return Local::new(scope, module);
        }
        let exports = BINDINGS.map(|export| name(scope, export));
        let title = name(scope, BINDINGS_SPECIFIER);
        let module = Module::create_synthetic_module(scope, title, &exports, export_bindings);
        *self.bindings.borrow_mut() = Some(Rc::new(Global::new(scope, module)));
        module
    }

    fn remember(&self, scope: &PinScope<'_, '_>, module: Local<'_, Module>, name: &str) {
        let hash = module.get_identity_hash().get();
        self.names.borrow_mut().entry(hash).or_default().push((Global::new(scope, module), name.to_owned()));
    }

    fn name_of(&self, module: Local<'_, Module>) -> Option<String> {
        let (names, hash) = (self.names.borrow(), module.get_identity_hash().get());
        let known = names.get(&hash).into_iter().flatten().find(|(known, _)| *known == module);
        let entry = || (self.entry.get() == Some(hash)).then(|| ENTRY.to_owned());
        known.map(|(_, name)| name.clone()).or_else(entry)
    }
}

/// Answers one static import of the graph that the engine links.
pub(crate) fn resolve_import<'s>(
    context: Local<'s, v8::Context>,
    specifier: Local<'s, v8::String>,
    attributes: Local<'s, FixedArray>,
    referrer: Local<'s, Module>,
) -> Option<Local<'s, Module>> {
    // SAFETY: the engine calls this with its current context, and the scope does not outlive the call.
    v8::callback_scope!(unsafe scope, context);
    let linker = Linker::current(scope)?;
    let specifier = specifier.to_rust_string_lossy(scope);
    let Some(importer) = linker.name_of(referrer) else {
        let thrown = error(scope, "A module that this run did not compile asked for an import.");
        scope.throw_exception(thrown);
        return None;
    };
    let attributes = Attributes::read(scope, attributes, Phase::Static);
    if importer == ENTRY && specifier == BINDINGS_SPECIFIER && attributes.are_of_the_bindings() {
        return Some(linker.bindings_module(scope));
    }
    linker.module(scope, &specifier, &importer, &attributes, Phase::Static)
}

impl Attributes {
    /// The attributes as the engine hands them over.
    pub(crate) fn read(
        scope: &mut PinScope<'_, '_>,
        attributes: Local<'_, FixedArray>,
        phase: Phase,
    ) -> Self {
        let stride = match phase {
            // Key, value, source offset.
            Phase::Static => 3,
            // Key, value.
            Phase::Dynamic => 2,
        };
        let text = |index: usize| {
            let item = attributes.get(scope, index).and_then(|item| Local::<Value>::try_from(item).ok());
            item.map(|item| string_or_empty(scope, item)).unwrap_or_default()
        };
        Self((0..attributes.length()).step_by(stride).map(|index| (text(index), text(index + 1))).collect())
    }

    /// The first key that means nothing.
    fn unknown(&self) -> Option<&str> {
        self.0.iter().map(|(key, _)| key.as_str()).find(|&key| key != "type")
    }

    /// The type that is asked for, where the module is not of it. Asking for none takes any kind.
    fn wrong_type(&self, source: &ModuleSource) -> Option<&str> {
        let (_, asked) = self.0.iter().find(|(key, _)| key == "type")?;
        let fits = matches!(
            (asked.as_str(), source),
            ("json", ModuleSource::Json(_))
                | ("text", ModuleSource::Text(_))
                | ("bytes", ModuleSource::Data(_))
        );
        (!fits).then_some(asked)
    }

    /// Whether this import is the one of the generated text. The attribute keeps its specifier from meaning a module
    /// of the map; a program that writes it gets names that are in its scope anyway.
    fn are_of_the_bindings(&self) -> bool {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str())).eq([BINDINGS_ATTRIBUTE])
    }
}

fn throw<'s, T>(scope: &mut PinScope<'s, '_>, sentence: &Sentence) -> Option<T> {
    let thrown = error(scope, &sentence.to_string());
    scope.throw_exception(thrown);
    None
}

fn throw_type_error<'s, T>(scope: &mut PinScope<'s, '_>, sentence: &Sentence) -> Option<T> {
    let message = js_string(scope, &sentence.to_string())?;
    let thrown = v8::Exception::type_error(scope, message);
    scope.throw_exception(thrown);
    None
}

fn throw_syntax_error<'s, T>(scope: &mut PinScope<'s, '_>, sentence: &Sentence) -> Option<T> {
    let message = js_string(scope, &sentence.to_string())?;
    let thrown = v8::Exception::syntax_error(scope, message);
    scope.throw_exception(thrown);
    None
}

/// The value of a json module. `None` leaves a `SyntaxError` behind that names the module.
fn parse_json<'s>(scope: &mut PinScope<'s, '_>, module_name: &str, text: &str) -> Option<Local<'s, Value>> {
    let text = js_string(scope, text)?;
    let detail = {
        v8::tc_scope!(let caught, scope);
        if let Some(value) = v8::json::parse(caught, text) {
            return Some(value);
        }
        let thrown = caught.exception().and_then(|thrown| Local::<Object>::try_from(thrown).ok());
        caught.reset();
        let key = name(caught, "message");
        let message = thrown.and_then(|thrown| thrown.get(caught, key.into()));
        message.map(|message| string_or_empty(caught, message)).unwrap_or_default()
    };
    throw_syntax_error(scope, &Sentence::ModuleNotJson { name: module_name.to_owned(), detail })
}

/// Compiles a text as a module, from its compiled code where that fits: the engine compares version, flags and the length
/// of the source, and compiles anew otherwise. The message of a syntax error gains its position, `[file:line:column]`.
pub(crate) fn compile_text<'s>(
    scope: &mut PinScope<'s, '_>,
    file: &str,
    text: &str,
    line_offset: i32,
    code: Option<&[u8]>,
) -> Option<Local<'s, Module>> {
    let file_name = js_string(scope, file)?;
    let origin =
        ScriptOrigin::new(scope, file_name.into(), line_offset, 0, false, 0, None, false, false, true, None);
    let text = js_string(scope, text)?;
    let (mut source, options) = source_of(text, &origin, code);
    v8::tc_scope!(let caught, scope);
    let module = script_compiler::compile_module2(caught, &mut source, options, NoCacheReason::NoReason);
    if module.is_none() {
        annotate(caught, file);
        caught.rethrow();
    }
    module
}

/// Most characters of a source whose functions are all compiled with it. Whoever sends so few calls most of them, and to
/// find out which costs a second reading of each.
const EAGER_LENGTH: usize = 8 << 10;

/// A source with its compiled code, and what that means for its compilation.
pub(crate) fn source_of(
    text: Local<'_, v8::String>,
    origin: &ScriptOrigin<'_>,
    code: Option<&[u8]>,
) -> (script_compiler::Source, CompileOptions) {
    match code {
        Some(code) => {
            let data = script_compiler::CachedData::new(code);
            let source = script_compiler::Source::new_with_cached_data(text, Some(origin), data);
            (source, CompileOptions::ConsumeCodeCache)
        }
        None if text.length() <= EAGER_LENGTH => {
            (script_compiler::Source::new(text, Some(origin)), CompileOptions::EagerCompile)
        }
        None => (script_compiler::Source::new(text, Some(origin)), CompileOptions::NoCompileOptions),
    }
}

/// Appends the position of a syntax error to its message.
pub(crate) fn annotate(
    caught: &mut v8::PinnedRef<'_, v8::TryCatch<'_, '_, v8::HandleScope<'_>>>,
    file: &str,
) {
    let (Some(thrown), Some(report)) = (caught.exception(), caught.message()) else { return };
    let Ok(thrown) = Local::<Object>::try_from(thrown) else { return };
    // A stack that ended in the middle of a text has no position.
    let line = report.get_line_number(caught).filter(|&line| line > 0);
    let (Some(line), Some(column)) = (line, report.get_start_column().checked_add(1)) else { return };
    let key = name(caught, "message");
    let message =
        thrown.get(caught, key.into()).map(|message| string_or_empty(caught, message)).unwrap_or_default();
    if let Some(text) = js_string(caught, &format!("{message} [{file}:{line}:{column}]")) {
        thrown.set(caught, key.into(), text.into());
    }
}

/// A module whose only export is `default`, a value that is made when the module is evaluated.
fn synthetic<'s>(scope: &mut PinScope<'s, '_>, title: &str) -> Option<Local<'s, Module>> {
    let title = js_string(scope, title)?;
    let export = name(scope, "default");
    Some(Module::create_synthetic_module(scope, title, &[export], export_default))
}

fn export_default<'s>(
    context: Local<'s, v8::Context>,
    module: Local<'s, Module>,
) -> Option<Local<'s, Value>> {
    // SAFETY: the engine calls this with its current context, and the scope does not outlive the call.
    v8::callback_scope!(unsafe scope, context);
    let linker = Linker::current(scope)?;
    let module_name = linker.name_of(module)?;
    let parsed = linker.parsed.borrow_mut().remove(&module_name);
    let value = match parsed {
        Some(parsed) => Local::new(scope, parsed),
        None => value_of(scope, &linker, &module_name)?,
    };
    let export = name(scope, "default");
    module.set_synthetic_module_export(scope, export, value)?;
    resolved(scope)
}

fn export_bindings<'s>(
    context: Local<'s, v8::Context>,
    module: Local<'s, Module>,
) -> Option<Local<'s, Value>> {
    // SAFETY: the engine calls this with its current context, and the scope does not outlive the call.
    v8::callback_scope!(unsafe scope, context);
    let linker = Linker::current(scope)?;
    for export in BINDINGS {
        let function = linker.library_function(scope, export.trim_start_matches('_'))?;
        let export = name(scope, export);
        module.set_synthetic_module_export(scope, export, function.into())?;
    }
    resolved(scope)
}

/// The value that a module other than an ES module stands for. `None` leaves an exception behind.
pub(crate) fn value_of<'s>(
    scope: &mut PinScope<'s, '_>,
    linker: &Linker,
    module_name: &str,
) -> Option<Local<'s, Value>> {
    match linker.modules.source(module_name, module_name, ENTRY) {
        Ok(ModuleSource::Json(text)) => parse_json(scope, module_name, text),
        Ok(ModuleSource::Text(text)) => Some(js_string(scope, text)?.into()),
        Ok(ModuleSource::Data(bytes)) => Some(array_buffer(scope, bytes).into()),
        Ok(ModuleSource::Cjs(_)) => {
            let common_js = linker.library_function(scope, "commonJs")?;
            let undefined = v8::undefined(scope);
            let module_name = js_string(scope, module_name)?;
            common_js.call(scope, undefined.into(), &[module_name.into()])
        }
        Ok(_) => throw(scope, &Sentence::UnsupportedModuleKind { name: module_name.to_owned() }),
        Err(sentence) => throw(scope, &sentence),
    }
}

fn resolved<'s>(scope: &mut PinScope<'s, '_>) -> Option<Local<'s, Value>> {
    let resolver = PromiseResolver::new(scope)?;
    let undefined = v8::undefined(scope);
    resolver.resolve(scope, undefined.into());
    let promise: Local<Promise> = resolver.get_promise(scope);
    Some(promise.into())
}
