//! What an interpreter printed and nobody has read yet: in memory, and in a file once that is too much. Of what is in a
//! file, its beginning and its end are shown.

use crate::shell::output::{Glance, Stored};
use crate::shell::output_file::Place;
use crate::shell::result::{VALID_END_CHARS, ends, overwritten_notice};
use crate::shell::text::{Shown, shown};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write as _};

/// Bytes of the beginning that are kept in memory.
const HEAD_BYTES: usize = 256 * 1024;
/// Bytes of the end that are kept in memory.
const TAIL_BYTES: usize = 256 * 1024;

/// Output that waits to be read.
#[derive(Debug)]
pub(super) struct Kept {
    /// Where a file is made.
    pub(super) place: Place,
    /// Bytes of output that a file may hold.
    most: u64,
    waiting: Waiting,
}

#[derive(Debug, Default)]
struct Waiting {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// Bytes of it all.
    bytes: u64,
    whole: Whole,
}

/// Where all of it is.
#[derive(Debug, Default)]
enum Whole {
    /// In memory.
    #[default]
    Memory,
    /// In a file.
    File(File, std::path::PathBuf),
    /// Nowhere: the disk failed, or the file is full.
    Lost(Stored),
}

/// What was read.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) text: String,
    /// Where the rest is.
    pub(super) notes: Vec<String>,
}

impl Kept {
    pub(super) fn new(place: Place, most: u64) -> Self {
        Self { place, most, waiting: Waiting::default() }
    }

    /// Keeps more. Waits for the disk, so that a slow one slows the interpreter.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let Self { place, most, waiting } = self;
        let kept = waiting.head.len() + waiting.tail.len();
        if matches!(waiting.whole, Whole::Memory) && kept + bytes.len() > HEAD_BYTES + TAIL_BYTES {
            waiting.whole = match place.create() {
                Ok((file, path)) => Whole::File(file, path),
                Err(error) => Whole::Lost(lost(None, 0, &error.kind().to_string())),
            };
            let so_far = [waiting.head.as_slice(), waiting.tail.make_contiguous()].concat();
            waiting.whole.write(0, &so_far, *most);
        }
        waiting.whole.write(waiting.bytes, bytes, *most);
        waiting.remember(bytes);
    }

    /// All of it as text, or its two ends and where the rest is; nothing is kept any more.
    pub(super) fn take(&mut self) -> Seen {
        let Waiting { head, tail, bytes, whole } = std::mem::take(&mut self.waiting);
        let stored = match whole {
            Whole::Memory => {
                // Without escape sequences, and what is no text made visible.
                let all = [head, Vec::from(tail)].concat();
                let Shown { text, overwritten } = shown(&all);
                let notes = if overwritten > 0 { self.overwritten(overwritten, &all) } else { Vec::new() };
                return Seen { text, notes };
            }
            Whole::File(_, path) => Stored::File(path),
            Whole::Lost(stored) => stored,
        };
        let kept = ends(&Glance { head, tail: Vec::from(tail), bytes, stored }, VALID_END_CHARS);
        let bare = |notice: String| notice.trim_matches(['[', ']']).to_owned();
        Seen { text: kept.text, notes: kept.notices.into_iter().map(bare).collect() }
    }

    /// Stores an output of which something is not shown because it was overwritten.
    fn overwritten(&self, pieces: usize, all: &[u8]) -> Vec<String> {
        let stored = self.place.create().and_then(|(mut file, path)| file.write_all(all).map(|()| path));
        let whole = match stored {
            Ok(path) => format!("all {} bytes of output are in {}", all.len(), path.display()),
            Err(error) => format!("the output could not be stored ({})", error.kind()),
        };
        let overwritten = overwritten_notice(pieces).map(|notice| notice.trim_matches(['[', ']']).to_owned());
        overwritten.into_iter().chain([whole]).collect()
    }
}

