//! Stores of large results in memory, and one that is always full.

use pegboard_tool_core::ports::{ResultStore, StoreError, StoredText};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Keeps texts in memory, under paths that exist nowhere.
#[derive(Debug)]
pub struct MemoryStore {
    dir: PathBuf,
    texts: Mutex<BTreeMap<PathBuf, String>>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self { dir: "/memory/tool-results".into(), texts: Mutex::default() }
    }
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The text at `path`.
    #[must_use]
    pub fn text(&self, path: &Path) -> Option<String> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// All texts, by path.
    #[must_use]
    pub fn texts(&self) -> BTreeMap<PathBuf, String> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ResultStore for MemoryStore {
    fn put(&self, tool_use_id: &str, text: &str) -> Result<StoredText, StoreError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let name: String = tool_use_id.chars().map(|c| if plain(c) { c } else { '_' }).take(64).collect();
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.dir.join(format!("{}-{name}.txt", texts.len()));
        texts.insert(path.clone(), text.to_owned());
        Ok(StoredText::new(path, text.len() as u64))
    }

    fn dir(&self) -> &Path {
        &self.dir
    }
}

/// A store without space.
#[derive(Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to say about it")]
pub struct RefusingStore;

impl ResultStore for RefusingStore {
    fn put(&self, _tool_use_id: &str, _text: &str) -> Result<StoredText, StoreError> {
        Err(StoreError::new(self.dir().to_path_buf(), io::Error::from(io::ErrorKind::StorageFull)))
    }

    fn dir(&self) -> &Path {
        Path::new("/memory/full")
    }
}
