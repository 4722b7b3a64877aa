//! The library that lives inside the isolate, from its modules to one script.
//!
//! The sources under `crates/runtime/js` are ECMAScript modules in a strict subset: every import is of a relative
//! path, stands before all other statements and takes names or a namespace; every export has a name and is never
//! assigned again. That subset can be expressed as nested functions without changing what it means, which is all
//! this generator does: each module becomes a function that returns its exports, in the order in which the module
//! loader would have evaluated them. Comments go; nothing else is shortened, so that a stack trace of the library
//! is readable.

mod emit;
mod order;
mod source;

use crate::{Outcome, engine, workspace};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;

const SOURCES: &str = "crates/runtime/js";
const OUTPUT: &str = "crates/runtime/src/bundle.generated.js";
const ENTRY: &str = "index.js";

/// Writes the bundle where it is not current, and says what it holds.
pub(crate) fn write() -> Outcome<String> {
    let sources = read_sources()?;
    let text = generate(&sources)?;
    if workspace::read(OUTPUT).ok().as_deref() != Some(&text) {
        fs::write(workspace::root().join(OUTPUT), &text).map_err(|error| format!("{OUTPUT}: {error}"))?;
    }
    Ok(format!("{OUTPUT}: {} modules, {} bytes", sources.len(), text.len()))
}

/// Fails when the committed bundle is not what the sources give.
pub(crate) fn check() -> Outcome {
    let text = generate(&read_sources()?)?;
    if workspace::read(OUTPUT)? == text {
        Ok(())
    } else {
        Err(format!("{OUTPUT} is not what {SOURCES} gives; run `cargo xtask bundle`"))
    }
}

/// The bundle of `sources`, which maps paths relative to the folder of the entry to texts.
fn generate(sources: &BTreeMap<String, String>) -> Outcome<String> {
    let mut modules = BTreeMap::new();
    for (path, text) in sources {
        let module = source::parse(path, text).map_err(|error| format!("{SOURCES}/{error}"))?;
        modules.insert(path.clone(), module);
    }
    let order = order::evaluation_order(ENTRY, &modules)?;
    emit::bundle(&source_hash(sources), &order)
}

fn read_sources() -> Outcome<BTreeMap<String, String>> {
    let folder = workspace::root().join(SOURCES);
    let names = workspace::files(&folder, &|path| path.ends_with(".js"))?;
    names.into_iter().map(|name| Ok((name.clone(), workspace::read(&format!("{SOURCES}/{name}"))?))).collect()
}

/// One digest over paths and texts, each behind its length so that no two sets of files give the same bytes.
fn source_hash(sources: &BTreeMap<String, String>) -> String {
    let mut hasher = Sha256::new();
    for (path, text) in sources {
        for part in [path, text] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    engine::hex(&hasher.finalize())
}

#[cfg(test)]
mod tests;
