//! What a command prints: kept in memory while it is small, on disk while it runs when it is not.

use super::environment;
use crate::blocking::blocking;
use pegboard_tool_core::ToolContext;
use sha2::{Digest as _, Sha256};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Bytes of the start that stay in memory: the longest inline text, if each character takes four.
const HEAD_BYTES: usize = 4 * super::VALID_CHARS;
/// Bytes of the end that stay in memory.
const TAIL_BYTES: usize = 64 * 1024;

/// Output so far, in bounded memory.
#[derive(Debug, Default)]
pub(super) struct Collected {
    head: Vec<u8>,
    tail: Vec<u8>,
    bytes: u64,
    spill: Spill,
}

#[derive(Debug, Default)]
enum Spill {
    /// Everything is in `head`.
    #[default]
    None,
    /// Everything is in the file.
    File { file: File, path: PathBuf },
    /// The disk failed; what is beyond head and tail is lost.
    Failed(io::Error),
}

/// What becomes of an output.
#[derive(Debug)]
pub(super) struct Kept {
    /// The text, or its two ends.
    pub(super) text: String,
    /// File that holds all of it.
    pub(super) path: Option<PathBuf>,
    pub(super) bytes: u64,
    /// Where the rest is, for the model.
    pub(super) notice: Option<String>,
}

impl Collected {
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes a chunk.
    pub(super) async fn push(&mut self, chunk: &[u8], ctx: &ToolContext) {
        self.bytes += chunk.len() as u64;
        if matches!(self.spill, Spill::None) {
            if self.head.len() + chunk.len() <= HEAD_BYTES {
                self.head.extend_from_slice(chunk);
                return;
            }
            let so_far = self.head.clone();
            self.write(so_far, ctx).await;
        }
        self.write(chunk.to_vec(), ctx).await;
        let (head, tail) = chunk.split_at((HEAD_BYTES - self.head.len()).min(chunk.len()));
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(tail);
        if self.tail.len() > 2 * TAIL_BYTES {
            self.tail.drain(..self.tail.len() - TAIL_BYTES);
        }
    }

    /// Appends to the file, off the runtime; creates it first.
    async fn write(&mut self, bytes: Vec<u8>, ctx: &ToolContext) {
        let spill = std::mem::take(&mut self.spill);
        let ctx = ctx.clone();
        let written = blocking(move || {
            Ok(match spill {
                Spill::Failed(error) => Spill::Failed(error),
                Spill::File { file, path } => append(file, path, &bytes),
                Spill::None => match create(&ctx) {
                    Ok((file, path)) => append(file, path, &bytes),
                    Err(error) => Spill::Failed(error),
                },
            })
        });
        self.spill = written.await.unwrap_or_else(|_| Spill::Failed(io::Error::other("the writer ended")));
    }

    /// The text when it has at most `most` characters; else the file and `end` characters of each end.
    pub(super) async fn keep(mut self, most: usize, end: usize, ctx: &ToolContext) -> Kept {
        if matches!(self.spill, Spill::None) {
            let text = visible(&self.head);
            if text.chars().count() <= most {
                return Kept { text, path: None, bytes: self.bytes, notice: None };
            }
            let all = self.head.clone();
            self.write(all, ctx).await;
        }
        let lines = |text: &str| text.chars().count();
        let first = visible(&self.head);
        // With everything in the head, the end is the end of the head.
        let last = if self.tail.len() < 4 * end {
            let from = self.head.len().saturating_sub(4 * end - self.tail.len());
            visible(&[self.head.get(from..).unwrap_or_default(), &self.tail].concat())
        } else {
            visible(&self.tail)
        };
        let head: String = first.chars().take(end).collect();
        let tail: String = last.chars().skip(lines(&last).saturating_sub(end)).collect();
        let tail = tail.trim_start_matches(char::REPLACEMENT_CHARACTER);
        let left_out = self.bytes.saturating_sub((head.len() + tail.len()) as u64);
        let gap = format!("\n... [about {left_out} bytes left out here] ...\n");
        let (path, notice) = match self.spill {
            Spill::File { path, .. } => {
                let notice = format!("[all {} bytes of output are in {}]", self.bytes, path.display());
                (Some(path), notice)
            }
            Spill::None => (None, "[the rest of the output is lost]".to_owned()),
            Spill::Failed(error) => {
                (None, format!("[the output could not be stored ({}): the rest is lost]", error.kind()))
            }
        };
        Kept { text: format!("{head}{gap}{tail}"), path, bytes: self.bytes, notice: Some(notice) }
    }
}

fn append(mut file: File, path: PathBuf, bytes: &[u8]) -> Spill {
    match file.write_all(bytes) {
        Ok(()) => Spill::File { file, path },
        Err(error) => Spill::Failed(error),
    }
}

/// A new file that only the owner reads: below the session's folder, or a temporary one.
fn create(ctx: &ToolContext) -> io::Result<(File, PathBuf)> {
    let Some(session) = &ctx.session_dir else {
        let file = tempfile::Builder::new()
            .prefix("pegboard-output-")
            .suffix(".txt")
            .tempfile_in(environment::temporary(ctx))?;
        return file.keep().map_err(|error| error.error);
    };
    let folder = session.join("tool-results");
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let stem = file_stem(&ctx.call_id);
    for attempt in 1..100 {
        let path = folder.join(if attempt == 1 {
            format!("{stem}-output.txt")
        } else {
            format!("{stem}-output-{attempt}.txt")
        });
        match open_new(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn open_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)
}

/// The id of the call when it can be part of a file name, else its hash.
fn file_stem(id: &str) -> String {
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if (1..=64).contains(&id.len()) && id.bytes().all(sound) {
        return id.to_owned();
    }
    Sha256::digest(id.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes as text: what is no UTF-8 is replaced, NUL is made visible.
fn visible(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "\u{2400}")
}
