//! The worlds in which a line is run: the environment that the shell gets and what its start-up file defines.
//! They mirror what the Bash tool does; a test compares the list of removed names with the tool's.

use pegboard_tool_core::ports::ShellStart;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Names that the Bash tool takes out of the environment, beside `BASH_FUNC_*`, `OTEL_*` and `GIT_CONFIG_*`.
pub(crate) const REMOVED: [&str; 14] = [
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
    "GIT_EXTERNAL_DIFF",
];

/// What the tool sets.
const SET: [(&str, &str); 12] = [
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
    ("CLAUDECODE", "1"),
    ("CLAUDE_CODE_CHILD_SESSION", "1"),
];

/// Folder in which a line starts, inside the private root.
pub(crate) const CWD: &str = "/work/p";
/// Home folder, inside the private root.
pub(crate) const HOME: &str = "/work/home";

/// What the shell's surroundings are.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[expect(clippy::exhaustive_enums, reason = "there are no others")]
pub enum World {
    /// An ordinary environment.
    Plain,
    /// The environment that starts the host tries to change what bash does.
    Hostile,
    /// A start-up snapshot defines functions and aliases.
    Snapshot,
}

impl World {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Hostile, Self::Snapshot];
}

/// An ordinary environment.
fn ordinary() -> Vec<(String, String)> {
    let all = [
        ("HOME", HOME),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("LANG", "C.UTF-8"),
        ("TERM", "dumb"),
        ("USER", "dev"),
        ("LOGNAME", "dev"),
        ("SHELL", "/bin/bash"),
        ("EDITOR", "vi"),
        ("PAGER", "less"),
    ];
    all.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
}

/// An environment in which whatever could change what a line runs tries to, by running `rm` with a word that
/// tells which variable it was.
#[must_use]
pub fn hostile() -> Vec<(String, String)> {
    let mut all = ordinary();
    let more = [
        ("BASH_ENV", "/oracle/hostile"),
        ("ENV", "/oracle/hostile"),
        ("SHELLOPTS", "noglob:posix:xtrace"),
        ("BASHOPTS", "expand_aliases:extglob:nullglob:lastpipe:nocasematch"),
        ("BASH_COMPAT", "3.2"),
        ("CDPATH", "/work/p/sub:/"),
        ("GLOBIGNORE", "a:b"),
        ("IFS", "rmca/-"),
        ("PS4", "$(rm from-ps4)"),
        ("PROMPT_COMMAND", "rm from-prompt-command"),
        ("POSIXLY_CORRECT", "1"),
        ("BASH_FUNC_ls%%", "() { rm from-function; }"),
        ("BASH_FUNC_cat%%", "() { rm from-function; }"),
        ("BASH_FUNC_cd%%", "() { rm from-function; }"),
        ("BASH_FUNC_echo%%", "() { rm from-function; }"),
        ("GIT_EXTERNAL_DIFF", "rm from-git"),
        ("GIT_CONFIG_PARAMETERS", "'alias.log'='!rm from-git'"),
        // Names that lines use: their values cannot be known.
        ("c", "rm from-env"),
        ("x", "rm"),
        ("f", "-rf"),
        ("a", "a[$(rm from-env)]"),
        ("i", "a[$(rm from-env)]"),
        ("HISTFILE", "/work/p/a"),
        ("FCEDIT", "rm from-fcedit"),
        ("OPTIND", "3"),
        ("TIMEFORMAT", "$(rm from-timeformat)"),
        ("EXECIGNORE", "*ls"),
        ("UID_", "a[$(rm from-env)]"),
    ];
    all.extend(more.map(|(name, value)| (name.to_owned(), value.to_owned())));
    all.retain(|(name, _)| name != "PATH");
    all.push(("PATH".to_owned(), ".:sub:/usr/local/bin::/usr/bin:/bin".to_owned()));
    all
}

