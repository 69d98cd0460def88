//! A file that is not there: which names beside it differ little.

use crate::file::error::FileError;
use crate::services::Services;
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use std::path::Path;

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
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(1_000);
    let mut near: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|other| *other != name && (stem(other) == stem(&name) || other.eq_ignore_ascii_case(&name)))
        .filter(|other| !services.denies_reading(&folder.join(other), ctx))
        .collect();
    near.sort();
    near.truncate(3);
    near
}
