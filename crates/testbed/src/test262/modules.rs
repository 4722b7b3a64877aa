//! Modules of a test in an isolate of this process, loaded as the engine's own shell does.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use codemode_runtime::v8::{
    self, Data, FixedArray, Function, FunctionCallbackArguments, Global, Local, Module, PinScope, Promise,
    PromiseResolver, ReturnValue, ScriptOrigin, Value, script_compiler,
};

use super::Texts;
use super::isolate::Evaluation;

/// The name of every script.
pub(super) const SCRIPT: &str = "script";

/// The modules of one isolate, in one of its slots.
pub(super) struct Loader {
    files: BTreeMap<String, Vec<u8>>,
    /// By name and by the type that an import asks for.
    loaded: RefCell<BTreeMap<(String, String), Global<Module>>>,
    /// What modules that are no ES modules export.
    values: RefCell<Vec<(Global<Module>, Global<Value>)>>,
    waiting: RefCell<VecDeque<Waiting>>,
}

/// A dynamic import whose job has not come.
struct Waiting {
    specifier: Global<v8::String>,
    attributes: Global<FixedArray>,
    resolver: Global<PromiseResolver>,
}

impl Loader {
    pub(super) fn new(texts: &Texts) -> Rc<Self> {
        Rc::new(Self {
            files: texts.fixtures.clone(),
            loaded: RefCell::default(),
            values: RefCell::default(),
            waiting: RefCell::default(),
        })
    }

    fn current(scope: &PinScope<'_, '_>) -> Option<Rc<Self>> {
        scope.get_slot::<Rc<Self>>().cloned()
    }
}

/// Loads, links and evaluates a module. `None` leaves an exception behind.
pub(super) fn evaluate<'s>(scope: &mut PinScope<'s, '_>, name: &str) -> Option<Evaluation<'s>> {
    let module = load(scope, name, "")?;
    module.instantiate_module(scope, resolve)?;
    Local::<Promise>::try_from(module.evaluate(scope)?).ok()
}

fn load<'s>(scope: &mut PinScope<'s, '_>, specifier: &str, kind: &str) -> Option<Local<'s, Module>> {
    let loader = Loader::current(scope)?;
    let name = specifier.strip_prefix("./").unwrap_or(specifier);
    let key = (name.to_owned(), kind.to_owned());
    if let Some(module) = loader.loaded.borrow().get(&key) {
        return Some(Local::new(scope, module));
    }
    let Some(bytes) = loader.files.get(name) else {
        return throw(scope, &format!("no module {name}"));
    };
    let module = match kind {
        "" => compile(scope, name, bytes)?,
        _ => synthetic(scope, &loader, bytes, kind)?,
    };
    loader.loaded.borrow_mut().insert(key, Global::new(scope, module));
    Some(module)
}

fn compile<'s>(scope: &mut PinScope<'s, '_>, name: &str, bytes: &[u8]) -> Option<Local<'s, Module>> {
    let name = v8::String::new(scope, name)?;
    let origin = ScriptOrigin::new(scope, name.into(), 0, 0, false, 0, None, false, false, true, None);
    let text = v8::String::new(scope, &String::from_utf8_lossy(bytes))?;
    let mut source = script_compiler::Source::new(text, Some(&origin));
    script_compiler::compile_module(scope, &mut source)
}

fn synthetic<'s>(
    scope: &mut PinScope<'s, '_>,
    loader: &Loader,
    bytes: &[u8],
    kind: &str,
) -> Option<Local<'s, Module>> {
    let text = v8::String::new(scope, &String::from_utf8_lossy(bytes))?;
    let value: Local<Value> = match kind {
        "json" => v8::json::parse(scope, text)?,
        "text" => text.into(),
        _ => return throw(scope, &format!("no modules of type {kind}")),
    };
    let export = v8::String::new(scope, "default")?;
    let module = Module::create_synthetic_module(scope, text, &[export], export_default);
    loader.values.borrow_mut().push((Global::new(scope, module), Global::new(scope, value)));
    Some(module)
}

