//! The contract over a WebSocket.
//!
//! # Purpose
//! To put any `Executor` behind a listener, so that hosts on other machines run
//! programs on it and keep their tools: requests go in, tool calls come back across the same connection.
//!
//! # Promises
//! None yet. This crate holds its place in the layers and has no content.
//!
//! # Not here
//! Running programs: `codemode-executor`. Starting a process that listens: `codemode-daemon`.
//!
//! # Map
//! Empty.
#![forbid(unsafe_code)]
