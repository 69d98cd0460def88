//! One conversation with a server: requests with their answers, notifications, and what the server asks.
//!
//! Two tasks read and write; they end with the connection. A request that is dropped or takes too long is cancelled at
//! the server too.

use super::frame;
use super::heard::{Heard, Refusal};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Messages that may wait to be written; a server that reads none of them is not worth more.
const MOST_WAITING: usize = 256;

/// How long the last words of a server that ended are waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A request has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum AskError {
    /// The server is gone; why.
    #[error("the language server is gone: {0}")]
    Gone(String),
    /// The server did not answer in time.
    #[error("the language server did not answer in time")]
    TimedOut,
    /// The server said no.
    #[error("the language server says: {}", .0.message)]
    Refused(Refusal),
}

/// A conversation.
#[derive(Debug)]
pub(super) struct Connection {
    out: mpsc::Sender<Vec<u8>>,
    next: AtomicI64,
    heard: Arc<Heard>,
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Connection {
    /// A conversation over these streams.
    pub(super) fn new(
        from: impl AsyncRead + Send + Unpin + 'static,
        to: impl AsyncWrite + Send + Unpin + 'static,
        errors: impl AsyncRead + Send + Unpin + 'static,
        heard: Arc<Heard>,
    ) -> Self {
        let (out, waiting) = mpsc::channel(MOST_WAITING);
        let (complained, complaints) = oneshot::channel();
        let tasks = vec![
            tokio::spawn(write(to, waiting, Arc::clone(&heard))),
            tokio::spawn(read(from, out.downgrade(), Arc::clone(&heard), complaints)),
            tokio::spawn(read_errors(errors, Arc::clone(&heard), complained)),
        ];
        Self { out, next: AtomicI64::new(1), heard, tasks }
    }

    /// What was heard of the server.
    pub(super) fn heard(&self) -> &Heard {
        &self.heard
    }

    /// Asks, and waits for the answer at most for `limit`.
    ///
    /// # Errors
    /// When there is none.
    pub(super) async fn request(
        &self,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> Result<Value, AskError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.heard.expect(id, sender).map_err(AskError::Gone)?;
        let waiting = Waiting { connection: self, id };
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let answered = timeout(limit, async {
            // When the writer is gone, the answer says why.
            let _gone = self.out.send(frame::bytes(&message)).await;
            answer.await
        });
        let answered = answered.await;
        drop(waiting);
        match answered {
            Err(_) => Err(AskError::TimedOut),
            Ok(Err(_)) => Err(AskError::Gone(self.heard.why_gone())),
            Ok(Ok(Err(refusal))) => Err(AskError::Refused(refusal)),
            Ok(Ok(Ok(value))) => Ok(value),
        }
    }

    /// Tells, without an answer. Waits when the server reads slowly, at most for `limit`.
    ///
    /// # Errors
    /// When the server is gone or does not read.
    pub(super) async fn notify(&self, method: &str, params: Value, limit: Duration) -> Result<(), AskError> {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        match timeout(limit, self.out.send(frame::bytes(&message))).await {
            Err(_) => Err(AskError::TimedOut),
            Ok(Err(_)) => Err(AskError::Gone(self.heard.why_gone())),
            Ok(Ok(())) => Ok(()),
        }
    }
}

/// A request under way: one that ends without an answer is cancelled.
struct Waiting<'a> {
    connection: &'a Connection,
    id: i64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.connection.heard.give_up(self.id) {
            let message = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": self.id}});
            // Only a kindness: when the way is blocked it is left out.
            let _blocked = self.connection.out.try_send(frame::bytes(&message));
        }
    }
}

async fn write(
    mut to: impl AsyncWrite + Send + Unpin,
    mut waiting: mpsc::Receiver<Vec<u8>>,
    heard: Arc<Heard>,
) {
    while let Some(bytes) = waiting.recv().await {
        let written = async {
            to.write_all(&bytes).await?;
            to.flush().await
        };
        if let Err(error) = written.await {
            heard.is_gone(format!("it reads nothing any more ({})", error.kind()));
            return;
        }
    }
}

async fn read(
    from: impl AsyncRead + Send + Unpin,
    out: mpsc::WeakSender<Vec<u8>>,
    heard: Arc<Heard>,
    complaints: oneshot::Receiver<()>,
) {
    let mut from = BufReader::new(from);
    loop {
        let message = match frame::read(&mut from).await {
            Ok(message) => message,
            Err(error) => {
                // Its last words belong to the reason; whoever else holds its error stream does not hold us.
                let _nothing_more = timeout(LAST_WORDS, complaints).await;
                return heard.is_gone(error.to_string());
            }
        };
        let Some(reply) = heard.take(message) else { continue };
        let Some(out) = out.upgrade() else { return };
        if out.try_send(frame::bytes(&reply)).is_err() {
            return heard.is_gone("it asks but does not read the answers".to_owned());
        }
    }
}

/// Keeps the end of what the server complains, for error texts.
async fn read_errors(
    mut errors: impl AsyncRead + Send + Unpin,
    heard: Arc<Heard>,
    complained: oneshot::Sender<()>,
) {
    let mut buffer = vec![0; 4 * 1024];
    while let Ok(read @ 1..) = errors.read(&mut buffer).await {
        heard.complains(buffer.get(..read).unwrap_or_default());
    }
    // The reader may be gone.
    let _nobody_waits = complained.send(());
}
