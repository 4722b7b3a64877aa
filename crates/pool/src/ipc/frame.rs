//! The frames of a worker's channel.
//!
//! These are the channel's own types, since the contract crate depends on nothing and derives nothing for a
//! wire. [`crate::convert`] maps between the two.

#![expect(
    missing_docs,
    reason = "fields that the archive derive adds; everything written here is documented"
)]

use rkyv::{Archive, Deserialize, Serialize};

/// A frame from the host to the worker.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub enum HostFrame {
    /// The one run of the worker. First frame of every channel.
    Start(RunRequest),
    /// The answer to the tool call of that id.
    ToolAnswer {
        /// The id the worker gave the call.
        id: u32,
        /// The envelope JSON, or the text of the error to throw.
        outcome: ToolOutcome,
    },
    /// The answer to the outbound call of that id.
    OutboundAnswer {
        /// The id the worker gave the call.
        id: u32,
        /// The response, or the text of the error to throw.
        outcome: OutboundOutcome,
    },
    /// A request to the handler of a retained execution. Sent once the worker settled so, and the next one when this
    /// one has its answer.
    Invoke(HandleRequestParts),
}

/// A frame from the worker to the host.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub enum WorkerFrame {
    /// One console line.
    Console {
        /// The console method behind it.
        level: ConsoleLevel,
        /// The line.
        text: String,
    },
    /// A tool call. Ids are the worker's own; two open calls never share one.
    ToolCall {
        /// Names the call in its answer.
        id: u32,
        /// The provider named.
        provider: String,
        /// The tool named.
        tool: String,
        /// The arguments as JSON.
        args_json: String,
    },
    /// A request to the network. Ids are counted apart from those of tool calls.
    OutboundCall {
        /// Names the call in its answer.
        id: u32,
        /// The request.
        request: OutboundParts,
    },
    /// Nobody waits for the answer to the outbound call of that id any more. One that is on its way is dropped.
    OutboundCancel {
        /// The id the worker gave the call.
        id: u32,
    },
    /// The end of the run. Last frame of the channel, unless the outcome is [`Outcome::Retained`].
    Settled(Settlement),
    /// The answer to the invocation that is open.
    Invoked {
        /// How it ended.
        outcome: InvocationOutcome,
        /// What it spent.
        usage: Spent,
    },
    /// The worker's own code failed: a panic outside the program. The channel closes behind it.
    Broken {
        /// What was said about it.
        text: String,
    },
}

/// One run, as the worker sees it.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct RunRequest {
    /// The program.
    pub code: String,
    /// The providers, in order.
    pub providers: Vec<Provider>,
    /// The modules by name, in order.
    pub modules: Vec<Module>,
    /// Bound on counted time in milliseconds, at most `defaults::MAX_DELAY_MS`.
    pub timeout_ms: u64,
    /// Headroom past the bound, after which the host ends the worker. The pool fills it in.
    pub grace_ms: u64,
    /// Whether waits on the caller's functions count against the bound.
    pub count_host_waits: bool,
    /// Whether anybody serves tool calls. The pool fills it in.
    pub has_dispatch: bool,
    /// Whether anybody performs outbound requests. The pool fills it in.
    pub outbound_enabled: bool,
    /// Whether an outbound request is a wait on the caller's function, which pauses the clock as a tool call does.
    pub outbound_waits: bool,
    /// Console text the run may write, in UTF-16 code units as the contract counts them.
    pub console_limit: u64,
    /// Resolution of every clock that the program can read, in microseconds. Zero: as fine as they are.
    pub clock_resolution_us: u64,
    /// Keys that the run may hold through `crypto.subtle`.
    pub crypto_key_limit: u32,
    /// Largest message in bytes. The pool fills it in.
    pub payload_limit: u64,
    /// Memory budget in MB. The pool fills it in.
    pub memory_mb: u32,
    /// Whether a handler that the run returns is to be kept.
    pub retain_handles: bool,
    /// Nothing runs: the first module is compiled, and the outcome is [`Outcome::Compiled`].
    pub compile_only: bool,
}

fn micros(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl Default for RunRequest {
    fn default() -> Self {
        use codemode_protocol::defaults;
        Self {
            code: String::new(),
            providers: Vec::new(),
            modules: Vec::new(),
            timeout_ms: codemode_protocol::Timeout::After(defaults::TIMEOUT).as_millis(),
            grace_ms: codemode_protocol::Timeout::After(defaults::GRACE).as_millis(),
            count_host_waits: false,
            has_dispatch: false,
            outbound_enabled: false,
            outbound_waits: false,
            console_limit: defaults::CONSOLE_CAPTURE_LIMIT as u64,
            clock_resolution_us: micros(defaults::CLOCK_RESOLUTION),
            crypto_key_limit: defaults::CRYPTO_KEY_LIMIT,
            payload_limit: defaults::PAYLOAD_LIMIT_BYTES as u64,
            memory_mb: defaults::MEMORY_MB,
            retain_handles: false,
            compile_only: false,
        }
    }
}

impl RunRequest {
    /// Every text of the run that is code.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let provided = self.providers.iter().flat_map(|provider| [&provider.prelude, &provider.proxy_source]);
        let modules = self.modules.iter().filter_map(|module| match &module.body {
            ModuleBody::Js(text) | ModuleBody::Cjs(text) => Some(text),
            _ => None,
        });
        std::iter::once(&self.code).chain(provided.flatten()).chain(modules).map(String::as_str)
    }
}

