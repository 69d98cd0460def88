//! What the server knows of files: opened on first use, brought up to date with the disk before each question, closed
//! when they are gone or there are too many.

use super::connection::{AskError, Connection};
use super::{languages, uri};
use crate::blocking::blocking;
use crate::file::encoding;
use crate::file::error::FileError;
use crate::file::ledger::ContentHash;
use crate::file::place;
use crate::services::Services;
use pegboard_tool_core::{ToolContext, ToolError};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Most files that are open at a server.
const MOST_OPEN: usize = 50;
/// Most bytes of a file that a server is given.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// How long a server may take to read what it is told.
const LIMIT: Duration = Duration::from_secs(20);

/// The files that are open at a server, the one used longest ago first.
#[derive(Debug, Default)]
pub(super) struct Documents {
    open: Vec<Document>,
}

#[derive(Clone, Debug)]
struct Document {
    path: PathBuf,
    version: i64,
    hash: ContentHash,
    stamp: Stamp,
    text: Arc<str>,
}

/// What shows without reading that a file may have changed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

/// A file as it is on the disk.
struct OnDisk {
    hash: ContentHash,
    stamp: Stamp,
    text: Arc<str>,
}

/// A file that the server knows as it is on the disk.
#[derive(Clone, Debug)]
pub(super) struct Synced {
    pub(super) text: Arc<str>,
    /// Whether the server was told something new about it.
    pub(super) is_news: bool,
}

/// Why a file is not in step with the server.
#[derive(Debug)]
pub(super) enum SyncError {
    File(ToolError),
    Server(AskError),
}

impl From<AskError> for SyncError {
    fn from(error: AskError) -> Self {
        Self::Server(error)
    }
}

impl Documents {
    /// Brings all open files up to date, and opens the one at `canonical`.
    ///
    /// # Errors
    /// When it cannot be read, or the server does not listen.
    pub(super) async fn sync(
        &mut self,
        connection: &Connection,
        canonical: Option<(&Path, &str)>,
        services: &Services,
        ctx: &ToolContext,
    ) -> Result<Option<Synced>, SyncError> {
        self.refresh(connection, canonical.map(|(path, _)| path), services, ctx).await?;
        let Some((path, shown)) = canonical else { return Ok(None) };
        let read = read(path.to_path_buf()).await.map_err(SyncError::File)?;
        let found = read.map_err(|error| SyncError::File(error.about(shown)))?;
        let text = Arc::clone(&found.text);
        let is_news = self.tell(connection, path, found).await?;
        Ok(Some(Synced { text, is_news }))
    }

    /// The text of an open file, as the server knows it.
    pub(super) fn text(&self, path: &Path) -> Option<Arc<str>> {
        self.open.iter().find(|open| open.path == path).map(|open| Arc::clone(&open.text))
    }

    /// Brings the open files beside `but` up to date. What is gone, or may not be read any more, is closed.
    async fn refresh(
        &mut self,
        connection: &Connection,
        but: Option<&Path>,
        services: &Services,
        ctx: &ToolContext,
    ) -> Result<(), AskError> {
        let others: Vec<Document> =
            self.open.iter().filter(|open| Some(open.path.as_path()) != but).cloned().collect();
        for open in others {
            let path = open.path.clone();
            let before = open.stamp;
            let looked = blocking(move || Ok(look(&path, before))).await;
            let Ok(looked) = looked else { continue };
            match looked {
                _ if services.denies_reading(&open.path, ctx) => self.close(connection, &open.path).await?,
                Ok(None) => {}
                Ok(Some(found)) => {
                    self.tell(connection, &open.path, found).await?;
                }
                Err(_) => self.close(connection, &open.path).await?,
            }
        }
        Ok(())
    }

    /// Tells the server what is on the disk, if it does not know. Whether it was news.
    async fn tell(&mut self, connection: &Connection, path: &Path, found: OnDisk) -> Result<bool, AskError> {
        let uri = uri::of(path);
        let before = self.open.iter().position(|open| open.path == path).map(|at| self.open.remove(at));
        if let Some(mut open) = before {
            let is_news = open.hash != found.hash;
            let mut sent = Ok(());
            if is_news {
                open.version += 1;
                let change = json!({
                    "textDocument": {"uri": uri, "version": open.version},
                    "contentChanges": [{"text": &*found.text}],
                });
                sent = connection.notify("textDocument/didChange", change, LIMIT).await;
                if sent.is_ok() {
                    let saved = json!({"textDocument": {"uri": uri}});
                    sent = connection.notify("textDocument/didSave", saved, LIMIT).await;
                }
            }
            self.open.push(Document { hash: found.hash, stamp: found.stamp, text: found.text, ..open });
            return sent.map(|()| is_news);
        }
        while self.open.len() >= MOST_OPEN {
            let oldest = self.open.first().map(|open| open.path.clone()).unwrap_or_default();
            self.close(connection, &oldest).await?;
        }
        let item = json!({"textDocument":
            {"uri": uri, "languageId": languages::language_of(path), "version": 1, "text": &*found.text}});
        connection.notify("textDocument/didOpen", item, LIMIT).await?;
        let OnDisk { hash, stamp, text } = found;
        self.open.push(Document { path: path.to_path_buf(), version: 1, hash, stamp, text });
        Ok(true)
    }

    async fn close(&mut self, connection: &Connection, path: &Path) -> Result<(), AskError> {
        self.open.retain(|open| open.path != path);
        let item: Value = json!({"textDocument": {"uri": uri::of(path)}});
        connection.notify("textDocument/didClose", item, LIMIT).await
    }
}

/// Reads a file, off the runtime.
async fn read(path: PathBuf) -> Result<Result<OnDisk, FileError>, ToolError> {
    blocking(move || Ok(read_now(&path))).await
}

/// Reads a file if it looks changed since `before`.
fn look(path: &Path, before: Stamp) -> Result<Option<OnDisk>, FileError> {
    let meta = std::fs::symlink_metadata(path)?;
    if before.modified.is_some() && stamp(&meta) == before {
        return Ok(None);
    }
    read_now(path).map(Some)
}

pub(super) fn text_of(path: &Path) -> Result<String, FileError> {
    let version = place::read(path)?;
    if version.bytes.len() > MOST_BYTES {
        return Err(FileError::TooLarge(MOST_BYTES as u64));
    }
    Ok(encoding::decode(version.bytes)?.text)
}

fn read_now(path: &Path) -> Result<OnDisk, FileError> {
    let version = place::read(path)?;
    if version.bytes.len() > MOST_BYTES {
        return Err(FileError::TooLarge(MOST_BYTES as u64));
    }
    let (hash, stamp) = (version.hash, stamp(&version.meta));
    Ok(OnDisk { hash, stamp, text: encoding::decode(version.bytes)?.text.into() })
}

fn stamp(meta: &std::fs::Metadata) -> Stamp {
    Stamp { modified: meta.modified().ok(), bytes: meta.len() }
}
