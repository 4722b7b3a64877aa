//! What runs the programs: our isolates, and other runtimes for comparison.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use serde::{Deserialize, Serialize};

use crate::{Outcome, workspace};

/// A program and where its answer goes.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Job {
    pub(super) id: usize,
    pub(super) code: String,
}

/// The text a program handed over, or why there is none.
pub(super) type Answer = Result<String, String>;

#[derive(Deserialize)]
struct Line {
    id: usize,
    outcome: Option<String>,
    error: Option<String>,
}

/// What stands before the outcome on the standard output of a peer.
const MARK: &str = "\u{1}outcome ";

/// Another runtime.
pub(super) struct Peer {
    pub(super) name: &'static str,
    /// What its `--version` says first.
    pub(super) version: String,
    words: &'static [&'static str],
}

/// The other runtimes that are installed.
pub(super) fn peers() -> Vec<Peer> {
    let known: [(&str, &[&str]); 3] = [("node", &[]), ("deno", &["run", "-A"]), ("bun", &[])];
    let installed = |(name, words): (&'static str, &'static [&'static str])| {
        let output = Command::new(name).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.lines().next()?.split(' ').find(|word| word.contains('.'))?.to_owned();
        Some(Peer { name, version, words })
    };
    known.into_iter().filter_map(installed).collect()
}

impl Peer {
    /// Runs every job in a process of its own, `places` at a time.
    pub(super) fn run(&self, suite: &Path, jobs: &[Job], places: usize) -> Outcome<Vec<Answer>> {
        let script = workspace::root().join("crates/testbed/wpt/peer.mjs");
        let waiting: Mutex<VecDeque<&Job>> = Mutex::new(jobs.iter().collect());
        let answers = Mutex::new(vec![Err("did not run".to_owned()); jobs.len()]);
        let next = || waiting.lock().expect("no thread panics with it").pop_front();
        thread::scope(|scope| {
            for _ in 0..places {
                scope.spawn(|| {
                    while let Some(job) = next() {
                        let answer = self.run_one(&script, suite, job);
                        answers.lock().expect("no thread panics with it")[job.id] = answer;
                    }
                });
            }
        });
        Ok(answers.into_inner().expect("no thread panicked"))
    }

    fn run_one(&self, script: &Path, suite: &Path, job: &Job) -> Answer {
        let mut child = Command::new(self.name)
            .args(self.words)
            .arg(script)
            .arg(suite)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{} did not start: {error}", self.name))?;
        let mut input = child.stdin.take().expect("asked for a pipe");
        // A process that ends early leaves the pipe; what it printed tells why.
        let written = input.write_all(job.code.as_bytes());
        drop(input);
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let outcome = text.lines().find_map(|line| line.strip_prefix(MARK)).map(str::to_owned);
        outcome.ok_or_else(|| match written {
            Ok(()) => format!("no outcome: {}", output.status),
            Err(error) => format!("no outcome: {}, {error}", output.status),
        })
    }
}

/// Runs the jobs in isolates of ours, `places` at a time.
pub(super) fn isolates(suite: &Path, jobs: &[Job], places: usize, release: bool) -> Outcome<Vec<Answer>> {
    let binary = build("wpt-run", release)?;
    let mut child = Command::new(&binary)
        .arg(suite)
        .arg(places.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", binary.display()))?;
    let mut input = child.stdin.take().expect("asked for a pipe");
    let output = BufReader::new(child.stdout.take().expect("asked for a pipe"));
    let mut answers: Vec<Answer> = vec![Err("did not run".to_owned()); jobs.len()];
    thread::scope(|scope| -> Outcome {
        scope.spawn(move || {
            for job in jobs {
                let line = serde_json::to_string(job).expect("strings and numbers");
                if writeln!(input, "{line}").is_err() {
                    break;
                }
            }
        });
        for (done, line) in output.lines().enumerate() {
            let line = line.map_err(|error| error.to_string())?;
            let line: Line = serde_json::from_str(&line).map_err(|error| format!("wpt-run: {error}"))?;
            let answer = line.outcome.ok_or_else(|| line.error.unwrap_or_default());
            *answers.get_mut(line.id).ok_or("wpt-run answers what nobody asked")? = answer;
            if done % 50 == 49 {
                eprintln!("{} of {} programs", done + 1, jobs.len());
            }
        }
        Ok(())
    })?;
    let status = child.wait().map_err(|error| error.to_string())?;
    if status.success() { Ok(answers) } else { Err(format!("wpt-run ended with {status}")) }
}

/// Builds a binary of the testbed, and says where it is.
pub(crate) fn build(name: &str, release: bool) -> Outcome<PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "-p", "codemode-testbed", "--bin", name]);
    command.arg("--message-format=json-render-diagnostics");
    if release {
        command.arg("--release");
    }
    let output = command
        .current_dir(workspace::root())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("{name} does not build"));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let executable = |line: &str| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        (message["target"]["name"] == name).then(|| message["executable"].as_str().map(PathBuf::from))?
    };
    text.lines().find_map(executable).ok_or_else(|| format!("cargo names no {name}"))
}
