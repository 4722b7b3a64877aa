//! What is asked and what is answered, one JSON text a line.

use serde::{Deserialize, Serialize};

/// One way to run one test.
#[derive(Clone, Debug, Deserialize)]
pub struct Job {
    /// Comes back in the answer; answers are given in the order in which runs end.
    pub id: usize,
    /// The test, from the root of the suite.
    pub path: String,
    /// What the text is.
    pub goal: Goal,
    /// Whether a directive that makes it strict stands before it.
    pub strict: bool,
    /// Whether it is over when it has printed, and not before.
    pub asynchronous: bool,
    /// The harness files that are evaluated before it, in order.
    pub harness: Vec<String>,
}

/// The goal symbol that a text is parsed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// A script.
    Script,
    /// A module.
    Module,
}

/// What became of a job. One of the two texts is there.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The number of the job.
    pub id: usize,
    /// `completed`, or `threw` with the constructor's name and the message, or `printed` with the text; each part on
    /// lines of its own.
    pub outcome: Option<String>,
    /// Why there is none.
    pub error: Option<String>,
}

impl Answer {
    /// The answer to a job from what came of it.
    pub fn new(id: usize, outcome: Result<String, String>) -> Self {
        match outcome {
            Ok(text) => Self { id, outcome: Some(text), error: None },
            Err(error) => Self { id, outcome: None, error: Some(error) },
        }
    }
}
