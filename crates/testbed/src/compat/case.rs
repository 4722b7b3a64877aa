//! The format of the recording.

use std::collections::BTreeMap;

use codemode_protocol::ModuleSource;
use serde::Deserialize;
use serde_json::Value as Json;

/// A program, what it was given, and what came back at the peer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name in the recording.
    pub name: String,
    /// The program as a model would send it.
    pub code: String,
    /// Its providers.
    #[serde(default)]
    pub providers: Vec<Provider>,
    /// Its modules.
    #[serde(default)]
    pub modules: BTreeMap<String, Module>,
    /// The timeout in milliseconds.
    pub timeout: Option<u64>,
    /// `result`, `error` or `threw`, and where there were any `logs` and `calls`.
    pub recorded: Json,
}

/// A namespace of tools.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// Its name.
    pub name: String,
    /// Source behind the proxies.
    pub prelude: Option<String>,
    /// Its tools, by the names that the host has for them.
    #[serde(default)]
    pub tools: BTreeMap<String, Tool>,
}

/// What a tool does when it is called.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Tool {
    /// Answers its first argument.
    Echo,
    /// Answers all arguments.
    Args,
    /// Answers how many there are.
    Count,
    /// Answers their sum.
    Add,
    /// Answers what the host saw of them.
    Describe,
    /// Answers a value.
    Return {
        /// The value.
        value: Json,
    },
    /// Answers a value that JSON cannot write.
    Special {
        /// Its name.
        value: Special,
    },
    /// Fails with an error.
    Throw {
        /// Its message. The constructor is lost on the way.
        message: String,
    },
    /// Fails with a text.
    ThrowValue {
        /// The text.
        value: String,
    },
    /// Answers late.
    Delay {
        /// After this many milliseconds.
        ms: u64,
        /// The answer.
        value: Json,
    },
    /// Never answers.
    Never,
}

/// Values of tools that JSON cannot write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Special {
    /// Nothing.
    Undefined,
    /// Null.
    Null,
    /// A number that is none.
    Nan,
    /// `[1, 2, 255]` as a `Uint8Array`.
    Uint8,
    /// `[9, 8]` as an `ArrayBuffer`.
    Buffer,
    /// `{ list: [Uint8Array [7]], name: "x" }`.
    NestedBytes,
    /// `{ error: "inner" }`.
    FalsyErrorField,
}

/// A module.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Module {
    /// An ES module.
    Js(String),
    /// A CommonJS module.
    Cjs {
        /// Its text.
        cjs: String,
    },
    /// Data.
    Json {
        /// The value.
        json: Json,
    },
}

impl Module {
    /// The module as a request takes it.
    pub fn source(&self) -> ModuleSource {
        match self {
            Module::Js(text) => ModuleSource::Js(text.clone()),
            Module::Cjs { cjs } => ModuleSource::Cjs(cjs.clone()),
            Module::Json { json } => ModuleSource::Json(json.to_string()),
        }
    }
}

impl Case {
    /// All cases of the recording.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn all() -> Result<Vec<Self>, String> {
        let path = super::folder().join("cases.json");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }
}