/// The environment that the shell gets in `world`: the host's, cleaned as the Bash tool does it.
#[must_use]
pub fn cleaned(world: World) -> Vec<(String, String)> {
    let given = if world == World::Hostile { hostile() } else { ordinary() };
    let removed = |name: &str| {
        REMOVED.contains(&name)
            || ["BASH_FUNC_", "OTEL_", "GIT_CONFIG_"].iter().any(|prefix| name.starts_with(prefix))
            || SET.iter().any(|(own, _)| *own == name)
    };
    let mut all: Vec<_> = given.into_iter().filter(|(name, _)| !removed(name)).collect();
    for (name, value) in &mut all {
        if name == "PATH" {
            *value = value.split(':').filter(|entry| entry.starts_with('/')).collect::<Vec<_>>().join(":");
        }
    }
    all.extend(SET.map(|(name, value)| (name.to_owned(), value.to_owned())));
    all.push(("BASH_ENV".to_owned(), start_file(world).to_owned()));
    all
}

/// Where the start-up file of `world` is in the private root.
fn start_file(world: World) -> &'static str {
    match world {
        World::Plain | World::Hostile => "/oracle/start",
        World::Snapshot => "/oracle/snapshot",
    }
}

/// What the tool's own start-up file says.
pub(crate) const START: &str =
    "unset BASH_ENV\ntrap 'builtin pwd -P >| '\\''/work/.oracle/cwd'\\'' 2>/dev/null' EXIT\n";

/// What the hostile environment's file says; it must never be read.
pub(crate) const HOSTILE: &str = "rm from-bash-env\n";

/// Functions of the start-up snapshot.
const FUNCTIONS: [&str; 8] = ["ls", "cd", "grep", "make", "build-it", "command", "true", "echo"];
/// Aliases of the start-up snapshot.
const ALIASES: [(&str, &str); 8] = [
    ("ll", "rm from-alias"),
    ("cat", "rm from-alias;"),
    ("sudo", "sudo "),
    ("nice", "nice "),
    ("vi", "rm"),
    ("wc", "eval"),
    ("docker", "f() { rm from-alias; }; f"),
    ("env", "env rm"),
];

/// The start-up snapshot.
pub(crate) fn snapshot() -> String {
    let mut text = START.to_owned();
    text.push_str("shopt -s expand_aliases\n");
    for name in FUNCTIONS {
        text.push_str(&format!("function {name} {{ rm from-snapshot \"$@\"; }}\n"));
    }
    for (name, value) in ALIASES {
        text.push_str(&format!("alias {name}='{value}'\n"));
    }
    text
}

/// What the analysis is told about the shell in `world`.
#[must_use]
pub fn start(world: World) -> ShellStart {
    let mut start = ShellStart::bash(CWD, Some(HOME.into()));
    if world == World::Snapshot {
        let names = FUNCTIONS.into_iter().chain(ALIASES.map(|(name, _)| name));
        start.shadowed = Arc::new(names.map(str::to_owned).collect::<BTreeSet<_>>());
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Bash tool's own list.
    const TOOL: &str = include_str!("../../tools-std/src/shell/environment.rs");

    #[test]
    fn the_same_names_are_removed_as_by_the_bash_tool() {
        let list = TOOL.split("const REMOVED").nth(1).unwrap().split("];").next().unwrap();
        let mut theirs: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        theirs.push("GIT_EXTERNAL_DIFF");
        let mut ours = REMOVED.to_vec();
        theirs.sort_unstable();
        ours.sort_unstable();
        assert_eq!(ours, theirs);
        for (name, value) in SET.iter().take(10) {
            assert!(TOOL.contains(&format!("(\"{name}\", \"{value}\")")), "{name}");
        }
        for prefix in ["BASH_FUNC_", "OTEL_", "GIT_CONFIG_"] {
            assert!(TOOL.contains(&format!("starts_with(\"{prefix}\")")), "{prefix}");
        }
    }

    #[test]
    fn nothing_hostile_is_left() {
        let all = cleaned(World::Hostile);
        for name in REMOVED.iter().filter(|name| **name != "BASH_ENV") {
            assert!(all.iter().all(|(other, _)| other != name), "{name}");
        }
        assert!(all.iter().all(|(name, _)| !name.starts_with("BASH_FUNC_")));
        assert!(all.contains(&("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())));
    }
}
