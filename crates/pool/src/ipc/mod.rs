//! What crosses between processes: frames on a worker's channel and messages on a template's control socket.
//!
//! Both are rkyv archives, validated before anything is read from them. A channel is a stream of frames, each
//! behind a `u32` length in little endian; a control socket keeps message boundaries itself.

pub(crate) mod codec;
pub(crate) mod control;
pub mod frame;
pub(crate) mod host;
pub(crate) mod worker;
