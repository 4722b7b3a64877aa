//! A test as the script or module it is, in an isolate of this process.

use std::path::Path;

use codemode_runtime::v8::{
    self, Local, Object, PinScope, Promise, PromiseState, Script, ScriptOrigin, Value,
};
use codemode_runtime::{Realm, engine};

use super::modules::{self, Loader};
use super::texts::HOST;
use super::{Goal, Job, Texts};

const HEAP_LIMIT_BYTES: usize = 512 << 20;

/// What a realm is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As the engine makes it.
    Plain,
    /// With the library of a run, without the host's functions.
    Library,
}

/// Starts the engine, before this process has a second thread.
pub fn start() {
    engine::start();
}

/// Runs a job in a new isolate. The engine has to be started.
///
/// # Errors
/// Why there is no outcome: a file that cannot be read, or a module that never settles.
pub fn perform(kind: Kind, suite: &Path, job: &Job) -> Result<String, String> {
    let texts = Texts::read(suite, job)?;
    match kind {
        Kind::Plain => {
            let params = v8::CreateParams::default().heap_limits(0, HEAP_LIMIT_BYTES);
            let mut isolate = v8::Isolate::new(params);
            isolate.set_microtasks_policy(v8::MicrotasksPolicy::Explicit);
            isolate.set_host_import_module_dynamically_callback(modules::import);
            isolate.set_slot(Loader::new(&texts));
            v8::scope!(let handles, &mut isolate);
            let context = v8::Context::new(handles, v8::ContextOptions::default());
            let scope = &mut v8::ContextScope::new(handles, context);
            run(scope, &texts, job)
        }
        Kind::Library => {
            let mut realm = Realm::restore(HEAP_LIMIT_BYTES, engine::STACK_BYTES);
            realm.isolate.set_host_import_module_dynamically_callback(modules::import);
            realm.isolate.set_slot(Loader::new(&texts));
            v8::scope_with_context!(let scope, &mut realm.isolate, &realm.context);
            let natives = Object::new(scope);
            Realm::bind(scope, natives)?;
            run(scope, &texts, job)
        }
    }
}

fn run(scope: &mut PinScope<'_, '_>, texts: &Texts, job: &Job) -> Result<String, String> {
    let host = install_host(scope).ok_or("the host's part does not run")?;
    v8::tc_scope!(let caught, scope);
    let thrown = match test(caught, texts, job) {
        Ok(settled) => {
            settled?;
            None
        }
        Err(()) => caught.exception(),
    };
    caught.reset();
    let outcome = match thrown {
        Some(thrown) => call(caught, host, "describe", &[thrown]),
        None if job.asynchronous => call(caught, host, "heard", &[]),
        None => return Ok("completed".to_owned()),
    };
    let text = outcome.and_then(|text| Local::<v8::String>::try_from(text).ok());
    text.map(|text| text.to_rust_string_lossy(caught)).ok_or_else(|| "it never printed".to_owned())
}

/// Evaluates everything. `Err` leaves an exception behind; the inner error is a module that never settles.
fn test(scope: &mut PinScope<'_, '_>, texts: &Texts, job: &Job) -> Result<Result<(), String>, ()> {
    for text in &texts.harness {
        script(scope, text).ok_or(())?;
    }
    if job.goal == Goal::Script {
        script(scope, &texts.file).ok_or(())?;
        scope.perform_microtask_checkpoint();
        return Ok(Ok(()));
    }
    let evaluation = modules::evaluate(scope, &texts.name).ok_or(())?;
    scope.perform_microtask_checkpoint();
    match evaluation.state() {
        PromiseState::Fulfilled => Ok(Ok(())),
        PromiseState::Pending => Ok(Err("the module never settles".to_owned())),
        PromiseState::Rejected => {
            let reason = evaluation.result(scope);
            scope.throw_exception(reason);
            Err(())
        }
    }
}

fn script<'s>(scope: &mut PinScope<'s, '_>, text: &str) -> Option<Local<'s, Value>> {
    let name = v8::String::new(scope, modules::SCRIPT)?;
    let origin = ScriptOrigin::new(scope, name.into(), 0, 0, false, 0, None, false, false, false, None);
    let text = v8::String::new(scope, text)?;
    Script::compile(scope, text, Some(&origin))?.run(scope)
}

fn install_host<'s>(scope: &mut PinScope<'s, '_>) -> Option<Local<'s, Object>> {
    let install = Local::<v8::Function>::try_from(script(scope, HOST)?).ok()?;
    let undefined = v8::undefined(scope);
    Local::<Object>::try_from(install.call(scope, undefined.into(), &[])?).ok()
}

fn call<'s>(
    scope: &mut PinScope<'s, '_>,
    object: Local<'s, Object>,
    method: &str,
    arguments: &[Local<'s, Value>],
) -> Option<Local<'s, Value>> {
    let key = v8::String::new(scope, method)?;
    let method = Local::<v8::Function>::try_from(object.get(scope, key.into())?).ok()?;
    method.call(scope, object.into(), arguments)
}

/// A module's evaluation.
pub(super) type Evaluation<'s> = Local<'s, Promise>;
