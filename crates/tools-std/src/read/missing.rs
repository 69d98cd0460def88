//! A file that is not there: which names beside it differ little.

use crate::file::error::FileError;
use crate::services::Services;
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use std::path::Path;

/// Names that are told at most.
const MOST_NEAR: usize = 3;
/// Letters of a name, without its ending, of which one may be wrong.
const SHORTEST: usize = 3;

/// A missing file, or a link that leads to none, with names beside it that differ little, as far as they may be read.
pub(super) fn missing(shown: &str, named: &Path, ctx: &ToolContext, services: &Services) -> ToolError {
    let is_link = named.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let what = if is_link { "is a link to what " } else { "" };
    let near = near_names(named, ctx, services);
    let hint = match near.is_empty() {
        true => format!("; relative paths start at {}", ctx.cwd.display()),
        false => format!("; did you mean {}?", near.join(" or ")),
    };
    ToolError::new(ErrorKind::NotFound, format!("{shown} {what}{}{hint}", FileError::Missing))
}

fn near_names(named: &Path, ctx: &ToolContext, services: &Services) -> Vec<String> {
    let (Some(folder), Some(name)) = (named.parent(), named.file_name().map(|name| name.to_string_lossy()))
    else {
        return Vec::new();
    };
    // Names of other folders are nobody's business in an error.
    let within = |root: &Path| folder.starts_with(root);
    if !(within(&ctx.project_dir) || ctx.directories.iter().any(|root| within(root))) {
        return Vec::new();
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(1_000);
    let mut near: Vec<(usize, String)> = entries
        .filter_map(|entry| {
            let other = entry.file_name().to_string_lossy().into_owned();
            if other == name {
                return None;
            }
            Some((difference(&name, &other)?, other))
        })
        .filter(|(_, other)| !services.denies_reading(&folder.join(other), ctx))
        .collect();
    near.sort();
    near.truncate(MOST_NEAR);
    near.into_iter().map(|(_, name)| name).collect()
}

/// How little two names differ; nothing when it is more than letter case, the ending, or one letter: one more, one
/// less, another one, or two that changed places.
fn difference(name: &str, other: &str) -> Option<usize> {
    let (name, other) = (name.to_lowercase(), other.to_lowercase());
    if name == other {
        return Some(0);
    }
    // `.env` is a name without an ending.
    let stem = |name: &str| match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => name.to_owned(),
    };
    if stem(&name) == stem(&other) {
        return Some(1);
    }
    // Of short names each is one letter off another.
    let is_long = stem(&name).chars().count() >= SHORTEST;
    let is_near =
        is_long && name.len().abs_diff(other.len()) <= 4 && strsim::osa_distance(&name, &other) <= 1;
    is_near.then_some(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_little_are_near() {
        for (name, other, expected) in [
            ("main.rs", "Main.RS", Some(0)),
            ("main.py", "main.rs", Some(1)),
            ("mian.rs", "main.rs", Some(2)),
            ("libs.rs", "lib.rs", Some(2)),
            ("lb.rs", "lib.rs", None),
            ("lip.rs", "lib.rs", Some(2)),
            (".en", ".env", Some(2)),
            (".en", ".pegboardignore", None),
            (".env", ".env.local", Some(1)),
            ("a.txt", "b.txt", None),
            ("Makefile", "Makefil", Some(2)),
            ("na\u{ef}ve.md", "naive.md", Some(2)),
            ("main.rs", "mind.rs", None),
        ] {
            assert_eq!(difference(name, other), expected, "{name} {other}");
        }
    }
}
