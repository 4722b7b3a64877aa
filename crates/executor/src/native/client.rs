//! The clients behind native requests.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, redirect};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;

use super::AddressPolicy;

/// Redirects that one request follows, the bound of the Fetch Standard.
const MAX_REDIRECTS: usize = 20;

/// How long a connection may take to be made. The run's own timeout bounds the rest: the program chose the URL.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// One client for each thing that can become of a redirect.
pub(super) struct Clients {
    /// Follows redirects.
    pub(super) following: Client,
    /// Answers with the redirect.
    pub(super) stopping: Client,
}

/// Clients that ask `addresses` before every connection and every redirect.
pub(super) fn build(addresses: &AddressPolicy) -> Result<Clients, String> {
    let tls = tls()?;
    let client = |redirects: redirect::Policy| {
        Client::builder()
            .tls_backend_preconfigured(tls.clone())
            .redirect(redirects)
            // The Fetch Standard sends a referrer only where there is a page.
            .referer(false)
            .dns_resolver(Arc::new(CheckedResolver(addresses.clone())))
            .connect_timeout(CONNECT_TIMEOUT)
            // A proxy would connect on our behalf, where no policy of this process is asked.
            .no_proxy()
            .build()
            .map_err(|error| set_up(&error))
    };
    Ok(Clients {
        following: client(redirects(addresses.clone()))?,
        stopping: client(redirect::Policy::none())?,
    })
}

fn set_up(error: &dyn std::error::Error) -> String {
    format!("The network client could not be set up: {error}")
}

fn tls() -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_platform_verifier())
        .map_err(|error| set_up(&error))?
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(tls)
}

/// Follows redirects within the bound. A target that is an address is judged here, one that is a name when it is
/// resolved.
fn redirects(addresses: AddressPolicy) -> redirect::Policy {
    redirect::Policy::custom(move |attempt| {
        if attempt.previous().len() > MAX_REDIRECTS {
            return attempt.error("too many redirects");
        }
        // No origin is the program's own, and to another one the Fetch Standard refuses credentials in a redirect.
        if !attempt.url().username().is_empty() || attempt.url().password().is_some() {
            return attempt.error("a redirect to a URL with credentials");
        }
        match addresses.admit_url(attempt.url()) {
            Ok(()) => attempt.follow(),
            Err(refusal) => attempt.error(refusal),
        }
    })
}

/// Resolves names through the system and hands on only what the policy admits. The connection is made to an address
/// that was judged, so a name that changes its mind between question and connection gains nothing.
struct CheckedResolver(AddressPolicy);

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let addresses = self.0.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            let admitted: Vec<SocketAddr> = found.filter(|found| addresses.admits(found.ip())).collect();
            if admitted.is_empty() {
                return Err(AddressPolicy::refusal(&host).into());
            }
            Ok(Box::new(admitted.into_iter()) as Addrs)
        })
    }
}
