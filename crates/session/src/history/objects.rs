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
        let path = self.path(&hash);
        if path.exists() {
            return Ok(hash);
        }
        copy.persist(&path).map_err(|error| error.error)?;
        Ok(hash)
    }

    /// Opens a content.
    pub(crate) fn open(&self, hash: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true);
        private(&mut options);
        options.open(self.path(hash))
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
