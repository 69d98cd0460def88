//! What can go wrong with a file, in words for the model.

use pegboard_tool_core::{ErrorKind, ToolError};
use std::io;

/// A file cannot be used as asked. The texts follow the path as the model named it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// Nothing is there.
    #[error("does not exist")]
    Missing,
    /// A folder.
    #[error("is a directory, not a file")]
    Directory,
    /// A device, pipe or socket.
    #[error("is {0}, not a regular file; it is not opened")]
    Special(&'static str),
    /// The path leads elsewhere than when the call was approved, or was replaced meanwhile.
    #[error("changed since it was approved; nothing was done, make the call again")]
    Moved,
    /// Somebody wrote it between our look and our write.
    #[error("was changed by somebody else at this very moment; nothing was written, read it again")]
    Overtaken,
    /// Somebody created it meanwhile.
    #[error("was created by somebody else meanwhile; nothing was written, read it first")]
    Appeared,
    /// Larger than we hold in memory.
    #[error("is larger than {} MiB; search it with Grep or look at parts of it with Bash", .0 / (1024 * 1024))]
    TooLarge(u64),
    /// Nobody may write it.
    #[error("is read-only (mode {0:03o}); nothing was written")]
    ReadOnly(u32),
    /// A replacement would belong to somebody else.
    #[error("belongs to another user and cannot be replaced without changing its owner; nothing was written")]
    Owner,
    /// Content that is no text.
    #[error("is a binary file ({kind}, {size} bytes); this tool handles text only")]
    Binary {
        /// What it is, as far as its first bytes tell.
        kind: &'static str,
        /// Bytes.
        size: usize,
    },
    /// Its name says PDF, its content does not.
    #[error("is not a PDF although its name says so: it does not begin with `%PDF-`")]
    NotPdf,
    /// A character that the file's encoding has not.
    #[error("is in {encoding}, which has no `{character}`; nothing was written")]
    Unencodable {
        /// The file's encoding.
        encoding: &'static str,
        /// The first such character.
        character: char,
    },
    /// The system says no.
    #[error("{}", plain(.0))]
    Io(#[source] io::Error),
}

impl FileError {
    /// The failure as the answer to a call about `shown`.
    pub(crate) fn about(self, shown: &str) -> ToolError {
        let kind = match &self {
            Self::Missing => ErrorKind::NotFound,
            Self::Moved | Self::Overtaken | Self::Appeared => ErrorKind::Conflict,
            Self::ReadOnly(_) | Self::Owner => ErrorKind::Forbidden,
            Self::Io(error) if error.kind() == io::ErrorKind::PermissionDenied => ErrorKind::Forbidden,
            _ => ErrorKind::Failed,
        };
        ToolError::new(kind, format!("{shown} {self}"))
    }
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::IsADirectory => Self::Directory,
            _ => Self::Io(error),
        }
    }
}

#[cfg(unix)]
impl From<rustix::io::Errno> for FileError {
    fn from(error: rustix::io::Errno) -> Self {
        io::Error::from(error).into()
    }
}

fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "cannot be opened: permission denied".to_owned(),
        io::ErrorKind::NotADirectory => "leads through something that is not a directory".to_owned(),
        io::ErrorKind::StorageFull => "cannot be written: no space left on the device".to_owned(),
        io::ErrorKind::WouldBlock => "has nothing to read at the moment and would block".to_owned(),
        _ => format!("cannot be used: {error}"),
    }
}
