//! [`Graph`]: modules that import each other, as files for a loader and as a module map.

use codemode_protocol::ModuleSource;
use proptest::prelude::*;

/// The target of an edge to nowhere.
const MISSING: usize = usize::MAX;

/// The language of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Esm,
    CommonJs,
}

/// Modules by their index, and a driver beside them.
#[derive(Clone)]
pub(crate) struct Graph {
    kind: Kind,
    modules: Vec<Node>,
}

/// One module. An edge to an index that no module has names a module that is missing.
#[derive(Clone, Debug)]
struct Node {
    /// From the folder of the graph.
    path: String,
    /// Imports, or calls of `require`, in order.
    edges: Vec<Edge>,
    /// Imports that the driver asks for later, through this module.
    later: Vec<Edge>,
    /// Whether the body waits in its middle, or replaces its exports.
    special: bool,
    throws: Throws,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    target: usize,
    /// How the specifier is spelled.
    spelling: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Throws {
    Never,
    Once,
    Always,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.files().iter().try_for_each(|(path, source)| writeln!(f, "--- {path}\n{source}"))
    }
}

impl Graph {
    /// The files of the graph, its driver last.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let mut files: Vec<_> = (0..self.modules.len())
            .map(|index| (self.modules[index].path.clone(), self.source(index)))
            .collect();
        files.push((self.driver_name().to_owned(), self.driver()));
        files
    }

    /// The file that runs the graph.
    pub(crate) fn driver_name(&self) -> &'static str {
        match self.kind {
            Kind::Esm => "driver.mjs",
            Kind::CommonJs => "driver.cjs",
        }
    }

    /// Whether an engine before V8 12 may end its process over this graph: it asserts in `Module::Evaluate` where a
    /// cycle that waits has failed and is imported again.
    pub(crate) fn can_end_old_engines(&self) -> bool {
        let any = |holds: fn(&Node) -> bool| self.modules.iter().any(holds);
        self.kind == Kind::Esm && any(|node| node.special) && any(|node| node.throws != Throws::Never)
    }

    /// A file as a module of a map.
    pub(crate) fn module(&self, source: String) -> ModuleSource {
        match self.kind {
            Kind::Esm => ModuleSource::Js(source),
            Kind::CommonJs => ModuleSource::Cjs(source),
        }
    }

    fn source(&self, index: usize) -> String {
        match self.kind {
            Kind::Esm => self.esm(index),
            Kind::CommonJs => self.common_js(index),
        }
    }

    fn esm(&self, index: usize) -> String {
        let node = &self.modules[index];
        let mut text = String::new();
        for (place, edge) in node.edges.iter().enumerate() {
            text += &format!("import * as m{place} from {};\n", self.specifier(index, *edge));
        }
        text += &format!("const record = globalThis.record;\nrecord.say('{index} begins');\n");
        text += &format!("export function hoisted() {{ return {index} }}\n");
        for place in 0..node.edges.len() {
            text += &format!(
                "record.say('{index} calls', m{place}.hoisted());\n\
                 record.see('{index}', () => m{place}.id);\n\
                 record.see('{index}', () => m{place}.count);\n"
            );
        }
        for edge in &node.later {
            text += &format!("record.later.push(() => import({}));\n", self.specifier(index, *edge));
        }
        match node.throws {
            Throws::Never => {}
            // An ES module has one evaluation, so the two are the same.
            Throws::Once | Throws::Always => text += &format!("throw new RangeError('{index} throws');\n"),
        }
        if node.special {
            text += &format!("await null;\nrecord.say('{index} resumes');\n");
        }
        text += &format!(
            "export const id = {index};\nexport let count = 1;\ncount += 1;\nrecord.say('{index} ends');\n"
        );
        text
    }

    fn common_js(&self, index: usize) -> String {
        let node = &self.modules[index];
        let mut text = format!(
            "'use strict';\nconst record = globalThis.record;\n\
             record.say('{index} begins', this === exports, this === module.exports, record.place(__filename), \
             record.place(__dirname));\nexports.early = {index};\n"
        );
        for edge in &node.edges {
            let specifier = self.specifier(index, *edge);
            text += &format!("record.see('{index} at', () => record.place(require.resolve({specifier})));\n");
            text += &format!("record.see('{index}', () => JSON.stringify(require({specifier})));\n");
        }
        // Once, because a body that throws runs again.
        for (place, edge) in node.later.iter().enumerate() {
            text += &format!(
                "if (record.first('{index} {place}')) record.later.push(() => require({}));\n",
                self.specifier(index, *edge)
            );
        }
        match node.throws {
            Throws::Never => {}
            Throws::Once => {
                text +=
                    &format!("if (record.first('{index}')) throw new RangeError('{index} throws once');\n");
            }
            Throws::Always => text += &format!("throw new RangeError('{index} throws');\n"),
        }
        if node.special {
            text += &format!("module.exports = {{ replaced: {index} }};\n");
        }
        text += &format!("module.exports.late = {index};\nrecord.say('{index} ends');\n");
        text
    }

    /// Imports every module from the root of the graph, then what the modules have left for later.
    fn driver(&self) -> String {
        const RECORD: &str = "
const record = {
  events: [],
  later: [],
  say(...parts) { this.events.push(parts.join(' ')) },
  see(who, look) {
    try { this.say(who, 'sees', look()) } catch (error) { this.say(who, 'catches', record.told(error)) }
  },
  told: (error) => (error instanceof RangeError || error instanceof ReferenceError)
    ? `${error.name} ${error instanceof RangeError ? error.message : ''}`
    : `${error instanceof Error}`,
  firsts: new Set(),
  first(name) { return !this.firsts.has(name) && !!this.firsts.add(name) },
};
globalThis.record = record;
";
        let roots: String = (0..self.modules.len())
            .map(|index| {
                let specifier = self.spelled("", Edge { target: index, spelling: 0 });
                match self.kind {
                    Kind::Esm => format!("record.later.push(() => import({specifier}));\n"),
                    Kind::CommonJs => format!("record.later.push(() => require({specifier}));\n"),
                }
            })
            .collect();
        let (head, start) = match self.kind {
            Kind::Esm => ("export default", ""),
            Kind::CommonJs => (
                "'use strict';\nmodule.exports =",
                "record.place = (name) => name.slice(__dirname.length);\n",
            ),
        };
        format!(
            "{head} async () => {{{RECORD}{start}{roots}
while (record.later.length > 0) {{
  try {{
    const got = await record.later.shift()();
    record.say('got', Object.keys(got), got.id, got.count, got.early, got.late);
  }} catch (error) {{
    record.say('failed', record.told(error));
  }}
}}
return record.events;
}};\n"
        )
    }

    fn specifier(&self, importer: usize, edge: Edge) -> String {
        let path = &self.modules[importer].path;
        self.spelled(path.rsplit_once('/').map_or("", |(folder, _)| folder), edge)
    }

    /// A relative specifier from a folder, as a literal.
    fn spelled(&self, folder: &str, edge: Edge) -> String {
        let target = self.modules.get(edge.target).map_or("missing", |node| node.path.as_str());
        let from: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
        let to: Vec<&str> = target.split('/').collect();
        let common = from.iter().zip(&to).take_while(|(left, right)| left == right).count();
        // Up as far as needed, or all the way to the root of the graph and down again.
        let shared = if edge.spelling == 2 { 0 } else { common.min(to.len() - 1) };
        let up = from.len() - shared;
        let start = match (up, edge.spelling) {
            (0, 1) => "./gone/../".to_owned(),
            (0, _) => "./".to_owned(),
            (_, 1) => "../".repeat(up) + "./",
            (_, _) => "../".repeat(up),
        };
        serde_json::Value::from(start + &to[shared..].join("/")).to_string()
    }
}

