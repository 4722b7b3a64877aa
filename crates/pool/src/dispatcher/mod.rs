//! Who runs where and when: decided by [`state`], which does nothing itself.

pub(crate) mod backoff;
pub(crate) mod state;

#[cfg(test)]
mod model;
