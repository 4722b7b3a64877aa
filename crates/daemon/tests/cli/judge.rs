//! Compares what came with what the case says.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::case::Case;
use crate::play::Outcome;

/// How long a process that was killed may take to be gone.
const DYING: Duration = Duration::from_secs(5);

/// Everything that is not as the case says, in one text.
pub(crate) fn judge(case: &Case, outcome: &Outcome) -> Result<(), String> {
    let mut findings = Vec::new();
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    if outcome.status.code() != Some(case.status) {
        findings.push(format!("{} instead of {}", outcome.status, case.status));
    }
    let says_nothing =
        case.stdout_has.is_empty() && case.stdout_bytes.is_none() && case.stdout_json.is_none();
    compare(&mut findings, "stdout", &case.stdout, says_nothing, &stdout);
    compare(&mut findings, "stderr", &case.stderr, case.stderr_has.is_empty(), &outcome.stderr);
    has(&mut findings, "stdout", &case.stdout_has, &stdout);
    has(&mut findings, "stderr", &case.stderr_has, &outcome.stderr);
    for part in case.stderr_lacks.iter().filter(|part| outcome.stderr.contains(*part)) {
        findings.push(format!("stderr has {part:?}"));
    }
    if case.stdout_bytes.is_some_and(|size| size != stdout.len()) {
        findings.push(format!("stdout has {} bytes", stdout.len()));
    }
    if let Some(wanted) = &case.stdout_json {
        let wanted: Json = serde_json::from_str(wanted).unwrap();
        match serde_json::from_str(&stdout) {
            Ok(got) if stdout.lines().count() == 1 => is_part("stdout", &wanted, &got, &mut findings),
            _ => findings.push("stdout is not one line of JSON".to_owned()),
        }
    }
    if let Some(file) = &case.gone {
        findings.extend(still_there(&outcome.folder.join(file)));
    }
    if findings.is_empty() {
        return Ok(());
    }
    let shown: String = stdout.chars().take(2_000).collect();
    Err(format!("{}\n--- stdout\n{shown}\n--- stderr\n{}", findings.join("\n"), outcome.stderr))
}

/// All of an output, which has to be empty where nothing else is said of it.
fn compare(findings: &mut Vec<String>, name: &str, wanted: &Option<String>, says_nothing: bool, got: &str) {
    match wanted {
        Some(wanted) if wanted != got => findings.push(format!("{name} is not {wanted:?}")),
        None if says_nothing && !got.is_empty() => findings.push(format!("{name} is not empty")),
        _ => {}
    }
}

fn has(findings: &mut Vec<String>, name: &str, parts: &[String], got: &str) {
    findings.extend(
        parts.iter().filter(|part| !got.contains(*part)).map(|part| format!("{name} lacks {part:?}")),
    );
}

/// Every member that is wanted is there. `"absent"` as `{"absent": true}` wants that there is none.
fn is_part(path: &str, wanted: &Json, got: &Json, findings: &mut Vec<String>) {
    match (wanted, got) {
        (Json::Object(wanted), Json::Object(got)) => {
            for (name, wanted) in wanted {
                let path = format!("{path}.{name}");
                match got.get(name) {
                    None if is_absent(wanted) => {}
                    None => findings.push(format!("{path} is absent")),
                    Some(got) => is_part(&path, wanted, got, findings),
                }
            }
        }
        (Json::Array(wanted), Json::Array(got)) if wanted.len() == got.len() => {
            for (index, (wanted, got)) in wanted.iter().zip(got).enumerate() {
                is_part(&format!("{path}[{index}]"), wanted, got, findings);
            }
        }
        _ if wanted == got => {}
        _ => findings.push(format!("{path} is {got} instead of {wanted}")),
    }
}

fn is_absent(wanted: &Json) -> bool {
    wanted.get("absent").is_some()
}

/// Processes that outlived the case.
fn still_there(file: &Path) -> Vec<String> {
    let Ok(text) = fs::read_to_string(file) else { return vec![format!("there is no {}", file.display())] };
    assert!(!text.trim().is_empty(), "{} names no process", file.display());
    let given_up = Instant::now() + DYING;
    text.split_whitespace()
        .filter(|pid| !is_gone(pid, given_up))
        .map(|pid| format!("process {pid} is still there"))
        .collect()
}

/// Whether a process ends in time. One that only waits for its parent to take note has ended.
fn is_gone(pid: &str, given_up: Instant) -> bool {
    let is_alive = || {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, after_name) = stat.rsplit_once(") ")?;
        (!after_name.starts_with(['Z', 'X'])).then_some(())
    };
    while is_alive().is_some() {
        if Instant::now() > given_up {
            return false;
        }
        thread::yield_now();
    }
    true
}
