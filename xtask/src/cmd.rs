//! One child process: shown before it runs, its output passed through or captured.

use std::{
    ffi::OsString,
    fmt,
    io::{Write as _, stdout},
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail};

/// A command that can be shown, run and read.
#[derive(Debug)]
pub(crate) struct Cmd {
    program: OsString,
    args: Vec<String>,
    env: Vec<(&'static str, OsString)>,
    dir: Option<OsString>,
}

impl Cmd {
    /// A command that runs `program`.
    pub(crate) fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), args: Vec::new(), env: Vec::new(), dir: None }
    }

    /// The cargo that started us, with `args`, split at spaces.
    pub(crate) fn cargo(args: &str) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Self::new(cargo).args(args.split_whitespace())
    }

    /// Adds arguments.
    pub(crate) fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the child's environment.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// Sets the folder it runs in.
    pub(crate) fn dir(mut self, dir: &Path) -> Self {
        self.dir = Some(dir.into());
        self
    }

    /// Shows the command, runs it with its output passed through, and says whether it succeeded.
    pub(crate) fn run(&self) -> anyhow::Result<bool> {
        println!("$ {self}");
        stdout().flush()?;
        let status = self.command().stdin(Stdio::null()).status();
        Ok(status.with_context(|| format!("cannot start `{self}`"))?.success())
    }

    /// Runs the command silently and gives what it printed.
    pub(crate) fn read(&self) -> anyhow::Result<String> {
        let output = self.command().stdin(Stdio::null()).output();
        let output = output.with_context(|| format!("cannot start `{self}`"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("`{self}` failed ({}):\n{}", output.status, said.trim_end());
        }
        String::from_utf8(output.stdout).with_context(|| format!("`{self}` printed bytes that are not text"))
    }

    /// Whether the command can be started and succeeds; for asking whether a tool is installed.
    pub(crate) fn works(&self) -> bool {
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        command
    }
}

/// As one would type it: `NAME=value program args`, without the folder of the program.
impl fmt::Display for Cmd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.env {
            write!(f, "{name}={} ", quoted(&value.to_string_lossy()))?;
        }
        let name = Path::new(&self.program).file_stem().unwrap_or(&self.program);
        write!(f, "{}", name.display())?;
        for arg in &self.args {
            write!(f, " {}", quoted(arg))?;
        }
        Ok(())
    }
}

fn quoted(word: &str) -> String {
    if word.contains(char::is_whitespace) { format!("'{word}'") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let cmd = Cmd::new("/usr/bin/cargo").args(["doc", "a b"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(cmd.to_string(), "RUSTDOCFLAGS='-D warnings' cargo doc 'a b'");
    }
}
