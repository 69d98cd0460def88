//! What a command line did, as seen by the private root.

use serde::{Deserialize, Serialize};

/// How a line ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[expect(clippy::exhaustive_enums, reason = "there are no others")]
pub enum Ending {
    /// Everything that it started was over within the limit.
    Over,
    /// Something still ran at the limit and was ended. What it did until then counts.
    TimedOut,
}

/// A program that was started.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Exec {
    /// Base name of the file that was executed, whatever its first word says.
    pub program: String,
    /// Its words, the first one included. Bytes that are no UTF-8 are replaced.
    pub argv: Vec<String>,
    /// Process.
    pub pid: u32,
    /// Parent process.
    pub parent: u32,
}

/// A file that is not as it was.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[expect(clippy::exhaustive_enums, reason = "there are no others")]
pub enum Change {
    /// It was made or has other content.
    Written(String),
    /// It is gone.
    Removed(String),
}

/// What a line did.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ran {
    /// How it ended.
    pub ending: Ending,
    /// What it started, in order.
    pub execs: Vec<Exec>,
    /// Files below `/work` that are not as they were, sorted.
    pub changes: Vec<Change>,
}

impl Ran {
    /// What a line did.
    #[must_use]
    pub fn new(ending: Ending, execs: Vec<Exec>, changes: Vec<Change>) -> Self {
        Self { ending, execs, changes }
    }
}

impl Exec {
    /// A program that was started.
    #[must_use]
    pub fn new(program: impl Into<String>, argv: Vec<String>, pid: u32, parent: u32) -> Self {
        Self { program: program.into(), argv, pid, parent }
    }
}

/// Reads the records that the stubs appended; what is cut short at the end is left out.
#[cfg(target_os = "linux")]
pub(crate) fn records(mut bytes: &[u8]) -> Vec<Exec> {
    let mut execs = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk::<4>() {
        let length = usize::try_from(u32::from_le_bytes(*head)).unwrap_or(usize::MAX);
        let Some((record, rest)) = rest.split_at_checked(length) else { break };
        bytes = rest;
        let record = record.strip_suffix(b"\0").unwrap_or(record);
        let mut fields =
            record.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned());
        let pid = fields.next().and_then(|text| text.parse().ok()).unwrap_or_default();
        let parent = fields.next().and_then(|text| text.parse().ok()).unwrap_or_default();
        let path = fields.next().unwrap_or_default();
        let program = path.rsplit('/').next().unwrap_or_default();
        execs.push(Exec::new(program, fields.collect(), pid, parent));
    }
    execs
}
