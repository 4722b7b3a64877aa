//! Suites that see every layer of Codemode: what is documented, what is hostile, what must not get out.
//!
//! # Purpose
//! The documented behaviour of a run is data: files under `cases/`, each case a program, what it is given, and the
//! exact value, text, kind and lines that have to come back. One runner plays them all through an executor with
//! real worker processes. This library is that runner; the test binary is `tests/cases`.
//!
//! # Promises
//! - A case says everything it checks; keys that nobody knows and files that nobody reads are refused.
//! - What does not work yet is written down in `cases/expected-failures.toml` with its reason, and a case that is
//!   written down there and passes fails the suite.
//! - A hostile program has a neighbour that runs beside it and must succeed; behind every hostile program and every
//!   escape the same executor must serve a probe, which must find a realm that nobody has touched.
//! - Nothing waits for time to pass: gates order what happens, and where a bound has to pass, another program that
//!   meets the same bound is what passes the time.
//!
//! # Not here
//! The unit and contract tests of the layers, which stand beside them.
//!
//! # Map
//! [`mod@case`] is the format, [`load`] finds the files, [`stage`] runs a program on an executor with the tools of
//! `script`, [`mod@check`] compares, [`play`] does all of it for one case; [`ledger`], [`globals`] and [`processes`]
//! are what the names say; [`notation`] is how values are written; [`patched`] plays a case again in a realm that its
//! program has changed; [`soak`] and [`storm`] make many runs and look at what they leave, with a [`histogram`].
//! [`compat`] plays what a peer has recorded; [`wpt`] runs the web-platform-tests, whose scope, ledger and shim are in
//! `wpt/`; [`test262`] runs the suite of the language, with its ledger in `test262/`.
#![forbid(unsafe_code)]

pub mod case;
pub mod check;
pub mod compat;
pub mod gate;
pub mod globals;
pub mod histogram;
pub mod invoke;
pub mod ledger;
pub mod load;
pub mod notation;
pub mod patched;
pub mod play;
pub mod processes;
mod script;
pub mod soak;
pub mod stage;
pub mod storm;
pub mod test262;
pub mod web;
pub mod wpt;
