//! The format of a case: one or more programs, what they are given, and what has to come back.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::invoke::Invoke;

/// One case of a file.
#[derive(Clone, Debug)]
pub struct Case {
    /// `folder/file::name`.
    pub id: String,
    /// The settings of the executor it runs on.
    pub settings: Settings,
    /// Its runs, one after another on that executor.
    pub runs: Vec<Run>,
    /// Whether a probe runs behind it on the same executor and has to see a clean realm.
    pub probe: bool,
    /// Whether another program runs beside it the whole time and has to succeed.
    pub neighbour: bool,
}

/// Settings of an executor. Cases with equal settings share one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Memory budget of a run in megabytes.
    pub memory_mb: Option<u32>,
    /// Largest message in bytes.
    pub payload_limit_bytes: Option<usize>,
    /// Console text of one run in UTF-16 code units.
    pub console_limit: Option<usize>,
    /// Resolution of the clocks that a program can read.
    pub clock_resolution_us: Option<u64>,
    /// Keys that one run may hold.
    pub crypto_key_limit: Option<u32>,
    /// Timeout of runs that name none.
    pub timeout_ms: Option<u64>,
    /// Headroom past the timeout.
    pub grace_ms: Option<u64>,
    /// Whether waits on the host count in runs that do not say.
    pub count_host_waits: Option<bool>,
    /// Who performs `fetch` in runs that do not say.
    pub outbound: Option<Outbound>,
    /// Workers are started one by one and not forked from a template.
    pub exec: bool,
}

/// Who performs `fetch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outbound {
    /// Nobody.
    Denied,
    /// A function that answers 200 with the request as JSON text.
    Echo,
    /// A function that fails with the text `policy says no`.
    Refuse,
    /// A function that never answers.
    Never,
    /// A function that plays a small web: what it answers is named by the path, see [`crate::web`].
    Web,
}

/// One program and its outcome.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// The program.
    pub code: String,
    /// The program as `normalize_code` has to make it, when `code` is raw model output.
    pub normalized: Option<String>,
    /// Its providers, in order.
    pub providers: Vec<Provider>,
    /// The scripted tools by `provider.tool`. Without the table the request has no dispatch function.
    pub tools: Option<BTreeMap<String, Tool>>,
    /// Its modules, in order.
    pub modules: Vec<Module>,
    /// The timeout.
    pub timeout_ms: Option<u64>,
    /// Whether waits on the host count.
    pub count_host_waits: Option<bool>,
    /// Who performs `fetch`.
    pub outbound: Option<Outbound>,
    /// Whether a handler that the program returns is retained.
    pub retain: Option<bool>,
    /// Invocations of the retained handler, one after another. The execution is closed behind them.
    pub invoke: Vec<Invoke>,
    /// What has to come back.
    pub expect: Option<Expect>,
    /// What may come back, where the program leaves the engine a choice.
    pub one_of: Vec<Expect>,
    /// The calls that have to reach the host, each as `provider.tool ARGS_JSON`.
    pub calls: Option<Vec<String>>,
}

/// A provider.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Provider {
    /// Its name.
    pub name: String,
    /// Its declared tools.
    pub tools: Vec<String>,
    /// Whether arguments cross as an array.
    pub positional: Option<bool>,
    /// Source behind the proxies.
    pub prelude: Option<String>,
    /// Source in place of the proxy.
    pub proxy_source: Option<String>,
}

/// What a tool of the host does when it is called.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tool {
    /// Answers the arguments.
    pub echo: bool,
    /// Answers this value, in the notation of [`crate::notation`].
    pub value: Option<String>,
    /// Answers a text of this many characters.
    pub long: Option<usize>,
    /// Answers this text in place of an envelope.
    pub answer: Option<String>,
    /// Answers an envelope with this error.
    pub error: Option<String>,
    /// Fails with this text.
    pub throw: Option<String>,
    /// Never answers.
    pub never: bool,
    /// Before it answers, opens the gate of this name.
    pub opens: Option<String>,
    /// Before it answers, waits until the gate of this name is open.
    pub waits_for: Option<String>,
    /// Before it answers, waits for as long as another program of this timeout needs to meet its bound.
    pub outlasts_ms: Option<u64>,
}

/// A module. Exactly one of the kinds, `unsupported` included.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Module {
    /// Its key in the map.
    pub name: String,
    /// An ES module.
    pub js: Option<String>,
    /// A CommonJS module.
    pub cjs: Option<String>,
    /// JSON text.
    pub json: Option<String>,
    /// Text.
    pub text: Option<String>,
    /// Bytes in hex.
    pub data: Option<String>,
    /// An entry with none of the kinds.
    pub unsupported: bool,
    /// An ES module in a file beside the cases.
    pub file: Option<String>,
}

/// What has to come back. One of `result`, `undefined`, `handles`, `error`, `bound`, `fault`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// The value, in the notation of [`crate::notation`].
    pub result: Option<String>,
    /// An undefined result.
    pub undefined: bool,
    /// The program returned a handler and was retained.
    pub handles: bool,
    /// The whole text of the error.
    pub error: Option<String>,
    /// A text that the error contains, where the engine words the rest.
    pub error_has: Option<String>,
    /// The kind of the failure; `thrown` where an error is expected and this is absent.
    pub kind: Option<String>,
    /// The bound that ends the run; its kind and its sentence are known.
    pub bound: Option<Bound>,
    /// The code of a fault.
    pub fault: Option<String>,
    /// The console lines, each as `level text`. Absent: none.
    pub logs: Vec<String>,
    /// The first console line, where the number of lines is not fixed.
    pub first_log: Option<String>,
    /// The last console line, where the number of lines is not fixed.
    pub last_log: Option<String>,
}

