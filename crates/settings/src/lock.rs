//! A lock between processes and threads, with an end to waiting. The file stays; the lock ends with the value.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::folder::Folder;

/// Longest wait for another writer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Held until dropped.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "closing the file ends the lock")] File);

impl Lock {
    /// Waits for the lock kept at `path`, at most ten seconds. The folder is created, private, when absent.
    pub(crate) fn acquire(path: &Path) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            Folder::private(parent)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
            let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
            options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
        }
        let file = options.open(path)?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "another program holds the lock"));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}
