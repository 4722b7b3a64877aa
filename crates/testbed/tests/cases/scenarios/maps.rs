//! Module maps of a size that no hand writes.

use codemode_executor::{ExecuteRequest, ExecuteResult, IsolateExecutor};
use codemode_protocol::{FailureKind, ModuleMap, ModuleSource, Value};

use crate::Suite;

/// As many modules as a bundler's input has.
const MODULES: usize = 10_000;

/// The modules of a shape: the source of each by its number.
fn map(source: impl Fn(usize) -> String) -> ModuleMap {
    ModuleMap(
        (0..MODULES).map(|index| (format!("lib/m{index}.js"), ModuleSource::Js(source(index)))).collect(),
    )
}

/// What a run of this shape comes to.
async fn run(executor: &IsolateExecutor, code: &str, modules: ModuleMap) -> Result<ExecuteResult, String> {
    executor
        .execute(ExecuteRequest::new(code).modules(modules))
        .await
        .map_err(|fault| format!("{}: {fault} {:?}", fault.code, fault.causes))
}

pub(crate) fn ten_thousand_modules_in_a_row_a_ring_and_a_star(suite: &Suite) -> Result<(), String> {
    let last = MODULES - 1;
    let code = "import last from 'lib/m0.js'\nasync () => last";
    let star: String = (0..last).map(|index| format!("import m{index} from './m{index}.js';\n")).collect();
    let sum: String = (0..last).map(|index| format!("m{index} + ")).collect();
    let shapes = [
        (
            "a star",
            "import sum from 'lib/m9999.js'\nasync () => sum".to_owned(),
            map(|index| {
                if index == last {
                    format!("{star}export default [{}]", sum.replace(" + ", ","))
                } else {
                    format!("export default {index}")
                }
            }),
            false,
        ),
        (
            "a row",
            code.to_owned(),
            map(|index| match index {
                _ if index == last => "export default 'the end'".to_owned(),
                _ => format!("export {{ default }} from './m{}.js'", index + 1),
            }),
            true,
        ),
        (
            "a ring",
            code.to_owned(),
            map(|index| format!("import './m{}.js'; export default {index}", (index + 1) % MODULES)),
            true,
        ),
        (
            "a row of import()",
            "async () => (await import('lib/m0.js')).default".to_owned(),
            map(|index| match index {
                _ if index == last => "export default 'the end'".to_owned(),
                _ => format!("export default (await import('./m{}.js')).default", index + 1),
            }),
            false,
        ),
    ];
    suite.runtime.block_on(async {
        let executor = IsolateExecutor::builder()
            .max_workers(1)
            .memory_mb(512)
            .build()
            .map_err(|fault| fault.to_string())?;
        for (shape, code, modules, deep) in shapes {
            let result = run(&executor, &code, modules).await.map_err(|fault| format!("{shape}: {fault}"))?;
            let deepest = result.error.as_deref() == Some("Maximum call stack size exceeded");
            let served = match &result.result {
                Some(Value::Array(numbers)) => numbers.len() == last,
                Some(Value::Number(number)) => *number == 0.0,
                Some(Value::String(text)) => text == "the end",
                _ => false,
            };
            // The engine links and evaluates a graph by recursion, so that one of this depth may be past its stack.
            if !(served || (deep && deepest)) {
                return Err(format!("{shape}: {:?} {:?}", result.kind, result.error));
            }
        }
        executor.dispose().await;
        Ok(())
    })
}

pub(crate) fn a_map_past_the_payload_bound_is_refused_in_band(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(async {
        let executor =
            IsolateExecutor::builder().max_workers(1).build().map_err(|fault| fault.to_string())?;
        let modules = ModuleMap(
            (0..33).map(|index| (format!("m{index}"), ModuleSource::Text("x".repeat(1 << 20)))).collect(),
        );
        let result = run(&executor, "async () => 1", modules).await?;
        executor.dispose().await;
        if result.kind == Some(FailureKind::Payload) { Ok(()) } else { Err(format!("{result:?}")) }
    })
}
