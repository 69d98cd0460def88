//! Files of what is too large or cannot be shown: in the session's folder, where Read may look without asking.

use crate::safe_name::stem;
use pegboard_tool_core::ToolContext;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `content` to a new file that only the owner reads; its name ends with `ending`, such as `page.md`.
///
/// # Errors
/// When there is no folder or no room.
pub(crate) fn keep(ctx: &ToolContext, ending: &str, content: &[u8]) -> io::Result<PathBuf> {
    let Some(session) = &ctx.session_dir else {
        let names = ["CLAUDE_CODE_TMPDIR", "TMPDIR"];
        let named = names.iter().filter_map(|name| ctx.env.get(*name)).map(PathBuf::from);
        let mut usable = named.filter(|folder| folder.is_absolute() && folder.is_dir());
        let usual = cfg!(unix).then(|| PathBuf::from("/tmp"));
        let folder = usable.next().or(usual).ok_or(io::ErrorKind::NotFound)?;
        let mut file =
            tempfile::Builder::new().prefix("pegboard-").suffix(&format!("-{ending}")).tempfile_in(folder)?;
        file.write_all(content)?;
        return file.keep().map(|(_, path)| path).map_err(|error| error.error);
    };
    let folder = session.join("tool-results");
    create_folder(&folder)?;
    let stem = stem(&ctx.call_id);
    for attempt in 1..100 {
        let number = if attempt == 1 { String::new() } else { format!("{attempt}-") };
        let path = folder.join(format!("{stem}-{number}{ending}"));
        let mut file = match create(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        if let Err(error) = file.write_all(content) {
            // Half a file is worse than none.
            let _gone = std::fs::remove_file(&path);
            return Err(error);
        }
        return Ok(path);
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
