//! What the code cache saves a worker: `cargo run --release -p codemode-bench --example code_cache -- FILE.mjs...`,
//! for modules that import nothing.
//!
//! The last lines are whole runs through an executor that keeps no code, and through one that does.
//!
//! Each sample is an isolate of its own, as each run is. The first cache is made right behind compilation, which is all
//! that a process may do that has run no program; the second one behind evaluation, which only a trusted source allows.

use std::time::{Duration, Instant};

use codemode_executor::{ExecuteRequest, IsolateExecutor};
use codemode_protocol::{ModuleMap, ModuleSource};
use codemode_runtime::v8::{self, script_compiler};
use codemode_runtime::{Realm, engine};

const SAMPLES: usize = 40;

/// Time to compile, and to link and evaluate.
type Sample = (Duration, Duration);

fn main() {
    codemode_executor::run_worker_if_requested();
    engine::start();
    println!("{:<28} {:>9} {:>10} {:>10} {:>10}", "", "KB", "compile ms", "run ms", "cache KB");
    for file in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&file).expect("the file can be read");
        let name = file.rsplit('/').next().unwrap_or_default();
        let (compiled, evaluated) = caches(&source);
        report(name, &source, None);
        report("  cache of compilation", &source, Some(&compiled));
        report("  cache of evaluation", &source, Some(&evaluated));
        for (what, limit) in [("none kept", 0), ("kept", 64 << 20)] {
            println!("  whole runs, {what}: {:.3} ms", whole_run_ms(&source, limit));
        }
    }
}

/// The median of whole runs that import the module.
fn whole_run_ms(source: &str, code_cache_bytes: usize) -> f64 {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    runtime.block_on(async {
        let executor =
            IsolateExecutor::builder().code_cache_bytes(code_cache_bytes).build().expect("settings");
        executor.warm_up().await.expect("workers start");
        let modules = ModuleMap(vec![("library".to_owned(), ModuleSource::Js(source.to_owned()))]);
        let mut times = Vec::new();
        for _ in 0..3 * SAMPLES {
            let code = "import * as library from 'library'\nasync () => Object.keys(library).length";
            let request = ExecuteRequest::new(code).modules(modules.clone());
            let started = Instant::now();
            let result = executor.execute(request).await.expect("the run is served");
            times.push(started.elapsed());
            assert!(result.error.is_none(), "{result:?}");
            // Code is made behind the second run.
            while executor.counts().running > 0 {
                tokio::task::yield_now().await;
            }
        }
        executor.dispose().await;
        // The first ones have none yet.
        let mut later = times.split_off(SAMPLES);
        later.sort();
        later[later.len() / 2].as_secs_f64() * 1e3
    })
}

fn report(name: &str, source: &str, cache: Option<&[u8]>) {
    let mut samples: Vec<Sample> = (0..SAMPLES).map(|_| sample(source, cache)).collect();
    let mut median = |of: fn(&Sample) -> Duration| {
        samples.sort_by_key(of);
        of(&samples[SAMPLES / 2]).as_secs_f64() * 1e3
    };
    let (compile, run) = (median(|sample| sample.0), median(|sample| sample.1));
    let size = cache.map_or(0, <[u8]>::len) as f64 / 1024.0;
    println!("{name:<28} {:>9.0} {compile:>10.3} {run:>10.3} {size:>10.0}", source.len() as f64 / 1024.0);
}

fn caches(source: &str) -> (Vec<u8>, Vec<u8>) {
    let mut realm = Realm::restore(64 << 20, engine::STACK_BYTES);
    v8::scope_with_context!(let scope, &mut realm.isolate, &realm.context);
    let module = compile(scope, source, None);
    let make = |module: v8::Local<'_, v8::Module>, scope: &mut v8::PinScope<'_, '_>| {
        module.get_unbound_module_script(scope).create_code_cache().expect("a module has a cache").to_vec()
    };
    let compiled = make(module, scope);
    evaluate(scope, module);
    (compiled, make(module, scope))
}

fn sample(source: &str, cache: Option<&[u8]>) -> Sample {
    let mut realm = Realm::restore(64 << 20, engine::STACK_BYTES);
    v8::scope_with_context!(let scope, &mut realm.isolate, &realm.context);
    let started = Instant::now();
    let module = compile(scope, source, cache);
    let compiled = started.elapsed();
    evaluate(scope, module);
    (compiled, started.elapsed() - compiled)
}

fn compile<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    source: &str,
    cache: Option<&[u8]>,
) -> v8::Local<'s, v8::Module> {
    let name = v8::String::new(scope, "library").expect("a short string");
    let origin = v8::ScriptOrigin::new(scope, name.into(), 0, 0, false, 0, None, false, false, true, None);
    let text = v8::String::new(scope, source).expect("a string");
    let Some(cache) = cache else {
        let mut source = script_compiler::Source::new(text, Some(&origin));
        return script_compiler::compile_module(scope, &mut source).expect("the module compiles");
    };
    let data = script_compiler::CachedData::new(cache);
    let mut source = script_compiler::Source::new_with_cached_data(text, Some(&origin), data);
    let (options, reason) =
        (script_compiler::CompileOptions::ConsumeCodeCache, script_compiler::NoCacheReason::NoReason);
    let module =
        script_compiler::compile_module2(scope, &mut source, options, reason).expect("the module compiles");
    assert!(source.get_cached_data().is_some_and(|data| !data.rejected()), "the cache was refused");
    module
}

fn evaluate(scope: &mut v8::PinScope<'_, '_>, module: v8::Local<'_, v8::Module>) {
    module
        .instantiate_module(scope, |_, _, _, _| panic!("the module imports something"))
        .expect("the module links");
    module.evaluate(scope).expect("the module evaluates");
    scope.perform_microtask_checkpoint();
}
