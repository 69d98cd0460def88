//! The git folders that a `.git` file or link points to: a worktree, a submodule, a separate git folder. They are
//! guarded like `.git` itself.

use crate::resolve::resolve;
use pegboard_tool_core::ContextSnapshot;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A pointer file is a line; more of it is not read.
const MOST_BYTES: u64 = 4_096;

/// The git folders of the places that a session works in, where they do not have that name.
pub(crate) fn git_folders(ctx: &ContextSnapshot) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let above = ctx
        .cwd
        .ancestors()
        .take_while(|folder| *folder != ctx.project_dir && ctx.cwd.starts_with(&ctx.project_dir));
    for place in above.chain([ctx.project_dir.as_path()]).chain(ctx.directories.iter().map(PathBuf::as_path))
    {
        add_pointed(place, &mut folders);
    }
    folders
}

fn add_pointed(place: &Path, folders: &mut Vec<PathBuf>) {
    let pointer = place.join(".git");
    let Ok(meta) = pointer.symlink_metadata() else { return };
    if meta.is_symlink() {
        folders.extend(resolve(&pointer));
    }
    if meta.is_dir() {
        return;
    }
    let Some(folder) = first_line(&pointer).and_then(|line| {
        let to = line.strip_prefix("gitdir:")?.trim();
        resolve(&place.join(to))
    }) else {
        return;
    };
    if let Some(common) = first_line(&folder.join("commondir")) {
        folders.extend(resolve(&folder.join(common.trim())));
    }
    folders.push(folder);
}

fn first_line(path: &Path) -> Option<String> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    text.lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_file_leads_to_its_git_folder_and_the_common_one() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let work = top.join("work");
        let inner = top.join("store/worktrees/work");
        std::fs::create_dir_all(&work).unwrap();
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(work.join(".git"), format!("gitdir: {}\n", inner.display())).unwrap();
        std::fs::write(inner.join("commondir"), "../..\n").unwrap();
        assert_eq!(git_folders(&ContextSnapshot::new(&work, "s")), [top.join("store"), inner]);
        assert!(git_folders(&ContextSnapshot::new(&top, "s")).is_empty());
    }
}
