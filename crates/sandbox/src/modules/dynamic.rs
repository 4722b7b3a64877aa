//! `import()`: the same linker, asked while the program runs.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use codemode_runtime::v8::{
    self, Data, FixedArray, Function, FunctionCallbackArguments, Global, Local, OwnedIsolate, PinScope,
    Promise, PromiseResolver, ReturnValue, Value,
};

use super::linker::{Attributes, ENTRY, Linker, Phase, resolve_import};
use crate::entry::ENTRY_NAME;
use crate::text::string_or_empty;

/// The calls of `import()` whose jobs have not come, in their order. In an isolate slot.
type Waiting = Rc<RefCell<VecDeque<Call>>>;

/// One call of `import()`.
struct Call {
    importer: Global<Value>,
    specifier: Global<v8::String>,
    attributes: Global<FixedArray>,
    resolver: Global<PromiseResolver>,
}

/// Lets programs of this isolate use `import()`.
pub(crate) fn answer_dynamic_imports(isolate: &mut OwnedIsolate) {
    isolate.set_slot(Waiting::default());
    isolate.set_host_import_module_dynamically_callback(import);
}

/// Puts the load off to a job of its own, as ECMA-262 does in ContinueDynamicImport: the code that calls `import()`
/// runs on first, and a module that imports itself is not evaluated in the midst of its evaluation.
fn import<'s, 'i>(
    scope: &mut PinScope<'s, 'i>,
    _options: Local<'s, Data>,
    importer: Local<'s, Value>,
    specifier: Local<'s, v8::String>,
    attributes: Local<'s, FixedArray>,
) -> Option<Local<'s, Promise>> {
    let waiting = scope.get_slot::<Waiting>()?.clone();
    let resolver = PromiseResolver::new(scope)?;
    let job = Function::new(scope, answer_next)?;
    waiting.borrow_mut().push_back(Call {
        importer: Global::new(scope, importer),
        specifier: Global::new(scope, specifier),
        attributes: Global::new(scope, attributes),
        resolver: Global::new(scope, resolver),
    });
    scope.enqueue_microtask(job);
    Some(resolver.get_promise(scope))
}

/// The job of the first call that waits.
fn answer_next(scope: &mut PinScope<'_, '_>, _args: FunctionCallbackArguments<'_>, _answer: ReturnValue<'_>) {
    let next = scope.get_slot::<Waiting>().and_then(|waiting| waiting.borrow_mut().pop_front());
    let Some(Call { importer, specifier, attributes, resolver }) = next else { return };
    let importer = Local::new(scope, importer);
    let (specifier, attributes) = (Local::new(scope, specifier), Local::new(scope, attributes));
    let resolver = Local::new(scope, resolver);
    v8::tc_scope!(let caught, scope);
    match load(caught, importer, specifier, attributes) {
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

/// A promise for the namespace of the module, once it is evaluated. `None` leaves an exception behind.
///
/// Linking is synchronous, so two imports never link at once: what the graph has met comes from the linker's memo,
/// and a module that is still evaluating hands over the promise of that evaluation.
fn load<'s>(
    scope: &mut PinScope<'s, '_>,
    importer: Local<'s, Value>,
    specifier: Local<'s, v8::String>,
    attributes: Local<'s, FixedArray>,
) -> Option<Local<'s, Value>> {
    let linker = Linker::current(scope)?;
    let importer = string_or_empty(scope, importer);
    let importer = if importer == ENTRY_NAME { ENTRY } else { &importer };
    let specifier = specifier.to_rust_string_lossy(scope);
    let attributes = Attributes::read(scope, attributes, Phase::Dynamic);
    let module = linker.module(scope, &specifier, importer, &attributes, Phase::Dynamic)?;
    module.instantiate_module(scope, resolve_import)?;
    let evaluated = Local::<Promise>::try_from(module.evaluate(scope)?).ok()?;
    let namespace = module.get_module_namespace();
    let hand_over = Function::builder(answer_data).data(namespace).build(scope)?;
    Some(evaluated.then(scope, hand_over)?.into())
}

fn answer_data(
    _scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    answer.set(args.data());
}
