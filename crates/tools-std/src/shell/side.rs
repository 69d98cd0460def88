//! Private files beside a command: what it reads at its start, and where it says how it ended: in which directory, and
//! which of its jobs still ran.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A folder that only the owner reads and that goes with the command.
#[derive(Debug)]
pub(crate) struct Side {
    folder: tempfile::TempDir,
}

impl Side {
    /// A new folder in `parent`.
    pub(crate) fn new(parent: &Path) -> io::Result<Self> {
        Ok(Self { folder: tempfile::Builder::new().prefix("pegboard-shell-").tempdir_in(parent)? })
    }

    /// Writes a file of this name and gives its path.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> io::Result<PathBuf> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content)?;
        Ok(path)
    }

    /// Where the command writes at its end: a line with the process id of each job that runs, if it knows, then the
    /// path of its working directory and a newline, nothing else.
    pub(crate) fn cwd_file(&self) -> PathBuf {
        self.folder.path().join("cwd")
    }

    /// What the command wrote there, when that ends with a folder that is there.
    pub(crate) fn last_words(&self) -> Option<LastWords> {
        let text = std::fs::read(self.cwd_file()).ok()?;
        let age = std::fs::metadata(self.cwd_file()).and_then(|file| file.modified()).ok();
        let age = age.and_then(|written| written.elapsed().ok()).unwrap_or_default();
        let mut rest = text.strip_suffix(b"\n")?;
        let mut jobs = Vec::new();
        // A path begins with a slash.
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n')
            && let Some(job) = rest.get(..end).and_then(|line| std::str::from_utf8(line).ok()?.parse().ok())
        {
            jobs.push(job);
            rest = rest.get(end + 1..)?;
        }
        let path = PathBuf::from(OsString::from_vec(rest.to_vec()));
        (path.is_absolute() && path.is_dir()).then_some(LastWords { cwd: path, jobs, age })
    }
}

/// What a command said at its end.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct LastWords {
    /// Its working directory.
    pub(crate) cwd: PathBuf,
    /// Process ids of its jobs that ran.
    pub(crate) jobs: Vec<i32>,
    /// How long ago that was.
    pub(crate) age: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_are_jobs_and_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        let side = Side::new(dir.path()).unwrap();
        let odd = dir.path().join("a\n7\nb");
        std::fs::create_dir(&odd).unwrap();
        let odd = odd.to_str().unwrap();
        for (text, expected) in [
            ("/\n".to_owned(), Some(("/", vec![]))),
            ("12\n345\n/\n".to_owned(), Some(("/", vec![12, 345]))),
            (format!("12\n{odd}\n"), Some((odd, vec![12]))),
            ("12\n".to_owned(), None),
            ("/".to_owned(), None),
            ("/no/such\n".to_owned(), None),
            ("x\n/\n".to_owned(), None),
            ("99999999999\n/\n".to_owned(), None),
            (String::new(), None),
        ] {
            side.write("cwd", text.as_bytes()).unwrap();
            let words = side.last_words().map(|words| (words.cwd, words.jobs));
            assert_eq!(words, expected.map(|(path, jobs)| (PathBuf::from(path), jobs)), "{text:?}");
        }
    }
}
