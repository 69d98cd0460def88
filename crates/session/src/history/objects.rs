//! Contents by their hash.

use crate::line_log::{hex, private};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A folder with one file a content.
#[derive(Debug)]
pub(crate) struct Objects {
    folder: PathBuf,
}

impl Objects {
    pub(crate) fn new(folder: PathBuf) -> io::Result<Self> {
        crate::dir::private_folder(&folder).map_err(io::Error::other)?;
        Ok(Self { folder })
    }

    /// Keeps what `file` holds and gives its hash. The copy is whole or not there.
    pub(crate) fn keep(&self, file: &mut File) -> io::Result<String> {
        let mut copy = tempfile::NamedTempFile::new_in(&self.folder)?;
        let hash = copy_and_hash(file, copy.as_file_mut())?;
        // Also over one that is there: it may have been damaged since.
        copy.persist(self.path(&hash)).map_err(|error| error.error)?;
        Ok(hash)
    }

    /// Writes a content to a file, whole, or fails when it is not what was kept.
    pub(crate) fn write_to(&self, hash: &str, file: &mut File) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.read(true);
        private(&mut options);
        let mut kept = options.open(self.path(hash))?;
        if copy_and_hash(&mut kept, file)? == hash {
            Ok(())
        } else {
            Err(io::Error::other("what was kept of it is damaged"))
        }
    }

    /// Whether a content is there as it was kept.
    pub(crate) fn is_sound(&self, hash: &str) -> bool {
        hash_of(&self.path(hash)).is_ok_and(|found| found == hash)
    }

    /// Size of a content in bytes.
    pub(crate) fn size(&self, hash: &str) -> u64 {
        fs::symlink_metadata(self.path(hash)).map_or(0, |meta| meta.len())
    }

    /// Removes all but these, also what an ended process left half written.
    pub(crate) fn retain(&self, wanted: &HashSet<&str>) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if !entry.file_name().to_str().is_some_and(|name| wanted.contains(name)) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn path(&self, hash: &str) -> PathBuf {
        // INVARIANT: hashes come from the list of changes, which is ours; a name with a separator is no hash.
        let plain: String = hash.chars().filter(char::is_ascii_alphanumeric).collect();
        self.folder.join(plain)
    }
}

/// The hash of what a file holds.
pub(crate) fn hash_of(path: &Path) -> io::Result<String> {
    copy_and_hash(&mut File::open(path)?, &mut io::sink())
}

fn copy_and_hash(from: &mut File, to: &mut dyn Write) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => return Ok(hex(&hash.finalize())),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let part = buffer.get(..read).unwrap_or_default();
        hash.update(part);
        to.write_all(part)?;
    }
}
