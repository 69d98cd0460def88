//! Which names and options a snapshot carries.

/// Whether a function or alias of this name is carried: bash reads it back as it was, it is no word of
/// the grammar, and the start of a command's shell does not need it unchanged.
pub(super) fn is_carried(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:+@,%-".contains(&byte);
    (1..=128).contains(&name.len())
        && name.bytes().all(plain)
        && name.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.')
        && !name.starts_with('-')
        && !name.bytes().all(|byte| byte.is_ascii_digit())
        && !KEPT_BACK.contains(&name)
}

/// Whether an option is carried: it cannot make a line run or name something else than without it.
pub(super) fn is_harmless_option(name: &str) -> bool {
    HARMLESS_OPTIONS.contains(&name)
}

/// What a shell of a command sets itself, so that it is nothing the user chose.
pub(super) fn is_interactive_default(name: &str) -> bool {
    INTERACTIVE_DEFAULTS.contains(&name)
}

/// Words of the grammar, the builtins by which a command's shell is set up, and the function that bash
/// itself calls for unknown commands.
const KEPT_BACK: [&str; 51] = [
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "for",
    "while",
    "until",
    "do",
    "done",
    "case",
    "esac",
    "select",
    "function",
    "coproc",
    "time",
    "in",
    "alias",
    "unalias",
    "break",
    "builtin",
    "command",
    "continue",
    "declare",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "hash",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    ".",
    "test",
    "trap",
    "typeset",
    "ulimit",
    "unset",
    "umask",
    "wait",
    "command_not_found_handle",
    "pwd",
];

const HARMLESS_OPTIONS: [&str; 8] = [
    "errexit",
    "nounset",
    "noclobber",
    "pipefail",
    "failglob",
    "inherit_errexit",
    "xpg_echo",
    "shift_verbose",
];

const INTERACTIVE_DEFAULTS: [&str; 24] = [
    "braceexpand",
    "emacs",
    "hashall",
    "histexpand",
    "history",
    "interactive-comments",
    "monitor",
    "vi",
    "checkwinsize",
    "cmdhist",
    "complete_fullquote",
    "expand_aliases",
    "extquote",
    "force_fignore",
    "globasciiranges",
    "globskipdots",
    "histappend",
    "hostcomplete",
    "interactive_comments",
    "login_shell",
    "patsub_replacement",
    "progcomp",
    "promptvars",
    "sourcepath",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_bash_may_read_otherwise_are_not_carried() {
        for name in ["ll", "..", "git-root", "a.b", "x:y", "_private", "cd", "grep", "g++", "1up"] {
            assert!(is_carried(name), "{name}");
        }
        let long = "x".repeat(129);
        for name in [
            "",
            "if",
            "builtin",
            ".",
            "-",
            "--",
            "@",
            "1",
            "a b",
            "a;b",
            "a'b",
            "a$b",
            "a\nb",
            "a=b",
            "~",
            "a/b",
            "é",
            "x()",
            "command_not_found_handle",
            "[",
            "[[",
            "!",
            "{",
            ":",
            &long,
        ] {
            assert!(!is_carried(name), "{name}");
        }
    }
}
