//! Compiled code of modules: that it is made, used and right, and that what is no code of theirs is ignored.

use std::time::Duration;

use codemode_executor::{ExecuteRequest, IsolateExecutor, Value};
use codemode_pool::ipc::frame::{Module, ModuleBody};
use codemode_pool::{FailKind, Job, Outcome, Pool, PoolConfig, RunRequest};
use codemode_protocol::{ModuleMap, ModuleSource};

use crate::Suite;

/// A module of many functions, longer than the shortest whose code is kept.
fn library(name: &str) -> String {
    let functions = (0..600).map(|n| format!("export function f{n}(x) {{ return x + {n} }}\n"));
    format!("export const name = '{name}'\n{}", functions.collect::<String>())
}

/// The same in CommonJS.
fn common(name: &str) -> String {
    library(name)
        .replace("export function ", "exports.f = function ")
        .replace("export const name =", "exports.name =")
}

const PROGRAM: &str = "import { f41, name } from 'library'
import common from 'common'
async () => [f41(1), name, common.name, common.f(1)]";

fn expected(name: &str) -> Option<Value> {
    let text = |text: &str| Value::from(text);
    Some(Value::Array(vec![Value::Number(42.0), text(name), text(name), Value::Number(600.0)]))
}

fn modules(name: &str) -> [(String, ModuleSource); 2] {
    [
        ("library".to_owned(), ModuleSource::Js(library(name))),
        ("common".to_owned(), ModuleSource::Cjs(common(name))),
    ]
}

pub(crate) fn modules_that_come_again_are_compiled_once(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = IsolateExecutor::builder().build().map_err(|fault| fault.to_string())?;
        // What the engine is has to be known before a source can be.
        executor.warm_up().await.map_err(|fault| fault.to_string())?;
        let run = async |name: &str| {
            let request = ExecuteRequest::new(PROGRAM).modules(ModuleMap(modules(name).into()));
            match executor.execute(request).await {
                Ok(result) if result.result == expected(name) => Ok(()),
                other => Err(format!("{other:?}")),
            }
        };
        let mut kept = 0;
        for (name, source) in modules("first") {
            let request =
                ExecuteRequest::new("async () => 1").modules(ModuleMap(vec![(name.clone(), source)]));
            for _ in 0..2 {
                executor.execute(request.clone()).await.map_err(|fault| fault.to_string())?;
            }
            // It is compiled behind the second run.
            let longer = async {
                while executor.code_cache_bytes() == kept {
                    tokio::task::yield_now().await;
                }
                executor.code_cache_bytes()
            };
            kept = tokio::time::timeout(Duration::from_secs(30), longer)
                .await
                .map_err(|_| format!("nothing is kept of {name}"))?;
        }
        for _ in 0..3 {
            run("first").await?;
        }
        // Of the same length, and another source: it gets nothing of the first.
        run("other").await?;
        if executor.code_cache_bytes() != kept {
            return Err(format!("{kept} bytes, then {}", executor.code_cache_bytes()));
        }
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn code_that_is_none_is_ignored(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let pool = Pool::new(PoolConfig::default()).map_err(|fault| fault.to_string())?;
        let compile = async |body: ModuleBody| {
            let module = Module { name: "m".to_owned(), body, code_cache: None };
            let request = RunRequest { modules: vec![module], compile_only: true, ..RunRequest::default() };
            pool.run(Job::new(request))
                .await
                .map(|finished| finished.outcome)
                .map_err(|fault| fault.to_string())
        };
        // A module that throws when it runs compiles: nothing ran.
        let throwing = format!("throw new Error('it ran')\n{}", library("x").replace("export ", ""));
        let Outcome::Compiled(code) = compile(ModuleBody::Js(library("first"))).await? else {
            return Err("not compiled".to_owned());
        };
        if !matches!(compile(ModuleBody::Js(throwing)).await?, Outcome::Compiled(_)) {
            return Err("a module that would throw was not compiled".to_owned());
        }
        for body in [ModuleBody::Js("export {".repeat(3)), ModuleBody::Json("1".to_owned())] {
            match compile(body).await? {
                Outcome::Failed { kind: FailKind::Syntax, .. } => {}
                other => return Err(format!("{other:?}")),
            }
        }
        let mut other_version = code.clone();
        other_version[4] ^= 0xFF;
        let blobs = [
            code.clone(),
            Vec::new(),
            vec![0; 64],
            code[..code.len() / 2].to_vec(),
            other_version,
            b"no code".repeat(1_000),
        ];
        for (index, blob) in blobs.into_iter().enumerate() {
            let module = Module {
                // The name is that of this run, not of the compilation.
                name: "library".to_owned(),
                body: ModuleBody::Js(library("first")),
                code_cache: Some(blob),
            };
            let code = "import { f41 } from 'library'\nasync () => f41(1)".to_owned();
            let request = RunRequest { code, modules: vec![module], ..RunRequest::default() };
            match pool.run(Job::new(request)).await.map(|finished| finished.outcome) {
                Ok(Outcome::Envelope(text)) if text == "{\"result\":42}" => {}
                other => return Err(format!("blob {index}: {other:?}")),
            }
        }
        pool.dispose().await;
        Ok(())
    })
}
