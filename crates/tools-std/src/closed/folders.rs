//! Where the commands of a line could run: a `cd` in it may or may not have happened.

use super::mention;
use pegboard_tool_core::ToolContext;
use pegboard_tool_core::ports::{CommandReport, CommandUse};
use std::path::{Path, PathBuf};

const MOST: usize = 8;

/// Every folder in which a command of the line could run.
#[derive(Debug)]
pub(super) struct Folders {
    /// The folders; the first is where the shell starts.
    pub(super) list: Vec<PathBuf>,
    /// Whether these are all.
    pub(super) is_certain: bool,
}

impl Folders {
    /// Those of a shell that starts in `start`, or wherever it is when that is not known.
    pub(super) fn of(report: &CommandReport, start: Option<&Path>, ctx: &ToolContext) -> Self {
        let first = start.unwrap_or(&ctx.cwd).to_owned();
        let mut folders = Self { list: vec![first], is_certain: start.is_some() };
        for command in &report.commands {
            match command.program.as_deref() {
                Some("cd" | "pushd") => folders.follow(command, ctx),
                Some("popd") => folders.is_certain = false,
                _ => {}
            }
        }
        folders
    }

    fn follow(&mut self, command: &CommandUse, ctx: &ToolContext) {
        let words = command.argv.get(1..).unwrap_or_default();
        let options =
            words.iter().take_while(|word| matches!(word.as_deref(), Some("-P" | "-L" | "--"))).count();
        let reached = match words.get(options..).unwrap_or_default() {
            [] => ctx.home.iter().cloned().collect(),
            [Some(to)] if !to.starts_with('-') && !to.is_empty() && !command.has_glob => {
                mention::paths(to, &self.list, ctx)
            }
            _ => Vec::new(),
        };
        self.is_certain &= !reached.is_empty();
        for folder in reached {
            let folder: PathBuf = folder.components().collect();
            if self.list.contains(&folder) {
                continue;
            }
            self.is_certain &= self.list.len() < MOST;
            if self.list.len() < MOST {
                self.list.push(folder);
            }
        }
    }

    /// Every absolute path that `named` could mean, `..` kept: behind a link it leads elsewhere than the text says.
    pub(super) fn paths(&self, named: &str, ctx: &ToolContext) -> Vec<PathBuf> {
        let mut paths = mention::paths(named, &self.list, ctx);
        // What a process is told of itself under `/proc` is about the process that looks, not about this one.
        for at in 0..paths.len() {
            let Some(rest) = paths.get(at).and_then(|path| behind_proc(path)) else { continue };
            match rest {
                Behind::Cwd(rest) => paths.extend(self.list.iter().map(|folder| folder.join(&rest))),
                Behind::Root(rest) => paths.push(Path::new("/").join(rest)),
            }
        }
        paths
    }

    /// Whether [`Folders::paths`] is complete.
    pub(super) fn tells(&self, named: &str, ctx: &ToolContext) -> bool {
        let is_other_home =
            named.starts_with('~') && (ctx.home.is_none() || !(named.len() == 1 || named.starts_with("~/")));
        let is_descriptor =
            named.starts_with("/proc/") && named.contains("/fd/") || named.starts_with("/dev/fd/");
        !is_other_home && !is_descriptor && (self.is_certain || Path::new(named).is_absolute())
    }
}

enum Behind {
    Cwd(PathBuf),
    Root(PathBuf),
}

fn behind_proc(path: &Path) -> Option<Behind> {
    let mut parts = path.strip_prefix("/proc").ok()?.components();
    parts.next()?;
    let mut next = parts.next()?.as_os_str();
    if next == "task" {
        parts.next()?;
        next = parts.next()?.as_os_str();
    }
    match next.to_str()? {
        "cwd" => Some(Behind::Cwd(parts.as_path().to_path_buf())),
        "root" => Some(Behind::Root(parts.as_path().to_path_buf())),
        _ => None,
    }
}
