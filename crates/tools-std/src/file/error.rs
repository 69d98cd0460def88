//! What can go wrong with a file, in words for the model.

use pegboard_tool_core::{ErrorKind, ToolError};
use std::ffi::OsString;
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
    /// It is what one thread of this program sees, and another one sees something else.
    #[error(
        "leads to another place from each thread of this program, so it cannot be judged; name the place without \
         `thread-self`"
    )]
    OfAThread,
    /// Its folder is there and takes no new names, as in `/proc`.
    #[error("cannot be made: its file system takes no new files or folders there; nothing was changed")]
    TakesNothing,
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
    /// Its folder only grows.
    #[error(
        "cannot be written, because nothing in its folder can be replaced or removed (it is append-only: `lsattr -d` \
         shows it); nothing was changed"
    )]
    AppendOnly,
    /// Another program has a lock on it.
    #[error("is locked by another program; nothing was written, try again when it is done")]
    Locked,
    /// An earlier write into the file itself did not end. The copy is what it held before that write.
    #[error(
        "was not written to its end by an earlier change; what it held before is beside it in `{}`. Compare the \
         two, put the file right with Bash, and remove the copy",
        .0.display()
    )]
    Interrupted(OsString),
    /// The call was cancelled while it waited.
    #[error("was not changed: the call was interrupted")]
    Cancelled,
    /// It cannot be written, for a reason of the system.
    #[error("{}", refusal(.0, "cannot be written"))]
    Unwritable(#[source] io::Error),
    /// Nothing can be made beside it.
    #[error("{}", refusal(.0, "cannot be written, because its folder takes no new file"))]
    Uncreatable(#[source] io::Error),
    /// Content that is no text.
    #[error("is a binary file ({kind}, {size} bytes); this tool handles text only")]
    Binary {
        /// What it is, as far as its first bytes tell.
        kind: &'static str,
        /// Bytes.
        size: usize,
    },
    /// Its name says PDF, its content does not.
    #[error("is not a PDF although its name says so: no `%PDF-` is near its beginning")]
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
        if matches!(self, Self::Cancelled) {
            return ToolError::cancelled();
        }
        let kind = match &self {
            Self::Missing => ErrorKind::NotFound,
            Self::Moved | Self::Overtaken | Self::Appeared | Self::Locked => ErrorKind::Conflict,
            Self::ReadOnly(_) | Self::AppendOnly => ErrorKind::Forbidden,
            Self::Io(error) | Self::Unwritable(error) | Self::Uncreatable(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                ErrorKind::Forbidden
            }
            _ => ErrorKind::Failed,
        };
        ToolError::new(kind, format!("{shown} {self}"))
    }

    /// A failure to write.
    pub(crate) fn unwritable(error: impl Into<io::Error>) -> Self {
        Self::Unwritable(error.into())
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
        io::ErrorKind::StorageFull
        | io::ErrorKind::QuotaExceeded
        | io::ErrorKind::FileTooLarge
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::InvalidFilename => refusal(error, "cannot be written"),
        io::ErrorKind::WouldBlock => "has nothing to read at the moment and would block".to_owned(),
        _ => format!("cannot be used: {error}"),
    }
}

/// Why a write failed.
fn refusal(error: &io::Error, what: &str) -> String {
    let why = match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::StorageFull => "no space left on the device".to_owned(),
        io::ErrorKind::QuotaExceeded => "the disk quota is used up".to_owned(),
        io::ErrorKind::FileTooLarge => "files of this size are not allowed here".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        io::ErrorKind::InvalidFilename => "the name is too long".to_owned(),
        _ => error.to_string(),
    };
    format!("{what}: {why}; nothing was changed")
}
