//! Variables that can name a program, an option or a file for programs.

use crate::env::{Value, changes_shell, is_special};

/// Whether programs take a program, options, a file or a proxy from the variable, and this value is none that is
/// known to be harmless.
pub(super) fn names_program(name: &str, value: &Value) -> bool {
    const NAMES: &[&str] = &[
        "AR",
        "AS",
        "BAT_CONFIG_PATH",
        "BAT_PAGER",
        "BROWSER",
        "CC",
        "CFLAGS",
        "CLASSPATH",
        "CPP",
        "CXX",
        "CXXFLAGS",
        "EDITOR",
        "FCEDIT",
        "GCONV_PATH",
        "GOFLAGS",
        "GREP_OPTIONS",
        "HISTFILE",
        "JAVA_TOOL_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "LD",
        "LDFLAGS",
        "LESS",
        "LESSCLOSE",
        "LESSKEY",
        "LESSKEYIN",
        "LESSOPEN",
        "LOCPATH",
        "MAKE",
        "MAKEFILES",
        "MAKEFLAGS",
        "MANOPT",
        "MANPAGER",
        "MORE",
        "NLSPATH",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PAGER",
        "PERLLIB",
        "PKG_CONFIG",
        "RIPGREP_CONFIG_PATH",
        "RSYNC_CONNECT_PROG",
        "RSYNC_RSH",
        "SHELL",
        "SSH_ASKPASS",
        "SUDO_ASKPASS",
        "SUDO_EDITOR",
        "SYSTEMD_EDITOR",
        "SYSTEMD_PAGER",
        "TAR_OPTIONS",
        "TERMCAP",
        "TERMINFO",
        "TERMINFO_DIRS",
        "UNZIP",
        "UNZIPOPT",
        "VISUAL",
        "WGETRC",
        "CURL_HOME",
        "XDG_CONFIG_HOME",
        "ZDOTDIR",
        "ZIPOPT",
        "_JAVA_OPTIONS",
    ];
    const BEGINNINGS: &[&str] = &[
        "CARGO_",
        "DYLD_",
        "FZF_",
        "GIT_",
        "LD_",
        "NPM_CONFIG_",
        "PERL5",
        "PYTHON",
        "RUBY",
        "RUSTC",
        "RUSTFLAGS",
        "RUSTDOC",
        "npm_config_",
    ];
    let is_heeded = NAMES.contains(&name)
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || name.ends_with("_PROXY")
        || name.ends_with("_proxy");
    is_heeded && !is_plain(name, value)
}

/// Whether the variable is a mere setting, or names a program that only prints or does nothing.
fn is_plain(name: &str, value: &Value) -> bool {
    let is_setting = matches!(
        name,
        "CARGO_TERM_COLOR"
            | "CARGO_TERM_QUIET"
            | "CARGO_TERM_VERBOSE"
            | "CARGO_TERM_PROGRESS_WHEN"
            | "CARGO_INCREMENTAL"
            | "CARGO_NET_OFFLINE"
            | "CARGO_BUILD_JOBS"
            | "GIT_TERMINAL_PROMPT"
            | "GIT_OPTIONAL_LOCKS"
            | "PYTHONUNBUFFERED"
            | "PYTHONDONTWRITEBYTECODE"
            | "PYTHONHASHSEED"
            | "PYTHONUTF8"
            | "PYTHONIOENCODING"
    ) || name.starts_with("GIT_AUTHOR_")
        || name.starts_with("GIT_COMMITTER_");
    let is_program = matches!(
        name,
        "BAT_PAGER"
            | "BROWSER"
            | "EDITOR"
            | "GIT_EDITOR"
            | "GIT_PAGER"
            | "GIT_SEQUENCE_EDITOR"
            | "MANPAGER"
            | "PAGER"
            | "SYSTEMD_PAGER"
            | "VISUAL"
    );
    is_setting || is_program && matches!(value, Value::Known(value) if matches!(&**value, "cat" | "true"))
}

/// Whether an assignment to the variable concerns the text of the line alone: neither the shell nor a program
/// heeds it.
pub(super) fn is_own(name: &str) -> bool {
    !(changes_shell(name)
        || is_special(name)
        || names_program(name, &Value::Unknown)
        || super::visit::reaches_programs(name))
}

/// Whether programs that get the variable do the same with any value of it.
pub(super) fn is_harmless_for_programs(name: &str) -> bool {
    matches!(
        name,
        "NODE_ENV"
            | "RUST_BACKTRACE"
            | "RUST_LOG"
            | "TZ"
            | "NO_COLOR"
            | "FORCE_COLOR"
            | "CLICOLOR"
            | "TERM"
            | "COLUMNS"
            | "LINES"
            | "CI"
            | "DEBUG"
    )
}
