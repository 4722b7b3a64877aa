//! What a host asks: [`ExecuteRequest`] and the policies it may carry.

use std::sync::Arc;
use std::time::Duration;

use crate::{Dispatch, LogSink, ModuleMap, Outbound, ProviderDescriptor, defaults};

/// One program and everything it is granted.
///
/// `code` is the only field that has to be filled. An absent field (`None`) takes the executor's setting, and
/// an executor without a setting takes the default of [`crate::defaults`]. There is no ambient authority: a
/// program reaches the tools, modules and network that its request names and nothing else.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ExecuteRequest {
    /// The program: one arrow (or function) expression, optionally preceded by static imports.
    pub code: String,
    /// The names a program may call tools on. A declaration, not a boundary: `dispatch` decides.
    pub providers: Option<Vec<ProviderDescriptor>>,
    /// Receives every tool call, declared or not. Without one every call fails as an unknown tool does.
    pub dispatch: Option<Arc<dyn Dispatch>>,
    /// The modules a program may import.
    pub modules: Option<ModuleMap>,
    /// The bound on counted time.
    pub timeout: Option<Timeout>,
    /// Whether time spent waiting for the caller's own functions counts against `timeout`.
    pub count_host_waits: Option<bool>,
    /// Who performs `fetch`.
    pub outbound: Option<OutboundPolicy>,
    /// Whether a run that returns a request handler is kept alive to serve it.
    pub retain_handles: Option<bool>,
    /// Who the run is for, when one executor serves several. Tenants take turns in the queue, and an executor may bound
    /// what each of them runs, waits for and retains. Requests without one are one tenant.
    pub tenant: Option<Arc<str>>,
    /// Receives each console line as it is written, besides `logs` in the result.
    pub log_sink: Option<Arc<dyn LogSink>>,
}

impl ExecuteRequest {
    /// A request for `code` with everything else left to the executor.
    pub fn new(code: impl Into<String>) -> Self {
        Self { code: code.into(), ..Self::default() }
    }

    /// Adds one provider: a name the program can call tools on, and the tools it is told about.
    pub fn provider(mut self, provider: ProviderDescriptor) -> Self {
        self.providers.get_or_insert_default().push(provider);
        self
    }

    /// Sets the function that serves tool calls.
    pub fn dispatch(mut self, dispatch: impl Dispatch + 'static) -> Self {
        self.dispatch = Some(Arc::new(dispatch));
        self
    }

    /// Sets the modules the program may import.
    pub fn modules(mut self, modules: ModuleMap) -> Self {
        self.modules = Some(modules);
        self
    }

    /// Sets the bound on counted time.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(Timeout::After(timeout));
        self
    }

    /// Sets whether waits on the caller's functions count against the timeout.
    pub fn count_host_waits(mut self, count: bool) -> Self {
        self.count_host_waits = Some(count);
        self
    }

    /// Sets who performs `fetch`.
    pub fn outbound(mut self, policy: OutboundPolicy) -> Self {
        self.outbound = Some(policy);
        self
    }

    /// Sets whether a run that returns a request handler stays to serve it.
    pub fn retain_handles(mut self, retain: bool) -> Self {
        self.retain_handles = Some(retain);
        self
    }

    /// Sets who the run is for.
    pub fn tenant(mut self, tenant: impl Into<Arc<str>>) -> Self {
        self.tenant = Some(tenant.into());
        self
    }

    /// Sets the sink that receives console lines as they are written.
    pub fn log_sink(mut self, sink: impl LogSink + 'static) -> Self {
        self.log_sink = Some(Arc::new(sink));
        self
    }

    /// This request with every absent field taken from `settings`: a request wins over its executor.
    pub fn over(self, settings: &ExecuteRequest) -> ExecuteRequest {
        ExecuteRequest {
            code: self.code,
            providers: self.providers.or_else(|| settings.providers.clone()),
            dispatch: self.dispatch.or_else(|| settings.dispatch.clone()),
            modules: self.modules.or_else(|| settings.modules.clone()),
            timeout: self.timeout.or(settings.timeout),
            count_host_waits: self.count_host_waits.or(settings.count_host_waits),
            outbound: self.outbound.or_else(|| settings.outbound.clone()),
            retain_handles: self.retain_handles.or(settings.retain_handles),
            tenant: self.tenant.or_else(|| settings.tenant.clone()),
            log_sink: self.log_sink.or_else(|| settings.log_sink.clone()),
        }
    }
}

