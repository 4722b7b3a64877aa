//! The whole global against `cases/globals.txt`.

use codemode_testbed::{globals, load};

use crate::Suite;

/// With this variable set the list is brought up to what is there; what is new still wants a section.
const UPDATE: &str = "CODEMODE_UPDATE_GLOBALS";

pub(crate) fn every_global_is_listed_with_a_reason(suite: &Suite) -> Result<(), String> {
    let path = load::folder().join("globals.txt");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let found = suite.clean()?;
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, globals::updated(&text, found)).map_err(|error| error.to_string())?;
    }
    match globals::differences(&globals::from_file(&text)?, found) {
        differences if differences.is_empty() => Ok(()),
        differences => {
            Err(format!("{}\n(set {UPDATE} to bring the list up to this)", differences.join("\n")))
        }
    }
}