fn edge() -> impl Strategy<Value = Edge> {
    (prop_oneof![30 => 0..6usize, 1 => Just(MISSING)], 0..3u8)
        .prop_map(|(target, spelling)| Edge { target, spelling })
}

/// Arbitrary graphs of up to six modules: cycles, diamonds, imports of itself.
pub(crate) fn graph(kind: Kind) -> impl Strategy<Value = Graph> {
    let folders = vec!["", "", "lib/", "lib/deep/", "my lib/", "__proto__/", "lib/é/"];
    let names = vec![
        "a",
        "b",
        "my file",
        "__proto__",
        "toString",
        "constructor",
        "it's",
        "say \"x\"",
        "[x]",
        "$&",
        "é",
        "日本",
        ".hidden",
        "a.b",
        "x+y",
        "c,d",
        "e;f=g",
        "then",
        "...",
    ];
    let throws = prop_oneof![8 => Just(Throws::Never), 1 => Just(Throws::Once), 1 => Just(Throws::Always)];
    let node = (
        (prop::sample::select(folders), prop::sample::select(names)),
        prop::collection::vec(edge(), 0..4),
        prop::collection::vec(edge(), 0..2),
        prop::bool::weighted(0.25),
        throws,
    );
    prop::collection::vec(node, 1..7).prop_map(move |nodes| {
        let mut modules: Vec<Node> = Vec::new();
        let count = nodes.len();
        for ((folder, name), edges, later, special, throws) in nodes {
            let path = |name: &str| match kind {
                Kind::Esm => format!("{folder}{name}.mjs"),
                // A file without an ending is CommonJS to Node, so that a name can be all of a name.
                Kind::CommonJs => format!("{folder}{name}"),
            };
            // Nothing can be a file and a folder.
            let within = |inner: &str, outer: &str| {
                inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
            };
            let taken = |path: &str| {
                modules
                    .iter()
                    .any(|known| known.path == path || within(&known.path, path) || within(path, &known.path))
            };
            let mut chosen = path(name);
            if taken(&chosen) {
                chosen = format!("{name} {}{}", modules.len(), if kind == Kind::Esm { ".mjs" } else { "" });
            }
            let counted = |edges: Vec<Edge>| -> Vec<Edge> {
                let counted = |edge: Edge| match edge.target {
                    MISSING => edge,
                    target => Edge { target: target % count, ..edge },
                };
                edges.into_iter().map(counted).collect()
            };
            modules.push(Node {
                path: chosen,
                edges: counted(edges),
                later: counted(later),
                special,
                throws,
            });
        }
        Graph { kind, modules }
    })
}
