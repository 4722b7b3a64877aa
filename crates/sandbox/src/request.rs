//! [`SandboxRequest`]: what one execution is given, with every default already applied.

use std::collections::BTreeMap;

use codemode_protocol::{ModuleMap, ProviderDescriptor};

/// One program and its bounds. Unlike [`codemode_protocol::ExecuteRequest`] nothing is left open here, and the
/// caller's functions are reduced to whether they exist.
#[derive(Clone, Debug)]
pub struct SandboxRequest {
    /// The program.
    pub code: String,
    /// The providers it sees.
    pub providers: Vec<ProviderDescriptor>,
    /// The modules it may import.
    pub modules: ModuleMap,
    /// Compiled code of modules, by the names of `modules`. What does not fit is not used.
    pub code_cache: BTreeMap<String, Vec<u8>>,
    /// The bound on counted time.
    pub timeout_ms: u64,
    /// Whether waits on the caller's functions count.
    pub count_host_waits: bool,
    /// Whether the caller serves tool calls.
    pub has_dispatch: bool,
    /// Who performs `fetch`.
    pub outbound: Outbound,
    /// Console text the run may write, in UTF-16 code units of the lines as they cross.
    pub console_limit: usize,
    /// Resolution of every clock that the program can read. Zero: as fine as they are.
    pub clock_resolution: std::time::Duration,
    /// Keys that the run may hold through `crypto.subtle`.
    pub crypto_key_limit: u32,
    /// Whether a request handler that the program returns is kept.
    pub retain_handles: bool,
    /// Largest message that leaves the isolate.
    pub payload_limit_bytes: usize,
}

/// Who performs `fetch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outbound {
    /// Nobody.
    Denied,
    /// The executor. Its latency counts: the program chose the URL.
    Native,
    /// A function of the caller's, which opens a host wait: a caller can bound its own functions.
    Caller,
}
