//! Connections: a client that can reach nothing but the addresses it is given, with the certificates of
//! the system.

use crate::settings::WebSettings;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Proxy};
use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(15);
/// How long a server may be silent.
const SILENCE: Duration = Duration::from_secs(20);
/// Most headers of an answer.
const MOST_HEADERS: usize = 1000;
/// Who we say we are.
const USER_AGENT: &str =
    concat!("pegboard/", env!("CARGO_PKG_VERSION"), " (+https://github.com/pegboard/pegboard)");

/// Makes clients. Cheap to clone; certificates are read once, at the first use.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    proxy: Option<String>,
    extra_ca_file: Option<PathBuf>,
    tls: Arc<OnceCell<ClientConfig>>,
}

/// No client could be made; the text is for the operator.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoClient(String);

impl Network {
    /// With the proxy and the certificates of the settings.
    pub(crate) fn new(settings: &WebSettings) -> Self {
        Self {
            proxy: settings.proxy.clone(),
            extra_ca_file: settings.extra_ca_file.clone(),
            tls: Arc::default(),
        }
    }

    /// Whether connections go through a proxy.
    pub(crate) fn has_proxy(&self) -> bool {
        self.proxy.is_some()
    }

    /// A client that connects to `addresses` when `host` is asked for, and to nothing else.
    ///
    /// # Errors
    /// When there are no certificates.
    pub(crate) async fn direct(&self, host: &str, addresses: Vec<SocketAddr>) -> Result<Client, NoClient> {
        let pinned = Pinned { host: host.to_owned(), addresses };
        self.build(self.builder().await?.no_proxy().dns_resolver(Arc::new(pinned)))
    }

    /// A client that sends everything through the proxy, which finds the addresses.
    ///
    /// # Errors
    /// When there are no certificates or the proxy's address is none.
    pub(crate) async fn through_proxy(&self) -> Result<Client, NoClient> {
        let wrong =
            || NoClient("`tools.web.proxy` is no address of a proxy; write `http://host:port`".to_owned());
        let address = self.proxy.as_deref().ok_or_else(wrong)?;
        if !address.starts_with("http://") && !address.starts_with("https://") {
            return Err(wrong());
        }
        let proxy = Proxy::all(address).map_err(|_| wrong())?;
        self.build(self.builder().await?.proxy(proxy))
    }

    async fn builder(&self) -> Result<ClientBuilder, NoClient> {
        let file = self.extra_ca_file.clone();
        let made = self.tls.get_or_try_init(|| async move {
            let read = tokio::task::spawn_blocking(move || config(file.as_deref())).await;
            read.unwrap_or_else(|_| Err(NoClient("the certificates could not be read".to_owned())))
        });
        Ok(Client::builder()
            .tls_backend_preconfigured(made.await?.clone())
            .user_agent(USER_AGENT)
            .redirect(Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .pool_max_idle_per_host(0)
            .http1_only()
            .http1_max_headers(MOST_HEADERS)
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE))
    }

    fn build(&self, builder: ClientBuilder) -> Result<Client, NoClient> {
        builder.build().map_err(|_| NoClient("no client could be made for connections".to_owned()))
    }
}

/// Certificates of the system, and of the file.
fn config(extra: Option<&Path>) -> Result<ClientConfig, NoClient> {
    let mut roots: Vec<CertificateDer<'static>> = Vec::new();
    if let Some(file) = extra {
        let wrong = |error: rustls::pki_types::pem::Error| {
            NoClient(format!("the certificates of `tools.web.extraCaFile` cannot be read: {error}"))
        };
        for certificate in CertificateDer::pem_file_iter(file).map_err(wrong)? {
            roots.push(certificate.map_err(wrong)?);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let none = |error: rustls::Error| NoClient(format!("no secure connections can be made: {error}"));
    let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(roots, Arc::clone(&provider));
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(none)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier.map_err(none)?))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Knows one host, by the addresses that were judged.
#[derive(Debug)]
struct Pinned {
    host: String,
    addresses: Vec<SocketAddr>,
}

impl Resolve for Pinned {
    fn resolve(&self, name: Name) -> Resolving {
        let found = (name.as_str() == self.host).then(|| self.addresses.clone());
        Box::pin(std::future::ready(match found {
            Some(addresses) => Ok(Box::new(addresses.into_iter()) as Addrs),
            None => Err("another host than the judged one".into()),
        }))
    }
}
