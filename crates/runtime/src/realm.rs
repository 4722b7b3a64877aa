//! [`Realm`]: one isolate and one context with the library in it.

use v8::{ContextOptions, CreateParams, Global, Isolate, Local, MicrotasksPolicy, Object, OwnedIsolate};

use crate::{engine, snapshot::SNAPSHOT};

/// The name under which the snapshot publishes its handshake. Read once and deleted.
const HANDSHAKE: &str = "__hostBindings";

/// An isolate restored from the snapshot, with its context.
pub struct Realm {
    /// The isolate. Microtasks run only where the embedder says so.
    pub isolate: OwnedIsolate,
    /// The context that programs run in.
    pub context: Global<v8::Context>,
}

impl Realm {
    /// Restores a realm whose heap may grow to `heap_limit_bytes`, and whose programs may use `stack_bytes` of the
    /// stack below this call, at most [`engine::STACK_BYTES`]. Starts the engine if need be.
    pub fn restore(heap_limit_bytes: usize, stack_bytes: usize) -> Self {
        engine::start();
        let params = CreateParams::default()
            .snapshot_blob(v8::StartupData::from(SNAPSHOT))
            .heap_limits(0, heap_limit_bytes);
        engine::bound_stack(stack_bytes.min(engine::STACK_BYTES));
        let mut isolate = Isolate::new(params);
        isolate.set_microtasks_policy(MicrotasksPolicy::Explicit);
        isolate.set_allow_atomics_wait(false);
        let context = {
            v8::scope!(let handles, &mut isolate);
            let context = v8::Context::new(handles, ContextOptions::default());
            Global::new(handles, context)
        };
        Self { isolate, context }
    }

    /// Hands the host's functions to the library and answers what the embedder needs of it: an object with
    /// `settle`, `expire`, `dispatch`, `provider`, `fireTimer`, the two notifications of rejections and the two
    /// faces of the dispatch codec.
    ///
    /// # Errors
    /// A text when the context was not restored from this snapshot, or the handshake threw.
    pub fn bind<'s>(
        scope: &mut v8::PinScope<'s, '_>,
        natives: Local<'s, Object>,
    ) -> Result<Local<'s, Object>, String> {
        let global = scope.get_current_context().global(scope);
        let name = v8::String::new(scope, HANDSHAKE).ok_or("out of memory")?;
        let handshake = global
            .get(scope, name.into())
            .and_then(|value| Local::<v8::Function>::try_from(value).ok())
            .ok_or("The isolate was created without the runtime snapshot.")?;
        global.delete(scope, name.into());
        let undefined = v8::undefined(scope);
        handshake
            .call(scope, undefined.into(), &[natives.into()])
            .and_then(|value| Local::<Object>::try_from(value).ok())
            .ok_or_else(|| "the library refused the host's functions".to_owned())
    }
}
