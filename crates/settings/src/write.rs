//! Writes a rule back: atomically, under a lock, through no link, never for an untrusted folder.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use pegboard_tool_core::{RuleEffect, SettingSource};
use sha2::{Digest as _, Sha256};

use crate::edit::{EditError, Edited, append};
use crate::folder::Folder;
use crate::lock::Lock;
use crate::settings::Settings;
use crate::trust_item::{TrustItem, hexadecimal};
use crate::trust_store::{TrustError, TrustStore};

/// Text of a new settings file before the first rule.
const NEW_FILE: &str = "{}\n";
/// How often a file that somebody else changes at the same moment is tried.
const ATTEMPTS: usize = 5;

/// What became of a rule that was to be written.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Appended {
    /// The file it stands in.
    pub file: PathBuf,
    /// Whether the file changed; not when the rule stood there already.
    pub changed: bool,
}

/// Why a rule was not written. The file is as it was, except where said.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The folder's own settings were not accepted.
    #[error("{}: not trusted, so no rule is saved in it; accept its settings with `pegboard trust` first", folder.display())]
    Untrusted {
        /// The project.
        folder: PathBuf,
    },
    /// The policy lets only its own rules count.
    #[error("the policy lets only its own rules count, so no rule is saved")]
    OnlyPolicyRules,
    /// Rules are not saved in this source, or it has no file here.
    #[error("there is no `{source_name}` file to save a rule in; use `user`, `project` or `local`")]
    NoFile {
        /// The source.
        source_name: SettingSource,
    },
    /// The text is no rule.
    #[error("`{rule}` is no rule text; it is empty or holds a NUL character")]
    NotARule {
        /// The text.
        rule: String,
    },
    /// The file or its folder is a link, a pipe or something else that is not followed, or cannot be written.
    #[error("{}: cannot be written; it and its folder must be no links and writable", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not strict JSON.
    #[error("{}:{line}:{column}: {message}; correct the file first", file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
        /// What is wrong.
        message: String,
    },
    /// The file has something else where the list would be.
    #[error("{}: `{key}` has the wrong shape to take a rule; correct the file first", file.display())]
    Shape {
        /// The file.
        file: PathBuf,
        /// The key.
        key: String,
    },
    /// Somebody else keeps changing the file.
    #[error("{}: kept changing while the rule was written; try again", file.display())]
    Contended {
        /// The file.
        file: PathBuf,
    },
    /// The edit would have changed something else. A bug.
    #[error("{}: the rule cannot be added without changing something else; add it by hand", file.display())]
    Unfaithful {
        /// The file.
        file: PathBuf,
    },
    /// The rule is written, and could not be added to what is trusted: the folder is untrusted until accepted.
    #[error("the rule is saved, but not as trusted; accept the folder with `pegboard trust`")]
    Trust(#[from] TrustError),
}

impl Settings {
    /// Appends `rule` to the file of `source` (`user`, `project` or `local`), as "always allow" does, and accepts it.
    /// The rules of this value stay as they are; load again to see it.
    ///
    /// # Errors
    ///
    /// The folder is not trusted, the policy forbids it, or the file cannot take the rule; see [`WriteError`].
    pub fn append_rule(
        &self,
        source: SettingSource,
        effect: RuleEffect,
        rule: &str,
    ) -> Result<Appended, WriteError> {
        let no_file = || WriteError::NoFile { source_name: source };
        let places = self.write_back.as_ref().ok_or_else(no_file)?;
        if self.only_policy_rules.is_some() {
            return Err(WriteError::OnlyPolicyRules);
        }
        let (file, folder) = match source {
            SettingSource::User => (places.user_file.as_deref().ok_or_else(no_file)?, None),
            SettingSource::Project => (places.project_file.as_path(), Some(&places.project_root)),
            SettingSource::Local => (places.local_file.as_path(), Some(&places.local_root)),
            SettingSource::Builtin
            | SettingSource::Agent
            | SettingSource::Session
            | SettingSource::Command
            | SettingSource::Flag
            | SettingSource::Cli
            | SettingSource::Policy => return Err(no_file()),
        };
        if folder.is_some() && !self.trust.is_trusted() {
            return Err(WriteError::Untrusted { folder: self.trust.folder.clone() });
        }
        let changed = append_to_file(file, effect, rule, &places.state_directory)?;
        if let Some(folder) = folder
            && changed
            && effect == RuleEffect::Allow
        {
            TrustStore::new(&places.trust_file).extend(file, folder, TrustItem::allow_rule(rule))?;
        }
        Ok(Appended { file: file.to_path_buf(), changed })
    }
}

