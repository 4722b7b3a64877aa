//! Every declared sentence of the failure grammar, as a type that composes its own text.
//!
//! A sentence names a fact and its bound, and says what to do next where a model can do anything about it. Hosts
//! match on [`FailureKind`] and [`FaultCode`], never on a text; the texts are contract all the same, because a
//! program can read and compare them. Code inside the isolate takes its sentences from here too.

use std::fmt;

use crate::{FailureKind, Fault, FaultCode, defaults};

/// What a [`Sentence::PayloadTooLarge`] speaks of.
pub mod subject {
    /// The envelope in which a run reports its outcome.
    pub const RUN_ANSWER: &str = "The run's answer";
    /// Provider name, tool name and arguments together.
    pub const TOOL_CALL: &str = "The tool call";
    /// What a tool answered.
    pub const TOOL_ANSWER: &str = "The tool's answer";
    /// URL, headers and body of a `fetch`.
    pub const OUTBOUND_REQUEST: &str = "The outbound request";
    /// Status text, headers and body of the answer to a `fetch`.
    pub const OUTBOUND_RESPONSE: &str = "The outbound response";
    /// Status text, headers and body of what a retained handle answered.
    pub const HANDLE_RESPONSE: &str = "The handle's response";
    /// URL, method, headers and body of a request to a retained handle.
    pub const HANDLE_REQUEST: &str = "The handle's request";
    /// A whole execute request.
    pub const EXECUTE_REQUEST: &str = "The execute request";
}

/// Who reads a sentence: the program and its model, or the caller as the message of a fault.
enum Reader {
    Program(FailureKind),
    Caller(FaultCode),
}

macro_rules! sentences {
    ($(
        $(#[$doc:meta])*
        $variant:ident $({ $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })?
        => $reader:ident($class:ident), $text:literal;
    )*) => {
        /// A sentence that a program or caller can read. Its text is contract, byte for byte.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Sentence {
            $($(#[$doc])* $variant $({ $($(#[$field_doc])* $field: $type,)* })?,)*
        }

        impl Sentence {
            /// The names of all sentences, in the order of the declaration.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($variant)),*];

            /// The name of the sentence, for vectors and tables.
            pub fn name(&self) -> &'static str {
                match self { $(Sentence::$variant { .. } => stringify!($variant),)* }
            }

            fn reader(&self) -> Reader {
                match self { $(Sentence::$variant { .. } => sentences!(@ $reader $class),)* }
            }
        }

        impl fmt::Display for Sentence {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Sentence::$variant { $($($field,)*)? } => write!(f, $text),)* }
            }
        }
    };
    (@ Program $kind:ident) => { Reader::Program(FailureKind::$kind) };
    (@ Caller $code:ident) => { Reader::Caller(FaultCode::$code) };
}

