//! The contract of Codemode: what a host asks of an executor and what comes back.
//!
//! # Purpose
//! A host hands over a program, the tools it may call and the bounds it runs under, and receives the value the
//! program returned, the lines it logged, or one sentence that a model can act on. Every crate of the workspace
//! that takes part in that exchange speaks the types of this one.
//!
//! # Promises
//! - No I/O, no clock, no async runtime: the traits return boxed futures and name no executor of futures.
//! - No dependency with default features.
//! - Every sentence a program or caller can read is composed here, by a type, in one place ([`sentence`]).
//! - Every failure of an executor has one code, one class and one answer to "may I retry" ([`fault`]).
//!
//! # Not here
//! How a program is run (`codemode-sandbox`), where (`codemode-pool`), and how the contract crosses a network
//! (`codemode-server`).
//!
//! # Features
//! - `codec`: JSON. The dispatch envelope, the binary-safe value codec, conversions to and from `serde`, the
//!   contract types as records, and the toolbox. Brings `serde`, `serde_json` and `base64`.
//!
//! # Map
//! [`request`] → [`result`] with [`value`] are the two sides of one call, [`handles`] what may
//! follow it; [`executor`] holds the traits;
//! [`fault`] and [`sentence`] are how things fail; [`provider`], [`module`] and [`imports`] are the rules for
//! what a program may name. With `codec`: `codec` for JSON, and `toolbox` for tools that are closures.
#![forbid(unsafe_code)]

#[cfg(feature = "codec")]
pub mod codec;
pub mod defaults;
pub mod executor;
pub mod fault;
pub mod handles;
pub mod imports;
pub mod module;
pub mod provider;
pub mod request;
pub mod result;
pub mod sentence;
#[cfg(feature = "codec")]
pub mod toolbox;
pub mod value;

pub use executor::{BoxFuture, Dispatch, Executor, LogSink, Outbound, ToolCall, dispatch_fn, outbound_fn};
pub use fault::{Fault, FaultClass, FaultCode};
pub use handles::{HandleRequest, HandleResponse, HandleResult};
pub use imports::{SeparatedImports, separate_imports};
pub use module::{ModuleMap, ModuleSource};
pub use provider::{ProviderDescriptor, validate_providers};
pub use request::{ExecuteRequest, OutboundPolicy, OutboundRequest, OutboundResponse, RedirectMode, Timeout};
pub use result::{ExecuteResult, FailureKind, LogLevel, LogLine, Usage};
pub use sentence::Sentence;
#[cfg(feature = "codec")]
pub use toolbox::Toolbox;
pub use value::Value;
