//! Between the contract's types and those of the channel.

use codemode_protocol as contract;

use crate::ipc::frame::{
    ConsoleLevel, FailKind, HandleRequestParts, HandleResponseParts, Module, ModuleBody, OutboundParts,
    Provider, Redirect, ResponseParts,
};

impl From<contract::ProviderDescriptor> for Provider {
    fn from(provider: contract::ProviderDescriptor) -> Self {
        Self {
            name: provider.name,
            positional_args: provider.positional_args.unwrap_or(true),
            prelude: provider.prelude,
            proxy_source: provider.proxy_source,
        }
    }
}

impl From<Provider> for contract::ProviderDescriptor {
    fn from(provider: Provider) -> Self {
        let mut descriptor = contract::ProviderDescriptor::new(provider.name, Vec::<String>::new());
        descriptor.positional_args = Some(provider.positional_args);
        descriptor.prelude = provider.prelude;
        descriptor.proxy_source = provider.proxy_source;
        descriptor
    }
}

impl From<contract::ModuleSource> for ModuleBody {
    fn from(source: contract::ModuleSource) -> Self {
        match source {
            contract::ModuleSource::Js(text) => ModuleBody::Js(text),
            contract::ModuleSource::Cjs(text) => ModuleBody::Cjs(text),
            contract::ModuleSource::Json(text) => ModuleBody::Json(text),
            contract::ModuleSource::Text(text) => ModuleBody::Text(text),
            contract::ModuleSource::Data(bytes) => ModuleBody::Data(bytes),
            _ => ModuleBody::Unsupported,
        }
    }
}

impl From<ModuleBody> for contract::ModuleSource {
    fn from(body: ModuleBody) -> Self {
        match body {
            ModuleBody::Js(text) => contract::ModuleSource::Js(text),
            ModuleBody::Cjs(text) => contract::ModuleSource::Cjs(text),
            ModuleBody::Json(text) => contract::ModuleSource::Json(text),
            ModuleBody::Text(text) => contract::ModuleSource::Text(text),
            ModuleBody::Data(bytes) => contract::ModuleSource::Data(bytes),
            ModuleBody::Unsupported => contract::ModuleSource::Unsupported,
        }
    }
}

/// The modules of a request, as a run carries them.
pub fn modules_of(map: contract::ModuleMap) -> Vec<Module> {
    map.0.into_iter().map(|(name, source)| Module { name, body: source.into(), code_cache: None }).collect()
}

impl From<contract::LogLevel> for ConsoleLevel {
    fn from(level: contract::LogLevel) -> Self {
        match level {
            contract::LogLevel::Log => ConsoleLevel::Log,
            contract::LogLevel::Warn => ConsoleLevel::Warn,
            contract::LogLevel::Error => ConsoleLevel::Error,
        }
    }
}

impl From<ConsoleLevel> for contract::LogLevel {
    fn from(level: ConsoleLevel) -> Self {
        match level {
            ConsoleLevel::Log => contract::LogLevel::Log,
            ConsoleLevel::Warn => contract::LogLevel::Warn,
            ConsoleLevel::Error => contract::LogLevel::Error,
        }
    }
}

impl From<contract::FailureKind> for FailKind {
    fn from(kind: contract::FailureKind) -> Self {
        match kind {
            contract::FailureKind::Syntax => FailKind::Syntax,
            contract::FailureKind::Module => FailKind::Module,
            contract::FailureKind::Timeout => FailKind::Timeout,
            contract::FailureKind::Memory => FailKind::Memory,
            contract::FailureKind::Payload => FailKind::Payload,
            contract::FailureKind::Provider => FailKind::Provider,
            contract::FailureKind::Cancelled => FailKind::Cancelled,
            // A kind that this channel does not know yet is still a failure of the program.
            _ => FailKind::Thrown,
        }
    }
}

impl From<FailKind> for contract::FailureKind {
    fn from(kind: FailKind) -> Self {
        match kind {
            FailKind::Thrown => contract::FailureKind::Thrown,
            FailKind::Syntax => contract::FailureKind::Syntax,
            FailKind::Module => contract::FailureKind::Module,
            FailKind::Timeout => contract::FailureKind::Timeout,
            FailKind::Memory => contract::FailureKind::Memory,
            FailKind::Payload => contract::FailureKind::Payload,
            FailKind::Provider => contract::FailureKind::Provider,
            FailKind::Cancelled => contract::FailureKind::Cancelled,
        }
    }
}

impl From<contract::OutboundRequest> for OutboundParts {
    fn from(request: contract::OutboundRequest) -> Self {
        Self {
            url: request.url,
            method: request.method,
            headers: request.headers,
            body: request.body,
            redirect: request.redirect.into(),
        }
    }
}

impl From<contract::RedirectMode> for Redirect {
    fn from(mode: contract::RedirectMode) -> Self {
        match mode {
            contract::RedirectMode::Follow => Redirect::Follow,
            contract::RedirectMode::Error => Redirect::Error,
            contract::RedirectMode::Manual => Redirect::Manual,
        }
    }
}

impl From<Redirect> for contract::RedirectMode {
    fn from(mode: Redirect) -> Self {
        match mode {
            Redirect::Follow => contract::RedirectMode::Follow,
            Redirect::Error => contract::RedirectMode::Error,
            Redirect::Manual => contract::RedirectMode::Manual,
        }
    }
}

impl From<OutboundParts> for contract::OutboundRequest {
    fn from(parts: OutboundParts) -> Self {
        Self {
            url: parts.url,
            method: parts.method,
            headers: parts.headers,
            body: parts.body,
            redirect: parts.redirect.into(),
        }
    }
}

impl From<contract::OutboundResponse> for ResponseParts {
    fn from(response: contract::OutboundResponse) -> Self {
        Self {
            status: response.status,
            status_text: response.status_text,
            headers: response.headers,
            body: response.body,
            url: response.url,
        }
    }
}

impl From<ResponseParts> for contract::OutboundResponse {
    fn from(parts: ResponseParts) -> Self {
        Self {
            status: parts.status,
            status_text: parts.status_text,
            headers: parts.headers,
            body: parts.body,
            url: parts.url,
        }
    }
}

impl From<contract::HandleRequest> for HandleRequestParts {
    fn from(request: contract::HandleRequest) -> Self {
        Self { url: request.url, method: request.method, headers: request.headers, body: request.body }
    }
}

impl From<HandleRequestParts> for contract::HandleRequest {
    fn from(parts: HandleRequestParts) -> Self {
        Self { url: parts.url, method: parts.method, headers: parts.headers, body: parts.body }
    }
}

impl From<contract::HandleResponse> for HandleResponseParts {
    fn from(response: contract::HandleResponse) -> Self {
        Self {
            status: response.status,
            status_text: response.status_text,
            headers: response.headers,
            body: response.body,
        }
    }
}

impl From<HandleResponseParts> for contract::HandleResponse {
    fn from(parts: HandleResponseParts) -> Self {
        Self {
            status: parts.status,
            status_text: parts.status_text,
            headers: parts.headers,
            body: parts.body,
        }
    }
}
