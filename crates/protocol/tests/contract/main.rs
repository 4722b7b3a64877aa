//! What the contract promises: the golden vectors, properties over arbitrary input, and the toolbox.
#![allow(clippy::unwrap_used, reason = "a test ends where its data is not as it must be")]

mod dependencies;
mod imports;
mod names;
mod notation;
mod toolbox;
mod values;
mod vectors;
