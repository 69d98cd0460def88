//! What the folder of a session knows of its tasks: a small file for each, so that the ids of a run go on after
//! those of the runs before it. Whoever makes the file of a number has the number.

use super::task::short;
use super::text::shown;
use rustix::fs::{Dir, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// The folder of the files, in the folder of the session.
const FOLDER: &str = "tasks";
/// Names in it that are looked at.
const MOST_NAMES: usize = 100_000;
/// Digits of a number; longer ones are none of ours.
const MOST_DIGITS: usize = 12;
/// Numbers that are tried. The steps between them double, so this is more than a folder can hold.
const MOST_ATTEMPTS: u32 = 32;
/// Bytes of a file that are read.
const MOST_BYTES: u64 = 16 * 1024;
/// How long a disk may take for a line.
const PATIENCE: Duration = Duration::from_secs(10);

/// The numbers that were given away, by this process and, as far as the folder tells, by others.
#[derive(Debug, Default)]
pub(crate) struct Numbers(Mutex<Last>);

#[derive(Debug, Default)]
struct Last {
    number: u64,
    /// Whether the folder was looked at.
    is_of_folder: bool,
}

/// A number that nobody else has.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) number: u64,
    pub(crate) record: Record,
}

/// Where the task of a number is written down; nowhere when there is no folder, or none that can be written: then
/// only this process knows of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record(Option<Arc<File>>);

/// What is known of a task of an earlier run.
#[derive(Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Known {
    pub(crate) id: String,
    /// What it is for, or its command.
    pub(crate) what: String,
    /// File that holds its output.
    pub(crate) output: Option<String>,
    /// How it ended, in words, when somebody saw it.
    #[serde(skip)]
    pub(crate) end: Option<String>,
}

#[derive(Deserialize, Serialize)]
struct End {
    end: String,
}

impl Numbers {
    /// The next number, which is written down in the folder of the session. Waits for the disk.
    pub(crate) fn claim(&self, session_dir: Option<&Path>) -> Claim {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = session_dir.and_then(|session| folder(session, true).ok());
        if let Some(folder) = folder.as_ref().filter(|_| !last.is_of_folder) {
            last.number = last.number.max(highest(folder));
            last.is_of_folder = true;
        }
        let mut number = last.number.saturating_add(1);
        let mut record = Record::default();
        if let Some(folder) = folder {
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW;
            for attempt in 0..MOST_ATTEMPTS {
                match rustix::fs::openat(
                    &folder,
                    name(number),
                    flags | OFlags::CLOEXEC,
                    Mode::RUSR | Mode::WUSR,
                ) {
                    Ok(file) => {
                        record = Record(Some(Arc::new(file.into())));
                        break;
                    }
                    // Another process of the session has it.
                    Err(Errno::EXIST) => number = number.saturating_add(1 << attempt),
                    Err(_) => break,
                }
            }
        }
        last.number = number;
        Claim { number, record }
    }

    /// The same away from the threads that drive calls.
    pub(crate) async fn next(self: &Arc<Self>, session_dir: Option<&Path>) -> Claim {
        let Some(session) = session_dir.map(Path::to_path_buf) else { return self.claim(None) };
        let numbers = Arc::clone(self);
        let claimed = tokio::task::spawn_blocking(move || numbers.claim(Some(&session))).await;
        claimed.unwrap_or_else(|_| self.claim(None))
    }
}

impl Record {
    /// Writes down what the task is.
    pub(crate) async fn begins(&self, id: &str, what: &str, output: Option<&Path>) {
        let output = output.map(|path| path.to_string_lossy().into_owned());
        let known = Known { id: id.to_owned(), what: short(what), output, end: None };
        self.add(serde_json::to_string(&known)).await;
    }

    /// Writes down how it ended.
    pub(crate) async fn ends(&self, how: String) {
        self.add(serde_json::to_string(&End { end: how })).await;
    }

