//! [`Node`]: one process of Node that answers requests, one line each.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value as Json;

const ORACLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/properties/oracle.mjs");

/// The process, which ends with this value.
pub(crate) struct Node {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Node {
    /// Starts the process. `None` where no Node is installed.
    pub(crate) fn start() -> Option<Node> {
        let mut child = Command::new("node")
            .arg("--no-warnings")
            .arg(ORACLE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What an engine says as it dies is not the business of this suite; that it died is told by the answer.
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let requests = child.stdin.take()?;
        let answers = BufReader::new(child.stdout.take()?);
        Some(Node { child, requests, answers })
    }

    /// Asks and waits for the answer. `None` where the process ended over the question.
    pub(crate) fn ask(&mut self, request: &Json) -> Result<Option<Json>, String> {
        let mut line = String::new();
        let asked = writeln!(self.requests, "{request}").and_then(|()| self.answers.read_line(&mut line));
        if !asked.is_ok_and(|length| length > 0) {
            return Ok(None);
        }
        let mut answer: Json =
            serde_json::from_str(&line).map_err(|error| format!("the oracle said {line:?}: {error}"))?;
        match answer.get_mut("answer") {
            Some(answer) => Ok(Some(answer.take())),
            None => Err(format!("the oracle failed: {answer}")),
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
