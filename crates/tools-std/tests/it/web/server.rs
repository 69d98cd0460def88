//! Servers that answer by a function, names that lead where a test wants, and calls of WebFetch.

use crate::harness::{Answer, text_of};
use async_trait::async_trait;
use pegboard_tool_core::{
    CancellationToken, ContextSnapshot, DynTool, Grant, ToolContext, ToolError, dyn_tool,
};
use pegboard_tools_std::Services;
use pegboard_tools_std::settings::{ToolSettings, WebSettings};
use pegboard_tools_std::web::{Resolve, WebFetch};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto};

/// Bounds against hanging.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A server on a port of its own.
pub(crate) struct Server {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// One that answers each request by its first line and headers.
    pub(crate) async fn start(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::on("127.0.0.1:0", None, answer).await
    }

    /// One for `a.test` and `b.test` that speaks https.
    pub(crate) async fn start_tls(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::start_tls_as("server", answer).await
    }

    /// One with the certificate and key of that name.
    pub(crate) async fn start_tls_as(
        name: &str,
        answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let certificates = CertificateDer::pem_file_iter(data(&format!("{name}.pem"))).unwrap();
        let chain = certificates.map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_file(data(&format!("{name}.key"))).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        Self::on("127.0.0.1:0", Some(TlsAcceptor::from(Arc::new(config))), answer).await
    }

    pub(crate) async fn on(
        address: &str,
        tls: Option<TlsAcceptor>,
        answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&requests), Arc::new(answer));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, answer, tls) = (Arc::clone(&seen), Arc::clone(&answer), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve(stream, &seen, &*answer).await;
                            }
                        }
                        None => serve(stream, &seen, &*answer).await,
                    }
                });
            }
        });
        Self { port, requests, task }
    }

    /// The heads of all requests.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// The paths that were asked for.
    pub(crate) fn paths(&self) -> Vec<String> {
        let path = |head: &String| head.split(' ').nth(1).unwrap_or_default().to_owned();
        self.requests().iter().map(path).collect()
    }
}

async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    seen: &Mutex<Vec<String>>,
    answer: &(impl Fn(&str) -> Vec<u8> + ?Sized),
) {
    let mut head = Vec::new();
    let mut buffer = [0; 4096];
    // Who speaks TLS to a server that does not is answered too.
    while !head.windows(4).any(|end| end == b"\r\n\r\n") && head.first() != Some(&0x16) {
        match stream.read(&mut buffer).await {
            Ok(count) if count > 0 => head.extend_from_slice(&buffer[..count]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let bytes = answer(&head);
    seen.lock().unwrap().push(head);
    let said = bytes.strip_suffix(SILENCE);
    let _written = stream.write_all(said.unwrap_or(&bytes)).await;
    if said.is_some() {
        // Until the other side goes.
        let _gone = stream.read(&mut buffer).await;
        return;
    }
    let _closed = stream.shutdown().await;
}

/// A proxy that leads everything to one port of this machine.
pub(crate) struct Tunnel {
    pub(crate) port: u16,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Tunnel {
    pub(crate) async fn to(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        let Ok(byte) = stream.read_u8().await else { return };
                        head.push(byte);
                    }
                    let Ok(mut inner) = TcpStream::connect(("127.0.0.1", target)).await else { return };
                    if stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.is_ok() {
                        let _over = tokio::io::copy_bidirectional(&mut stream, &mut inner).await;
                    }
                });
            }
        });
        Self { port, task }
    }

    /// WebFetch whose hosts `a.test` and `b.test` are public, and found by this proxy.
    pub(crate) fn web(&self) -> Web {
        let mut settings = WebSettings::default();
        settings.proxy = Some(format!("http://127.0.0.1:{}", self.port));
        settings.extra_ca_file = Some(data("authority.pem"));
        Web::with(Names::of(&[("a.test", &["8.8.8.8"]), ("b.test", &["8.8.8.8"])]), settings, Services::new())
    }
}

/// An answer that never comes, or never goes on.
pub(crate) const SILENCE: &[u8] = b"(silence)";

/// An answer.
pub(crate) fn reply(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head =
        format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A page of HTML.
pub(crate) fn page(body: impl AsRef<[u8]>) -> Vec<u8> {
    reply("200 OK", "Content-Type: text/html; charset=utf-8\r\n", body)
}

/// A redirection.
pub(crate) fn to(status: &str, location: &str) -> Vec<u8> {
    reply(status, &format!("Location: {location}\r\n"), "")
}

pub(crate) fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/web").join(name)
}

