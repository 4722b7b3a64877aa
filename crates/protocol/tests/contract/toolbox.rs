//! The toolbox.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use codemode_protocol::toolbox::{Args, Json, Toolbox};
use codemode_protocol::{Dispatch, ExecuteRequest, ProviderDescriptor, ToolCall, Value};
use serde::{Deserialize, Serialize};

/// Runs a future that never waits for anything outside itself.
fn run<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..10 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
    panic!("the future never ends")
}

fn call(tools: &Toolbox, provider: &str, tool: &str, args_json: &str) -> String {
    let call = ToolCall { provider: provider.into(), tool: tool.into(), args_json: args_json.into() };
    run(tools.call(call)).expect("a toolbox always answers an envelope")
}

#[derive(Serialize, Deserialize)]
struct Order {
    id: String,
    total: u32,
}

/// Waits once, as a tool that asks somebody else does.
async fn breathe() {
    let mut waited = false;
    std::future::poll_fn(
        |_| if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending },
    )
    .await;
}

fn tools() -> Toolbox {
    Toolbox::new()
        .tool(
            "store",
            "first",
            |args: Vec<Value>| async move { Ok::<_, Infallible>(args.into_iter().next()) },
        )
        .tool("store", "nothing", |_: Vec<Value>| async { Ok::<(), String>(()) })
        .tool("store", "order", |Args((id, total)): Args<(String, Option<u32>)>| async move {
            breathe().await;
            let total = total.ok_or("no total")?;
            Ok::<_, &str>(Json(Order { id, total }))
        })
        .tool("files", "total", |Args(order): Args<Order>| async move { Ok::<_, String>(order.total) })
        .tool("store", "silent", |_: Vec<Value>| async { Err::<(), _>(String::new()) })
        .tool("store", "falls", |_: Vec<Value>| async {
            breathe().await;
            if true {
                panic!("secret of the host")
            }
            Ok::<(), String>(())
        })
        .tool("store", "fallsAtOnce", |args: Vec<Value>| {
            assert!(!args.is_empty(), "secret of the host");
            async { Ok::<_, String>("went well") }
        })
}

#[test]
fn tools_answer_in_the_envelope() {
    let tools = tools();
    let cases = [
        ("store", "first", "[7]", r#"{"result":7}"#),
        ("store", "first", "[null]", r#"{"result":null}"#),
        ("store", "first", "[]", "{}"),
        ("store", "first", "", "{}"),
        ("store", "nothing", "[1,2,3]", "{}"),
        ("store", "order", r#"["o1",42,"extra"]"#, r#"{"result":{"id":"o1","total":42}}"#),
        ("store", "order", r#"["o1"]"#, r#"{"error":"no total"}"#),
        ("files", "total", r#"[{"id":"o1","total":42}]"#, r#"{"result":42}"#),
        ("files", "total", r#"{"id":"o1","total":42}"#, r#"{"result":42}"#),
        ("store", "fallsAtOnce", "[1]", r#"{"result":"went well"}"#),
    ];
    for (provider, tool, args, envelope) in cases {
        assert_eq!(call(&tools, provider, tool, args), envelope, "{provider}.{tool}({args})");
    }
}

#[test]
fn what_goes_wrong_is_an_answer() {
    let tools = tools();
    let unknown = |tool: &str, provider: &str| {
        format!(
            r#"Tool \"{tool}\" not found in provider \"{provider}\". Call only tools that were declared."#
        )
    };
    let failed = |tool: &str| {
        format!(
            r#"Tool \"{tool}\" of provider \"store\" failed in its host. Continue without its answer or return what is already known."#
        )
    };
    let misfit = |tool: &str, detail: &str| {
        format!(
            r#"The arguments of tool \"{tool}\" of provider \"store\" do not fit: {detail}. Call it with the arguments it declares."#
        )
    };
    let cases = [
        ("store", "missing", "[]", unknown("missing", "store")),
        ("files", "first", "[]", unknown("first", "files")),
        ("store", "toString", "[]", unknown("toString", "store")),
        ("__proto__", "first", "[]", unknown("first", "__proto__")),
        ("store", "falls", "[]", failed("falls")),
        ("store", "fallsAtOnce", "[]", failed("fallsAtOnce")),
        ("store", "silent", "[]", failed("silent")),
        ("store", "first", "[", misfit("first", "expected a value at byte 1")),
        ("store", "order", "[1]", misfit("order", "invalid type: integer `1`, expected a string")),
    ];
    for (provider, tool, args, error) in cases {
        assert_eq!(
            call(&tools, provider, tool, args),
            format!(r#"{{"error":"{error}"}}"#),
            "{provider}.{tool}"
        );
    }
    assert_eq!(call(&tools, "store", "first", "[1]"), r#"{"result":1}"#, "the others go on");
}

#[test]
fn a_request_carries_its_box() {
    let tools = Arc::new(tools());
    let request = ExecuteRequest::new("async () => 1").toolbox(Arc::clone(&tools));
    let dispatch = request.dispatch.clone().unwrap();
    let expected = [
        ProviderDescriptor::new("store", ["first", "nothing", "order", "silent", "falls", "fallsAtOnce"]),
        ProviderDescriptor::new("files", ["total"]),
    ];
    assert_eq!(request.providers.as_deref(), Some(&expected[..]));
    let call = ToolCall { provider: "store".into(), tool: "first".into(), args_json: "[1]".into() };
    assert_eq!(run(dispatch.call(call)), Ok(r#"{"result":1}"#.to_owned()));
}

#[test]
fn a_later_tool_replaces_one_of_its_name() {
    let tools = tools().tool("store", "first", |_: Vec<Value>| async { Ok::<_, String>("new") });
    assert_eq!(call(&tools, "store", "first", "[1]"), r#"{"result":"new"}"#);
    assert_eq!(tools.providers()[0].tools.len(), 6);
}
