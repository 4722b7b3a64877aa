//! [`ModuleMap`]: the modules a program may import.

/// Module names and their sources, in order. Names are normalized by the sandbox; two names that meet after
/// normalization are refused there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModuleMap(pub Vec<(String, ModuleSource)>);

/// What a module of the map is made of.
///
/// The wire form is a record with one member per kind; a record with both `js` and `cjs` reads as
/// [`ModuleSource::Js`] and one with none of the kinds as [`ModuleSource::Unsupported`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModuleSource {
    /// An ES module. A bare string in the map is one too.
    Js(String),
    /// A CommonJS module.
    Cjs(String),
    /// `export default` of the value: JSON text.
    Json(String),
    /// `export default` of the string.
    Text(String),
    /// `export default` of an `ArrayBuffer` with these bytes.
    Data(Vec<u8>),
    /// A record with none of the kinds. Importing it fails in band; it is kept so that the rest still runs.
    Unsupported,
}

impl ModuleMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// This map with one more module.
    pub fn with(mut self, name: impl Into<String>, source: ModuleSource) -> Self {
        self.0.push((name.into(), source));
        self
    }
}
