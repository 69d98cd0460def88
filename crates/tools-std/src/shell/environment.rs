//! The shell and its environment: the host's, without what would change how bash reads a line.

use pegboard_tool_core::ToolContext;
use std::path::{Path, PathBuf};

/// Where bash is when PATH does not say.
pub(crate) const STANDARD_SHELLS: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

/// Names that change how bash starts or reads a line.
const REMOVED: [&str; 13] = [
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_COMPAT",
    "BASH_XTRACEFD",
    "CDPATH",
    "GLOBIGNORE",
    "IFS",
    "PS4",
    "PROMPT_COMMAND",
    "POSIXLY_CORRECT",
    "CLAUDE_ENV_FILE",
];

/// What keeps git from starting programs that a repository names: its file system monitor and pagers. They win
/// over the repository's own settings.
const GIT: [(&str, &str); 10] = [
    ("GIT_PAGER", "cat"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_CONFIG_COUNT", "3"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "core.pager"),
    ("GIT_CONFIG_VALUE_1", "cat"),
    ("GIT_CONFIG_KEY_2", "protocol.ext.allow"),
    ("GIT_CONFIG_VALUE_2", "never"),
];

/// The environment of the shell.
pub(crate) fn of(ctx: &ToolContext) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (name, value) in ctx.env.iter() {
        // What is no variable to the system is left out, as the system would leave it out.
        let sound = !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0');
        let removed = REMOVED.contains(&name.as_str())
            || name.starts_with("BASH_FUNC_")
            || name.starts_with("OTEL_")
            || GIT.iter().any(|(own, _)| own == name)
            || name.starts_with("GIT_CONFIG_")
            || name == "GIT_EXTERNAL_DIFF";
        if sound && !removed {
            let value = if name == "PATH" { absolute_only(value) } else { value.clone() };
            all.push((name.clone(), value));
        }
    }
    all.extend(GIT.map(|(name, value)| (name.to_owned(), value.to_owned())));
    all.push(("CLAUDECODE".into(), "1".into()));
    all.push(("CLAUDE_CODE_CHILD_SESSION".into(), "1".into()));
    all.push(("CLAUDE_CODE_SESSION_ID".into(), ctx.session_id.replace('\0', "")));
    all
}

/// PATH without entries that depend on the working directory.
fn absolute_only(path: &str) -> String {
    path.split(':').filter(|entry| entry.starts_with('/')).collect::<Vec<_>>().join(":")
}

/// The bash to start.
pub(crate) fn shell(ctx: &ToolContext) -> Option<PathBuf> {
    let path = ctx.env.get("PATH").map(|path| absolute_only(path)).unwrap_or_default();
    let on_path =
        path.split(':').filter(|entry| !entry.is_empty()).map(|entry| Path::new(entry).join("bash"));
    on_path.chain(STANDARD_SHELLS.map(PathBuf::from)).find(|shell| shell.is_file())
}

/// Folder for temporary files.
pub(crate) fn temporary(ctx: &ToolContext) -> PathBuf {
    let named =
        ["CLAUDE_CODE_TMPDIR", "TMPDIR"].iter().filter_map(|name| ctx.env.get(*name)).map(PathBuf::from);
    let mut usable = named.filter(|folder| folder.is_absolute() && folder.is_dir());
    usable.next().unwrap_or_else(|| PathBuf::from("/tmp"))
}
