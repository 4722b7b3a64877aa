//! Comparing what came back with what a case expects.

use codemode_executor::ExecuteResult;
use codemode_protocol::{LogLine, defaults};

use crate::case::{Bound, Expect, Run, Settings};
use crate::notation;
use crate::stage::Performance;

/// What differs between `performed` and what `run` expects.
///
/// # Errors
/// The differences, one a line.
pub fn check(run: &Run, settings: &Settings, performed: &Performance) -> Result<(), String> {
    let bounds = Bounds {
        timeout_ms: run.timeout_ms.or(settings.timeout_ms),
        memory_mb: settings.memory_mb.unwrap_or(defaults::MEMORY_MB),
    };
    let problems: Vec<Vec<String>> =
        run.expectations().map(|expected| differences(expected, &bounds, performed)).collect();
    let mut shared = Vec::new();
    if !problems.iter().any(Vec::is_empty) {
        shared = problems.concat();
    }
    if let Some(calls) = &run.calls {
        differ(&mut shared, "calls", calls, &performed.calls);
    }
    for (index, (invoke, got)) in run.invoke.iter().zip(&performed.invocations).enumerate() {
        let sentence = |bound| text_of(bound, &bounds);
        shared.extend(
            invoke.differences(got, sentence).iter().map(|text| format!("invocation {index}: {text}")),
        );
    }
    if run.invoke.len() != performed.invocations.len() {
        shared.push(format!("{} of {} invocations", performed.invocations.len(), run.invoke.len()));
    }
    if let Ok(result) = &performed.outcome {
        let lines = texts(&result.logs);
        differ(&mut shared, "lines at the sink", &lines, &texts(&performed.lines));
    }
    if shared.is_empty() { Ok(()) } else { Err(shared.join("\n")) }
}

struct Bounds {
    timeout_ms: Option<u64>,
    memory_mb: u32,
}

fn differences(expected: &Expect, bounds: &Bounds, performed: &Performance) -> Vec<String> {
    let mut problems = Vec::new();
    match (&performed.outcome, &expected.fault) {
        (Ok(result), None) => compare(&mut problems, expected, bounds, result),
        (Err(fault), Some(code)) if fault.code.as_str() == code => {}
        (Err(fault), _) => {
            problems.push(format!("fault {} {:?} {:?}", fault.code, fault.message, fault.causes));
        }
        (Ok(result), Some(code)) => problems.push(format!("no fault {code}: {}", show(result))),
    }
    compare_logs(&mut problems, expected, &texts(&performed.lines));
    problems
}

fn compare(problems: &mut Vec<String>, expected: &Expect, bounds: &Bounds, got: &ExecuteResult) {
    let sentence;
    let (error, kind) = match expected.bound {
        Some(bound) => {
            sentence = text_of(bound, bounds);
            (Some(&sentence.0), Some(sentence.1))
        }
        None => {
            let fails = expected.error.is_some() || expected.error_has.is_some();
            (expected.error.as_ref(), fails.then(|| expected.kind.as_deref().unwrap_or("thrown")))
        }
    };
    let has = |part: &String| got.error.as_ref().is_some_and(|error| error.contains(part.as_str()));
    let same_error = match &expected.error_has {
        Some(part) => has(part),
        None => got.error.as_ref() == error,
    };
    let value = match expected.result.as_deref().map(notation::value) {
        Some(Err(problem)) => return problems.push(problem),
        Some(Ok(value)) => Some(value),
        None => None,
    };
    let handles: &[&str] = if expected.handles { &["fetch"] } else { &[] };
    if got.handles.as_deref().unwrap_or_default() != handles {
        problems.push(format!("handles: got {:?}, expected {handles:?}", got.handles));
    }
    if !same_error || got.kind.map(|kind| kind.as_str()) != kind || got.result != value {
        let wanted = match (&value, error.or(expected.error_has.as_ref())) {
            (Some(value), _) => notation::show(value),
            (None, Some(error)) => format!("{} {error:?}", kind.unwrap_or_default()),
            (None, None) => "undefined".to_owned(),
        };
        problems.push(format!("got      {}\nexpected {wanted}", show(got)));
    }
}

/// The sentence and the kind of a bound, as the documents have them.
fn text_of(bound: Bound, bounds: &Bounds) -> (String, &'static str) {
    match bound {
        Bound::Timeout => {
            let ms = bounds.timeout_ms.unwrap_or_default();
            let text = format!(
                "Execution timed out at its {ms} ms bound. Do less work per run and return the part that is already finished."
            );
            (text, "timeout")
        }
        Bound::Memory => {
            let mb = bounds.memory_mb;
            let text = format!(
                "Execution exceeded its {mb} MB memory limit. Hold less data at once and return the part that is needed."
            );
            (text, "memory")
        }
    }
}

fn compare_logs(problems: &mut Vec<String>, expected: &Expect, lines: &[String]) {
    if expected.first_log.is_none() && expected.last_log.is_none() {
        return differ(problems, "logs", &expected.logs, lines);
    }
    let ends = [(&expected.first_log, lines.first()), (&expected.last_log, lines.last())];
    for (expected, got) in ends {
        if expected.is_some() && expected.as_ref() != got {
            problems.push(format!("of {} lines one end is {got:?}, expected {expected:?}", lines.len()));
        }
    }
}

fn differ(problems: &mut Vec<String>, what: &str, expected: &[String], got: &[String]) {
    if expected != got {
        problems.push(format!("{what}: got {}, expected {}", list(got), list(expected)));
    }
}

fn list(lines: &[String]) -> String {
    match lines.len() {
        0..=20 => format!("{lines:?}"),
        count => format!("{:?} and {} more", &lines[..20], count - 20),
    }
}

fn texts(lines: &[LogLine]) -> Vec<String> {
    lines.iter().map(|line| format!("{} {}", line.level.as_str(), line.text)).collect()
}

fn show(result: &ExecuteResult) -> String {
    let text = match (&result.error, &result.result) {
        (Some(error), _) => format!("{} {error:?}", result.kind.map_or("", |kind| kind.as_str())),
        (None, Some(value)) => notation::show(value),
        (None, None) => "undefined".to_owned(),
    };
    match text.char_indices().nth(2_000) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}
