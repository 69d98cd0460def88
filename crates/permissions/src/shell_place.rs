//! Where the commands of a line could run: a `cd` in it may or may not have happened.

use crate::shell_command::ShellCommand;
use pegboard_tool_core::{ContextSnapshot, without_dots};
use std::path::{Path, PathBuf};

const MOST: usize = 8;

/// Every folder in which a command of the line could run.
#[derive(Debug)]
pub(crate) struct ShellPlace {
    /// The folders; the first is the working directory.
    pub(crate) folders: Vec<PathBuf>,
    /// Whether these are all.
    pub(crate) is_certain: bool,
    home: Option<PathBuf>,
}

impl ShellPlace {
    pub(crate) fn new(commands: &[ShellCommand], ctx: &ContextSnapshot) -> Self {
        let mut place = Self { folders: vec![ctx.cwd.clone()], is_certain: true, home: ctx.home.clone() };
        for command in commands {
            match command.words().as_slice() {
                ["cd"] => place.add(ctx.home.clone()),
                ["cd", "-"] | ["cd", _, _, ..] => place.is_certain = false,
                ["cd", _] if command.has_glob || !command.is_known => place.is_certain = false,
                ["cd", to] => {
                    let reached: Vec<PathBuf> =
                        place.folders.iter().map(|folder| absolute_in(folder, to)).collect();
                    reached.into_iter().for_each(|folder| place.add(Some(folder)));
                }
                ["pushd" | "popd", ..] => place.is_certain = false,
                _ => {}
            }
        }
        place
    }

    fn add(&mut self, folder: Option<PathBuf>) {
        match folder {
            Some(folder) if self.folders.contains(&folder) => {}
            Some(folder) if self.folders.len() < MOST => self.folders.push(folder),
            _ => self.is_certain = false,
        }
    }

    /// Whether every command runs in the working directory.
    pub(crate) fn stays(&self) -> bool {
        self.is_certain && self.folders.len() == 1
    }

    /// Every absolute path that `named` could mean.
    pub(crate) fn paths(&self, named: &str) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = self.folders.iter().map(|folder| absolute_in(folder, named)).collect();
        // A tilde that was not quoted means the home directory; one that was is a strange name. Both are looked at.
        if let (Some(rest), Some(home)) = (named.strip_prefix('~'), &self.home)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            paths.push(absolute_in(home, rest.trim_start_matches('/')));
        }
        paths.dedup();
        paths
    }

    /// Whether [`ShellPlace::paths`] is complete.
    pub(crate) fn tells(&self, named: &str) -> bool {
        self.is_certain || Path::new(named).is_absolute()
    }
}

/// `named` made absolute in `folder` by the text alone.
pub(crate) fn absolute_in(folder: &Path, named: &str) -> PathBuf {
    without_dots(&folder.join(named))
}
