//! The dialect of `@cloudflare/codemode`, for hosts and models that speak it.
//!
//! # Purpose
//! Programs written for that package arrive wrapped in prose habits: in a Markdown fence, as a bare expression, as an
//! `export default`. Tools arrive under names that are no identifiers, and results can be too long for a model to
//! read. The functions here do what the package does with each, so that a host may change executors and keep its
//! prompts.
//!
//! # Promises
//! - [`normalize_code`], [`sanitize_tool_name`] and [`truncate_result`] give what version 0.5.6 of the package gives,
//!   measured against recorded pairs of input and output (`tests/data`); where they differ, the ledger beside the
//!   pairs says so and why.
//! - They are pure, take any text and never fail: what cannot be understood passes as it is, as in the package.
//! - V8 is not reachable from here.
//!
//! # Not here
//! The dialect's executor over the contract's `Executor`, its connectors and durable runtime, the text of its type
//! declarations, and a client for a remote daemon. None of them exists yet.
//!
//! # Map
//! [`normalize`] cleans a program, [`tool_name`] makes an identifier, [`truncate`] shortens a result.
#![forbid(unsafe_code)]

pub mod normalize;
pub mod tool_name;
pub mod truncate;

pub use normalize::normalize_code;
pub use tool_name::sanitize_tool_name;
pub use truncate::{TruncateOptions, truncate_result};

/// White space as JavaScript's `trim` and `\s` see it: the byte order mark is, U+0085 is not.
fn is_white_space(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}
