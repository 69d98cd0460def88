//! What can go wrong while settings are loaded. Every message names the file, the line and what to do.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::notice::Problem;

/// What can go wrong while settings are loaded. All of them are the operator's turn; nothing may run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The working directory is missing or is no directory.
    #[error("the working directory `{}` cannot be used; name a folder that exists", path.display())]
    WorkingDirectory {
        /// The directory, as given.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is there and cannot be read.
    #[error("{}: cannot be read; make it readable or remove it", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder, a pipe or a device stands where a file is expected.
    #[error("{}: not a regular file; put a JSON file there or remove it", path.display())]
    NotAFile {
        /// What stands there.
        path: PathBuf,
    },
    /// A file is larger than settings can sensibly be.
    #[error("{}: larger than {max_bytes} bytes; settings files are small, check what this is", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit, in bytes.
        max_bytes: u64,
    },
    /// A file is not UTF-8.
    #[error("{}:{line}: not UTF-8 text; save the file as UTF-8", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// First line that is not text, from 1.
        line: u32,
    },
    /// A file or an argument is not strict JSON.
    #[error("{}:{line}:{column}: {message}; settings are strict JSON", place(file.as_deref()))]
    Syntax {
        /// The file; none for JSON given as an argument.
        file: Option<Arc<Path>>,
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
        /// What is wrong there.
        message: String,
    },
    /// A known key holds a value of the wrong shape, so that its content would be lost as a whole.
    #[error("{}{}: `{key}` must be {expected}; it is {found}", place(file.as_deref()), Colon(*line))]
    Shape {
        /// The file; none for JSON given as an argument.
        file: Option<Arc<Path>>,
        /// Line, from 1, when known.
        line: Option<u32>,
        /// The key, dotted; `(the whole file)` for the outermost value.
        key: String,
        /// What is expected there.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// A single entry of a policy file is bad. In other files it would be skipped.
    #[error("{problem}; a policy file must be right as a whole, correct the entry")]
    PolicyEntry {
        /// The entry.
        problem: Problem,
    },
    /// A name in a list of setting sources is none.
    #[error("`{name}` is not a setting source; write a list of `user`, `project` and `local`, or nothing")]
    UnknownSource {
        /// The name.
        name: String,
    },
}

/// How a place is called in a message.
pub(crate) fn place(file: Option<&Path>) -> String {
    file.map_or_else(|| "settings given inline".to_owned(), |file| file.display().to_string())
}

/// `:line`, or nothing.
pub(crate) struct Colon(pub(crate) Option<u32>);

impl std::fmt::Display for Colon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}
