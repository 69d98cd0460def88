//! What goes wrong on the way to a page, in words that hold no secrets.

use super::address_guard::Refused;
use super::location::NoLocation;
use super::network::NoClient;
use pegboard_tool_core::{ErrorKind, ToolError};
use rustls::CertificateError;
use std::error::Error;
use std::io;

/// A page could not be fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// Its host may not be reached or was not found.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// No client.
    #[error(transparent)]
    NoClient(#[from] NoClient),
    /// The connection failed.
    #[error("`{host}` {words}{hint}")]
    Connection {
        /// Which host.
        host: String,
        /// What it did, after its name.
        words: String,
        /// What may help.
        hint: &'static str,
    },
    /// It took too long as a whole.
    #[error("`{host}` did not send the page within {seconds} seconds")]
    TooSlow {
        /// Which host.
        host: String,
        /// The limit.
        seconds: u64,
    },
    /// Redirected again and again.
    #[error("`{host}` redirected {times} times without an end")]
    Loop {
        /// Which host.
        host: String,
        /// How often.
        times: usize,
    },
    /// Redirected to what is not fetched.
    #[error("`{host}` redirects to what is not followed: {problem}")]
    BadRedirect {
        /// Which host.
        host: String,
        /// What is wrong with it.
        problem: NoLocation,
    },
    /// Redirected from a protected address to one that is not.
    #[error("`{host}` redirects from https to http, which is not encrypted; it is not followed")]
    Downgrade {
        /// Which host.
        host: String,
    },
    /// A rule forbids the host.
    #[error("a rule forbids to fetch from `{host}`")]
    Forbidden {
        /// Which host.
        host: String,
    },
    /// Something other than what was judged.
    #[error("`{host}` is not the host that was approved; the call changed since")]
    NotGranted {
        /// Which host.
        host: String,
    },
    /// It is packed in a way that we cannot unpack, or broken.
    #[error("`{host}` sent a page that cannot be unpacked ({coding}); gzip was asked for")]
    Packed {
        /// Which host.
        host: String,
        /// How it is packed.
        coding: String,
    },
    /// Cancelled.
    #[error("the call was interrupted")]
    Cancelled,
}

impl FetchError {
    /// A failed connection.
    pub(crate) fn connection(host: &str, error: &reqwest::Error, hint: &'static str) -> Self {
        Self::Connection { host: host.to_owned(), words: words(error), hint }
    }

    /// The same, and `hint` where a connection failed and nothing else is known to help.
    pub(crate) fn or_hint(mut self, new: &'static str) -> Self {
        if let Self::Connection { hint, .. } = &mut self
            && hint.is_empty()
        {
            *hint = new;
        }
        self
    }
}

impl From<FetchError> for ToolError {
    fn from(error: FetchError) -> Self {
        let text = error.to_string();
        match &error {
            FetchError::Cancelled => Self::cancelled(),
            FetchError::Refused(Refused::NotFound { .. }) => Self::new(ErrorKind::NotFound, text),
            FetchError::Refused(Refused::NotPublic { .. })
            | FetchError::Forbidden { .. }
            | FetchError::BadRedirect { .. }
            | FetchError::Downgrade { .. } => Self::new(ErrorKind::Forbidden, text),
            FetchError::NotGranted { .. } => Self::new(ErrorKind::Conflict, text),
            FetchError::TooSlow { .. } => Self::new(ErrorKind::TimedOut, text),
            FetchError::NoClient(_) | FetchError::Connection { .. } => {
                Self::new(ErrorKind::Unavailable, text)
            }
            FetchError::Loop { .. } | FetchError::Packed { .. } => Self::failed(text),
        }
    }
}

/// What hyper says when the head of an answer has too much in it; it gives no other way to tell.
const TOO_MUCH: &str = "message head is too large";

/// What a server or the way to it did, after its name.
pub(crate) fn words(error: &reqwest::Error) -> String {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(now) = cause {
        if let Some(tls) = now.downcast_ref::<rustls::Error>() {
            return tls_words(tls);
        }
        if now.to_string() == TOO_MUCH {
            return "sent more headers, or longer ones, than are read".to_owned();
        }
        let io = now.downcast_ref::<io::Error>();
        if let Some(found) = io.and_then(|error| io_words(error.kind())) {
            return found.to_owned();
        }
        // What an error of the system wraps is not its source, but within it.
        let inner = io.and_then(|error| error.get_ref());
        cause = match inner {
            Some(inner) => Some(inner),
            None => now.source(),
        };
    }
    if error.is_timeout() {
        "did not answer in time"
    } else if error.is_connect() {
        "could not be connected to"
    } else if error.is_body() || error.is_decode() {
        "broke off while it sent the page"
    } else {
        "closed the connection, or sent an answer that is no HTTP"
    }
    .to_owned()
}

fn io_words(kind: io::ErrorKind) -> Option<&'static str> {
    match kind {
        io::ErrorKind::ConnectionRefused => Some("refused the connection"),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => Some("closed the connection"),
        io::ErrorKind::TimedOut => Some("did not answer in time"),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            Some("cannot be reached from this network")
        }
        _ => None,
    }
}

fn tls_words(error: &rustls::Error) -> String {
    match error {
        rustls::Error::InvalidCertificate(problem) => match problem {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "has a certificate for another name".to_owned()
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "has a certificate that has expired".to_owned()
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "has a certificate that is not valid yet".to_owned()
            }
            CertificateError::UnknownIssuer => {
                "has a certificate from an authority that is not trusted here".to_owned()
            }
            // The verifier names it in no other way.
            CertificateError::Other(other) if other.0.to_string() == "CaUsedAsEndEntity" => {
                "has a certificate that is for an authority (`CA:TRUE`), which a server may not use as its own; it needs \
                 one that is signed by the authority, and `tools.web.extraCaFile` names the authority"
                    .to_owned()
            }
            CertificateError::Revoked => "has a certificate that was revoked".to_owned(),
            _ => "has a certificate that is not valid".to_owned(),
        },
        rustls::Error::InvalidMessage(_) => "does not speak https at this port".to_owned(),
        _ => "could not agree on a secure connection".to_owned(),
    }
}
