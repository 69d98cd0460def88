//! Variables that change what programs run or load.

/// Whether a variable of this name can make a program run or load something else.
pub(super) fn is_risky(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "BASHOPTS",
        "BASH_ENV",
        "BROWSER",
        "CDPATH",
        "CLASSPATH",
        "EDITOR",
        "ENV",
        "GCONV_PATH",
        "GLOBIGNORE",
        "HOME",
        "IFS",
        "LESSCLOSE",
        "LESSOPEN",
        "LOCPATH",
        "MAKEFLAGS",
        "MANOPT",
        "MANPAGER",
        "NLSPATH",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PAGER",
        "PATH",
        "PERL5DB",
        "PERL5LIB",
        "PERL5OPT",
        "PERLLIB",
        "PROMPT_COMMAND",
        "PS1",
        "PS2",
        "PS4",
        "RIPGREP_CONFIG_PATH",
        "RSYNC_RSH",
        "RUBYLIB",
        "RUBYOPT",
        "SHELL",
        "SHELLOPTS",
        "SSH_ASKPASS",
        "SUDO_ASKPASS",
        "SUDO_EDITOR",
        "TAR_OPTIONS",
        "TERMINFO",
        "TMPDIR",
        "VISUAL",
        "XDG_CONFIG_HOME",
        "ZDOTDIR",
    ];
    const BEGINNINGS: &[&str] = &[
        "BASH_FUNC_",
        "CARGO_",
        "DYLD_",
        "GIT_",
        "JAVA_TOOL",
        "LD_",
        "MALLOC_",
        "NPM_CONFIG_",
        "PYTHON",
        "RUSTC",
        "_JAVA_OPTIONS",
        "npm_config_",
    ];
    NAMES.binary_search(&name).is_ok() || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::is_risky;

    #[test]
    fn variables_that_load_or_run_are_told() {
        for name in ["PATH", "LD_PRELOAD", "BASH_ENV", "GIT_PAGER", "ZDOTDIR", "BASHOPTS", "PYTHONPATH"] {
            assert!(is_risky(name), "{name}");
        }
        for name in ["NODE_ENV", "LANG", "FOO", "TZ", "PATHS"] {
            assert!(!is_risky(name), "{name}");
        }
    }
}
