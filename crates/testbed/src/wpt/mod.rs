//! The web-platform-tests in a real isolate: one job is one test file with one variant.
//!
//! `cargo xtask wpt` puts the text of a job together and starts the binary `wpt-run`, which asks an executor to run
//! it. The isolate gets no network: what a test fetches is read from the checkout by `serve`, as the suite's own
//! server would send it.

mod run;
mod serve;

pub use run::{Answer, Job, executor, perform};
pub use serve::Checkout;
