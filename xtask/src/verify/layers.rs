//! Who may depend on whom: `layers.toml` against what cargo resolves.

use super::{cargo_output, report};
use crate::{Outcome, workspace};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = "layers.toml";

/// What `layers.toml` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layers {
    /// Crate to the crates of the workspace that it may name.
    edges: BTreeMap<String, BTreeSet<String>>,
    /// Package to the crates that must not reach it.
    unreachable: BTreeMap<String, Vec<String>>,
    alone: Alone,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Alone {
    crates: Vec<String>,
}

/// The part of `cargo metadata` that is of interest here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<DepKind>,
}

#[derive(Deserialize)]
struct DepKind {
    /// `None` for a normal dependency, else `build` or `dev`.
    kind: Option<String>,
}

/// The step `layers`.
pub(super) fn check() -> Outcome {
    let layers: Layers = parse_page(&workspace::read(PAGE)?)?;
    let text = cargo_output(&["metadata", "--format-version", "1", "--locked"], &[])?;
    let metadata: Metadata = parse_metadata(&text)?;
    let mut findings = violations(&layers, &metadata);
    for name in &layers.alone.crates {
        let tree =
            cargo_output(&["tree", "-p", name, "-e", "no-dev", "--target", "all", "--prefix", "none"], &[])?;
        findings.extend(company(name, &tree));
    }
    report(findings)
}

fn parse_page(text: &str) -> Outcome<Layers> {
    toml::from_str(text).map_err(|error| format!("{PAGE}: {error}"))
}

fn parse_metadata(text: &str) -> Outcome<Metadata> {
    serde_json::from_str(text).map_err(|error| format!("cargo metadata: {error}"))
}

/// What a crate that should stand alone has beside it, from the output of `cargo tree`.
fn company(name: &str, tree: &str) -> Option<String> {
    let others: Vec<&str> = tree.lines().skip(1).filter(|line| !line.is_empty()).collect();
    (!others.is_empty())
        .then(|| format!("{name} has dependencies with default features: {}", others.join(", ")))
}

fn violations(layers: &Layers, metadata: &Metadata) -> Vec<String> {
    let graph = Graph::new(metadata);
    let members: BTreeSet<&str> = metadata.workspace_members.iter().map(|id| graph.name(id)).collect();
    let mut findings = Vec::new();
    for name in layers.edges.keys().filter(|name| !members.contains(name.as_str())) {
        findings.push(format!("{PAGE} names {name}, which is no crate of the workspace"));
    }
    for id in &metadata.workspace_members {
        let name = graph.name(id);
        let Some(allowed) = layers.edges.get(name) else {
            findings.push(format!("{name} is not in {PAGE}"));
            continue;
        };
        for target in graph.targets(id, true).filter(|target| metadata.workspace_members.contains(target)) {
            let target = graph.name(target);
            if target != name && !allowed.contains(target) {
                findings.push(format!("{name} depends on {target}, which {PAGE} does not allow"));
            }
        }
    }
    for (package, crates) in &layers.unreachable {
        for id in
            metadata.workspace_members.iter().filter(|id| crates.iter().any(|name| name == graph.name(id)))
        {
            if let Some(path) = graph.path_to(id, package) {
                findings.push(format!("{} reaches {package}: {}", graph.name(id), path.join(" → ")));
            }
        }
    }
    findings
}

struct Graph<'m> {
    names: BTreeMap<&'m str, &'m str>,
    nodes: BTreeMap<&'m str, &'m Node>,
}

impl<'m> Graph<'m> {
    fn new(metadata: &'m Metadata) -> Self {
        Self {
            names: metadata
                .packages
                .iter()
                .map(|package| (package.id.as_str(), package.name.as_str()))
                .collect(),
            nodes: metadata.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect(),
        }
    }

