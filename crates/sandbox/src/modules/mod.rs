//! The modules of a run: which name a specifier means, and how the engine gets the module behind it.
//!
//! [`resolve`] is the one rule for static imports, dynamic imports and `require` alike. [`map`] is the module map of
//! a request with its names normalized; `linker` compiles from it, each name once; `dynamic` answers `import()`.

pub(crate) mod compile;
pub(crate) mod dynamic;
pub(crate) mod linker;
pub mod map;
pub mod resolve;
