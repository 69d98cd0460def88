//! Programs that tools start, and the environment they get: the call's, without what depends on the working
//! directory or tells about us.

use pegboard_tool_core::ToolContext;
use std::path::{Path, PathBuf};

/// The file of program `name` in the absolute folders of `path`, the value of PATH. Never one of the working
/// directory: a project must not choose what runs.
pub(crate) fn find(name: &str, path: &str) -> Option<PathBuf> {
    find_in(name, std::env::split_paths(path))
}

/// The same in these folders; relative ones are left out.
pub(crate) fn find_in(name: &str, folders: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    if name.is_empty() || name.contains(['/', '\\', '\0']) || name == "." || name == ".." {
        return None;
    }
    let absolute = folders.into_iter().filter(|folder| folder.is_absolute());
    absolute.flat_map(|folder| spellings(&folder, name)).find(|file| may_run(file))
}

/// Why a program cannot be started, after its name.
#[cfg(any(feature = "lsp", feature = "web"))]
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum NoProgram {
    /// There is none of this name.
    #[error("was not found")]
    NotFound,
    /// A folder has its name.
    #[error("is a folder, no program")]
    Folder,
    /// There is a file that nobody may run.
    #[error("may not be run; it is not executable, or it cannot be reached")]
    NotRunnable,
}

/// The file of a program that the operator named: a path, seen from `base`, or a name in the absolute ones of
/// `folders`.
///
/// # Errors
/// When there is none that may be run.
#[cfg(any(feature = "lsp", feature = "web"))]
pub(crate) fn resolve(
    name: &str,
    base: &Path,
    folders: impl IntoIterator<Item = PathBuf>,
) -> Result<PathBuf, NoProgram> {
    let path = base.join(name);
    let candidates: Vec<PathBuf> = if name.contains(std::path::is_separator) {
        match (path.parent(), path.file_name().and_then(|name| name.to_str())) {
            (Some(folder), Some(name)) => spellings(folder, name),
            _ => vec![path],
        }
    } else {
        let absolute = folders.into_iter().filter(|folder| folder.is_absolute());
        absolute.flat_map(|folder| spellings(&folder, name)).collect()
    };
    if let Some(file) = candidates.iter().find(|file| may_run(file)) {
        return Ok(file.clone());
    }
    let mut why = NoProgram::NotFound;
    for candidate in candidates {
        match candidate.metadata() {
            Ok(meta) if meta.is_dir() => why = NoProgram::Folder,
            Ok(_) => return Err(NoProgram::NotRunnable),
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                why = NoProgram::NotRunnable
            }
            Err(_) => {}
        }
    }
    Err(why)
}

/// The call's PATH.
pub(crate) fn path_of(ctx: &ToolContext) -> &str {
    ctx.env.get("PATH").map_or("", String::as_str)
}

/// The environment of a program: complete, nothing is inherited beside it.
pub(crate) fn environment(ctx: &ToolContext) -> Vec<(String, String)> {
    let mut all = pegboard_process::child_environment(&ctx.env, &ctx.session_id);
    for (_, value) in all.iter_mut().filter(|(name, _)| name == "PATH") {
        *value = absolute_only(value);
    }
    all
}

/// PATH without entries that depend on the working directory.
fn absolute_only(path: &str) -> String {
    let absolute = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    std::env::join_paths(absolute).map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(not(windows))]
fn spellings(folder: &Path, name: &str) -> Vec<PathBuf> {
    vec![folder.join(name)]
}

#[cfg(windows)]
fn spellings(folder: &Path, name: &str) -> Vec<PathBuf> {
    ["", ".exe", ".cmd"].iter().map(|end| folder.join(format!("{name}{end}"))).collect()
}

#[cfg(unix)]
fn may_run(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn may_run(file: &Path) -> bool {
    file.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn only_absolute_folders_count_and_only_what_may_run() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().to_str().unwrap();
        std::fs::write(dir.path().join("plain"), "").unwrap();
        std::fs::write(dir.path().join("tool"), "").unwrap();
        std::fs::set_permissions(dir.path().join("tool"), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find("tool", &format!("rel:.::{folder}")), Some(dir.path().join("tool")));
        for (name, path) in [
            ("plain", folder),
            ("tool", "."),
            ("tool", ""),
            ("../tool", folder),
            ("", folder),
            (".", folder),
            ("a\0b", folder),
        ] {
            assert_eq!(find(name, path), None, "{name:?} {path:?}");
        }
    }

    #[cfg(any(feature = "lsp", feature = "web"))]
    #[test]
    fn what_cannot_be_started_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().to_str().unwrap();
        for name in ["plain", "tool"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        std::fs::set_permissions(dir.path().join("tool"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let tool = dir.path().join("tool");
        for (name, path, expected) in [
            ("tool", folder, Ok(tool.clone())),
            ("./tool", "", Ok(dir.path().join("./tool"))),
            (tool.to_str().unwrap(), "", Ok(tool.clone())),
            ("tool", "", Err(NoProgram::NotFound)),
            ("tool", ".:rel", Err(NoProgram::NotFound)),
            ("plain", folder, Err(NoProgram::NotRunnable)),
            ("./plain", folder, Err(NoProgram::NotRunnable)),
            ("sub", folder, Err(NoProgram::Folder)),
            ("./sub", "", Err(NoProgram::Folder)),
            ("/", "", Err(NoProgram::Folder)),
            ("nosuchprog", folder, Err(NoProgram::NotFound)),
            ("./nosuchprog", folder, Err(NoProgram::NotFound)),
            ("plain/below", folder, Err(NoProgram::NotFound)),
            ("a\0b", folder, Err(NoProgram::NotFound)),
            ("./a\0b", folder, Err(NoProgram::NotFound)),
        ] {
            let found = resolve(name, dir.path(), std::env::split_paths(path));
            assert_eq!(found, expected, "{name:?} {path:?}");
        }
    }

    #[test]
    fn programs_get_the_environment_of_the_call_and_no_relative_path() {
        let mut context = pegboard_tool_core::ContextSnapshot::new("/w", "s\0x");
        let env = std::sync::Arc::make_mut(&mut context.env);
        for (name, value) in
            [("PATH", ".:/a:b:/c"), ("A", "1"), ("OTEL_X", "1"), ("", "1"), ("B=C", "1"), ("D", "\0")]
        {
            env.insert(name.to_owned(), value.to_owned());
        }
        let mut all = environment(&ToolContext::new(std::sync::Arc::new(context)));
        all.sort();
        let text: Vec<String> = all.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        let own = ["CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_CODE_SESSION_ID=sx"];
        assert_eq!(text, [&["A=1"][..], &own, &["PATH=/a:/c"]].concat());
    }
}
