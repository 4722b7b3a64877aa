//! What runs the jobs: workers of an executor, isolates of the same engine, and a Node for comparison.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use serde::Deserialize;

use super::plan::Job;
use super::verdict::Answer;
use crate::{Outcome, workspace};

/// How many processes run at a time where each takes one job after another.
const PLACES: usize = 2;

/// The most jobs that one process is given.
const BATCH: usize = 500;

#[derive(Deserialize)]
struct Line {
    id: usize,
    outcome: Option<String>,
    error: Option<String>,
}

/// Something that runs jobs.
#[derive(Clone, Debug)]
pub(super) struct Engine {
    words: Vec<PathBuf>,
}

impl Engine {
    /// The program `test262-run`, in one of its places.
    pub(super) fn ours(binary: &Path, suite: &Path, place: &str) -> Self {
        Self { words: vec![binary.to_path_buf(), suite.to_path_buf(), place.into()] }
    }

    /// A Node.
    pub(super) fn node(binary: &Path, suite: &Path) -> Self {
        let peer = workspace::root().join("crates/testbed/test262/peer.cjs");
        Self { words: vec![binary.to_path_buf(), peer, suite.to_path_buf()] }
    }

    /// Runs jobs in one process that takes many at a time. The answers stand at the numbers of their jobs.
    pub(super) fn all(&self, jobs: &[Job]) -> Outcome<Vec<Answer>> {
        let mut answers: Vec<Answer> = vec![Err("did not run".to_owned()); jobs.len()];
        let mut done = 0;
        self.ask(jobs.iter(), |id, answer| {
            answers[id] = answer;
            done += 1;
            if done % 5_000 == 0 {
                eprintln!("{done} of {} runs", jobs.len());
            }
        })?;
        Ok(answers)
    }

    /// Runs some jobs, by number, in processes that take one after another and may die of one.
    pub(super) fn each(&self, jobs: &[&Job]) -> Outcome<Vec<(usize, Answer)>> {
        let waiting: Mutex<VecDeque<&[&Job]>> = Mutex::new(jobs.chunks(BATCH).collect());
        let answers = Mutex::new(Vec::with_capacity(jobs.len()));
        let next = || waiting.lock().expect("no thread panics with it").pop_front();
        thread::scope(|scope| {
            let work = || -> Outcome {
                while let Some(batch) = next() {
                    let answered = self.batch(batch)?;
                    answers.lock().expect("no thread panics with it").extend(answered);
                }
                Ok(())
            };
            let threads: Vec<_> = (0..PLACES).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
        })?;
        Ok(answers.into_inner().expect("no thread panicked"))
    }

    /// Runs a batch in as many processes as it takes: the job that ends one is the first without an answer.
    fn batch(&self, batch: &[&Job]) -> Outcome<Vec<(usize, Answer)>> {
        let mut answers = Vec::with_capacity(batch.len());
        while answers.len() < batch.len() {
            let rest = &batch[answers.len()..];
            self.ask(rest.iter().copied(), |id, answer| answers.push((id, answer)))?;
            if let Some(culprit) = batch.get(answers.len()) {
                answers.push((culprit.id, Err("it ended its process, or took too long".to_owned())));
            }
        }
        Ok(answers)
    }

    /// Starts a process, gives it the jobs, and hears its answers until it ends.
    fn ask<'a>(
        &self,
        jobs: impl Iterator<Item = &'a Job> + Send,
        mut hear: impl FnMut(usize, Answer),
    ) -> Outcome {
        let mut child = Command::new(&self.words[0])
            .args(&self.words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", self.words[0].display()))?;
        let mut input = child.stdin.take().expect("asked for a pipe");
        let output = BufReader::new(child.stdout.take().expect("asked for a pipe"));
        thread::scope(|scope| -> Outcome {
            scope.spawn(move || {
                for job in jobs {
                    let line = serde_json::to_string(job).expect("strings, numbers and lists");
                    if writeln!(input, "{line}").is_err() {
                        break;
                    }
                }
            });
            for line in output.lines() {
                let line = line.map_err(|error| error.to_string())?;
                let line: Line =
                    serde_json::from_str(&line).map_err(|error| format!("an answer: {error}"))?;
                hear(line.id, line.outcome.ok_or_else(|| line.error.unwrap_or_default()));
            }
            Ok(())
        })?;
        child.wait().map_err(|error| error.to_string())?;
        Ok(())
    }
}
