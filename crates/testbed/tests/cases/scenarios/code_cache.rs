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

fn request(name: &str) -> ExecuteRequest {
    ExecuteRequest::new(PROGRAM).modules(ModuleMap(vec![
        ("library".to_owned(), ModuleSource::Js(library(name))),
        ("common".to_owned(), ModuleSource::Cjs(common(name))),
    ]))
}

pub(crate) fn modules_that_come_again_are_compiled_once(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor = IsolateExecutor::builder().build().map_err(|fault| fault.to_string())?;
        // What the engine is has to be known before a source can be.
        executor.warm_up().await.map_err(|fault| fault.to_string())?;
        let run = async |name: &str| match executor.execute(request(name)).await {
            Ok(result) if result.result == expected(name) => Ok(()),
            other => Err(format!("{other:?}")),
        };
        run("first").await?;
        run("first").await?;
        // Both are compiled behind the second run.
        let kept = async {
            let mut last = 0;
            while executor.counts().running > 0 || executor.code_cache_bytes() == 0 {
                last = executor.code_cache_bytes();
                tokio::task::yield_now().await;
            }
            last.max(executor.code_cache_bytes())
        };
        let kept =
            tokio::time::timeout(Duration::from_secs(30), kept).await.map_err(|_| "nothing is kept")?;
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
