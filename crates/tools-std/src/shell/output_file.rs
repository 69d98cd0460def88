//! Where the output of a command is stored: below the session's folder, or in a temporary one.

use super::environment;
use crate::safe_name::stem;
use pegboard_tool_core::ToolContext;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most files for one call id.
const MOST_ATTEMPTS: u32 = 100;

/// Where a file may be made, decided when the command starts.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    session_dir: Option<PathBuf>,
    temporary: PathBuf,
    call_id: Arc<str>,
}

impl Place {
    pub(crate) fn of(ctx: &ToolContext) -> Self {
        Self {
            session_dir: ctx.session_dir.clone(),
            temporary: environment::temporary(ctx),
            call_id: Arc::clone(&ctx.call_id),
        }
    }

    /// Folder of the session, when it has one.
    pub(crate) fn session_dir(&self) -> Option<&Path> {
        self.session_dir.as_deref()
    }

    /// A new file that only the owner reads.
    pub(crate) fn create(&self) -> io::Result<(File, PathBuf)> {
        let Some(session) = &self.session_dir else {
            let file = tempfile::Builder::new()
                .prefix("pegboard-output-")
                .suffix(".txt")
                .append(true)
                .tempfile_in(&self.temporary)?;
            return file.keep().map_err(|error| error.error);
        };
        let folder = session.join("tool-results");
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let stem = stem(&self.call_id);
        for attempt in 1..MOST_ATTEMPTS {
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
}

fn open_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(path)
}
