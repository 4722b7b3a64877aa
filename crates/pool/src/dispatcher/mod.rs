//! Who runs where and when: decided by [`state`], which does nothing itself.

pub(crate) mod backoff;
mod pace;
pub(crate) mod queue;
pub(crate) mod state;

#[cfg(test)]
mod model;