impl Waiting {
    /// Keeps both ends in memory.
    fn remember(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let room = if self.tail.is_empty() { HEAD_BYTES - self.head.len() } else { 0 };
        let (head, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(head);
        let rest = rest.get(rest.len().saturating_sub(TAIL_BYTES)..).unwrap_or_default();
        let excess = (self.tail.len() + rest.len()).saturating_sub(TAIL_BYTES);
        self.tail.drain(..excess);
        self.tail.extend(rest);
    }
}

impl Whole {
    /// Adds to the file, which holds `before` bytes, as long as there is one.
    fn write(&mut self, before: u64, bytes: &[u8], most: u64) {
        let Self::File(file, path) = self else { return };
        let written = if before + bytes.len() as u64 > most {
            Err(io::Error::from(io::ErrorKind::FileTooLarge))
        } else {
            file.write_all(bytes)
        };
        if let Err(error) = written {
            let kept = file.metadata().map_or(0, |data| data.len());
            *self = Self::Lost(lost(Some(path.clone()), kept, &error.kind().to_string()));
        }
    }
}

fn lost(path: Option<std::path::PathBuf>, kept: u64, problem: &str) -> Stored {
    Stored::Lost { path, kept, problem: problem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pegboard_tool_core::{ContextSnapshot, ToolContext};
    use proptest::prelude::*;
    use std::path::Path;
    use std::sync::Arc;

    fn kept(dir: &Path, most: u64) -> Kept {
        let mut snapshot = ContextSnapshot::new(dir, "session");
        snapshot.session_dir = Some(dir.to_owned());
        Kept::new(Place::of(&ToolContext::new(Arc::new(snapshot))), most)
    }

    /// The only file below the folder of results, when there is one.
    fn file(dir: &Path) -> Option<Vec<u8>> {
        let mut files = std::fs::read_dir(dir.join("tool-results")).ok()?;
        let file = files.next()?.unwrap().path();
        assert!(files.next().is_none());
        Some(std::fs::read(file).unwrap())
    }

    #[test]
    fn a_flood_shows_both_ends_and_is_in_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let mut kept = kept(dir.path(), u64::MAX);
        kept.push(b"first\n");
        (0..1000).for_each(|_| kept.push(&[b'x'; 4096]));
        kept.push(b"\nlast");
        let waiting = &kept.waiting;
        assert!(waiting.head.len() <= HEAD_BYTES && waiting.tail.len() <= TAIL_BYTES);
        let seen = kept.take();
        assert!(seen.text.starts_with("first\nxxx") && seen.text.ends_with("\nlast"), "{}", seen.text.len());
        assert!(seen.text.contains("bytes left out here"));
        let [note] = &seen.notes[..] else { panic!("{:?}", seen.notes) };
        assert!(note.starts_with("all 4096011 bytes of output are in "), "{note}");
        assert_eq!(file(dir.path()).unwrap().len(), 4_096_011);
        assert!(kept.take().text.is_empty());
    }

    #[test]
    fn what_was_overwritten_is_in_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let mut kept = kept(dir.path(), u64::MAX);
        kept.push(b"one\rtwo\rthree\n");
        let seen = kept.take();
        assert_eq!(seen.text, "three\n");
        assert!(seen.notes[0].starts_with("2 pieces of lines were overwritten"), "{:?}", seen.notes);
        assert!(seen.notes[1].starts_with("all 14 bytes of output are in "), "{:?}", seen.notes);
        assert_eq!(file(dir.path()).unwrap(), b"one\rtwo\rthree\n");
        let mut nowhere = self::kept(Path::new("/proc/nowhere"), u64::MAX);
        nowhere.push(b"one\rtwo");
        assert!(nowhere.take().notes[1].contains("could not be stored"));
    }

    #[test]
    fn what_is_beyond_the_limit_of_a_file_is_said_to_be_lost() {
        let dir = tempfile::tempdir().unwrap();
        let mut kept = kept(dir.path(), 1_000_000);
        (0..20).for_each(|_| kept.push(&[b'x'; 100_000]));
        let seen = kept.take();
        assert!(seen.notes[0].contains("holds the first 1000000 of 2000000 bytes"), "{:?}", seen.notes);
        assert_eq!(file(dir.path()).unwrap().len(), 1_000_000);
        let mut nowhere = self::kept(Path::new("/proc/nowhere"), u64::MAX);
        (0..20).for_each(|_| nowhere.push(&[b'x'; 100_000]));
        assert!(nowhere.take().notes[0].contains("what is left out is lost"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]
        #[test]
        fn nothing_is_lost(parts in prop::collection::vec(0usize..200_000, 0..8)) {
            let dir = tempfile::tempdir().unwrap();
            let mut kept = kept(dir.path(), u64::MAX);
            let mut all = Vec::new();
            for (part, letter) in parts.iter().zip(b'a'..) {
                kept.push(&vec![letter; *part]);
                all.extend(vec![letter; *part]);
            }
            let fits = all.len() <= HEAD_BYTES + TAIL_BYTES;
            let seen = kept.take();
            prop_assert_eq!(seen.notes.is_empty(), fits);
            let whole = if fits { seen.text.into_bytes() } else { file(dir.path()).unwrap() };
            prop_assert!(whole == all);
        }
    }
}