sentences! {
    // What ends a run.

    /// The bound on counted time.
    ExecutionTimeout {
        /// The bound that was reached.
        bound_ms: u64,
    } => Program(Timeout), "Execution timed out at its {bound_ms} ms bound. Do less work per run and return the part \
        that is already finished.";
    /// The memory budget.
    MemoryLimit {
        /// The budget that was reached.
        memory_mb: u32,
    } => Program(Memory), "Execution exceeded its {memory_mb} MB memory limit. Hold less data at once and return the \
        part that is needed.";
    /// A message past the payload bound.
    PayloadTooLarge {
        /// What was too large: one of [`subject`].
        subject: &'static str,
        /// Its size.
        size_bytes: usize,
        /// The bound.
        limit_bytes: usize,
    } => Program(Payload), "{subject} is {size_bytes} bytes and the bound is {limit_bytes} bytes. Send less at once.";
    /// A value nested deeper than a message may be.
    ValueTooDeep {
        /// The bound on nesting.
        depth_limit: usize,
    } => Program(Payload), "The value is nested deeper than {depth_limit} levels. Return a flatter shape.";
    /// A value of more parts than a host reads.
    ValueTooManyParts {
        /// The bound on parts.
        parts_limit: usize,
    } => Program(Payload), "The value has more than {parts_limit} parts. Return less at once.";
    /// The report of a run is not JSON, which only a program that wrote its own report can cause.
    AnswerNotJson {
        /// What the parser found.
        detail: String,
    } => Program(Thrown), "The run reported an outcome that is not JSON: {detail}. Return the value instead of \
        assigning the report.";
    /// The caller gave the run up.
    ExecutionCancelled => Program(Cancelled), "Execution was cancelled by its caller.";

    // Providers and tools.

    /// A provider name that the entry module or the language needs for itself.
    ProviderReserved {
        /// The name.
        name: String,
    } => Program(Provider), "Provider name \"{name}\" is reserved";
    /// A provider name that cannot be the name of a constant.
    ProviderNotIdentifier {
        /// The name.
        name: String,
    } => Program(Provider), "Provider name \"{name}\" is not a valid JavaScript identifier";
    /// Two providers of one name.
    ProviderDuplicate {
        /// The name.
        name: String,
    } => Program(Provider), "Duplicate provider name \"{name}\"";
    /// A call of a tool that nobody serves.
    ToolNotFound {
        /// The provider named.
        provider: String,
        /// The tool named.
        tool: String,
    } => Program(Thrown), "Tool \"{tool}\" not found in provider \"{provider}\". Call only tools that were declared.";
    /// A tool of the host panicked, or failed without a text of its own.
    ToolFailed {
        /// The provider named.
        provider: String,
        /// The tool named.
        tool: String,
    } => Program(Thrown), "Tool \"{tool}\" of provider \"{provider}\" failed in its host. Continue without its answer \
        or return what is already known.";
    /// Arguments that do not have the shape the tool takes.
    ToolArguments {
        /// The provider named.
        provider: String,
        /// The tool named.
        tool: String,
        /// What does not fit.
        detail: String,
    } => Program(Thrown), "The arguments of tool \"{tool}\" of provider \"{provider}\" do not fit: {detail}. Call it with \
        the arguments it declares.";
    /// A tool call after the run settled.
    ExecutionCompleted => Program(Thrown), "Execution has already completed.";
    /// More calls to the host than one run may have open.
    OpenCallsLimit {
        /// The bound.
        limit: usize,
    } => Program(Thrown), "This run has {limit} calls open. Await some of them before making more.";
    /// More bytes than the open calls of one run may hold.
    OpenCallBytesLimit {
        /// The bound.
        limit_bytes: usize,
    } => Program(Thrown), "The open calls of this run may hold {limit_bytes} bytes together. Await some of them before \
        making more.";
    /// A tool answer that is no envelope.
    DispatchOutsideEnvelope => Program(Thrown), "The dispatch answered outside the result envelope.";

    // Modules.

    /// An import of a name that the module map lacks.
    ModuleNotFound {
        /// The specifier as the program wrote it.
        specifier: String,
        /// The name of the importing module.
        importer: String,
    } => Program(Module), "Module \"{specifier}\" imported by \"{importer}\" is not in the module map. Import only modules \
        that the request carries.";
    /// Two keys of the module map that name one module.
    ModuleKeyCollision {
        /// The spelling that came first.
        first: String,
        /// The spelling that met it.
        second: String,
    } => Program(Module), "Module keys \"{first}\" and \"{second}\" name the same module. Keep one of them.";
    /// An entry of the module map with none of the kinds.
    UnsupportedModuleKind {
        /// The name of the module.
        name: String,
    } => Program(Module), "Module \"{name}\" has none of the kinds js, cjs, json, text and data. Give it one of them.";

    /// A json module whose text is not JSON.
    ModuleNotJson {
        /// The name of the module.
        name: String,
        /// What the parser found.
        detail: String,
    } => Program(Module), "Module \"{name}\" is not JSON: {detail}.";
    /// An import whose `type` attribute is not what the module is.
    ModuleTypeMismatch {
        /// The name of the module.
        name: String,
        /// The type that the import names.
        asked: String,
    } => Program(Module), "Module \"{name}\" is not of type \"{asked}\".";
    /// An import attribute that means nothing here.
    ImportAttributeUnknown {
        /// The specifier as the program wrote it.
        specifier: String,
        /// The key of the attribute.
        key: String,
    } => Program(Module), "The import of \"{specifier}\" has the attribute \"{key}\", and only \"type\" is known.";

    // Capabilities inside the isolate.

    /// `fetch` where the network is closed.
    OutboundDisabled => Program(Thrown), "Outbound fetch is disabled for this execution. Anything this run needs from \
        outside has to arrive through a tool call.";
    /// A call of `caches`.
    CachesAbsent => Program(Thrown), "Cache storage is absent from this runtime because nothing survives an execution. \
        Return what should persist in the result and take it back as an input on the next call.";
    /// A timer whose callback is no function.
    TimerCallback {
        /// The function called: `setTimeout`, `setInterval` or `queueMicrotask`.
        method: String,
    } => Program(Thrown), "Failed to execute '{method}' on 'ServiceWorkerGlobalScope': parameter 1 is not of type \
        'function'.";
    /// The last line of a run that wrote past the console bound. Written at level `warn`.
    ConsoleCaptureLimit {
        /// The bound, in UTF-16 code units of the lines as they cross.
        limit_units: usize,
    } => Program(Thrown), "Console output reached its bound of {limit_units} characters and the rest is dropped. Log less \
        and return what matters in the result.";
    /// More keys than one run may create through `crypto.subtle`.
    CryptoKeyLimit {
        /// The bound.
        limit: u32,
    } => Program(Thrown), "Execution reached its bound of {limit} cryptographic keys. Create a key once and use it again.";
    /// A value that names no key of this run.
    NotACryptoKey => Program(Thrown), "The provided value is not of type CryptoKey.";
    /// An operation that `SubtleCrypto` does not declare.
    CryptoOperationUnknown {
        /// The operation named.
        operation: String,
    } => Program(Thrown), "SubtleCrypto has no operation \"{operation}\".";
    /// Work that waited until its run was over.
    ExecutionEnded => Program(Thrown), "The execution has ended.";
    /// A handler of a retained execution that answered something else than a `Response`.
    HandleAnswerNotResponse => Program(Thrown), "The handler answered with something other than a Response. Return a \
        Response.";

    /// A handler of a retained execution that answered `Response.error()`.
    HandleAnswerNetworkError => Program(Thrown), "The handler answered with a network error. Return a Response that has \
        a status.";

    // Faults: what a caller reads.

    /// An isolate that did not come from the snapshot of the runtime.
    RuntimeSnapshotMissing => Caller(Internal), "The isolate was created without the runtime snapshot \
        readRuntimeSnapshot answers.";
    /// A call after the executor was disposed.
    PoolShuttingDown => Caller(Internal), "The pool is shutting down.";
    /// A worker that did not come up. The causes behind the fault say why.
    WorkerStartFailed {
        /// The number of the worker, from 1.
        number: u64,
    } => Caller(WorkerCrashed), "Worker {number} failed to start.";
    /// A worker that died under a run.
    WorkerDied {
        /// How it ended: an exit status or a signal.
        how: String,
    } => Caller(WorkerCrashed), "The worker of this run died ({how}). Nothing but this run is affected.";
    /// A worker that sent something that the channel does not admit.
    WorkerViolation {
        /// What was wrong.
        detail: String,
    } => Caller(WorkerCrashed), "The worker of this run broke the protocol ({detail}) and was ended.";
    /// The host program never enters worker mode.
    WorkerSetup => Caller(WorkerSetup), "This program cannot start workers. Call \
        codemode_executor::run_worker_if_requested() as the first line of main, or name a worker binary.";
    /// The queue is at its bound.
    QueueFull {
        /// The bound.
        limit: usize,
    } => Caller(QueueFull), "The queue is full at its bound of {limit} requests. Retry later.";
    /// A request that waited for a place past its deadline.
    QueueTimeout {
        /// How long it waited.
        waited_ms: u64,
    } => Caller(QueueTimeout), "No place became free within {waited_ms} ms. The program has not begun.";
    /// A run that asks to be retained while as many are as may be.
    RetainedLimit {
        /// The bound.
        limit: usize,
    } => Caller(RetainedLimit), "The executor retains {limit} executions, which is its bound. Close one and retry.";
    /// A request to a retained handle that cannot be made into a `Request`.
    HandleRequestInvalid {
        /// What is wrong with it.
        detail: String,
    } => Caller(InvalidRequest), "The request to the handle is not valid: {detail}";
    /// A call on a retained execution that is closed.
    HandlesClosed {
        /// The name of the retained execution.
        execution_id: String,
    } => Caller(HandlesClosed), "The handles of execution \"{execution_id}\" are closed. Run the program again to get \
        new ones.";
    /// A call on a handle that the retained execution does not serve.
    HandleNotFound {
        /// The handle named.
        handle: String,
    } => Caller(HandleNotFound), "Handle \"{handle}\" is not one of those the execution serves.";
}

