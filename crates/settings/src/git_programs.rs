//! Whether a repository's own configuration names programs that git would start, also where it only looks.
//!
//! Such a configuration does not come with a clone, but it does come with a folder that was copied or unpacked.

use std::fs;
use std::path::Path;

/// Largest configuration that is looked at, in bytes; a larger one counts as naming programs.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// Sections in which no key can name a program, or more configuration.
const SECTIONS: [&str; 26] = [
    "advice",
    "apply",
    "blame",
    "branch",
    "checkout",
    "clean",
    "clone",
    "color",
    "column",
    "commit",
    "fetch",
    "gc",
    "grep",
    "http",
    "i18n",
    "index",
    "init",
    "log",
    "maintenance",
    "pack",
    "pull",
    "push",
    "rebase",
    "rerere",
    "status",
    "user",
];

/// Harmless keys of sections that have others too.
const KEYS: [(&str, &[&str]); 6] = [
    (
        "core",
        &[
            "abbrev",
            "autocrlf",
            "bare",
            "bigfilethreshold",
            "checkstat",
            "compression",
            "eol",
            "filemode",
            "ignorecase",
            "logallrefupdates",
            "longpaths",
            "precomposeunicode",
            "preloadindex",
            "quotepath",
            "repositoryformatversion",
            "safecrlf",
            "sharedrepository",
            "sparsecheckout",
            "sparsecheckoutcone",
            "symlinks",
            "trustctime",
            "untrackedcache",
            "whitespace",
        ],
    ),
    ("diff", &["algorithm", "colormoved", "context", "mnemonicprefix", "noprefix", "renamelimit", "renames"]),
    ("extensions", &["noop", "objectformat", "refstorage", "relativeworktrees", "worktreeconfig"]),
    ("merge", &["conflictstyle", "ff", "renames", "stat"]),
    ("remote", &["fetch", "gh-resolved", "mirror", "prune", "pushurl", "push", "tagopt", "url"]),
    ("submodule", &["active", "recurse", "url"]),
];

/// Largest index that is looked at, in bytes; a larger one counts as one with submodules.
const MAX_INDEX_BYTES: u64 = 64 * 1024 * 1024;

/// The mode of a submodule in an index, as it stands there.
const GITLINK: [u8; 4] = [0, 0, 0xe0, 0];

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
    files.iter().any(|file| file_names_programs(file)) || has_submodules(&directory.join("index"))
}

/// Whether an index could hold submodules: git looks into them with their own configuration, which may come with a
/// clone. Leans towards yes: the bytes of a submodule's mode anywhere in the index are enough.
fn has_submodules(index: &Path) -> bool {
    match fs::metadata(index) {
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        Ok(metadata) if !metadata.is_file() || metadata.len() > MAX_INDEX_BYTES => true,
        Ok(_) => fs::read(index).map_or(true, |bytes| bytes.windows(4).any(|window| window == GITLINK)),
    }
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
    let blank =
        |letter: char| letter.is_ascii_whitespace() || letter.is_ascii_control() || letter == '\u{feff}';
    let mut section = String::new();
    for line in text.split('\n') {
        let mut rest = line.trim_start_matches(blank);
        while let Some(header) = rest.strip_prefix('[') {
            let Some((inside, after)) = header.split_once(']') else { return true };
            let name = inside.split(|letter: char| blank(letter) || letter == '"' || letter == '.').next();
            section = name.unwrap_or_default().to_ascii_lowercase();
            rest = after.trim_start_matches(blank);
        }
        let key =
            rest.split(|letter: char| blank(letter) || "=#;".contains(letter)).next().unwrap_or_default();
        if !key.is_empty() && !is_harmless(&section, &key.to_ascii_lowercase()) {
            return true;
        }
    }
    false
}

fn is_harmless(section: &str, key: &str) -> bool {
    let listed = KEYS.iter().find(|(name, _)| *name == section);
    listed.map_or_else(|| SECTIONS.contains(&section), |(_, keys)| keys.contains(&key))
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
            ("[diff]\n\r\texternal = touch x", true),
            ("[diff]\n\u{b}external = touch x", true),
            ("[core]\n; pager = evil\n# editor = evil\n", false),
            ("[remote \"o\"]\n\tuploadpack = evil\n", true),
            ("[extensions]\n\tpartialClone = o\n", true),
            ("[protocol \"ext\"]\n\tallow = always\n", true),
            ("[submodule \"a\"]\n\tignore = none\n", true),
            ("[sequence]\n\teditor = evil\n", true),
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
        fs::write(root.join(".git/index"), b"DIRC....\0\0\xe0\0....").unwrap();
        assert!(repository_names_programs(&deep));
        fs::write(root.join(".git/index"), b"DIRC....\0\0\x81\xa4....").unwrap();
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