/// Names and what they lead to, answer after answer; the last again and again.
#[derive(Debug, Default)]
pub(crate) struct Names {
    answers: Mutex<HashMap<String, Vec<Vec<IpAddr>>>>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    pub(crate) fn of(names: &[(&str, &[&str])]) -> Arc<Self> {
        let found = Self::default();
        for (name, answers) in names {
            let answers = answers.iter().map(|list| list.split(' ').map(|ip| ip.parse().unwrap()).collect());
            found.answers.lock().unwrap().insert((*name).to_owned(), answers.collect());
        }
        Arc::new(found)
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Resolve for Names {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        self.asked.lock().unwrap().push(name.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answers = answers.get_mut(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() })
    }
}

/// WebFetch in a session of its own.
pub(crate) struct Web {
    dir: tempfile::TempDir,
    pub(crate) snapshot: ContextSnapshot,
    pub(crate) tool: Arc<dyn DynTool>,
}

impl Web {
    /// With names that lead here, some of them allowed.
    pub(crate) fn new(names: Arc<Names>, allowed: &[&str]) -> Self {
        Self::with(names, WebSettings::default().with_private(allowed.iter().copied()), Services::new())
    }

    pub(crate) fn with(names: Arc<Names>, settings: WebSettings, services: Services) -> Self {
        let mut all = ToolSettings::default();
        all.web = settings;
        let dir = tempfile::tempdir().unwrap();
        let mut snapshot = ContextSnapshot::new(dir.path(), "session");
        snapshot.session_dir = Some(dir.path().join("session"));
        Self {
            dir,
            snapshot,
            tool: dyn_tool(WebFetch::with_resolver(services.with_settings(all), names)).unwrap(),
        }
    }

    /// Where the session keeps files.
    pub(crate) fn kept(&self) -> Vec<(String, Vec<u8>)> {
        let Ok(files) = std::fs::read_dir(self.dir.path().join("session/tool-results")) else {
            return Vec::new();
        };
        let files = files.map(|file| file.unwrap());
        files
            .map(|file| (file.file_name().into_string().unwrap(), std::fs::read(file.path()).unwrap()))
            .collect()
    }

    pub(crate) fn ctx(&self) -> ToolContext {
        ToolContext::new(Arc::new(self.snapshot.clone())).for_call("call".into(), CancellationToken::new())
    }

    pub(crate) async fn fetch(&self, url: &str) -> Answer {
        self.fetch_in(url, self.ctx(), |grant| grant).await
    }

    pub(crate) async fn fetch_in(
        &self,
        url: &str,
        ctx: ToolContext,
        between: impl FnOnce(Grant) -> Grant,
    ) -> Answer {
        call(&*self.tool, json!({"url": url, "prompt": "What does it say?"}), ctx, between).await
    }

    /// A text without what differs from run to run.
    pub(crate) fn plain(&self, text: &str, ports: &[u16]) -> String {
        let mut text = text.replace(&*self.dir.path().to_string_lossy(), "DIR");
        for port in ports {
            text = text.replace(&port.to_string(), "PORT");
        }
        let mut plain = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find("id=\"") {
            plain.push_str(&rest[..at + 4]);
            plain.push_str("ID");
            rest = rest.get(at + 20..).unwrap_or_default();
        }
        plain + rest
    }
}

/// A call from its input to what the model reads.
pub(crate) async fn call(
    tool: &dyn DynTool,
    input: Value,
    ctx: ToolContext,
    between: impl FnOnce(Grant) -> Grant,
) -> Answer {
    let outcome = async {
        let wrong = |error: pegboard_tool_core::InvalidInput| ToolError::failed(error.text);
        let invocation = tool.prepare(Arc::new(input), &ctx).map_err(wrong)?;
        invocation.validate().await.map_err(wrong)?;
        let grant = between(Grant::of(invocation.accesses()));
        invocation.call(grant, ctx, Arc::new(())).await
    };
    match tokio::time::timeout(LIMIT, outcome).await.expect("it hangs") {
        Ok(output) => Answer { text: text_of(&output.content), data: output.data, is_error: false },
        Err(error) => Answer { text: error.model_text.into_owned(), data: Value::Null, is_error: true },
    }
}
