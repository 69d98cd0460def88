//! The shell and its environment: the host's, without what would change how bash reads a line.

use pegboard_tool_core::{Availability, ToolContext, ToolEnv};
use std::collections::BTreeMap;
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

/// The environment of a command, from the one of its context.
pub(crate) fn of(ctx: &ToolContext) -> Vec<(String, String)> {
    cleaned(&ctx.env, ctx)
}

/// The environment of a command, from these variables.
pub(crate) fn cleaned(vars: &BTreeMap<String, String>, ctx: &ToolContext) -> Vec<(String, String)> {
    let mut all = pegboard_process::child_environment(vars, &ctx.session_id);
    all.retain(|(name, value)| {
        let is_ours = GIT.iter().any(|(own, _)| own == name);
        let is_of_git = name.starts_with("GIT_CONFIG_") || name == "GIT_EXTERNAL_DIFF";
        passes(name, value) && !is_ours && !is_of_git
    });
    for (_, value) in all.iter_mut().filter(|(name, _)| name == "PATH") {
        *value = absolute_only(value);
    }
    all.extend(GIT.map(|(name, value)| (name.to_owned(), value.to_owned())));
    all
}

/// Whether a variable of the host reaches a shell that we start: it is one to the system, and it does not change how
/// bash starts or reads a line.
pub(crate) fn passes(name: &str, value: &str) -> bool {
    let sound = !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0');
    sound && !REMOVED.contains(&name) && !name.starts_with("BASH_FUNC_") && !name.starts_with("OTEL_")
}

/// PATH without entries that depend on the working directory.
fn absolute_only(path: &str) -> String {
    path.split(':').filter(|entry| entry.starts_with('/')).collect::<Vec<_>>().join(":")
}

/// The bash of PATH, or the usual one.
pub(crate) fn shell(ctx: &ToolContext) -> Option<PathBuf> {
    program("bash", ctx, &STANDARD_SHELLS)
}

/// A program of this name on the absolute entries of PATH, or in `others`.
pub(crate) fn program(name: &str, ctx: &ToolContext, others: &[&str]) -> Option<PathBuf> {
    let path = ctx.env.get("PATH").map(|path| absolute_only(path)).unwrap_or_default();
    let on_path = path.split(':').filter(|entry| !entry.is_empty()).map(|entry| Path::new(entry).join(name));
    on_path.chain(others.iter().map(PathBuf::from)).find(|program| program.is_file())
}

/// Whether bash is there.
pub(crate) fn bash_availability(env: &ToolEnv) -> Availability {
    let found = env.path.iter().any(|folder| folder.join("bash").is_file());
    if found || STANDARD_SHELLS.iter().any(|shell| Path::new(shell).is_file()) {
        Availability::Here
    } else {
        Availability::Absent("bash is not installed".to_owned())
    }
}

/// Folder for temporary files.
pub(crate) fn temporary(ctx: &ToolContext) -> PathBuf {
    let named =
        ["CLAUDE_CODE_TMPDIR", "TMPDIR"].iter().filter_map(|name| ctx.env.get(*name)).map(PathBuf::from);
    let mut usable = named.filter(|folder| folder.is_absolute() && folder.is_dir());
    usable.next().unwrap_or_else(|| PathBuf::from("/tmp"))
}