    fn name(&self, id: &'m str) -> &'m str {
        self.names.get(id).copied().unwrap_or(id)
    }

    fn targets(&self, id: &str, with_dev: bool) -> impl Iterator<Item = &'m String> + use<'m> {
        let edges = self.nodes.get(id).map_or(&[][..], |node| node.deps.as_slice());
        let counts = move |kind: &DepKind| with_dev || kind.kind.as_deref() != Some("dev");
        edges.iter().filter(move |edge| edge.dep_kinds.iter().any(counts)).map(|edge| &edge.pkg)
    }

    /// The names on a shortest path to `package`. Dev dependencies count for the first step alone: those of a
    /// dependency are never built.
    fn path_to(&self, start: &'m str, package: &str) -> Option<Vec<&'m str>> {
        let mut seen = BTreeSet::from([start]);
        let mut frontier = vec![vec![start]];
        while !frontier.is_empty() {
            let mut next = Vec::new();
            for path in frontier {
                let last = *path.last().expect("a path begins with its start");
                for target in self.targets(last, path.len() == 1) {
                    if seen.insert(target) {
                        next.push([path.as_slice(), &[target.as_str()]].concat());
                    }
                }
            }
            if let Some(found) = next.iter().find(|path| self.name(path[path.len() - 1]) == package) {
                return Some(found.iter().map(|id| self.name(id)).collect());
            }
            frontier = next;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `low` ← `high`; `high` uses the engine; `aside` uses `low` and, for its tests, `high`.
    const METADATA: &str = r#"{
        "packages": [
            {"id": "path+low", "name": "low"}, {"id": "path+high", "name": "high"},
            {"id": "path+aside", "name": "aside"}, {"id": "reg+v8", "name": "v8"}
        ],
        "workspace_members": ["path+low", "path+high", "path+aside"],
        "resolve": {"nodes": [
            {"id": "path+low", "deps": []},
            {"id": "path+high", "deps": [
                {"pkg": "path+low", "dep_kinds": [{"kind": null}]},
                {"pkg": "reg+v8", "dep_kinds": [{"kind": "build"}]}
            ]},
            {"id": "path+aside", "deps": [
                {"pkg": "path+low", "dep_kinds": [{"kind": null}]},
                {"pkg": "path+high", "dep_kinds": [{"kind": "dev"}]}
            ]},
            {"id": "reg+v8", "deps": []}
        ]}
    }"#;

    fn findings(page: &str) -> Vec<String> {
        let page = format!("{page}\n[alone]\ncrates = []\n");
        violations(&parse_page(&page).unwrap(), &parse_metadata(METADATA).unwrap())
    }

    #[test]
    fn allowed_edges_pass() {
        let page = "[edges]\nlow = []\nhigh = ['low']\naside = ['low', 'high']\n[unreachable]\nv8 = ['low']";
        assert_eq!(findings(page), Vec::<String>::new());
    }

    #[test]
    fn a_dev_edge_counts_as_an_edge() {
        let page = "[edges]\nlow = []\nhigh = ['low']\naside = ['low']\n[unreachable]";
        assert_eq!(findings(page), ["aside depends on high, which layers.toml does not allow"]);
    }

    #[test]
    fn a_forbidden_package_is_found_behind_another_crate() {
        let page = "[edges]\nlow = []\nhigh = ['low']\naside = ['low', 'high']\n[unreachable]\nv8 = ['aside', 'low']";
        assert_eq!(findings(page), ["aside reaches v8: aside → high → v8"]);
    }

    #[test]
    fn page_and_workspace_name_the_same_crates() {
        let page = "[edges]\nlow = []\nhigh = ['low']\ngone = []\n[unreachable]";
        assert_eq!(
            findings(page),
            ["layers.toml names gone, which is no crate of the workspace", "aside is not in layers.toml"]
        );
        assert!(parse_page("[edges]\n[unreachable]\n[alone]\ncrates = []\n[extra]").is_err());
    }

    #[test]
    fn a_crate_alone_has_one_line_of_tree() {
        assert_eq!(company("low", "low v0.1.0\n"), None);
        let finding = company("low", "low v0.1.0\nserde v1.0.0\n").unwrap();
        assert_eq!(finding, "low has dependencies with default features: serde v1.0.0");
    }
}
