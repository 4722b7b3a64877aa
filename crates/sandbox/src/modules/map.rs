//! [`Modules`]: the module map of a request under normalized names.

use std::collections::BTreeMap;

use codemode_protocol::{ModuleMap, ModuleSource, Sentence};

use super::resolve::{normalize_specifier, resolve_specifier};

/// The sources of a run by normalized name. Names like `toString` and `__proto__` are names like any other.
#[derive(Debug, Default)]
pub struct Modules {
    by_name: BTreeMap<String, (String, ModuleSource)>,
    code_cache: BTreeMap<String, Vec<u8>>,
}

impl Modules {
    /// Normalizes every name of `map`.
    ///
    /// # Errors
    /// [`Sentence::ModuleKeyCollision`] when two names meet, naming both spellings.
    pub fn new(map: ModuleMap) -> Result<Self, Sentence> {
        let mut by_name = BTreeMap::new();
        for (spelling, source) in map.0 {
            let name = normalize_specifier(&spelling);
            if let Some((first, _)) = by_name.get(&name) {
                return Err(Sentence::ModuleKeyCollision { first: String::clone(first), second: spelling });
            }
            by_name.insert(name, (spelling, source));
        }
        Ok(Self { by_name, code_cache: BTreeMap::new() })
    }

    /// With compiled code for some of the names, in the spelling of the map.
    pub fn with_code_cache(mut self, code_cache: BTreeMap<String, Vec<u8>>) -> Self {
        self.code_cache =
            code_cache.into_iter().map(|(spelling, code)| (normalize_specifier(&spelling), code)).collect();
        self
    }

    /// The compiled code of the module under a normalized name, if there is any.
    pub fn code(&self, name: &str) -> Option<&[u8]> {
        self.code_cache.get(name).map(Vec::as_slice)
    }

    /// The name that `specifier` means in `importer`.
    pub fn resolve(&self, specifier: &str, importer: &str) -> String {
        resolve_specifier(specifier, importer, |name| self.by_name.contains_key(name))
    }

    /// The source under a normalized name.
    ///
    /// # Errors
    /// [`Sentence::ModuleNotFound`] with the specifier as it was written and its importer.
    pub fn source(&self, name: &str, specifier: &str, importer: &str) -> Result<&ModuleSource, Sentence> {
        match self.by_name.get(name) {
            Some((_, source)) => Ok(source),
            None => Err(Sentence::ModuleNotFound {
                specifier: specifier.to_owned(),
                importer: importer.to_owned(),
            }),
        }
    }
}
