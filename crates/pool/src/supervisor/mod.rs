//! Carries out what the dispatcher decides: owns processes, sockets and waiting callers.
//!
//! A run takes a waiting worker under a short lock and talks to it from its caller's own task. Everything slower
//! (starting templates, reports of exits, renewal) is done by one thread of the pool, which is also the parent of
//! every launcher, so that the kernel ends those when it ends.

mod followup;
mod launch;
mod lease;
mod memory_group;
mod pressure;
mod shared;
mod thread;

pub(crate) use followup::Followup;
pub(crate) use lease::{Lease, WorkerHandle};
pub(crate) use memory_group::MemoryGroup;
pub(crate) use shared::Shared;