    /// Adds a line. When that fails, a later run knows less.
    async fn add(&self, line: serde_json::Result<String>) {
        let (Some(file), Ok(line)) = (self.0.clone(), line) else { return };
        let write = tokio::task::spawn_blocking(move || (&*file).write_all(format!("{line}\n").as_bytes()));
        let _known_to_this_run_at_least = timeout(PATIENCE, write).await;
    }
}

/// What the folder of the session knows of the task of this id. Waits for the disk.
pub(crate) fn known(session_dir: &Path, id: &str) -> Option<Known> {
    let (_, number) = id.rsplit_once('_')?;
    let number = numeral(number)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let folder = folder(session_dir, false).ok()?;
    let file: File = rustix::fs::openat(folder, name(number), flags, Mode::empty()).ok()?.into();
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    let mut known: Known = serde_json::from_str(lines.next()?).ok()?;
    let plain = |text: &str| short(&shown(text.as_bytes()).text);
    known.what = plain(&known.what);
    known.end = lines.next().and_then(|line| serde_json::from_str(line).ok()).map(|End { end }| plain(&end));
    (known.id == id).then_some(known)
}

impl Known {
    /// What is known, in words for the model.
    pub(crate) fn in_words(&self) -> String {
        let end = self.end.as_deref().unwrap_or("ended with it");
        let is_file = |path: &&str| Path::new(path).symlink_metadata().is_ok_and(|found| found.is_file());
        let output = match self.output.as_deref().filter(is_file) {
            Some(path) => format!("its output is in {}", shown(path.as_bytes()).text),
            None => "its output file is gone".to_owned(),
        };
        let Self { id, what, .. } = self;
        format!("`{id}` ({what}) is a background task of an earlier run of this session and {end}; {output}")
    }
}

/// The folder of the files, through no link.
fn folder(session_dir: &Path, make: bool) -> io::Result<OwnedFd> {
    let path = session_dir.join(FOLDER);
    if make {
        DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(&path, flags, Mode::empty())?)
}

/// The highest number in the folder.
fn highest(folder: &OwnedFd) -> u64 {
    let Ok(names) = Dir::read_from(folder) else { return 0 };
    let numbers = names
        .take(MOST_NAMES)
        .map_while(Result::ok)
        .filter_map(|entry| numeral(entry.file_name().to_str().ok()?.strip_suffix(".jsonl")?));
    numbers.max().unwrap_or(0)
}

fn name(number: u64) -> String {
    format!("{number}.jsonl")
}

