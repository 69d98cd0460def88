//! Closed paths in texts of which nothing else is known: code, scripts, command lines of other shells. A mention is
//! no proof, so a person decides.

use super::why;
use pegboard_tool_core::ports::ClosedPaths;
use pegboard_tool_core::{AccessMode, ToolContext};
use serde_json::Value;
use std::path::PathBuf;

/// Words of a text that are looked at.
const MOST_WORDS: usize = 2_000;
/// Bytes of a text that are looked at.
const MOST_BYTES: usize = 1024 * 1024;

/// All texts in an input.
pub(super) fn texts(input: &Value, found: &mut Vec<String>) {
    match input {
        Value::String(text) => found.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| texts(value, found)),
        Value::Object(map) => map.values().for_each(|value| texts(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
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
        let reason = paths(word, folders, ctx).into_iter().find_map(|path| {
            // Reading comes first: its reason says which file closes it.
            let reason = [AccessMode::Read, AccessMode::Write]
                .into_iter()
                .find_map(|mode| why(closed, &path, mode, ctx))?;
            path.symlink_metadata().is_ok().then_some(reason)
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
