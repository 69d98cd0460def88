//! Parts of a tree that could not be looked at: the answer says so instead of looking complete.

use super::root::Root;
use crate::services::Services;
use pegboard_tool_core::ToolContext;
use std::io;
use std::path::{Path, PathBuf};

const MAX_NAMED: usize = 5;
/// Problems that are kept; more are only counted.
const MAX_KEPT: usize = 1_000;

/// What could not be looked at, sorted by path when it is told.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<(PathBuf, String)>,
    more: usize,
}

impl Problems {
    /// Notes an error of the walk.
    pub(crate) fn walking(&mut self, error: &ignore::Error, root: &Root) {
        let path = path_of(error).unwrap_or(&root.canonical).to_path_buf();
        let text = error.io_error().map_or_else(|| error.to_string(), reason);
        self.add(path, text);
    }

    /// Notes a file that could not be read.
    pub(crate) fn reading(&mut self, path: &Path, error: &io::Error) {
        self.add(path.to_path_buf(), reason(error));
    }

    fn add(&mut self, path: PathBuf, text: String) {
        if self.list.len() < MAX_KEPT {
            self.list.push((path, text));
        } else {
            self.more += 1;
        }
    }

    /// Takes over the problems of another thread.
    pub(crate) fn absorb(&mut self, other: &mut Self) {
        self.more += other.more;
        other.list.drain(..).for_each(|(path, text)| self.add(path, text));
    }

    /// A notice about them, without those that may not be read anyway.
    pub(crate) fn notice(mut self, root: &Root, services: &Services, ctx: &ToolContext) -> Option<String> {
        self.list.retain(|(path, _)| !root.leaves_out(path, services, ctx));
        self.list.sort();
        if self.list.is_empty() {
            return None;
        }
        let named: Vec<String> = self
            .list
            .iter()
            .take(MAX_NAMED)
            .map(|(path, reason)| format!("{} ({reason})", short(&root.shown(path))))
            .collect();
        let total = self.list.len() + self.more;
        let more = total.saturating_sub(MAX_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(format!("[incomplete: {total} path(s) could not be searched: {}{more}]", named.join(", ")))
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotFound => "gone meanwhile".to_owned(),
        _ => error.to_string(),
    }
}

fn short(path: &str) -> String {
    const MAX: usize = 200;
    let chars = path.chars().count();
    if chars <= MAX { path.to_owned() } else { format!("{}...", path.chars().take(MAX).collect::<String>()) }
}
