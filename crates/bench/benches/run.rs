//! The same figures for criterion.

use codemode_bench::{TRIVIAL, executor};
use codemode_protocol::{ExecuteRequest, ProviderDescriptor, ToolCall, dispatch_fn};
use criterion::Criterion;

fn main() {
    codemode_executor::run_worker_if_requested();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("the runtime of a measuring program starts");
    let executor = executor(2).expect("the defaults are within bounds");
    let mut criterion = Criterion::default().configure_from_args();
    let mut measure = |name: &str, request: &dyn Fn() -> ExecuteRequest| {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| runtime.block_on(executor.execute(request())).expect("the run is served"));
        });
    };
    measure("run", &|| ExecuteRequest::new(TRIVIAL));
    measure("run with a tool call", &|| {
        ExecuteRequest::new("async () => tools.echo(1)")
            .provider(ProviderDescriptor::new("tools", ["echo"]))
            .dispatch(dispatch_fn(|_: ToolCall| async { Ok(r#"{"result":1}"#.to_owned()) }))
    });
    criterion.final_summary();
    runtime.block_on(executor.dispose());
}
