//! By what a capture is known again: the shell, the home, and the stamps of the start-up files.

use super::SnapshotRequest;
use crate::safe_name::hex;
use sha2::{Digest as _, Sha256};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Changes when scripts are written in another way.
const FORMAT: &str = "pegboard shell snapshot 1";
/// Files of a folder that count.
const MOST_FILES: usize = 1_000;

/// The key of a capture, hexadecimal.
pub(super) fn key(request: &SnapshotRequest, shell: &Path) -> String {
    let mut hash = Sha256::new();
    hash.update(FORMAT);
    hash.update(request.env.get("PATH").map(String::as_str).unwrap_or_default());
    let files = std::iter::once(shell.to_path_buf()).chain(startup_files(&request.home));
    for file in files {
        hash.update([0]);
        hash.update(file.as_os_str().as_encoded_bytes());
        hash.update([0]);
        if let Ok(found) = std::fs::metadata(&file) {
            let stamp = [
                i128::from(found.dev()),
                i128::from(found.ino()),
                i128::from(found.size()),
                i128::from(found.mtime()),
                i128::from(found.mtime_nsec()),
                i128::from(found.ctime()),
                i128::from(found.ctime_nsec()),
            ];
            stamp.iter().for_each(|part| hash.update(part.to_le_bytes()));
        }
    }
    hex(&hash.finalize())
}

/// What bash reads, and what such files commonly read in turn.
fn startup_files(home: &Path) -> Vec<PathBuf> {
    let system = ["/etc/profile", "/etc/bash.bashrc", "/etc/bashrc"].map(PathBuf::from);
    let own = [".bash_profile", ".bash_login", ".profile", ".bashrc", ".bash_aliases", ".bash_functions"];
    let mut files: Vec<PathBuf> = system.into_iter().chain(own.map(|name| home.join(name))).collect();
    for folder in [PathBuf::from("/etc/profile.d"), home.join(".bashrc.d")] {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten().take(MOST_FILES);
        let mut inside: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        inside.sort();
        files.push(folder);
        files.extend(inside);
    }
    files
}

/// Whether bash, as a login shell, comes to read `.bashrc`: the first profile that exists names it.
pub(super) fn profile_names_bashrc(home: &Path) -> bool {
    let profiles = [".bash_profile", ".bash_login", ".profile"].map(|name| home.join(name));
    let first = profiles.into_iter().find(|profile| profile.is_file());
    first
        .and_then(|profile| std::fs::read(profile).ok())
        .is_some_and(|text| text.windows(b".bashrc".len()).any(|part| part == b".bashrc"))
}
