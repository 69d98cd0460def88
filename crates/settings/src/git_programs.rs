//! Whether a repository's own configuration names programs that git would start, also where it only looks.
//!
//! Such a configuration does not come with a clone, but it does come with a folder that was copied or unpacked.

use std::fs;
use std::path::Path;

/// Largest configuration that is looked at, in bytes; a larger one counts as naming programs.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// Sections in which any key can name a program, or more configuration.
const SECTIONS: [&str; 6] = ["alias", "filter", "gpg", "include", "includeif", "pager"];

/// Keys of other sections that name programs.
const KEYS: [(&str, &str); 13] = [
    ("core", "alternaterefscommand"),
    ("core", "askpass"),
    ("core", "editor"),
    ("core", "fsmonitor"),
    ("core", "gitproxy"),
    ("core", "hookspath"),
    ("core", "pager"),
    ("core", "sshcommand"),
    ("core", "worktree"),
    ("diff", "command"),
    ("diff", "external"),
    ("diff", "textconv"),
    ("interactive", "difffilter"),
];

/// Whether the repository that git would find from `start` names programs in its own configuration. What cannot be
/// read counts as yes; where there is no repository the answer is no. git is not run.
#[must_use]
pub fn repository_names_programs(start: &Path) -> bool {
    for folder in start.ancestors() {
        let bare = looks_like_git_directory(folder).then(|| directory_names_programs(folder));
        match (marked(folder), bare) {
            (None, None) => {}
            (marked, bare) => return marked.unwrap_or(false) || bare.unwrap_or(false),
        }
    }
    false
}

/// What the `.git` of a folder says; `None` when it has none.
fn marked(folder: &Path) -> Option<bool> {
    let mark = folder.join(".git");
    match fs::metadata(&mark) {
        Ok(metadata) if metadata.is_dir() => Some(directory_names_programs(&mark)),
        Ok(metadata) if metadata.is_file() => {
            let pointer = small_text(&mark);
            let target = pointer.as_deref().and_then(|text| text.trim().strip_prefix("gitdir:"));
            Some(target.is_none_or(|target| directory_names_programs(&folder.join(target.trim()))))
        }
        // A device, or a link that leads nowhere.
        Ok(_) => Some(true),
        Err(_) => fs::symlink_metadata(&mark).is_ok().then_some(true),
    }
}

/// git takes a folder of this shape for a bare repository.
fn looks_like_git_directory(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

fn directory_names_programs(directory: &Path) -> bool {
    let mut files = vec![directory.join("config"), directory.join("config.worktree")];
    let common = directory.join("commondir");
    if common.exists() {
        let Some(pointer) = small_text(&common) else { return true };
        files.push(directory.join(pointer.trim()).join("config"));
    }
    files.iter().any(|file| file_names_programs(file))
}

fn file_names_programs(file: &Path) -> bool {
    match fs::symlink_metadata(file) {
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        Ok(_) => small_text(file).is_none_or(|text| text_names_programs(&text)),
    }
}

fn small_text(file: &Path) -> Option<String> {
    let metadata = fs::metadata(file).ok()?;
    let is_readable = metadata.is_file() && metadata.len() <= MAX_CONFIG_BYTES;
    is_readable
        .then(|| fs::read(file).ok())
        .flatten()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn text_names_programs(text: &str) -> bool {
    let mut section = String::new();
    for line in text.lines() {
        let mut rest = line.trim_start_matches(['\u{feff}', ' ', '\t']);
        while let Some(header) = rest.strip_prefix('[') {
            let Some((inside, after)) = header.split_once(']') else { return true };
            let name = inside.split(['"', ' ', '\t', '.']).next().unwrap_or_default();
            section = name.to_ascii_lowercase();
            rest = after.trim_start();
        }
        let key = rest.split(['=', ' ', '\t', '#', ';']).next().unwrap_or_default().to_ascii_lowercase();
        if !key.is_empty() && (SECTIONS.contains(&section.as_str()) || KEYS.contains(&(&section, &key))) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_start_programs_are_found_in_every_spelling() {
        for (text, expected) in [
            ("", false),
            ("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n[branch \"main\"]\n", false),
            ("[diff]\n\trenames = true\n", false),
            ("[core]\n\tfsmonitor = evil\n", true),
            ("[CORE]\n FSMonitor=evil\n", true),
            ("[core] pager = evil\n", true),
            ("[a] [core] pager = evil\n", true),
            ("[filter \"x\"]\n\tclean = evil\n", true),
            ("[filter.x]\n\tclean = evil\n", true),
            ("[diff \"x\"]\n\ttextconv = evil\n", true),
            ("[include]\n\tpath = evil\n", true),
            ("[includeIf \"gitdir:x\"]\n\tpath = evil\n", true),
            ("[alias]\n\tst = !evil\n", true),
            ("[filter \"a]\"]\n\tclean = evil\n", true),
            ("[unfinished\n", true),
        ] {
            assert_eq!(text_names_programs(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_repository_that_git_would_find_is_looked_at() {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        let deep = root.join("a/b");
        fs::create_dir_all(&deep).unwrap();
        assert!(!repository_names_programs(&deep));
        fs::create_dir_all(root.join(".git")).unwrap();
        assert!(!repository_names_programs(&deep));
        fs::write(root.join(".git/config"), "[core]\n\tfsmonitor = evil\n").unwrap();
        assert!(repository_names_programs(&deep));
        // A folder that looks like a bare repository wins over the one above it.
        for folder in ["objects", "refs"] {
            fs::create_dir_all(root.join("a").join(folder)).unwrap();
        }
        fs::write(root.join("a/HEAD"), "ref: refs/heads/main\n").unwrap();
        assert!(!repository_names_programs(&deep));
        fs::write(root.join("a/config"), "[diff]\n\texternal = evil\n").unwrap();
        assert!(repository_names_programs(&deep));
        // One that is both is judged by both.
        fs::write(root.join("a/config"), "").unwrap();
        fs::create_dir_all(root.join("a/.git")).unwrap();
        fs::write(root.join("a/.git/config"), "[pager]\n\tlog = evil\n").unwrap();
        assert!(repository_names_programs(&deep));
        fs::write(deep.join(".git"), "gitdir: ../../.git\n").unwrap();
        assert!(repository_names_programs(&deep));
        fs::write(deep.join(".git"), "garbage").unwrap();
        assert!(repository_names_programs(&deep));
    }
}
