//! Finds the addresses of a host and lets only those through that may be reached. Whoever connects must
//! connect to exactly these: a second look-up could answer differently.

use super::address::not_public;
use super::allowed_host::AllowedHost;
use crate::settings::WebSettings;
use async_trait::async_trait;
use std::fmt::Debug;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Finds the addresses of a name. The system's resolver is used unless a host brings its own.
#[async_trait]
pub trait Resolve: Debug + Send + Sync {
    /// The addresses of `name`, a host name in ASCII form.
    ///
    /// # Errors
    /// When it has none or nobody can be asked.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

const _: fn(&dyn Resolve) = |_| ();

/// Asks the system.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SystemResolver;

#[async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Where a connection shall lead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    /// Such as `https` or `wss`.
    pub scheme: &'a str,
    /// Lower case, in ASCII form, an address of version 6 in brackets.
    pub host: &'a str,
    /// The port, also where it is the usual one.
    pub port: u16,
}

/// A connection is refused, or its addresses cannot be found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// The name has no address.
    #[error("the host `{host}` was not found; check its spelling, or whether the network is up")]
    NotFound {
        /// The name.
        host: String,
        /// What the resolver said.
        #[source]
        source: Option<io::Error>,
    },
    /// An address is not public.
    #[error(
        "`{host}` leads to {kind}, which is not reached from here; whoever runs this program may allow it with \
         `tools.web.allowPrivate`"
    )]
    NotPublic {
        /// The name or address.
        host: String,
        /// What kind of address.
        kind: &'static str,
    },
}

/// Lets through what is public or was allowed by name.
#[derive(Clone, Debug)]
pub(crate) struct AddressGuard {
    allowed: Arc<[AllowedHost]>,
    resolver: Arc<dyn Resolve>,
}

impl AddressGuard {
    /// A guard that lets these hosts through too, wherever they lead.
    pub(crate) fn new(allowed: &[AllowedHost], resolver: Arc<dyn Resolve>) -> Self {
        Self { allowed: allowed.into(), resolver }
    }

    /// A guard by the settings. What in them is no host allows nothing.
    pub(crate) fn of(settings: &WebSettings, resolver: Arc<dyn Resolve>) -> Self {
        let allowed = settings.allow_private.iter().filter_map(|text| AllowedHost::parse(text).ok());
        Self::new(&allowed.collect::<Vec<_>>(), resolver)
    }

    /// The hosts that were allowed by name.
    pub(crate) fn allowed(&self) -> &[AllowedHost] {
        &self.allowed
    }

    /// Whether `target` was allowed by name.
    pub(crate) fn allows(&self, target: Target<'_>) -> bool {
        self.allowed.iter().any(|allowed| allowed.matches(target))
    }

    /// The addresses to connect to, in the resolver's order, each with the port.
    ///
    /// # Errors
    /// When there is none, or one of them may not be reached: a name that leads to both is not trusted.
    pub(crate) async fn checked(&self, target: Target<'_>) -> Result<Vec<SocketAddr>, Refused> {
        let host = target.host;
        let found = match literal(host) {
            Some(ip) => vec![ip],
            None => self
                .resolver
                .resolve(host)
                .await
                .map_err(|error| Refused::NotFound { host: host.to_owned(), source: Some(error) })?,
        };
        if found.is_empty() {
            return Err(Refused::NotFound { host: host.to_owned(), source: None });
        }
        if !self.allows(target)
            && let Some(kind) = found.iter().find_map(|ip| not_public(*ip))
        {
            return Err(Refused::NotPublic { host: host.to_owned(), kind });
        }
        Ok(found.into_iter().map(|ip| SocketAddr::new(ip, target.port)).collect())
    }
}

/// The address that a host of a web address is, when it is no name.
pub(crate) fn literal(host: &str) -> Option<IpAddr> {
    let inner = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    inner.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Answers by a list, one after another; the last again and again.
    #[derive(Debug)]
    struct Answers(Mutex<Vec<Vec<IpAddr>>>);

    #[async_trait]
    impl Resolve for Answers {
        async fn resolve(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
            let mut answers = self.0.lock().unwrap();
            Ok(if answers.len() > 1 {
                answers.remove(0)
            } else {
                answers.first().cloned().unwrap_or_default()
            })
        }
    }

    fn guard(allowed: &[&str], answers: &[&[&str]]) -> AddressGuard {
        let answers =
            answers.iter().map(|list| list.iter().map(|ip| ip.parse().unwrap()).collect()).collect();
        let allowed: Vec<_> = allowed.iter().map(|text| AllowedHost::parse(text).unwrap()).collect();
        AddressGuard::new(&allowed, Arc::new(Answers(Mutex::new(answers))))
    }

    async fn check(guard: &AddressGuard, host: &str, port: u16) -> Result<Vec<String>, String> {
        let checked = guard.checked(Target { scheme: "https", host, port }).await;
        checked.map(|list| list.iter().map(ToString::to_string).collect()).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn one_private_address_among_public_ones_refuses_all() {
        let guard = guard(&[], &[&["8.8.8.8", "10.0.0.1"]]);
        assert!(check(&guard, "a.test", 443).await.unwrap_err().contains("a private address"));
    }

    #[tokio::test]
    async fn public_addresses_come_with_the_port() {
        let guard = guard(&[], &[&["8.8.8.8", "2606:4700::1"]]);
        assert_eq!(check(&guard, "a.test", 8443).await.unwrap(), ["8.8.8.8:8443", "[2606:4700::1]:8443"]);
        let nothing = self::guard(&[], &[&[]]);
        assert!(check(&nothing, "a.test", 1).await.unwrap_err().contains("was not found"));
    }

    #[tokio::test]
    async fn hosts_are_allowed_by_their_name_and_port_only() {
        let guard = guard(&["127.0.0.1:8080", "intranet.local"], &[&["127.0.0.1"]]);
        assert!(check(&guard, "127.0.0.1", 8080).await.is_ok());
        assert!(check(&guard, "127.0.0.1", 22).await.is_err());
        assert!(check(&guard, "intranet.local", 1).await.is_ok());
        // A name that leads to an allowed address is not that address.
        assert!(check(&guard, "evil.test", 8080).await.is_err());
        assert!(check(&guard, "[::1]", 8080).await.is_err());
    }
}
