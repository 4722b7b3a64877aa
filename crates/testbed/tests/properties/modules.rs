//! Arbitrary module graphs beside the loaders of Node, and arbitrary specifiers beside the documented rules.

use std::path::{Component, Path, PathBuf};

use codemode_executor::ExecuteRequest;
use codemode_protocol::{ModuleMap, ModuleSource, Sentence, Value};
use proptest::prelude::*;
use serde_json::json;

use crate::Property;
use crate::files::Folder;
use crate::graph::{Graph, Kind, graph};
use crate::host::{Host, check};

/// What needs no Node.
pub(crate) const ALONE: &[Property] =
    &[("modules::specifiers_name_what_the_rules_say", specifiers_name_what_the_rules_say)];

/// What is compared with Node.
pub(crate) const COMPARED: &[Property] = &[
    ("modules::es_graphs_evaluate_as_in_node", es_graphs_evaluate_as_in_node),
    ("modules::common_js_graphs_evaluate_as_in_node", common_js_graphs_evaluate_as_in_node),
];

const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/properties/seeds/modules.txt");
const BATCH: usize = 24;

fn es_graphs_evaluate_as_in_node(host: &Host) -> Result<(), String> {
    check(8, SEEDS, prop::collection::vec(graph(Kind::Esm), 1..BATCH), |graphs| compare(host, &graphs))
}

fn common_js_graphs_evaluate_as_in_node(host: &Host) -> Result<(), String> {
    check(8, SEEDS, prop::collection::vec(graph(Kind::CommonJs), 1..BATCH), |graphs| compare(host, &graphs))
}

/// Runs each graph by its driver, all of them in one run here, and compares what its modules record.
fn compare(host: &Host, graphs: &[Graph]) -> Result<(), String> {
    let mut map = ModuleMap::new();
    let mut drives = String::new();
    for (index, graph) in graphs.iter().enumerate() {
        for (path, source) in graph.files() {
            map = map.with(format!("g{index}/{path}"), graph.module(source));
        }
        drives +=
            &format!("all.push(await (await import('./g{index}/{}')).default());\n", graph.driver_name());
    }
    let program = format!("async () => {{ const all = [];\n{drives}return all }}");
    let found = host.execute(ExecuteRequest::new(program).modules(map))?.into_value()?;
    let Some(Value::Array(found)) = found else { return Err(format!("{found:?}")) };
    let folder = Folder::new();
    for (index, (graph, found)) in graphs.iter().zip(found).enumerate() {
        let driver =
            folder.write(index, &graph.files(), graph.driver_name()).map_err(|error| error.to_string())?;
        let Some(expected) = host.ask_node(&json!({ "operation": "drive", "driver": driver }))? else {
            if graph.can_end_old_engines() {
                continue;
            }
            return Err(format!("{graph:?}the oracle died"));
        };
        let found = serde_json::Value::from(found);
        if found != expected {
            return Err(format!("{graph:?}found    {found}\nexpected {expected}"));
        }
    }
    Ok(())
}

/// Names of modules and what specifiers are made of.
const NAMES: &[&str] = &[
    "a.js",
    "b",
    "my file.js",
    "my%20file.js",
    "lib/a.js",
    "lib/b",
    "lib/deep/a.js",
    "lib/deep/c",
    "__proto__",
    "toString",
    "constructor",
    "lib/__proto__",
    "lib/toString",
    "runtime:helpers",
    "lib/runtime:helpers",
    "https://example.com/a.js",
    "https:/example.com/a.js",
    "node:fs",
    "@scope/name",
    "lib/@scope/name",
    "a.js?q#h",
    "é",
    "x/../a.js",
    "lib",
    "hasOwnProperty",
    ".hidden",
    "lib/.hidden",
    "...",
    "file:///a.js",
    "data:text/plain,x",
    "lib//b",
    "./a.js",
    "/lib/b",
    "./lib/../é",
    "//b",
    "../b",
    "./x/./c",
    "a\\b",
    " ",
];

/// The modules that import, by name.
const IMPORTERS: &[&str] =
    &["importer", "lib/importer", "lib/deep/importer", "my lib/importer", "https://example.com/importer"];

/// The marks in front of a specifier.
const STARTS: &[&str] =
    &["", "", "", "./", "/", "../", "../../", "./x/../", "././", ".//", "lib/../", "/../"];

