//! Finds the root of a git repository without running git: settings decide what may run, so nothing runs before them.

use std::fs;
use std::path::{Path, PathBuf};

/// Longest pointer file that is read, in bytes.
const MAX_POINTER_BYTES: u64 = 16 * 1024;

/// Root of the repository that `start` lies in; for a linked worktree the main checkout.
///
/// A `.git` folder or file marks a root. A pointer file leads to another checkout only if that checkout points back,
/// as git writes it: otherwise a folder could claim to belong to a repository of yours and get its settings.
pub fn repository_root(start: &Path) -> Option<PathBuf> {
    let (root, mark) = start.ancestors().find_map(|folder| {
        let mark = folder.join(".git");
        let metadata = fs::metadata(&mark).ok()?;
        (metadata.is_dir() || metadata.is_file()).then_some((folder, mark))
    })?;
    Some(main_checkout(root, &mark).unwrap_or_else(|| root.to_path_buf()))
}

/// The main checkout of a linked worktree; `None` when `mark` is not the mark of one.
fn main_checkout(root: &Path, mark: &Path) -> Option<PathBuf> {
    let pointer = pointer(mark)?;
    let git_directory = fs::canonicalize(root.join(pointer.strip_prefix("gitdir:")?.trim())).ok()?;
    let back =
        fs::canonicalize(git_directory.join(self::pointer(&git_directory.join("gitdir"))?.trim())).ok()?;
    if back != fs::canonicalize(mark).ok()? {
        return None;
    }
    let common = git_directory.join(self::pointer(&git_directory.join("commondir"))?.trim());
    let common = fs::canonicalize(common).ok()?;
    // A worktree's folder lies in the repository that it names; a bare repository has no checkout.
    let inside = git_directory.starts_with(&common) && common.file_name()? == ".git";
    inside.then(|| common.parent().map(Path::to_path_buf)).flatten()
}

fn pointer(file: &Path) -> Option<String> {
    let metadata = fs::metadata(file).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_POINTER_BYTES {
        return None;
    }
    fs::read_to_string(file).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(file: &Path, text: &str) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[test]
    fn a_folder_or_a_file_marks_the_root() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("repo");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        assert_eq!(repository_root(&root.join("a/b")), Some(root.clone()));
        write(&root.join("a/.git"), "gitdir: ../.git/modules/a\n");
        assert_eq!(repository_root(&root.join("a/b")), Some(root.join("a")));
        write(&root.join("a/.git"), "garbage");
        assert_eq!(repository_root(&root.join("a/b")), Some(root.join("a")));
    }

    #[test]
    fn a_worktree_leads_to_its_main_checkout() {
        let temp = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(temp.path()).unwrap();
        let (main, tree) = (base.join("main"), base.join("tree"));
        let admin = main.join(".git/worktrees/tree");
        write(&tree.join(".git"), &format!("gitdir: {}\n", admin.display()));
        write(&admin.join("commondir"), "../..\n");
        write(&admin.join("gitdir"), &format!("{}\n", tree.join(".git").display()));
        assert_eq!(repository_root(&tree), Some(main));
    }

    #[test]
    fn a_folder_cannot_claim_a_repository_that_does_not_point_back() {
        let temp = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(temp.path()).unwrap();
        let (main, tree, hostile) = (base.join("main"), base.join("tree"), base.join("hostile"));
        let admin = main.join(".git/worktrees/tree");
        write(&tree.join(".git"), &format!("gitdir: {}\n", admin.display()));
        write(&admin.join("commondir"), "../..\n");
        write(&admin.join("gitdir"), &format!("{}\n", tree.join(".git").display()));
        write(&hostile.join(".git"), &format!("gitdir: {}\n", admin.display()));
        assert_eq!(repository_root(&hostile), Some(hostile.clone()));
        // Its own administration folder with a common folder elsewhere does not help.
        write(&hostile.join("fake/gitdir"), "../.git\n");
        write(&hostile.join("fake/commondir"), &format!("{}\n", main.join(".git").display()));
        write(&hostile.join(".git"), "gitdir: fake\n");
        assert_eq!(repository_root(&hostile), Some(hostile));
    }
}
