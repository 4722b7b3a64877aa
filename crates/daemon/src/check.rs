//! `codemode check`: one real job end to end, and what hardening its worker has.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use codemode_executor::{HARDENING, HardeningLevel, IsolateExecutor};
use codemode_protocol::{ExecuteRequest, ExecuteResult, Fault, LogLevel, LogLine, Toolbox, Value};

use crate::Status;
use crate::cli::CheckArgs;
use crate::output::Output;

/// Calls a tool with bytes and text, writes a line and returns what the tool answered.
const PROGRAM: &str = "async () => {
  console.log('checked')
  return { sum: 6 * 7, echoed: await check.echo(new Uint8Array([1, 2, 3]), 'text') }
}";

/// Runs the job and prints what came of it.
pub(crate) async fn check(args: &CheckArgs, output: &Output) -> Status {
    let report = Report::make(args.hardening.into()).await;
    if args.json {
        output.json(&report.to_value().to_json());
    } else {
        output.text(report.to_table());
    }
    if report.is_ok() { Status::Done } else { Status::Fault }
}

/// What was found.
struct Report {
    steps: Vec<Step>,
    /// Names and values as the worker reports them.
    capabilities: Vec<(String, String)>,
}

/// One thing that works or does not.
struct Step {
    name: &'static str,
    ok: bool,
    detail: String,
}

impl Step {
    fn new(name: &'static str, ok: bool, detail: String) -> Self {
        Self { name, ok, detail }
    }

    /// A step that took some time, or the fault that it met.
    fn timed(name: &'static str, since: Instant, outcome: Result<(), &Fault>) -> Self {
        match outcome {
            Ok(()) => Self::new(name, true, format!("{:.1} ms", since.elapsed().as_secs_f64() * 1e3)),
            Err(fault) => {
                let causes: String = fault.causes.iter().map(|cause| format!("; cause: {cause}")).collect();
                Self::new(name, false, format!("{}: {fault}{causes}", fault.code))
            }
        }
    }
}

impl Report {
    async fn make(level: HardeningLevel) -> Self {
        let mut steps = Vec::new();
        let capabilities = job(&mut steps, level).await.unwrap_or_default();
        Self { steps, capabilities }
    }

    fn is_ok(&self) -> bool {
        self.steps.iter().all(|step| step.ok)
    }

    fn to_table(&self) -> String {
        let mut table = format!("codemode {}\n", env!("CARGO_PKG_VERSION"));
        if let Some(lacks) = self.lacking() {
            table.push_str(&format!("\nWARNING: hardening is {lacks}\n"));
        }
        let steps = self.steps.iter().map(|step| {
            let ok = if step.ok { "ok" } else { "failed" };
            (step.name, format!("{ok:6}  {}", step.detail))
        });
        section(&mut table, "job", steps);
        let capabilities = self.capabilities.iter().map(|(name, value)| (name.as_str(), value.clone()));
        section(&mut table, "worker", capabilities);
        table
    }

    /// What is said of hardening that is not on, or not all of it.
    fn lacking(&self) -> Option<&str> {
        let said = self.capabilities.iter().find(|(name, _)| name == HARDENING);
        said.map(|(_, value)| value.as_str()).filter(|value| !value.starts_with("on"))
    }

    fn to_value(&self) -> Value {
        let steps = self.steps.iter().map(|step| {
            let mut members = vec![("name", step.name.into()), ("ok", step.ok.into())];
            members.push(("detail", step.detail.as_str().into()));
            Value::object::<_, Value>(members)
        });
        let capabilities = self.capabilities.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Value::object::<_, Value>([
            ("ok", self.is_ok().into()),
            ("version", env!("CARGO_PKG_VERSION").into()),
            ("warning", self.lacking().map_or(Value::Null, |lacks| format!("hardening is {lacks}").into())),
            ("job", Value::Array(steps.collect())),
            ("worker", Value::object(capabilities)),
        ])
    }
}

/// Two columns below a heading; nothing when there is nothing below it.
fn section<'a>(table: &mut String, heading: &str, rows: impl Iterator<Item = (&'a str, String)> + Clone) {
    let Some(width) = rows.clone().map(|(name, _)| name.len()).max() else { return };
    table.push_str(&format!("\n{heading}\n"));
    for (name, value) in rows {
        table.push_str(&format!("  {name:width$}  {}\n", value.trim_end().replace('\n', "\n    ")));
    }
}

/// Runs the job and answers the capabilities, as far as the steps work.
async fn job(steps: &mut Vec<Step>, level: HardeningLevel) -> Option<Vec<(String, String)>> {
    let start = Instant::now();
    let builder = IsolateExecutor::builder().deny_outbound().max_workers(1).spares(1);
    let executor = builder.hardening(level).build();
    let warm = match &executor {
        Ok(executor) => executor.warm_up().await,
        Err(fault) => Err(fault.clone()),
    };
    steps.push(Step::timed("start", start, warm.as_ref().copied()));
    let executor = executor.ok().filter(|_| warm.is_ok())?;

    let seen = Arc::new(Mutex::new(Vec::new()));
    let start = Instant::now();
    let outcome = executor.execute(request(&seen)).await;
    steps.push(Step::timed("run", start, outcome.as_ref().map(|_| ())));
    if let Ok(outcome) = outcome {
        judge(steps, &outcome, &seen.lock().unwrap_or_else(PoisonError::into_inner));
    }
    let capabilities = executor.capabilities();

    let start = Instant::now();
    executor.dispose().await;
    steps.push(Step::timed("end", start, Ok(())));
    Some(capabilities)
}

/// The job, whose tool tells what it was called with.
fn request(seen: &Arc<Mutex<Vec<Value>>>) -> ExecuteRequest {
    let seen = Arc::clone(seen);
    let echo = move |args: Vec<Value>| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&args);
        async move { Ok::<_, String>(args) }
    };
    ExecuteRequest::new(PROGRAM).toolbox(Toolbox::new().tool("check", "echo", echo))
}

/// Compares what came with what the program says.
fn judge(steps: &mut Vec<Step>, outcome: &ExecuteResult, seen: &[Value]) {
    let args = vec![Value::Uint8Array(vec![1, 2, 3]), "text".into()];
    let result = Value::object::<_, Value>([("sum", 42.into()), ("echoed", Value::Array(args.clone()))]);
    let line = LogLine { level: LogLevel::Log, text: "checked".to_owned() };

    steps.push(expect("tool call", &args[..], seen));
    steps.push(expect("console", std::slice::from_ref(&line), &outcome.logs));
    steps.push(match &outcome.error {
        Some(error) => Step::new("result", false, error.clone()),
        None => expect("result", &Some(result), &outcome.result),
    });
}

fn expect<T: PartialEq + std::fmt::Debug + ?Sized>(name: &'static str, wanted: &T, got: &T) -> Step {
    let ok = wanted == got;
    let detail = if ok { "as it should be".to_owned() } else { format!("{got:?} instead of {wanted:?}") };
    Step::new(name, ok, detail)
}
