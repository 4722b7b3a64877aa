//! `import()`: the same linker, asked while the program runs.

use codemode_runtime::v8::{
    self, Data, FixedArray, Function, FunctionCallbackArguments, Local, OwnedIsolate, PinScope, Promise,
    PromiseResolver, ReturnValue, Value,
};

use super::linker::{ENTRY, Linker, resolve_import, type_attribute};
use crate::entry::ENTRY_NAME;
use crate::text::string_or_empty;

/// Lets programs of this isolate use `import()`.
pub(crate) fn answer_dynamic_imports(isolate: &mut OwnedIsolate) {
    isolate.set_host_import_module_dynamically_callback(import);
}

fn import<'s, 'i>(
    scope: &mut PinScope<'s, 'i>,
    _options: Local<'s, Data>,
    importer: Local<'s, Value>,
    specifier: Local<'s, v8::String>,
    attributes: Local<'s, FixedArray>,
) -> Option<Local<'s, Promise>> {
    let resolver = PromiseResolver::new(scope)?;
    let promise = resolver.get_promise(scope);
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
    Some(promise)
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
    // Dynamic attributes come as key, value.
    let attribute = type_attribute(scope, attributes, 2);
    let module = linker.module(scope, &specifier, importer, attribute.as_deref())?;
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