fn export_default<'s>(
    context: Local<'s, v8::Context>,
    module: Local<'s, Module>,
) -> Option<Local<'s, Value>> {
    // SAFETY: the engine calls this with its current context, and the scope does not outlive the call.
    v8::callback_scope!(unsafe scope, context);
    let loader = Loader::current(scope)?;
    let value = {
        let values = loader.values.borrow();
        let (_, value) = values.iter().find(|(known, _)| *known == module)?;
        Local::new(scope, value)
    };
    let export = v8::String::new(scope, "default")?;
    module.set_synthetic_module_export(scope, export, value)?;
    let resolver = PromiseResolver::new(scope)?;
    let undefined = v8::undefined(scope);
    resolver.resolve(scope, undefined.into());
    Some(resolver.get_promise(scope).into())
}

/// Answers a static import. Attributes come as key, value, source offset.
fn resolve<'s>(
    context: Local<'s, v8::Context>,
    specifier: Local<'s, v8::String>,
    attributes: Local<'s, FixedArray>,
    _referrer: Local<'s, Module>,
) -> Option<Local<'s, Module>> {
    // SAFETY: the engine calls this with its current context, and the scope does not outlive the call.
    v8::callback_scope!(unsafe scope, context);
    let kind = type_of(scope, attributes, 3)?;
    let specifier = specifier.to_rust_string_lossy(scope);
    load(scope, &specifier, &kind)
}

/// Answers a dynamic import, in a job of its own. Attributes come as key, value.
pub(super) fn import<'s, 'i>(
    scope: &mut PinScope<'s, 'i>,
    _options: Local<'s, Data>,
    _importer: Local<'s, Value>,
    specifier: Local<'s, v8::String>,
    attributes: Local<'s, FixedArray>,
) -> Option<Local<'s, Promise>> {
    let loader = Loader::current(scope)?;
    let resolver = PromiseResolver::new(scope)?;
    loader.waiting.borrow_mut().push_back(Waiting {
        specifier: Global::new(scope, specifier),
        attributes: Global::new(scope, attributes),
        resolver: Global::new(scope, resolver),
    });
    let job = Function::new(scope, load_next)?;
    scope.enqueue_microtask(job);
    Some(resolver.get_promise(scope))
}

fn load_next(scope: &mut PinScope<'_, '_>, _args: FunctionCallbackArguments<'_>, _answer: ReturnValue<'_>) {
    let next = Loader::current(scope).and_then(|loader| loader.waiting.borrow_mut().pop_front());
    let Some(Waiting { specifier, attributes, resolver }) = next else { return };
    let (specifier, attributes) = (Local::new(scope, specifier), Local::new(scope, attributes));
    let resolver = Local::new(scope, resolver);
    v8::tc_scope!(let caught, scope);
    match namespace(caught, specifier, attributes) {
        Some(namespace) => {
            resolver.resolve(caught, namespace);
        }
        None => {
            let thrown = caught.exception().unwrap_or_else(|| v8::undefined(caught).into());
            caught.reset();
            resolver.reject(caught, thrown);
        }
    }
}

fn namespace<'s>(
    scope: &mut PinScope<'s, '_>,
    specifier: Local<'s, v8::String>,
    attributes: Local<'s, FixedArray>,
) -> Option<Local<'s, Value>> {
    let kind = type_of(scope, attributes, 2)?;
    let specifier = specifier.to_rust_string_lossy(scope);
    let module = load(scope, &specifier, &kind)?;
    module.instantiate_module(scope, resolve)?;
    let evaluated = Local::<Promise>::try_from(module.evaluate(scope)?).ok()?;
    let hand_over = Function::builder(answer_data).data(module.get_module_namespace()).build(scope)?;
    Some(evaluated.then(scope, hand_over)?.into())
}

fn answer_data(
    _scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    answer.set(args.data());
}

/// The `type` that an import asks for, empty where it asks for none. Another attribute is a `SyntaxError`.
fn type_of(scope: &mut PinScope<'_, '_>, attributes: Local<'_, FixedArray>, stride: usize) -> Option<String> {
    let mut kind = String::new();
    for index in (0..attributes.length()).step_by(stride) {
        let key = Local::<v8::String>::try_from(attributes.get(scope, index)?).ok()?;
        let value = Local::<v8::String>::try_from(attributes.get(scope, index + 1)?).ok()?;
        if key.to_rust_string_lossy(scope) != "type" {
            return throw(scope, "an attribute that is not known");
        }
        kind = value.to_rust_string_lossy(scope);
    }
    Some(kind)
}

fn throw<'s, T>(scope: &mut PinScope<'s, '_>, message: &str) -> Option<T> {
    let message = v8::String::new(scope, message)?;
    let thrown = v8::Exception::type_error(scope, message);
    scope.throw_exception(thrown);
    None
}