impl std::fmt::Debug for ExecuteRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExecuteRequest")
            .field("code", &self.code)
            .field("providers", &self.providers)
            .field("dispatch", &self.dispatch.is_some())
            .field("modules", &self.modules)
            .field("timeout", &self.timeout)
            .field("count_host_waits", &self.count_host_waits)
            .field("outbound", &self.outbound)
            .field("retain_handles", &self.retain_handles)
            .field("tenant", &self.tenant)
            .field("log_sink", &self.log_sink.is_some())
            .finish()
    }
}

/// The bound on counted time of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    /// The run ends once this much counted time is spent.
    After(Duration),
    /// No bound of the caller's. The run still ends: at [`defaults::MAX_DELAY_MS`], the widest delay of a timer.
    Unbounded,
}

impl Timeout {
    /// The bound in whole milliseconds, at most [`defaults::MAX_DELAY_MS`].
    pub fn as_millis(self) -> u64 {
        match self {
            Timeout::After(bound) => {
                u64::try_from(bound.as_millis()).unwrap_or(u64::MAX).min(defaults::MAX_DELAY_MS)
            }
            Timeout::Unbounded => defaults::MAX_DELAY_MS,
        }
    }
}

/// Who performs the `fetch` of a program.
#[derive(Clone)]
#[non_exhaustive]
pub enum OutboundPolicy {
    /// Nobody: `fetch` rejects with a sentence that says where data has to come from instead.
    Denied,
    /// The executor, against whatever its own network reaches.
    Native,
    /// A function of the caller's, which sees every request as plain data.
    Caller(Arc<dyn Outbound>),
}

impl std::fmt::Debug for OutboundPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            OutboundPolicy::Denied => "Denied",
            OutboundPolicy::Native => "Native",
            OutboundPolicy::Caller(_) => "Caller",
        })
    }
}

/// One request of a program to the network, as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboundRequest {
    /// Absolute URL.
    pub url: String,
    /// Method in the case the program's `Request` has it.
    pub method: String,
    /// Header names and values in order.
    pub headers: Vec<(String, String)>,
    /// Body bytes, absent when the request has no body.
    pub body: Option<Vec<u8>>,
    /// What the program wants done about a redirect.
    pub redirect: RedirectMode,
}

/// What becomes of a redirect, by the request's redirect mode of the Fetch Standard.
///
/// Whoever performs the request follows redirects in mode `Follow` alone. In the other modes it answers with the
/// redirect itself, which the library inside the isolate turns into what the mode asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RedirectMode {
    /// It is followed.
    #[default]
    Follow,
    /// The request fails.
    Error,
    /// The program gets a response that says no more than that there was one.
    Manual,
}

impl RedirectMode {
    /// Every mode.
    pub const ALL: [RedirectMode; 3] = [RedirectMode::Follow, RedirectMode::Error, RedirectMode::Manual];

    /// The name in the Fetch Standard and on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            RedirectMode::Follow => "follow",
            RedirectMode::Error => "error",
            RedirectMode::Manual => "manual",
        }
    }

    /// The mode with this name.
    pub fn from_name(name: &str) -> Option<RedirectMode> {
        RedirectMode::ALL.into_iter().find(|mode| mode.as_str() == name)
    }
}

/// The answer to an [`OutboundRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboundResponse {
    /// Status code, 200 to 599.
    pub status: u16,
    /// Status text, empty where the transport has none.
    pub status_text: String,
    /// Header names and values in order.
    pub headers: Vec<(String, String)>,
    /// Body bytes, absent for a null body.
    pub body: Option<Vec<u8>>,
    /// The URL that answered, after redirects. Empty when the answerer has none.
    pub url: String,
}

impl OutboundRequest {
    /// What counts against the payload bound: URL, method, every header name and value, and the body.
    pub fn size_bytes(&self) -> usize {
        self.url.len() + self.method.len() + header_bytes(&self.headers) + body_bytes(self.body.as_deref())
    }
}

impl OutboundResponse {
    /// What counts against the payload bound: status text, every header name and value, URL and body.
    pub fn size_bytes(&self) -> usize {
        self.status_text.len()
            + header_bytes(&self.headers)
            + self.url.len()
            + body_bytes(self.body.as_deref())
    }
}

pub(crate) fn header_bytes(headers: &[(String, String)]) -> usize {
    headers.iter().map(|(name, value)| name.len() + value.len()).sum()
}

pub(crate) fn body_bytes(body: Option<&[u8]>) -> usize {
    body.map_or(0, <[u8]>::len)
}
