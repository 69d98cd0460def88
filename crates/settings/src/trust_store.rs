//! The file that remembers what was accepted. Private, written whole under a lock; a store that somebody else may
//! write to holds no trust.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::folder::Folder;
use crate::lock::Lock;
use crate::trust::TrustState;
use crate::trust_item::{TrustItem, fingerprint, hexadecimal};

/// Form of the file.
const VERSION: u32 = 1;

/// Remembers which contents of which files were accepted.
#[derive(Clone, Debug)]
pub struct TrustStore {
    file: PathBuf,
}

/// What was accepted of one file.
#[derive(Clone, Debug, Eq, PartialEq, serde::Deserialize, serde::Serialize)]
#[non_exhaustive]
pub struct TrustRecord {
    /// The folder whose file it is.
    folder: String,
    /// SHA-256 over the entries.
    fingerprint: String,
    /// The entries, for showing what changed.
    items: Vec<TrustItem>,
}

impl TrustRecord {
    fn new(folder: String, items: Vec<TrustItem>) -> Self {
        Self { folder, fingerprint: fingerprint(&items), items }
    }

    /// The folder whose file it is.
    #[must_use]
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// What was accepted.
    #[must_use]
    pub fn items(&self) -> &[TrustItem] {
        &self.items
    }
}

/// The content of the store, by file.
#[derive(Clone, Debug, Default, serde::Deserialize, serde::Serialize)]
pub(crate) struct Records {
    version: u32,
    files: BTreeMap<String, TrustRecord>,
}

impl Records {
    pub(crate) fn find(&self, file: &Path) -> Option<&TrustRecord> {
        self.files.get(&key(file))
    }
}

/// What can go wrong with the store. Nothing is trusted then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The store cannot be read or written.
    #[error("trust store {}: cannot be used; check the folder's permissions", file.display())]
    Io {
        /// The store.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The store is not what this program writes.
    #[error("trust store {}: damaged or of a newer version; remove it and accept your folders again", file.display())]
    Damaged {
        /// The store.
        file: PathBuf,
    },
    /// Somebody else may write to the store.
    #[error("trust store {}: others may write to it or its folder; make both yours alone (`chmod go-w`)", file.display())]
    Exposed {
        /// The store.
        file: PathBuf,
    },
}

impl TrustStore {
    /// The store kept in `file`.
    #[must_use]
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into() }
    }

    /// Accepts what `state` shows: what a person saw, not what has come since.
    ///
    /// # Errors
    ///
    /// The store cannot be relied on or not be written.
    pub fn accept(&self, state: &TrustState) -> Result<(), TrustError> {
        self.change(|records| {
            for file in &state.files {
                let record = TrustRecord::new(key(&file.folder), file.items.clone());
                records.files.insert(key(&file.file), record);
            }
        })
    }

    /// Forgets everything accepted of `folder`; says of how many files.
    ///
    /// # Errors
    ///
    /// The store cannot be relied on or not be written.
    pub fn revoke(&self, folder: &Path) -> Result<usize, TrustError> {
        let folder = key(&std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf()));
        let mut forgotten = 0;
        self.change(|records| {
            let before = records.files.len();
            records.files.retain(|_, record| record.folder != folder);
            forgotten = before - records.files.len();
        })?;
        Ok(forgotten)
    }

    /// Everything accepted, by file.
    ///
    /// # Errors
    ///
    /// The store cannot be relied on or not be read.
    pub fn list(&self) -> Result<Vec<(String, TrustRecord)>, TrustError> {
        Ok(self.read()?.files.into_iter().collect())
    }

    /// Adds the user's own grant to what was accepted of `file`.
    ///
    /// Only the grant is added: what else changed in the file meanwhile stays unaccepted, and so does everything that
    /// was revoked meanwhile.
    pub(crate) fn extend(&self, file: &Path, folder: &Path, grant: TrustItem) -> Result<(), TrustError> {
        self.change(|records| {
            let accepted = records.files.get(&key(file)).map(TrustRecord::items).unwrap_or_default();
            let items = accepted.iter().cloned().chain([grant]).collect();
            records.files.insert(key(file), TrustRecord::new(key(folder), items));
        })
    }

    /// What was accepted; nothing when there is no store yet.
    pub(crate) fn read(&self) -> Result<Records, TrustError> {
        let (folder, name) = self.parts();
        let folder = match Folder::existing(folder) {
            Ok(folder) => folder,
            Err(error) if crate::read::is_absent(&error) => return Ok(Records::default()),
            Err(error) => return Err(self.io(error)),
        };
        self.read_in(&folder, name)
    }

    fn read_in(&self, folder: &Folder, name: &OsStr) -> Result<Records, TrustError> {
        let Some(content) = folder.read(name).map_err(|error| self.io(error))? else {
            return Ok(Records::default());
        };
        if content.others_may_write || folder.others_may_write().map_err(|error| self.io(error))? {
            return Err(TrustError::Exposed { file: self.file.clone() });
        }
        let damaged = || TrustError::Damaged { file: self.file.clone() };
        let records: Records = serde_json::from_slice(&content.bytes).map_err(|_| damaged())?;
        let sound = records.files.values().all(|record| record.fingerprint == fingerprint(&record.items));
        if records.version == VERSION && sound { Ok(records) } else { Err(damaged()) }
    }

    fn change(&self, change: impl FnOnce(&mut Records)) -> Result<(), TrustError> {
        let io = |error| self.io(error);
        let (parent, name) = self.parts();
        let folder = Folder::private(parent).map_err(io)?;
        let _lock = Lock::acquire(&self.file.with_extension("lock")).map_err(io)?;
        let mut records = self.read_in(&folder, name)?;
        change(&mut records);
        records.version = VERSION;
        let mut bytes = serde_json::to_vec_pretty(&records).map_err(|error| self.io(error.into()))?;
        bytes.push(b'\n');
        folder.replace(name, &bytes, None).map_err(io)
    }

    fn parts(&self) -> (&Path, &OsStr) {
        let parent = self.file.parent().unwrap_or(Path::new("."));
        (parent, self.file.file_name().unwrap_or(OsStr::new("trust.json")))
    }

    fn io(&self, source: io::Error) -> TrustError {
        TrustError::Io { file: self.file.clone(), source }
    }
}

/// A path as a key: exact also when it is no text. A real path never begins with this mark.
fn key(path: &Path) -> String {
    path.to_str().map_or_else(
        || format!("bytes:{}", hexadecimal(path.as_os_str().as_encoded_bytes())),
        ToOwned::to_owned,
    )
}
