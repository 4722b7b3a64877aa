//! The files of a job.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Goal, Job};

/// What stands around a test in every realm.
pub(super) const HOST: &str = include_str!("../../test262/host.js");

/// The texts that one job needs.
#[derive(Clone, Debug)]
pub struct Texts {
    /// The harness files, in order.
    pub harness: Vec<String>,
    /// The test, with its directive where it is to be strict.
    pub file: String,
    /// The folder of the test, which all specifiers are relative to.
    pub folder: PathBuf,
    /// The name of the test in its folder.
    pub name: String,
    /// The files that the test may import, by name in that folder.
    pub fixtures: BTreeMap<String, Vec<u8>>,
}

impl Texts {
    /// Reads the files of `job` from the checkout at `suite`.
    ///
    /// # Errors
    /// The file that cannot be read.
    pub fn read(suite: &Path, job: &Job) -> Result<Self, String> {
        let path = suite.join(&job.path);
        let harness = job.harness.iter().map(|name| text(&suite.join("harness").join(name)));
        let harness = harness.collect::<Result<_, _>>()?;
        let original = text(&path)?;
        let folder = path.parent().ok_or("a test lies in a folder")?.to_path_buf();
        let name = path.file_name().ok_or("a test has a name")?.to_string_lossy().into_owned();
        let mut fixtures = BTreeMap::new();
        bring(&folder, &original, &mut fixtures);
        if job.goal == Goal::Module {
            fixtures.insert(name.clone(), original.clone().into_bytes());
        }
        let file = if job.strict { format!("\"use strict\";\n{original}") } else { original };
        Ok(Self { harness, file, folder, name, fixtures })
    }
}

/// Adds what `importer` names, and what that names in turn. A name that is no file is left to the test.
fn bring(folder: &Path, importer: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for name in specifiers(importer) {
        if found.contains_key(name) {
            continue;
        }
        let Ok(bytes) = fs::read(folder.join(name)) else { continue };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        found.insert(name.to_owned(), bytes);
        bring(folder, &text, found);
    }
}

/// The string literals of a text that look like specifiers of the suite, without the `./`.
fn specifiers(text: &str) -> impl Iterator<Item = &str> {
    let quoted = ['"', '\''].into_iter().flat_map(move |quote| text.split(quote).skip(1));
    quoted.filter_map(|part| part.strip_prefix("./")).filter(|name| !name.contains(['\n', '/']))
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_are_found_where_they_stand_in_quotes() {
        let text = "import './a_FIXTURE.js'; import(\"./b.json\"); x = './no\nt'; y = './deep/c.js'";
        assert_eq!(specifiers(text).collect::<Vec<_>>(), ["b.json", "a_FIXTURE.js"]);
    }
}
