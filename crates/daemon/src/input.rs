//! Reads the program and its modules.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use codemode_protocol::{ModuleMap, ModuleSource, defaults};
use thiserror::Error;

use crate::cli::ModuleArg;

/// The name that stands for standard input.
const STDIN: &str = "-";

/// Why a file is of no use.
#[derive(Debug, Error)]
pub(crate) enum InputError {
    /// The system does not give it.
    #[error("cannot read {name}: {source}")]
    Read { name: String, source: io::Error },
    /// It would not cross to a worker.
    #[error("{name} is longer than the bound of {limit_bytes} bytes")]
    TooLong { name: String, limit_bytes: usize },
    /// A source that is no text.
    #[error("{name} is not UTF-8 text (byte {offset})")]
    NotText { name: String, offset: usize },
}

/// The text of the program, from a file or from standard input.
pub(crate) fn program(path: &Path) -> Result<String, InputError> {
    if path == Path::new(STDIN) {
        let name = "standard input".to_owned();
        text(bounded(io::stdin().lock(), &name)?, name)
    } else {
        file_text(path)
    }
}

/// The modules, each of the kind that its ending says.
pub(crate) fn modules(args: &[ModuleArg]) -> Result<ModuleMap, InputError> {
    args.iter().map(|arg| Ok((arg.name.clone(), module(&arg.path)?))).collect::<Result<_, _>>().map(ModuleMap)
}

fn module(path: &Path) -> Result<ModuleSource, InputError> {
    Ok(match path.extension().and_then(|ending| ending.to_str()) {
        Some("mjs" | "js") => ModuleSource::Js(file_text(path)?),
        Some("cjs") => ModuleSource::Cjs(file_text(path)?),
        Some("json") => ModuleSource::Json(file_text(path)?),
        Some("txt") => ModuleSource::Text(file_text(path)?),
        _ => ModuleSource::Data(file(path)?),
    })
}

fn file_text(path: &Path) -> Result<String, InputError> {
    text(file(path)?, path.display().to_string())
}

fn file(path: &Path) -> Result<Vec<u8>, InputError> {
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => bounded(file, &name),
        Err(source) => Err(InputError::Read { name, source }),
    }
}

/// Everything up to the bound on a message, so that an endless file ends here.
fn bounded(source: impl Read, name: &str) -> Result<Vec<u8>, InputError> {
    let limit_bytes = defaults::PAYLOAD_LIMIT_BYTES;
    let mut bytes = Vec::new();
    source
        .take(limit_bytes as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| InputError::Read { name: name.to_owned(), source })?;
    if bytes.len() > limit_bytes {
        return Err(InputError::TooLong { name: name.to_owned(), limit_bytes });
    }
    Ok(bytes)
}

fn text(bytes: Vec<u8>, name: String) -> Result<String, InputError> {
    String::from_utf8(bytes)
        .map_err(|error| InputError::NotText { name, offset: error.utf8_error().valid_up_to() })
}
