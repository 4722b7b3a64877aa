//! What `require` needs of the module map.

use codemode_protocol::{ModuleSource, Sentence};
use codemode_runtime::v8::{
    self, FunctionCallbackArguments, Local, PinScope, ReturnValue, ScriptOrigin, script_compiler,
};

use crate::modules::linker::{Linker, annotate, source_of, value_of};
use crate::text::{error, js_string, name, string_or_empty};

/// What makes a CommonJS body strict, as a module body is.
const STRICT: &str = "'use strict';";

/// `resolveModule(specifier, importer)`: the name of a module that `require` may load, and whether it is CommonJS,
/// as `[name, isCommonJs]`. ES modules are not in the space of `require`.
pub(super) fn resolve(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let Some(linker) = Linker::current(scope) else { return };
    let [specifier, importer] = [0, 1].map(|index| string_or_empty(scope, args.get(index)));
    let module = linker.modules.resolve(&specifier, &importer);
    match linker.modules.source(&module, &specifier, &importer) {
        Ok(ModuleSource::Js(_)) | Err(_) => throw(scope, &Sentence::ModuleNotFound { specifier, importer }),
        Ok(ModuleSource::Unsupported) => throw(scope, &Sentence::UnsupportedModuleKind { name: module }),
        Ok(source) => {
            let is_common_js = v8::Boolean::new(scope, matches!(source, ModuleSource::Cjs(_)));
            let Some(module) = js_string(scope, &module) else { return };
            answer.set(v8::Array::new_with_elements(scope, &[module.into(), is_common_js.into()]).into());
        }
    }
}

/// `compileCommonJs(name)`: the body of a CommonJS module as a function of `exports, require, module, __filename,
/// __dirname`.
pub(super) fn compile_common_js(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let Some(linker) = Linker::current(scope) else { return };
    let module = string_or_empty(scope, args.get(0));
    let Ok(ModuleSource::Cjs(body)) = linker.modules.source(&module, &module, "") else { return };
    if let Some(function) = compile_body(scope, &module, body, linker.modules.code(&module)) {
        answer.set(function.into());
    }
}

/// `moduleValue(name)`: the value of a json, text or data module.
pub(super) fn value(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let Some(linker) = Linker::current(scope) else { return };
    let module = string_or_empty(scope, args.get(0));
    if let Some(value) = value_of(scope, &linker, &module) {
        answer.set(value);
    }
}

/// Compiles the body of a CommonJS module, from its compiled code where that fits.
pub(crate) fn compile_body<'s>(
    scope: &mut PinScope<'s, '_>,
    module: &str,
    body: &str,
    code: Option<&[u8]>,
) -> Option<Local<'s, v8::Function>> {
    let title = js_string(scope, module)?;
    let column_offset = -i32::try_from(STRICT.len()).expect("a short prefix");
    let origin =
        ScriptOrigin::new(scope, title.into(), 0, column_offset, false, 0, None, false, false, false, None);
    let text = js_string(scope, &format!("{STRICT}{body}"))?;
    let (mut source, options) = source_of(text, &origin, code);
    let parameters =
        ["exports", "require", "module", "__filename", "__dirname"].map(|text| name(scope, text));
    v8::tc_scope!(let caught, scope);
    let function = script_compiler::compile_function(
        caught,
        &mut source,
        &parameters,
        &[],
        options,
        script_compiler::NoCacheReason::NoReason,
    );
    if function.is_none() {
        annotate(caught, module);
        caught.rethrow();
    }
    function
}

fn throw(scope: &mut PinScope<'_, '_>, sentence: &Sentence) {
    let thrown = error(scope, &sentence.to_string());
    scope.throw_exception(thrown);
}
