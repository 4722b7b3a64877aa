//! `codemode run`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use codemode_executor::IsolateExecutor;
use codemode_protocol::{
    ExecuteRequest, ExecuteResult, Fault, FaultCode, LogLine, Sentence, Usage, Value, validate_providers,
};

use crate::Status;
use crate::cli::RunArgs;
use crate::input::{self, InputError};
use crate::interrupt::Interrupt;
use crate::meter::Meter;
use crate::output::Output;
use crate::tools::{StartError, ToolCommand};

/// Runs one program and prints what came of it.
pub(crate) async fn run(args: RunArgs, output: &Output) -> Status {
    let json = args.json;
    match Run::prepare(args, output) {
        Ok(run) => run.perform(output).await,
        Err(Refused::Usage(reason)) => {
            output.error_line(&format!("error: {reason}"));
            Status::Usage
        }
        Err(Refused::Fault(fault)) => {
            print_fault(&fault, json, output);
            Status::Fault
        }
    }
}

/// The hint below an error of a program that is a fenced block.
const FENCED: &str = "the program is a fenced block; --normalize makes a program of it";

/// Why a run does not begin.
enum Refused {
    Usage(String),
    Fault(Fault),
}

impl From<Sentence> for Refused {
    fn from(sentence: Sentence) -> Self {
        Refused::Usage(sentence.to_string())
    }
}

impl From<InputError> for Refused {
    fn from(error: InputError) -> Self {
        Refused::Usage(error.to_string())
    }
}

impl From<StartError> for Refused {
    fn from(error: StartError) -> Self {
        Refused::Usage(error.to_string())
    }
}

/// An option out of bounds is wrong usage, whoever knows the bounds.
impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        match fault.code {
            FaultCode::InvalidRequest => Refused::Usage(fault.message),
            _ => Refused::Fault(fault),
        }
    }
}

/// A run whose every input is there.
struct Run {
    json: bool,
    /// What to say below an error of this program.
    hint: Option<&'static str>,
    request: ExecuteRequest,
    executor: IsolateExecutor,
    tools: Option<ToolCommand>,
    interrupt: Interrupt,
    /// The console lines so far, for the outcome of a run that is given up. Printed lines are not kept.
    lines: Arc<Mutex<Vec<LogLine>>>,
}

/// How a run came to its end.
enum Ended {
    Settled(ExecuteResult),
    Faulted(Fault),
    Interrupted(Status, Usage),
}

impl Run {
    /// Reads the files, starts the command of the tools and builds the executor.
    fn prepare(args: RunArgs, output: &Output) -> Result<Self, Refused> {
        validate_providers(&args.providers)?;
        let mut code = input::program(&args.program)?;
        let mut hint = None;
        if args.normalize {
            code = codemode_adapter::normalize_code(&code);
        } else if code.trim_start().starts_with("```") {
            hint = Some(FENCED);
        }
        let mut request = ExecuteRequest::new(code)
            .modules(input::modules(&args.modules)?)
            .timeout(Duration::from_millis(args.timeout))
            .count_host_waits(args.count_host_waits)
            .outbound(args.outbound.into());
        request.providers = Some(args.providers);

        let lines = Arc::default();
        request = request.log_sink(sink(args.json, output, &lines));
        // One program runs, so one place is enough and nothing is worth forking ahead. An option out of bounds shows here.
        let executor = IsolateExecutor::builder().memory_mb(args.memory).max_workers(1).spares(0).build()?;
        let interrupt = Interrupt::listen().map_err(|error| {
            Fault::new(FaultCode::Internal, "Signals cannot be waited for.").caused_by(error.to_string())
        })?;
        let tools = args.dispatch.as_deref().map(ToolCommand::start).transpose()?;
        if let Some(tools) = &tools {
            request = request.dispatch(tools.dispatch());
        }
        Ok(Self { json: args.json, hint, request, executor, tools, interrupt, lines })
    }

    async fn perform(mut self, output: &Output) -> Status {
        let meter = Meter::start(&mut self.request);
        let ended = tokio::select! {
            settled = self.executor.execute(self.request) => match settled {
                Ok(outcome) => Ended::Settled(outcome),
                Err(fault) => Ended::Faulted(fault),
            },
            status = self.interrupt.wait() => Ended::Interrupted(status, meter.usage()),
        };
        let status = print(ended, self.json, self.hint, &self.lines, output);
        // The result is out; what is left is to leave nothing behind.
        let dispose = self.executor.dispose();
        match self.tools {
            Some(tools) => _ = tokio::join!(tools.end(), dispose),
            None => dispose.await,
        }
        status
    }
}

/// Prints console lines as they come, or keeps them where the outcome is one object.
fn sink(
    json: bool,
    output: &Output,
    lines: &Arc<Mutex<Vec<LogLine>>>,
) -> impl Fn(&LogLine) + Send + Sync + 'static {
    let (output, lines) = (output.clone(), Arc::clone(lines));
    move |line| {
        if json {
            lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.clone());
        } else {
            output.log(line);
        }
    }
}

fn print(
    ended: Ended,
    json: bool,
    hint: Option<&str>,
    lines: &Mutex<Vec<LogLine>>,
    output: &Output,
) -> Status {
    let (outcome, status) = match ended {
        Ended::Settled(outcome) => {
            let status = if outcome.error.is_some() { Status::Failed } else { Status::Done };
            (outcome, status)
        }
        Ended::Interrupted(status, usage) => {
            let sentence = Sentence::ExecutionCancelled;
            let mut outcome = ExecuteResult::failed(sentence.kind(), sentence.to_string());
            outcome.usage = usage;
            outcome.logs = std::mem::take(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner));
            (outcome, status)
        }
        Ended::Faulted(fault) => {
            print_fault(&fault, json, output);
            return Status::Fault;
        }
    };
    if json {
        output.json(&outcome.to_value().to_json());
    } else {
        output.outcome(&outcome, hint);
    }
    status
}

fn print_fault(fault: &Fault, json: bool, output: &Output) {
    if json {
        output.json(&Value::object([("fault", fault.to_value())]).to_json());
    } else {
        output.fault(fault);
    }
}
