//! Modules that are values: arbitrary `json`, `text` and `data` modules, imported and required with attributes that
//! fit and that do not.
//!
//! Node is the oracle for what it knows: json modules, their attributes and `require`. It has no text and no data
//! modules, so that it gets ES modules of the same name and value instead.

use codemode_executor::ExecuteRequest;
use codemode_protocol::{ModuleMap, ModuleSource, Value};
use proptest::prelude::*;
use serde_json::json;

use crate::Property;
use crate::files::Folder;
use crate::host::{Host, check};

/// What is compared with Node.
pub(crate) const COMPARED: &[Property] =
    &[("leaves::values_arrive_as_in_node", values_arrive_as_in_node as fn(&Host) -> Result<(), String>)];

const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/properties/seeds/leaves.txt");

/// A module that is a value.
#[derive(Clone, Debug)]
enum Leaf {
    Json(String),
    Text(String),
    Data(Vec<u8>),
}

/// The attributes of an import, as the second argument of `import()` and as a declaration. Keys that are unknown are
/// left to the cases: this Node takes some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum With {
    Nothing,
    Json,
    Css,
}

impl With {
    const ALL: [With; 3] = [With::Nothing, With::Json, With::Css];

    fn members(self) -> &'static str {
        match self {
            With::Nothing => "",
            With::Json => "type: 'json'",
            With::Css => "type: 'css'",
        }
    }
}

impl Leaf {
    /// Its file, which Node tells kinds by.
    fn name(&self, index: usize) -> String {
        match self {
            Leaf::Json(_) => format!("leaf{index}.json"),
            Leaf::Text(_) | Leaf::Data(_) => format!("leaf{index}.mjs"),
        }
    }

    fn source(&self) -> ModuleSource {
        match self {
            Leaf::Json(text) => ModuleSource::Json(text.clone()),
            Leaf::Text(text) => ModuleSource::Text(text.clone()),
            Leaf::Data(bytes) => ModuleSource::Data(bytes.clone()),
        }
    }

    /// What Node reads in its place.
    fn for_node(&self) -> String {
        match self {
            Leaf::Json(text) => text.clone(),
            Leaf::Text(text) => format!("export default {};", serde_json::Value::from(text.as_str())),
            Leaf::Data(bytes) => format!("export default new Uint8Array({bytes:?}).buffer;"),
        }
    }

    /// Whether the documents and Node agree on what these attributes do. A json module needs an attribute in Node
    /// and none here; the types of text and data are unknown there.
    fn is_comparable(&self, with: With) -> bool {
        !matches!((self, with), (Leaf::Json(_), With::Nothing))
    }
}

/// The modules that import a leaf, and the lines of the driver that run them.
fn importers(index: usize, leaf: &Leaf, files: &mut Vec<(String, String)>) -> String {
    let name = leaf.name(index);
    let mut lines = String::new();
    for (place, with) in With::ALL.into_iter().enumerate() {
        if !leaf.is_comparable(with) {
            continue;
        }
        let members = with.members();
        let (file, declared) = (format!("by{index}-{place}.mjs"), format!("with {{ {members} }}"));
        files.push((
            file.clone(),
            format!("import value from './{name}' {declared};\nexport default value;\n"),
        ));
        let options = format!("{{ with: {{ {members} }} }}");
        lines += &format!(
            "await see('{file}', async () => (await import('./{file}')).default, told);\n\
             await see('{name} {place}', async () => (await import('./{name}', {options})).default, told);\n"
        );
    }
    if matches!(leaf, Leaf::Json(_)) {
        let file = format!("by{index}.cjs");
        let body = format!(
            "module.exports = () => {{ const value = require('./{name}'); return [value, value === require('./{name}')] }}"
        );
        files.push((file.clone(), body));
        lines += &format!("await see('{file}', async () => (await import('./{file}')).default(), told);\n");
    }
    lines
}

/// The driver: what each import comes to, and whether two imports of one module are one value.
fn driver(lines: &str) -> String {
    format!(
        "export default async () => {{
const seen = [];
const first = new Map();
const show = (value) => value instanceof ArrayBuffer ? `bytes ${{new Uint8Array(value).join()}}` : JSON.stringify(value);
const told = (error) => error.name;
const see = async (who, look, told) => {{
  let got;
  try {{ got = await look() }} catch (error) {{ seen.push(`${{who}}: ${{told(error)}}`); return }}
  const key = who.split(/[.-]/)[0].replace('by', 'leaf');
  const shared = typeof got !== 'object' || who.endsWith('.cjs') || (first.has(key) ? first.get(key) === got : (first.set(key, got), true));
  seen.push(`${{who}}: ${{show(got)}} ${{shared}}`);
}};
{lines}
return seen;
}};
"
    )
}

fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i32>().prop_map(|value| json!(value)),
        any::<f32>().prop_filter("finite", |value| value.is_finite()).prop_map(|value| json!(value)),
        "\\PC{0,8}".prop_map(|value| json!(value)),
    ];
    let value = leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof![Just("__proto__".to_owned()), Just("then".to_owned()), "\\PC{0,4}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| json!(items)),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    });
    // One in three is damaged: cut short, or with a character too many.
    (value, 0..3u8, any::<prop::sample::Index>(), "[\\]},:x0\"]").prop_map(|(value, damage, at, extra)| {
        let text = value.to_string();
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        let place = places[at.index(places.len())];
        match damage {
            0 => text[..place].to_owned() + &extra + &text[place..],
            _ => text,
        }
    })
}

fn leaf() -> impl Strategy<Value = Leaf> {
    prop_oneof![
        2 => json_text().prop_map(Leaf::Json),
        1 => "\\PC{0,12}".prop_map(Leaf::Text),
        1 => prop::collection::vec(any::<u8>(), 0..8).prop_map(Leaf::Data),
    ]
}

fn values_arrive_as_in_node(host: &Host) -> Result<(), String> {
    check(12, SEEDS, prop::collection::vec(leaf(), 1..10), |leaves| {
        let mut files = Vec::new();
        let lines: String =
            leaves.iter().enumerate().map(|(index, leaf)| importers(index, leaf, &mut files)).collect();
        files.push(("driver.mjs".to_owned(), driver(&lines)));
        let mut map = ModuleMap::new();
        for (name, source) in &files {
            let source = source.clone();
            let is_common_js = name.ends_with(".cjs");
            map = map
                .with(name, if is_common_js { ModuleSource::Cjs(source) } else { ModuleSource::Js(source) });
        }
        for (index, leaf) in leaves.iter().enumerate() {
            map = map.with(leaf.name(index), leaf.source());
            files.push((leaf.name(index), leaf.for_node()));
        }
        let program = "import drive from './driver.mjs'\nasync () => drive()";
        let found = host.execute(ExecuteRequest::new(program).modules(map))?.into_value()?;
        let folder = Folder::new();
        let driver = folder.write(0, &files, "driver.mjs").map_err(|error| error.to_string())?;
        let expected =
            host.ask_node(&json!({ "operation": "drive", "driver": driver }))?.ok_or("the oracle died")?;
        let found = serde_json::Value::from(found.unwrap_or(Value::Null));
        if found == expected { Ok(()) } else { Err(format!("found    {found}\nexpected {expected}")) }
    })
}
