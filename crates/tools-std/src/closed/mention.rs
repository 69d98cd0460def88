//! Closed paths in texts of which nothing else is known: code, scripts, command lines of other shells. A mention is
//! no proof, so a person decides.

use super::why;
use pegboard_tool_core::ports::ClosedPaths;
use pegboard_tool_core::{AccessMode, ToolContext};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Words of a text that are looked at.
const MOST_WORDS: usize = 2_000;
/// Bytes of a text that are looked at.
const MOST_BYTES: usize = 1024 * 1024;
/// Folders in which the words of a text are looked for.
const MOST_FOLDERS: usize = 8;
/// Patterns of a text that are looked at.
const MOST_PATTERNS: usize = 32;

/// All texts in an input.
pub(super) fn texts(input: &Value, found: &mut Vec<String>) {
    match input {
        Value::String(text) => found.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| texts(value, found)),
        Value::Object(map) => map.values().for_each(|value| texts(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Folders in which the text could name files: the working directory, and those that it names.
pub(super) fn folders(text: &str, ctx: &ToolContext) -> Vec<PathBuf> {
    let start = [ctx.cwd.clone()];
    let mut folders = start.to_vec();
    let words = text.split(is_edge).filter(could_be_path).take(MOST_WORDS);
    for folder in words.flat_map(|word| paths(word, &start, ctx)).filter(|path| path.is_dir()) {
        if folders.len() < MOST_FOLDERS && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// Why a person should look at `text`, which may hold a pattern that means something closed. Only such patterns count
/// as `counts` says.
pub(super) fn closed_by_pattern(
    text: &str,
    folders: &[PathBuf],
    closed: &dyn ClosedPaths,
    ctx: &ToolContext,
    counts: fn(&str) -> bool,
) -> Option<String> {
    let is_wild = |c: char| "*?[]".contains(c);
    let words = text.split(|c: char| is_edge(c) && !is_wild(c));
    let patterns = words.filter(|word| word.contains(is_wild) && word.len() <= 4_096 && counts(word));
    let patterns: Vec<&str> = patterns.take(MOST_PATTERNS + 1).collect();
    if patterns.len() > MOST_PATTERNS {
        return Some("it holds too many patterns to be checked against the ignore files".to_owned());
    }
    patterns.into_iter().find_map(|pattern| {
        let meant = paths(pattern, folders, ctx);
        let mut found = meant.iter().filter_map(|path| expand(path)).flatten();
        let reason = found.find_map(|path| why(closed, &path, AccessMode::Read, ctx))?;
        Some(format!("{reason}, and `{pattern}` in this call may mean it"))
    })
}

/// Whether a pattern has more to it than wildcards, which are signs of calculation too.
pub(super) fn has_letters(pattern: &str) -> bool {
    pattern.chars().any(|c| c.is_alphanumeric() || c == '.')
}

#[cfg(unix)]
fn expand(pattern: &Path) -> Option<Vec<PathBuf>> {
    super::glob::expand(pattern)
}

#[cfg(not(unix))]
fn expand(_pattern: &Path) -> Option<Vec<PathBuf>> {
    None
}

/// Why a person should look at `text`, which may mention something closed that exists.
pub(super) fn closed_in(
    text: &str,
    folders: &[PathBuf],
    closed: &dyn ClosedPaths,
    ctx: &ToolContext,
) -> Option<String> {
    let mut words: Vec<&str> = text.split(is_edge).filter(could_be_path).collect();
    words.sort_unstable();
    words.dedup();
    if words.len() > MOST_WORDS || text.len() > MOST_BYTES {
        return Some("its text is too long to be checked against the ignore files".to_owned());
    }
    words.into_iter().find_map(|word| {
        let mut there = paths(word, folders, ctx).into_iter().filter(|path| path.symlink_metadata().is_ok());
        // Reading comes first: its reason says which file closes it.
        let reason = there.find_map(|path| {
            let modes = [AccessMode::Read, AccessMode::Write];
            modes.into_iter().find_map(|mode| why(closed, &path, mode, ctx))
        })?;
        Some(format!("{reason}, and this call mentions it"))
    })
}

/// Every absolute path that `word` could mean.
pub(super) fn paths(word: &str, folders: &[PathBuf], ctx: &ToolContext) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = folders.iter().map(|folder| folder.join(word)).collect();
    if let (Some(rest), Some(home)) = (word.strip_prefix('~'), &ctx.home)
        && (rest.is_empty() || rest.starts_with('/'))
    {
        paths.push(home.join(rest.trim_start_matches('/')));
    }
    paths.dedup();
    paths
}

fn is_edge(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "\"'`=,;:()[]{}<>|&$@!?*\\".contains(c)
}

fn could_be_path(word: &&str) -> bool {
    word.len() <= 4_096 && word.chars().any(|c| c.is_alphanumeric())
}
