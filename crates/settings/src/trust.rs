//! Whether a folder's own settings count, decided by content: what a person accepted, against what is there now.

use std::path::{Path, PathBuf};

use crate::notice::Notice;
use crate::trust_item::{TrustItem, fingerprint};
use crate::trust_store::TrustRecord;

/// Trust of a project: of all its files together.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct TrustState {
    /// The project's folder, links resolved.
    pub folder: PathBuf,
    /// The files that would contribute more than deny and ask rules. Files that would not are not listed.
    pub files: Vec<TrustedFile>,
}

/// Trust of one file.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct TrustedFile {
    /// The file.
    pub file: PathBuf,
    /// The folder whose file it is: the project, or the repository's root for the local file.
    pub folder: PathBuf,
    /// What it would contribute.
    pub items: Vec<TrustItem>,
    /// How that compares with what was accepted.
    pub standing: Standing,
}

/// How a file compares with what was accepted of it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "every report must handle each standing")]
pub enum Standing {
    /// It is what was accepted.
    Accepted,
    /// Nobody ever accepted it.
    Never,
    /// It is not what was accepted.
    Changed {
        /// Entries that were not there.
        added: Vec<TrustItem>,
        /// Entries that are gone.
        removed: Vec<TrustItem>,
    },
}

impl TrustState {
    pub(crate) fn new(folder: PathBuf, files: Vec<TrustedFile>) -> Self {
        Self { folder, files }
    }

    /// Whether everything that the project contributes was accepted. A project that contributes nothing needs no trust.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.files.iter().all(|file| file.standing == Standing::Accepted)
    }

    /// Whether there is anything to accept or that was accepted.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        !self.files.is_empty()
    }

    /// The part of one file.
    #[must_use]
    pub fn file(&self, file: &Path) -> Option<&TrustedFile> {
        self.files.iter().find(|trusted| trusted.file == file)
    }

    /// What to say when it is not trusted.
    pub(crate) fn notice(&self) -> Option<Notice> {
        let left_out: usize = self.files.iter().map(|file| file.items.len()).sum();
        let changed = self.files.iter().any(|file| matches!(file.standing, Standing::Changed { .. }));
        (!self.is_trusted()).then(|| Notice::Untrusted {
            folder: self.folder.clone(),
            entries: left_out,
            changed,
        })
    }
}

impl TrustedFile {
    pub(crate) fn check(
        file: PathBuf,
        folder: PathBuf,
        items: Vec<TrustItem>,
        record: Option<&TrustRecord>,
    ) -> Self {
        let standing = match record {
            None => Standing::Never,
            Some(record) if fingerprint(record.items()) == fingerprint(&items) => Standing::Accepted,
            Some(record) => {
                let without = |from: &[TrustItem], these: &[TrustItem]| {
                    let known: std::collections::HashSet<_> = these.iter().map(|item| &item.digest).collect();
                    from.iter().filter(|item| !known.contains(&item.digest)).cloned().collect()
                };
                Standing::Changed {
                    added: without(&items, record.items()),
                    removed: without(record.items(), &items),
                }
            }
        };
        Self { file, folder, items, standing }
    }
}