/// A number as this module writes it.
fn numeral(text: &str) -> Option<u64> {
    let is_ours =
        text.len() <= MOST_DIGITS && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_ours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn numbers(claims: &[Claim]) -> Vec<u64> {
        claims.iter().map(|claim| claim.number).collect()
    }

    #[test]
    fn numbers_go_on_after_those_of_earlier_runs() {
        let dir = tempfile::tempdir().unwrap();
        let first = Numbers::default();
        assert_eq!(numbers(&[first.claim(Some(dir.path())), first.claim(Some(dir.path()))]), [1, 2]);
        // What is no number of ours changes nothing.
        for name in ["x.jsonl", "07.jsonl", "9", "-9.jsonl", "9999999999999999.jsonl"] {
            fs::write(dir.path().join("tasks").join(name), "").unwrap();
        }
        let second = Numbers::default();
        assert_eq!(second.claim(Some(dir.path())).number, 3);
        // A folder that comes later is taken up, one that goes costs nothing.
        let third = Numbers::default();
        assert_eq!(third.claim(None).number, 1);
        assert_eq!(third.claim(Some(dir.path())).number, 4);
        fs::remove_dir_all(dir.path()).unwrap();
        assert_eq!(numbers(&[third.claim(None), third.claim(None)]), [5, 6]);
    }

    #[test]
    fn two_processes_never_have_the_same_number() {
        let dir = tempfile::tempdir().unwrap();
        let claimed: Vec<u64> = std::thread::scope(|scope| {
            let one = |_| {
                scope.spawn(|| {
                    let numbers = Numbers::default();
                    (0..50).map(|_| numbers.claim(Some(dir.path())).number).collect::<Vec<u64>>()
                })
            };
            let threads: Vec<_> = (0..4).map(one).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let distinct: std::collections::BTreeSet<&u64> = claimed.iter().collect();
        assert_eq!((claimed.len(), distinct.len()), (200, 200));
        assert_eq!(fs::read_dir(dir.path().join("tasks")).unwrap().count(), 200);
    }

    #[test]
    fn no_link_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), dir.path().join("tasks")).unwrap();
        let claims = Numbers::default();
        assert_eq!(numbers(&[claims.claim(Some(dir.path())), claims.claim(Some(dir.path()))]), [1, 2]);
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        fs::write(elsewhere.path().join("1.jsonl"), "{\"id\":\"bash_1\",\"what\":\"x\"}\n").unwrap();
        assert_eq!(known(dir.path(), "bash_1"), None);

        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("tasks")).unwrap();
        symlink(elsewhere.path().join("new"), dir.path().join("tasks/5.jsonl")).unwrap();
        symlink(elsewhere.path().join("1.jsonl"), dir.path().join("tasks/1.jsonl")).unwrap();
        assert_eq!(Numbers::default().claim(Some(dir.path())).number, 6);
        assert!(!elsewhere.path().join("new").exists());
        assert_eq!(known(dir.path(), "bash_1"), None);
    }

    #[tokio::test]
    async fn what_was_written_down_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let output = dir.path().join("output.txt");
        fs::write(&output, "").unwrap();
        let claim = Numbers::default().claim(Some(dir.path()));
        // As long as nothing is written down, nothing is known.
        assert_eq!(known(dir.path(), "bash_1"), None);
        claim.record.begins("bash_1", "make\nall", Some(&output)).await;
        let words = |id: &str| known(dir.path(), id).unwrap().in_words();
        assert_eq!(
            words("bash_1"),
            format!(
                "`bash_1` (make ...) is a background task of an earlier run of this session and ended with it; \
                 its output is in {}",
                output.display()
            )
        );
        claim.record.ends("exited with code 3".to_owned()).await;
        fs::remove_file(&output).unwrap();
        assert!(words("bash_1").ends_with("session and exited with code 3; its output file is gone"));
        for other in ["monitor_1", "bash_01", "bash_2", "bash_", "1", "", "bash_1.jsonl", "../x_1", "bash_+1"]
        {
            assert_eq!(known(dir.path(), other), None, "{other}");
        }
    }

    #[test]
    fn what_others_left_in_the_file_is_material() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("tasks/1.jsonl");
        fs::create_dir(dir.path().join("tasks")).unwrap();
        let long = format!("{{\"id\":\"bash_1\",\"what\":\"{}\"}}\n", "x".repeat(1_000_000));
        for bad in [&b"\0\xff{"[..], b"", b"\n\n", b"[]\n", b"{\"id\":\"bash_1\"", long.as_bytes()] {
            fs::write(&at, bad).unwrap();
            assert_eq!(known(dir.path(), "bash_1"), None);
        }
        fs::write(
            &at,
            "{\"id\":\"bash_1\",\"what\":\"\\u001b[2Ja\\u0000\\nb\",\"output\":null}\n{\"end\":7}\n",
        )
        .unwrap();
        let told = known(dir.path(), "bash_1").unwrap();
        assert_eq!((told.what.as_str(), told.end), ("a\u{2400} ...", None));
        fs::remove_file(&at).unwrap();
        let fifo =
            rustix::fs::mknodat(rustix::fs::CWD, &at, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0);
        fifo.unwrap();
        assert_eq!(known(dir.path(), "bash_1"), None);
    }
}
