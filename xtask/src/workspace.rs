//! Where the workspace lies, and its files.

use crate::Outcome;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the root manifest.
pub(crate) fn root() -> PathBuf {
    // What cargo says at run time: two checkouts may share a build folder.
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&manifest).parent().expect("xtask lies in the workspace").to_path_buf()
}

/// A text file, by a path relative to the root.
pub(crate) fn read(relative: &str) -> Outcome<String> {
    fs::read_to_string(root().join(relative)).map_err(|error| format!("{relative}: {error}"))
}

/// All files under `folder` that `wanted` accepts, sorted, as paths relative to it with forward slashes.
/// Hidden folders, `target*` and `node_modules` are not entered.
pub(crate) fn files(folder: &Path, wanted: &dyn Fn(&str) -> bool) -> Outcome<Vec<String>> {
    let mut found = Vec::new();
    collect(folder, "", wanted, &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, prefix: &str, wanted: &dyn Fn(&str) -> bool, found: &mut Vec<String>) -> Outcome {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            if !(name.starts_with('.') || name.starts_with("target") || name == "node_modules") {
                collect(&entry.path(), &format!("{path}/"), wanted, found)?;
            }
        } else if wanted(&path) {
            found.push(path);
        }
    }
    Ok(())
}
