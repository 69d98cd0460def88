//! The walk over a tree: which ignore files count, and which folders are never entered. Links are not
//! followed, so loops do no harm and nothing outside the root is met.

use ignore::{DirEntry, WalkBuilder};
use std::path::Path;

/// Whether ignore files count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Ignored {
    /// What they name is left out.
    LeftOut,
    /// They do not count.
    Included,
}

/// Whether names that begin with a dot are met.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Hidden {
    /// They are left out.
    LeftOut,
    /// They are met.
    Included,
}

/// A walk from `root`.
pub(crate) fn walk(root: &Path, ignored: Ignored, hidden: Hidden) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(false).follow_links(false).hidden(hidden == Hidden::LeftOut).current_dir(root);
    if ignored == Ignored::LeftOut {
        // Outside a repository only the ignore files of the tree itself count: one in a folder far
        // above has nothing to do with it.
        let in_repository = root.ancestors().any(|folder| folder.join(".git").exists());
        builder.ignore(true).git_ignore(true).git_exclude(true).add_custom_ignore_filename(".rgignore");
        builder.parents(in_repository).require_git(in_repository);
    }
    builder
}

/// Whether `entry` is the store of a version control system below the root.
pub(crate) fn is_version_store(entry: &DirEntry) -> bool {
    entry.depth() > 0
        && matches!(entry.file_name().to_str(), Some(".git" | ".hg" | ".svn" | ".jj"))
        && entry.file_type().is_some_and(|kind| kind.is_dir())
}
