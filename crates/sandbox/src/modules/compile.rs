//! The compiled code of a module, made where nothing ran.

use codemode_protocol::ModuleSource;
use codemode_runtime::v8::PinScope;

use super::linker::compile_text;
use crate::natives::compile_body;

/// The code of a module that the engine compiles in whole: what another isolate of this engine can begin with. `None`
/// where the source does not compile, or is of a kind that is not compiled.
pub(crate) fn compiled(scope: &mut PinScope<'_, '_>, source: &ModuleSource) -> Option<Vec<u8>> {
    let code = match source {
        ModuleSource::Js(text) => {
            let module = compile_text(scope, "", text, 0, None)?;
            module.get_unbound_module_script(scope).create_code_cache()
        }
        ModuleSource::Cjs(body) => compile_body(scope, "", body, None)?.create_code_cache(),
        _ => None,
    };
    code.map(|code| code.to_vec())
}
