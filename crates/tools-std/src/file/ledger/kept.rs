//! What the model has read, kept in the folder of the session: the next process of the same session knows it too.
//! One small file, replaced in one step. It is a convenience: what is wrong with it costs a second reading.

use super::{ContentHash, Extent, Seen};
use crate::file::place::Place;
use crate::safe_name::hex;
use pegboard_tool_core::resolve_links;
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The file, in the folder of the session.
const FILE: &str = "reads.json";
/// Files that are kept, those that were read last.
const MOST_FILES: usize = 2_000;
/// Bytes of the file that are read.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The file with what was read.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    /// Whether what earlier processes left cannot be used.
    pub is_damaged: bool,
}

#[derive(Deserialize, Serialize)]
struct Record {
    path: String,
    /// SHA-256 of the content, in hex.
    hash: String,
    extent: Extent,
}

impl Kept {
    /// What earlier processes of the session kept, oldest first.
    pub(super) fn open(folder: &Path) -> (Self, Vec<(PathBuf, Seen)>) {
        let kept = |is_damaged| Self { folder: folder.to_path_buf(), is_damaged };
        match load(folder) {
            Ok(reads) => (kept(false), reads),
            Err(_) => (kept(true), Vec::new()),
        }
    }

    /// Keeps what was read, oldest first. When that fails the next process asks for a new reading.
    pub(super) fn save<'s>(&self, reads: impl ExactSizeIterator<Item = (&'s Path, Seen)>) {
        let older = reads.len().saturating_sub(MOST_FILES);
        let records: Vec<Record> = reads
            .skip(older)
            .filter_map(|(path, seen)| {
                let hash = hex(&seen.hash);
                // A name that is no text is read again.
                Some(Record { path: path.to_str()?.to_owned(), hash, extent: seen.extent })
            })
            .collect();
        let _ = self.put(&records);
    }

    fn put(&self, records: &[Record]) -> io::Result<()> {
        let bytes = serde_json::to_vec(records)?;
        let temporary = self.folder.join(format!(".{FILE}.{}.tmp", std::process::id()));
        // One that a process with the same number left.
        drop(fs::remove_file(&temporary));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options
            .open(&temporary)?
            .write_all(&bytes)
            .and_then(|()| fs::rename(&temporary, self.folder.join(FILE)));
        if written.is_err() {
            drop(fs::remove_file(&temporary));
        }
        written
    }
}

fn load(folder: &Path) -> io::Result<Vec<(PathBuf, Seen)>> {
    let path = match resolve_links(folder) {
        Ok(folder) => folder.join(FILE),
        Err(_) => return Ok(Vec::new()),
    };
    if path.symlink_metadata().is_err() {
        return Ok(Vec::new());
    }
    // No link, pipe or device.
    let file = Place::find(&path).and_then(|place| place.open()).map_err(io::Error::other)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let records: Vec<Record> = serde_json::from_slice(&bytes)?;
    let read = |record: Record| {
        let hash = hash_of(&record.hash)?;
        Some((PathBuf::from(record.path), Seen { hash, extent: record.extent }))
    };
    let older = records.len().saturating_sub(MOST_FILES);
    records
        .into_iter()
        .skip(older)
        .map(|record| read(record).ok_or(io::ErrorKind::InvalidData.into()))
        .collect()
}

fn hash_of(hex: &str) -> Option<ContentHash> {
    let digits: Vec<u8> = hex
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect();
    if digits.len().is_multiple_of(2) { bytes.try_into().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::super::hash;
    use super::*;
    use proptest::prelude::*;

    fn seen(text: &str, extent: Extent) -> Seen {
        Seen { hash: hash(text.as_bytes()), extent }
    }

    #[test]
    fn what_was_kept_is_there_again_the_newest_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let (kept, reads) = Kept::open(dir.path());
        assert!(reads.is_empty() && !kept.is_damaged);
        let extents = [Extent::Partial, Extent::Range, Extent::Whole];
        let all: Vec<(PathBuf, Seen)> = (0..MOST_FILES + 10)
            .map(|n| (format!("/w/{n}\n").into(), seen(&n.to_string(), extents[n % 3])))
            .collect();
        kept.save(all.iter().map(|(path, seen)| (path.as_path(), *seen)));
        let (kept, reads) = Kept::open(dir.path());
        assert_eq!((reads.as_slice(), kept.is_damaged), (&all[10..], false));
        // Nothing else is left.
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        // A folder that is not there costs nothing.
        let (kept, reads) = Kept::open(&dir.path().join("gone"));
        kept.save(all.iter().map(|(path, seen)| (path.as_path(), *seen)));
        assert!(reads.is_empty() && !dir.path().join("gone").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_or_pipe_in_its_place_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join(FILE);
        fs::write(dir.path().join("other"), "[]").unwrap();
        std::os::unix::fs::symlink("other", &at).unwrap();
        assert!(Kept::open(dir.path()).0.is_damaged);
        fs::remove_file(&at).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &at, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
            .unwrap();
        assert!(Kept::open(dir.path()).0.is_damaged);
        fs::remove_file(&at).unwrap();
        fs::File::create(&at).unwrap().set_len(MOST_BYTES + 1).unwrap();
        assert!(Kept::open(dir.path()).0.is_damaged);
    }

    proptest! {
        #[test]
        fn garbage_is_no_reading(bytes in proptest::collection::vec(any::<u8>(), 1..200), cut in 0usize..200) {
            prop_assume!(serde_json::from_slice::<Vec<Record>>(&bytes).is_err());
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join(FILE), &bytes).unwrap();
            let (kept, reads) = Kept::open(dir.path());
            prop_assert!(kept.is_damaged && reads.is_empty());
            kept.save([(Path::new("/w/a"), seen("a", Extent::Whole))].into_iter());
            let whole = fs::read(dir.path().join(FILE)).unwrap();
            let cut = cut.min(whole.len() - 1);
            fs::write(dir.path().join(FILE), &whole[..cut]).unwrap();
            prop_assert!(Kept::open(dir.path()).0.is_damaged);
        }
    }
}
