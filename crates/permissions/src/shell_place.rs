//! Where the commands of a line could run: a `cd` in it may or may not have happened.

use crate::shell_command::ShellCommand;
use pegboard_tool_core::ports::{FileAccess, FileUse};
use pegboard_tool_core::{ContextSnapshot, without_dots};
use std::path::{Path, PathBuf};

const MOST: usize = 8;

/// More names than these that lead elsewhere are not followed: where paths lead cannot be told then.
const MOST_LINKS: usize = 16;

/// Every folder in which a command of the line could run.
#[derive(Debug)]
pub(crate) struct ShellPlace {
    /// The folders, as named; the first is the working directory.
    pub(crate) folders: Vec<PathBuf>,
    /// Whether these are all.
    pub(crate) is_certain: bool,
    home: Option<PathBuf>,
    /// Names that the line itself makes, and where they lead: links that are not there yet.
    links: Vec<(PathBuf, PathBuf)>,
}

impl ShellPlace {
    pub(crate) fn new(commands: &[ShellCommand<'_>], ctx: &ContextSnapshot) -> Self {
        let mut place = Self {
            folders: vec![ctx.cwd.clone()],
            is_certain: true,
            home: ctx.home.clone(),
            links: Vec::new(),
        };
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

    /// Takes note of the links that the line makes: with `ln`, and with copies and moves of links that are there.
    pub(crate) fn add_links(&mut self, commands: &[ShellCommand<'_>], files: &[FileUse]) {
        for (at, command) in commands.iter().enumerate() {
            let is_link = match command.run.program.as_deref() {
                Some("ln" | "link" | "symlink") => true,
                Some("cp" | "mv" | "install" | "rsync") => false,
                _ => continue,
            };
            let of =
                |access| files.iter().filter(move |file| file.command == Some(at) && file.access == access);
            for from in of(FileAccess::Read) {
                for name in of(FileAccess::Write) {
                    match (&from.path, &name.path) {
                        (Some(from), Some(name)) => self.add_link(from, name, is_link),
                        _ if is_link => self.is_certain = false,
                        _ => {}
                    }
                }
            }
        }
    }

    fn add_link(&mut self, from: &str, name: &str, is_link: bool) {
        let names = self.paths(name);
        let mut targets = self.paths(from);
        if is_link {
            // A relative target starts at the folder of the link.
            targets.extend(names.iter().filter_map(|name| Some(name.parent()?.join(from))));
        } else {
            targets.retain(|target| target.is_symlink());
        }
        for name in &names {
            for target in &targets {
                let link = (without_dots(name), target.clone());
                if self.links.len() >= MOST_LINKS {
                    self.is_certain = false;
                } else if link.0 != without_dots(target) && !self.links.contains(&link) {
                    self.links.push(link);
                }
            }
        }
    }

    /// Adds what each path is called behind the links that the line makes.
    fn follow(&self, paths: &mut Vec<PathBuf>) {
        let mut at = 0;
        while let Some(path) = paths.get(at).map(|path| without_dots(path)).filter(|_| at < MOST_LINKS) {
            for (name, target) in &self.links {
                if let Ok(rest) = path.strip_prefix(name) {
                    let led = if rest.as_os_str().is_empty() { target.clone() } else { target.join(rest) };
                    if !paths.contains(&led) {
                        paths.push(led);
                    }
                }
            }
            at += 1;
        }
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
        if !self.links.is_empty() {
            self.follow(&mut paths);
        }
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
