//! The engine flags, shared by the build script and the runtime: a snapshot is refused under other flags.

/// - `--single-threaded`: one thread for life, so that a process can be forked.
/// - `--no-freeze-flags-after-init`: a forked process sets its own random seed.
/// - `--stack-size`: V8's default, named so that an engine update cannot move it unseen (KiB).
pub(crate) const ENGINE_FLAGS: &str = "--single-threaded --no-freeze-flags-after-init --stack-size=984";
