//! [`Case`]: one row of a table.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

/// What is done and what has to come of it. An output that a row says nothing of has to be empty.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// A program without which the case is skipped.
    pub(crate) needs: Option<String>,

    /// The arguments. `{repository}` stands for the root of the repository.
    pub(crate) args: Vec<String>,
    /// Standard input.
    #[serde(default)]
    pub(crate) stdin: String,
    /// Files in the folder in which the binary is started, by name.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// The same as bytes.
    #[serde(default)]
    pub(crate) bytes: BTreeMap<String, Vec<u8>>,
    /// A text for `sh -c` that starts the binary as `"$0" "$@"`.
    pub(crate) through: Option<String>,
    /// Where standard output goes instead of to the runner.
    pub(crate) stdout_to: Option<Sink>,
    /// Sent as soon as standard error has the line.
    pub(crate) signal: Option<Signal>,

    /// The exit status.
    pub(crate) status: i32,
    /// All of standard output.
    pub(crate) stdout: Option<String>,
    /// Parts of standard output.
    #[serde(default)]
    pub(crate) stdout_has: Vec<String>,
    /// The size of standard output.
    pub(crate) stdout_bytes: Option<usize>,
    /// Standard output as JSON, as far as it matters.
    pub(crate) stdout_json: Option<String>,
    /// All of standard error.
    pub(crate) stderr: Option<String>,
    /// Parts of standard error.
    #[serde(default)]
    pub(crate) stderr_has: Vec<String>,
    /// Parts that standard error must not have.
    #[serde(default)]
    pub(crate) stderr_lacks: Vec<String>,
    /// A file with the numbers of processes that have to be gone.
    pub(crate) gone: Option<String>,
}

/// Where standard output goes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sink {
    /// A pipe that nobody reads.
    Closed,
    /// A device without space.
    Full,
}

/// A signal in the middle of a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Signal {
    /// The name as `kill -s` takes it.
    pub(crate) name: String,
    /// The line of standard error that it waits for.
    pub(crate) after: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Case>,
}

/// Every case of every table in a folder, with the name of its table.
pub(crate) fn read(folder: &Path) -> Vec<(String, Case)> {
    let tables = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut tables: Vec<_> = tables.map(|table| table.unwrap().path()).collect();
    tables.sort();
    let cases: Vec<_> = tables.iter().flat_map(|path| cases(path)).collect();
    assert!(!cases.is_empty(), "no cases in {}", folder.display());
    cases
}

fn cases(path: &Path) -> Vec<(String, Case)> {
    let text = std::fs::read_to_string(path).unwrap();
    let table: Table = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    table.case.into_iter().map(|case| (name.clone(), case)).collect()
}