/// A provider of a run.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Name of the constant.
    pub name: String,
    /// `false` sends the first argument alone.
    pub positional_args: bool,
    /// Source behind all proxies.
    pub prelude: Option<String>,
    /// Source in place of the generated proxy.
    pub proxy_source: Option<String>,
}

/// A module of a run.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Name as the request has it.
    pub name: String,
    /// What it is made of.
    pub body: ModuleBody,
    /// Its compiled code, as a worker that compiled this very source and ran nothing handed it over.
    pub code_cache: Option<Vec<u8>>,
}

/// What a module is made of.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub enum ModuleBody {
    /// An ES module.
    Js(String),
    /// A CommonJS module.
    Cjs(String),
    /// JSON text.
    Json(String),
    /// A string.
    Text(String),
    /// Bytes.
    Data(Vec<u8>),
    /// None of the kinds.
    Unsupported,
}

impl ModuleBody {
    /// Bytes of the source.
    pub(crate) fn len(&self) -> usize {
        match self {
            ModuleBody::Js(text)
            | ModuleBody::Cjs(text)
            | ModuleBody::Json(text)
            | ModuleBody::Text(text) => text.len(),
            ModuleBody::Data(bytes) => bytes.len(),
            ModuleBody::Unsupported => 0,
        }
    }
}

/// The console method behind a line.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleLevel {
    /// `console.log`
    Log,
    /// `console.warn`
    Warn,
    /// `console.error`
    Error,
}

/// How a tool call ended.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub enum ToolOutcome {
    /// The envelope JSON.
    Returned(String),
    /// The text of the error to throw.
    Thrown(String),
}

/// How an outbound call ended.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub enum OutboundOutcome {
    /// The response.
    Returned(ResponseParts),
    /// The text of the error to throw.
    Thrown(String),
}

/// A request to the network as plain data.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboundParts {
    /// Absolute URL.
    pub url: String,
    /// Method.
    pub method: String,
    /// Header names and values in order.
    pub headers: Vec<(String, String)>,
    /// Body bytes, absent for no body.
    pub body: Option<Vec<u8>>,
    /// What becomes of a redirect.
    pub redirect: Redirect,
}

/// The redirect modes of the contract.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redirect {
    /// It is followed.
    #[default]
    Follow,
    /// The request fails.
    Error,
    /// The program learns that there was one.
    Manual,
}

/// An answer from the network as plain data.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseParts {
    /// Status code.
    pub status: u16,
    /// Status text.
    pub status_text: String,
    /// Header names and values in order.
    pub headers: Vec<(String, String)>,
    /// Body bytes, absent for a null body.
    pub body: Option<Vec<u8>>,
    /// The URL that answered.
    pub url: String,
}

/// A request to a retained handle as plain data.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct HandleRequestParts {
    /// Absolute URL.
    pub url: String,
    /// Method, empty for `GET`.
    pub method: String,
    /// Header names and values in order.
    pub headers: Vec<(String, String)>,
    /// Body bytes, absent for no body.
    pub body: Option<Vec<u8>>,
}

/// An answer of a retained handle as plain data.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct HandleResponseParts {
    /// Status code.
    pub status: u16,
    /// Status text.
    pub status_text: String,
    /// Header names and values in order.
    pub headers: Vec<(String, String)>,
    /// Body bytes, absent for a null body.
    pub body: Option<Vec<u8>>,
}

/// How an invocation ended.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub enum InvocationOutcome {
    /// The handler answered.
    Answered(HandleResponseParts),
    /// The handler failed in band. After [`FailKind::Timeout`] the worker is at its end.
    Failed {
        /// Why.
        kind: FailKind,
        /// The sentence.
        text: String,
    },
    /// What was sent is no request.
    Refused {
        /// What is wrong with it.
        text: String,
    },
}

/// The end of a run.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Settlement {
    /// What came of it.
    pub outcome: Outcome,
    /// What it spent, as far as the worker can measure.
    pub usage: Spent,
}

/// What came of a run.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The envelope JSON the program reported, `{"result":…}` or `{"error":…}`. A hostile program owns its
    /// text: it has to be parsed with care.
    Envelope(String),
    /// The program reported nothing, or something that is no envelope.
    Undefined,
    /// The program returned a request handler, in a run that retains handles, and stays.
    Retained,
    /// The code of the module that was to be compiled, in a run that is for that.
    Compiled(Vec<u8>),
    /// The run failed for a reason that did not come out of the program.
    Failed {
        /// Why.
        kind: FailKind,
        /// The sentence.
        text: String,
    },
}

/// The failure kinds of the contract.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailKind {
    /// The program threw.
    Thrown,
    /// The text does not parse.
    Syntax,
    /// A module failed.
    Module,
    /// The bound on counted time.
    Timeout,
    /// The memory budget.
    Memory,
    /// A message past its bound.
    Payload,
    /// A provider name that is refused.
    Provider,
    /// The caller gave up.
    Cancelled,
}

/// What a run spent. The host adds what only it can measure.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Counted time in milliseconds.
    pub counted_ms: f64,
    /// Processor time in milliseconds.
    pub cpu_ms: f64,
    /// Peak size of the heap in bytes.
    pub peak_heap_bytes: u64,
    /// Peak size of buffers outside the heap in bytes.
    pub peak_buffer_bytes: u64,
    /// Tool calls made.
    pub tool_calls: u32,
}
