//! Who runs where and when: decided by [`state`], which does nothing itself.

pub(crate) mod backoff;
pub(crate) mod message;
mod pace;
pub(crate) mod queue;
pub(crate) mod state;

#[cfg(test)]
mod model;
