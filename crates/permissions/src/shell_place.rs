//! Where the commands of a line could run: a `cd` in it may or may not have happened.

use crate::shell_command::ShellCommand;
use pegboard_tool_core::ContextSnapshot;
use std::path::{Path, PathBuf};

const MOST: usize = 8;

/// Every folder in which a command of the line could run.
#[derive(Debug)]
pub(crate) struct ShellPlace {
    /// The folders, as named; the first is the working directory.
    pub(crate) folders: Vec<PathBuf>,
    /// Whether these are all.
    pub(crate) is_certain: bool,
    home: Option<PathBuf>,
}

impl ShellPlace {
    pub(crate) fn new(commands: &[ShellCommand<'_>], ctx: &ContextSnapshot) -> Self {
        let mut place = Self { folders: vec![ctx.cwd.clone()], is_certain: true, home: ctx.home.clone() };
        for command in commands {
            match cd_target(command) {
                CdTarget::None => {}
                CdTarget::Unknown => place.is_certain = false,
                CdTarget::Home => place.add(ctx.home.clone()),
                CdTarget::Folder(to) => {
                    let reached = place.paths(to);
                    reached.into_iter().for_each(|folder| place.add(Some(folder)));
                }
            }
        }
        place
    }

    fn add(&mut self, folder: Option<PathBuf>) {
        match folder.map(|folder| folder.components().collect::<PathBuf>()) {
            Some(folder) if self.folders.contains(&folder) => {}
            Some(folder) if self.folders.len() < MOST => self.folders.push(folder),
            _ => self.is_certain = false,
        }
    }

    /// Whether every command runs in the working directory.
    pub(crate) fn stays(&self) -> bool {
        self.is_certain && self.folders.len() == 1
    }

    /// Every absolute path that `named` could mean, `..` kept: behind a link it leads elsewhere than the text says.
    pub(crate) fn paths(&self, named: &str) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = self.folders.iter().map(|folder| folder.join(named)).collect();
        // A tilde that was not quoted means the home directory; one that was is a strange name. Both are looked at.
        if let (Some(rest), Some(home)) = (named.strip_prefix('~'), &self.home)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            paths.push(home.join(rest.trim_start_matches('/')));
        }
        paths.dedup();
        paths
    }

    /// Whether [`ShellPlace::paths`] is complete.
    pub(crate) fn tells(&self, named: &str) -> bool {
        let is_other_home =
            named.starts_with('~') && (self.home.is_none() || !(named.len() == 1 || named.starts_with("~/")));
        !is_other_home && (self.is_certain || Path::new(named).is_absolute())
    }
}

/// Where a command moves the shell to.
pub(crate) enum CdTarget<'c> {
    /// It does not.
    None,
    /// To the home directory.
    Home,
    /// There.
    Folder(&'c str),
    /// Cannot be told.
    Unknown,
}

/// Where `command` moves the shell to.
pub(crate) fn cd_target<'c>(command: &'c ShellCommand<'_>) -> CdTarget<'c> {
    match command.run.program.as_deref() {
        Some("cd") => {}
        Some("pushd" | "popd") => return CdTarget::Unknown,
        _ => return CdTarget::None,
    }
    if command.run.has_glob {
        return CdTarget::Unknown;
    }
    let words = command.run.argv.get(1..).unwrap_or_default();
    let is_option = |word: &&Option<String>| matches!(word.as_deref(), Some("-P" | "-L" | "--"));
    let options = words.iter().take_while(is_option).count();
    match words.get(options..).unwrap_or_default() {
        [] => CdTarget::Home,
        [Some(to)] if !to.starts_with('-') && !to.is_empty() => CdTarget::Folder(to),
        _ => CdTarget::Unknown,
    }
}