/// Appends `rule` to `file`, which is created with its folder when absent. Says whether the file changed.
///
/// Trust and policy are the caller's: [`Settings::append_rule`] looks at both. The lock is kept in
/// `state_directory`, so that nothing of ours is left in a project.
///
/// # Errors
///
/// The file or its folder is a link or cannot be written, or the file cannot take the rule.
pub fn append_to_file(
    file: &Path,
    effect: RuleEffect,
    rule: &str,
    state_directory: &Path,
) -> Result<bool, WriteError> {
    if rule.trim().is_empty() || rule.contains('\0') {
        return Err(WriteError::NotARule { rule: rule.to_owned() });
    }
    let io = |source| WriteError::Io { file: file.to_path_buf(), source };
    let (Some(parent), Some(name)) = (file.parent(), file.file_name()) else {
        return Err(io(io::ErrorKind::InvalidInput.into()));
    };
    let lock = hexadecimal(&Sha256::digest(file.as_os_str().as_encoded_bytes()));
    let _lock = Lock::acquire(&state_directory.join("locks").join(lock)).map_err(io)?;
    let folder = Folder::ordinary(parent).map_err(io)?;
    for _ in 0..ATTEMPTS {
        match attempt(&folder, file, name, effect, rule)? {
            Attempt::Done { changed } => return Ok(changed),
            Attempt::Disturbed => {}
        }
    }
    Err(WriteError::Contended { file: file.to_path_buf() })
}

enum Attempt {
    Done { changed: bool },
    Disturbed,
}

fn attempt(
    folder: &Folder,
    file: &Path,
    name: &OsStr,
    effect: RuleEffect,
    rule: &str,
) -> Result<Attempt, WriteError> {
    let io = |source| WriteError::Io { file: file.to_path_buf(), source };
    let before = folder.read(name).map_err(io)?;
    let bytes = before.as_ref().map_or(NEW_FILE.as_bytes(), |content| &content.bytes);
    let text =
        std::str::from_utf8(bytes).map_err(|error| io(io::Error::new(io::ErrorKind::InvalidData, error)))?;
    let file = || file.to_path_buf();
    let edited = match append(text, effect, rule) {
        Ok(Edited::Text(text)) => text,
        Ok(Edited::AlreadyThere) => return Ok(Attempt::Done { changed: false }),
        Err(EditError::Syntax(error)) => {
            let (line, column, message) = (error.line, error.column, error.message);
            return Err(WriteError::Syntax { file: file(), line, column, message });
        }
        Err(EditError::Shape(key)) => return Err(WriteError::Shape { file: file(), key }),
        Err(EditError::Unfaithful) => return Err(WriteError::Unfaithful { file: file() }),
    };
    // Editors do not take our lock: look once more right before the file is replaced.
    let now = folder.read(name).map_err(io)?;
    if now.as_ref().map(|content| &content.bytes) != before.as_ref().map(|content| &content.bytes) {
        return Ok(Attempt::Disturbed);
    }
    let permissions = before.map(|content| content.permissions);
    folder.replace(name, edited.as_bytes(), permissions).map_err(io)?;
    Ok(Attempt::Done { changed: true })
}