impl Sentence {
    /// The kind of failure that this sentence reports when it ends a run. A sentence that only a caller reads
    /// never ends a run in band; it answers [`FailureKind::Thrown`].
    pub fn kind(&self) -> FailureKind {
        match self.reader() {
            Reader::Program(kind) => kind,
            Reader::Caller(_) => FailureKind::Thrown,
        }
    }

    /// The code of the fault whose message this sentence is. `None` for what a program reads.
    pub fn fault_code(&self) -> Option<FaultCode> {
        match self.reader() {
            Reader::Program(_) => None,
            Reader::Caller(code) => Some(code),
        }
    }

    /// The sentence of a message past [`defaults::PAYLOAD_LIMIT_BYTES`], or `None` when it fits.
    ///
    /// `subject` is one of [`subject`].
    pub fn over_payload_limit(subject: &'static str, size_bytes: usize) -> Option<Sentence> {
        let limit_bytes = defaults::PAYLOAD_LIMIT_BYTES;
        (size_bytes > limit_bytes).then_some(Sentence::PayloadTooLarge { subject, size_bytes, limit_bytes })
    }
}

impl std::error::Error for Sentence {}

/// The fault whose message the sentence is. A sentence for programs that surfaces as a fault is a fault of ours.
impl From<Sentence> for Fault {
    fn from(sentence: Sentence) -> Self {
        Fault::new(sentence.fault_code().unwrap_or(FaultCode::Internal), sentence.to_string())
    }
}
