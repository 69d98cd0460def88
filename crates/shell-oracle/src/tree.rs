//! The folder in which lines run: laid new, and compared with what was laid.

use crate::ran::Change;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Files by path below the work folder, with their content; folders end in `/`. What a line could run from a
/// file names the file.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("p/", ""),
    ("p/a", "rm from-a\n"),
    ("p/b", "one two\nthree\n"),
    ("p/.env", "rm from-dotenv\n"),
    ("p/sub/", ""),
    ("p/sub/c", "rm from-c\n"),
    ("p/x y", "x\n"),
    ("p/-n", ""),
    ("p/Makefile", "all:\n\trm from-make\n"),
    ("home/", ""),
    ("home/.bashrc", "rm from-bashrc\n"),
    ("home/.bash_profile", "rm from-profile\n"),
    ("home/n", "n\n"),
];

/// Lays the folder new.
pub(crate) fn lay(work: &Path) -> io::Result<()> {
    for entry in fs::read_dir(work)? {
        let entry = entry?;
        if entry.file_name() == ".oracle" {
            continue;
        }
        let path = entry.path();
        if entry.file_type()?.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
    }
    for (path, content) in FILES {
        let full = work.join(path);
        if path.ends_with('/') { fs::create_dir(full)? } else { fs::write(full, content)? }
    }
    Ok(())
}

/// What is not as it was laid.
pub(crate) fn changes(work: &Path) -> io::Result<Vec<Change>> {
    let mut now = BTreeMap::new();
    look(work, "", &mut now)?;
    let mut changes = Vec::new();
    for (path, content) in FILES {
        let path = path.trim_end_matches('/');
        match now.remove(path) {
            Some(Some(found)) if found != content.as_bytes() => changes.push(Change::Written(absolute(path))),
            Some(_) => {}
            None => changes.push(Change::Removed(absolute(path))),
        }
    }
    changes.extend(now.into_keys().map(|path| Change::Written(absolute(&path))));
    changes.sort();
    Ok(changes)
}

fn absolute(path: &str) -> String {
    format!("/work/{path}")
}

/// Notes everything below `folder`; the content of what is a plain file.
fn look(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Option<Vec<u8>>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if prefix.is_empty() && name == ".oracle" {
            continue;
        }
        let path = format!("{prefix}{}", name.to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            look(&entry.path(), &format!("{path}/"), found)?;
        }
        let content = if kind.is_file() { fs::read(entry.path()).ok() } else { None };
        found.insert(path, content);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_told_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path();
        lay(work).unwrap();
        assert_eq!(changes(work).unwrap(), []);
        fs::write(work.join("p/new"), "").unwrap();
        fs::write(work.join("p/b"), "").unwrap();
        fs::remove_dir_all(work.join("p/sub")).unwrap();
        let told = changes(work).unwrap();
        let expected = [
            Change::Written("/work/p/b".into()),
            Change::Written("/work/p/new".into()),
            Change::Removed("/work/p/sub".into()),
            Change::Removed("/work/p/sub/c".into()),
        ];
        assert_eq!(told, expected);
        lay(work).unwrap();
        assert_eq!(changes(work).unwrap(), []);
    }
}
