//! The engine platform and the standard library of a run.
//!
//! # Purpose
//! A [`Realm`] is an isolate with one context that already holds the whole standard library, restored from a
//! startup snapshot. What a program finds on its global object is decided here, by the allow-list in
//! `js/internal/allow-list.js`, and nothing is added to it later but what a request grants.
//!
//! # Promises
//! - The global starts empty of everything that is not on the allow-list.
//! - The snapshot is made at build time, by the build script, from `src/bundle.generated.js`, which
//!   `cargo xtask bundle` generates from `js/`. The process that restores it has never made one.
//! - The library binds every built-in it uses before a program runs.
//! - The functions that the host lends to the library are handed over once ([`Realm::bind`]) and are reachable
//!   from library code alone.
//!
//! # Not here
//! Running a program: `codemode-sandbox`. What the host's functions do: whoever calls [`Realm::bind`].
//!
//! # Map
//! [`engine`] starts V8 once per process, [`realm`] restores from the [`snapshot`], [`wall_clock`] is what the engine
//! takes for the time.
#![deny(unsafe_code)]

pub mod engine;
mod flags;
pub mod realm;
pub mod snapshot;
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a function of the engine's allocator that the crate v8 has no binding for")]
mod sys;
#[cfg(unix)]
#[expect(unsafe_code, reason = "a function of the C library under its own name, which the engine calls")]
pub mod wall_clock;

pub use realm::Realm;
pub use v8;