fn specifiers_name_what_the_rules_say(host: &Host) -> Result<(), String> {
    let names = prop::sample::subsequence(NAMES, 0..14).prop_shuffle();
    let specifier = (prop::sample::select(STARTS), prop::sample::select(NAMES))
        .prop_map(|(start, name)| format!("{start}{name}"));
    let asked = (prop::sample::select(IMPORTERS), any::<bool>(), specifier);
    check(40, SEEDS, (names, prop::collection::vec(asked, 1..60)), |(names, asked)| {
        // A module of the map is its own name as text; importers say what a specifier leads to.
        let mut map = ModuleMap::new();
        for name in &names {
            map = map.with(*name, ModuleSource::Text(format!("module {name}")));
        }
        for name in IMPORTERS {
            let import = "export default async (specifier) => (await import(specifier)).default";
            let require = "module.exports = async (specifier) => require(specifier)";
            map = map.with(*name, ModuleSource::Js(import.to_owned()));
            map = map.with(format!("{name}.cjs"), ModuleSource::Cjs(require.to_owned()));
        }
        let asked: Vec<(String, &String)> = asked
            .iter()
            .map(|(importer, requires, specifier)| {
                (if *requires { format!("{importer}.cjs") } else { (*importer).to_owned() }, specifier)
            })
            .collect();
        let result = host.execute(ExecuteRequest::new(ask(&asked)).modules(map))?;
        let spellings = names.iter().map(|name| (*name).to_owned());
        let declared = match declare(spellings) {
            Err(collision) if result.error == Some(collision.to_string()) => return Ok(()),
            Err(collision) => return Err(format!("{result:?} is not {collision}")),
            Ok(declared) => declared,
        };
        let Some(Value::Array(found)) = result.clone().into_value()? else {
            return Err(format!("{result:?}"));
        };
        for ((importer, specifier), found) in asked.iter().zip(found) {
            let expected = led_to(&declared, importer, specifier);
            if found.as_str() != Some(expected.as_str()) {
                return Err(format!("{specifier:?} in {importer:?}: found {found:?}, expected {expected:?}"));
            }
        }
        Ok(())
    })
}

/// A program that answers where each specifier leads.
fn ask(asked: &[(String, &String)]) -> String {
    let literal = |text: &str| serde_json::Value::from(text).to_string();
    let questions: String = asked
        .iter()
        .map(|(importer, specifier)| format!("[{}, {}],\n", literal(importer), literal(specifier)))
        .collect();
    format!(
        "async () => {{
            const answers = []
            for (const [importer, specifier] of [{questions}]) {{
                const {{ default: ask }} = await import(importer)
                try {{ answers.push(String(await ask(specifier))) }} catch (error) {{ answers.push(error.message) }}
            }}
            return answers
        }}"
    )
}

/// The names of a map, each with its spelling. "normalizes every key"; two that meet are an error naming both.
fn declare(spellings: impl Iterator<Item = String>) -> Result<Vec<(String, String)>, Sentence> {
    let mut declared: Vec<(String, String)> = Vec::new();
    for spelling in spellings {
        let name = if is_path(&spelling) { walked("", &spelling) } else { spelling.clone() };
        if let Some((_, first)) = declared.iter().find(|(known, _)| *known == name) {
            return Err(Sentence::ModuleKeyCollision { first: first.clone(), second: spelling });
        }
        declared.push((name, spelling));
    }
    Ok(declared)
}

/// Where a specifier leads. Relative and rooted ones resolve against the folder of the importer and the root; a bare
/// one is a sibling of the importer when the map declares one, and an exact name otherwise.
fn led_to(declared: &[(String, String)], importer: &str, specifier: &str) -> String {
    let find = |name: &str| declared.iter().find(|(known, _)| known == name);
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    let sibling = walked(folder, specifier);
    let module = match find(&sibling) {
        Some(module) => Some(module),
        None if is_path(specifier) => None,
        None => find(specifier),
    };
    match module {
        Some((_, spelling)) => format!("module {spelling}"),
        None => Sentence::ModuleNotFound { specifier: specifier.to_owned(), importer: importer.to_owned() }
            .to_string(),
    }
}

fn is_path(specifier: &str) -> bool {
    specifier.starts_with('/') || specifier.starts_with("./") || specifier.starts_with("../")
}

/// A path from the root, as the paths of a file system are walked without looking at files.
fn walked(folder: &str, specifier: &str) -> String {
    let mut walked = PathBuf::new();
    for component in Path::new("/").join(folder).join(specifier).components() {
        match component {
            Component::Normal(name) => walked.push(name),
            Component::ParentDir => {
                walked.pop();
            }
            _ => {}
        }
    }
    walked.to_string_lossy().into_owned()
}
