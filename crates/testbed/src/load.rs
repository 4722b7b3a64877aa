//! Finding the cases.

use std::fs;
use std::path::{Path, PathBuf};

use crate::case::{Case, read_file};

/// Files of the folder that are no cases and are read by name.
const NAMED: [&str; 2] = ["expected-failures.toml", "globals.txt"];

/// The folder of the cases.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

/// All cases of the folder, in the order of their files.
///
/// # Errors
/// The first file that is no file of cases, or is read by nobody.
pub fn cases() -> Result<Vec<Case>, String> {
    let root = folder();
    let mut files = Vec::new();
    list(&root, &mut files)?;
    files.sort();
    let mut cases = Vec::new();
    let mut used = Vec::new();
    let mut others = Vec::new();
    for path in files {
        let name = relative(&root, &path);
        if NAMED.contains(&name.as_str()) {
            continue;
        }
        let Some(group) = name.strip_suffix(".toml") else {
            others.push(name);
            continue;
        };
        let mut read = read_file(group, &text(&path)?)?;
        for case in &mut read {
            bring_files(case, &root, &mut used)?;
        }
        cases.append(&mut read);
    }
    match others.iter().find(|name| !used.contains(name)) {
        Some(name) => Err(format!("no case uses the file {name}")),
        None => Ok(cases),
    }
}

/// Reads the modules of a case that lie in files.
fn bring_files(case: &mut Case, root: &Path, used: &mut Vec<String>) -> Result<(), String> {
    for run in &mut case.runs {
        for module in &mut run.modules {
            if let Some(file) = module.file.take() {
                module.js = Some(text(&root.join(&file))?);
                used.push(file);
            }
        }
    }
    Ok(())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