/// A bound of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The bound on counted time.
    Timeout,
    /// The memory budget.
    Memory,
}

/// The members of a case that are not its first run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Frame {
    name: String,
    settings: Settings,
    probe: Option<bool>,
    neighbour: Option<bool>,
    then: Vec<Run>,
}

const FRAME_KEYS: [&str; 5] = ["name", "settings", "probe", "neighbour", "then"];

/// What stands in the program of a file for the code of a case.
const CODE: &str = "CODE";

/// Reads the cases of one file. `group` is its path without the ending; hostile programs and escapes are followed
/// by a probe and hostile ones have a neighbour, where the case does not say otherwise. A file whose cases are
/// alike has one `program`, in which the word `CODE` stands for the `code` of each.
///
/// # Errors
/// What is wrong with the file.
pub fn read_file(group: &str, text: &str) -> Result<Vec<Case>, String> {
    let mut file: toml::Table = text.parse().map_err(|error| format!("{group}: {error}"))?;
    let Some(toml::Value::Array(tables)) = file.remove("case") else {
        return Err(format!("{group}: no [[case]]"));
    };
    let around = match file.remove("program") {
        None => None,
        Some(toml::Value::String(program)) => Some(
            program
                .split_once(CODE)
                .map(|(before, after)| (before.to_owned(), after.to_owned()))
                .ok_or_else(|| format!("{group}: the program has no {CODE}"))?,
        ),
        Some(_) => return Err(format!("{group}: the program is a text")),
    };
    if let Some(key) = file.keys().next() {
        return Err(format!("{group}: unknown key {key}"));
    }
    let mut cases: Vec<Case> = Vec::with_capacity(tables.len());
    for table in tables {
        let mut case = read_case(group, table)?;
        if let Some((before, after)) = &around {
            for run in &mut case.runs {
                run.code = format!("{before}{}{after}", run.code);
            }
        }
        if cases.iter().any(|known| known.id == case.id) {
            return Err(format!("{}: the name comes twice", case.id));
        }
        cases.push(case);
    }
    Ok(cases)
}

fn read_case(group: &str, table: toml::Value) -> Result<Case, String> {
    let toml::Value::Table(mut first) = table else { return Err(format!("{group}: a case is a table")) };
    let frame: toml::Table = FRAME_KEYS.iter().filter_map(|key| first.remove_entry(*key)).collect();
    let frame = Frame::deserialize(frame).map_err(|error| format!("{group}: {error}"))?;
    let id = format!("{group}::{}", frame.name);
    let first = Run::deserialize(first).map_err(|error| format!("{id}: {error}"))?;
    let runs: Vec<Run> = std::iter::once(first).chain(frame.then).collect();
    if frame.name.is_empty() || frame.name.contains(char::is_whitespace) {
        return Err(format!("{id}: a case has a name without spaces"));
    }
    for run in &runs {
        run.check().map_err(|problem| format!("{id}: {problem}"))?;
    }
    let hostile = group.starts_with("hostile/");
    Ok(Case {
        id,
        settings: frame.settings,
        runs,
        probe: frame.probe.unwrap_or(hostile || group.starts_with("escape/")),
        neighbour: frame.neighbour.unwrap_or(hostile),
    })
}

impl Run {
    fn check(&self) -> Result<(), String> {
        self.invoke.iter().try_for_each(Invoke::check)?;
        if usize::from(self.expect.is_some()) + usize::from(!self.one_of.is_empty()) != 1 {
            return Err("a run has either `expect` or `one_of`".into());
        }
        self.expectations().try_for_each(Expect::check)
    }

    /// What may come back.
    pub fn expectations(&self) -> impl Iterator<Item = &Expect> {
        self.expect.iter().chain(&self.one_of)
    }
}

impl Expect {
    fn check(&self) -> Result<(), String> {
        let outcomes = [
            self.result.is_some(),
            self.undefined,
            self.handles,
            self.error.is_some() || self.error_has.is_some(),
            self.bound.is_some(),
            self.fault.is_some(),
        ];
        match outcomes.iter().filter(|named| **named).count() {
            1 => Ok(()),
            _ => {
                Err("an expectation names one outcome: result, undefined, handles, error, bound or fault"
                    .into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_and_missing_outcomes_are_refused() {
        let case = |body: &str| read_file("a/b", &format!("[[case]]\nname = 'x'\ncode = '() => 1'\n{body}"));
        assert_eq!(case("expect = { result = '1' }").unwrap()[0].id, "a/b::x");
        for body in [
            "",
            "expect = {}",
            "expect = { result = '1', undefined = true }",
            "expect = { result = '1', resutl = '1' }",
            "expect = { result = '1' }\ntimeout = 5",
            "expect = { result = '1' }\nsettings = { memory = 5 }",
            "expect = { result = '1' }\none_of = [{ undefined = true }]",
            "expect = { result = '1' }\n[[case]]\nname = 'x'\nexpect = { result = '1' }",
        ] {
            assert!(case(body).is_err(), "{body}");
        }
    }

    #[test]
    fn the_program_of_a_file_stands_around_every_code() {
        let file = |program: &str| {
            let case = "[[case]]\nname = 'x'\ncode = '6 * 7'\nexpect = { result = '42' }";
            read_file("a/b", &format!("program = {program}\n{case}"))
        };
        assert_eq!(file("'() => (CODE)'").unwrap()[0].runs[0].code, "() => (6 * 7)");
        assert!(file("'() => 1'").is_err());
        assert!(file("1").is_err());
    }
}
