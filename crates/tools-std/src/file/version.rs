//! A file's content at one moment, with what tells that moment from another.

use super::error::FileError;
use super::ledger::{self, ContentHash};
use std::fs::{File, Metadata};
use std::io::Read as _;

/// Most bytes of a file that are held in memory.
pub(crate) const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// A file as it was when it was opened.
#[derive(Debug)]
pub(crate) struct Version {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Hash of its content.
    pub hash: ContentHash,
    /// Its metadata.
    pub meta: Metadata,
}

impl Version {
    /// Reads an open file to its end, whatever size it claims.
    ///
    /// # Errors
    /// When it cannot be read or is larger than [`MAX_BYTES`].
    pub(crate) fn read(file: &File) -> Result<Self, FileError> {
        let meta = file.metadata()?;
        if meta.len() > MAX_BYTES {
            return Err(FileError::TooLarge(MAX_BYTES));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(meta.len().min(MAX_BYTES)).unwrap_or(0));
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(FileError::TooLarge(MAX_BYTES));
        }
        Ok(Self { hash: ledger::hash(&bytes), bytes, meta })
    }
}
