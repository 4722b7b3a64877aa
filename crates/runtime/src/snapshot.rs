//! The startup snapshot: the serialized heap of the library.

/// The blob that the build script made. It belongs to this build of the engine and to its flags.
pub static SNAPSHOT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/snapshot.bin"));
