//! The environment of programs that stay between calls: as the one of Bash, and what terminals add.

use crate::shell::environment;
use pegboard_tool_core::ToolContext;
use std::path::{Path, PathBuf};

/// What the screen can do, by the name that programs look up.
const TERM: &str = "xterm-256color";

/// Names that only the terminal itself may set.
const REPLACED: [&str; 12] = [
    "TERM",
    "COLORTERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TERMCAP",
    "LINES",
    "COLUMNS",
    "HISTFILE",
    "INPUTRC",
    "PS1",
    "TMUX",
    "STY",
];

/// The environment of a program that has no terminal.
pub(crate) fn plain(ctx: &ToolContext) -> Vec<(String, String)> {
    environment::of(ctx)
}

/// The environment of a program in a terminal.
pub(crate) fn of_terminal(ctx: &ToolContext) -> Vec<(String, String)> {
    let mut all = plain(ctx);
    all.retain(|(name, _)| !REPLACED.contains(&name.as_str()));
    let mut set = |name: &str, value: &str| all.push((name.to_owned(), value.to_owned()));
    set("TERM", TERM);
    set("COLORTERM", "truecolor");
    // A shell in here leaves no trace in the history of its user.
    set("HISTFILE", "/dev/null");
    set("PS1", r"\w \$ ");
    // The screen reads UTF-8 and nothing else; without a locale programs would not write it.
    let has_locale = |(name, _): &(String, String)| matches!(name.as_str(), "LC_ALL" | "LC_CTYPE" | "LANG");
    if !all.iter().any(has_locale) {
        all.push(("LANG".to_owned(), "C.UTF-8".to_owned()));
    }
    all
}

/// The bash to start.
pub(crate) fn shell(ctx: &ToolContext) -> Option<PathBuf> {
    environment::program("bash", ctx, &environment::STANDARD_SHELLS)
}

/// The program `name` in the absolute folders of PATH.
pub(crate) fn program(ctx: &ToolContext, name: &str) -> Option<PathBuf> {
    let path = ctx.env.get("PATH")?;
    let folders = path.split(':').filter(|folder| folder.starts_with('/')).map(Path::new);
    folders.map(|folder| folder.join(name)).find(|program| is_program(program))
}

/// Whether `path` is a file that somebody may execute.
pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
