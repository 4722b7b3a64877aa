//! Tests of test262, the public suite of the language, in a real worker or in a plain isolate of the same engine.
//!
//! `cargo xtask test262` reads the suite and decides; the binary `test262-run` runs what it is told to:
//! - [`worker`]: a test as the program of a run, through an executor. A script is evaluated as eval code.
//! - [`isolate`]: a test as what it is, a script or a module, in an isolate of this process; either one as the
//!   engine makes it, or one with the library of a run.

pub mod isolate;
mod job;
mod modules;
mod texts;
pub mod worker;

pub use job::{Answer, Goal, Job};
pub use texts::Texts;
