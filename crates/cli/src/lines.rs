//! Reading a file of JSON lines, one at a time, without trusting its size.

use crate::exit::Fault;
use std::fs::File;
use std::io::{self, BufRead, BufReader, stdin};
use std::path::{Path, PathBuf};

/// Most bytes of a line.
const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// The lines of a file or of stdin.
pub(crate) struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    number: usize,
}

impl Lines {
    /// Opens `path`; `-` is stdin.
    pub(crate) fn open(path: &Path) -> Result<Self, Fault> {
        let reader: Box<dyn BufRead> = if path == Path::new("-") {
            Box::new(BufReader::new(stdin()))
        } else {
            let file = File::open(path).map_err(|error| {
                Fault::usage(format!("`{}` cannot be read ({error}); name a readable file", path.display()))
            })?;
            Box::new(BufReader::new(file))
        };
        Ok(Self { path: path.to_path_buf(), reader, number: 0 })
    }

    /// The next line that is not blank, with its number from 1; `None` at the end.
    pub(crate) fn next(&mut self, line: &mut Vec<u8>) -> Result<Option<usize>, Fault> {
        loop {
            line.clear();
            let read = read_line(&mut *self.reader, line).map_err(|error| {
                Fault::usage(format!("`{}` cannot be read: {error}", self.path.display()))
            })?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some(self.number));
            }
        }
    }
}

/// One line without its end, at most [`MAX_LINE_BYTES`]; what is more is dropped, and the line is then no JSON.
fn read_line(reader: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    let mut read = 0;
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return Ok(read);
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(chunk.len(), |end| end + 1);
        if line.len() < MAX_LINE_BYTES {
            line.extend_from_slice(chunk.get(..taken).unwrap_or_default());
        }
        reader.consume(taken);
        read += taken;
        if end.is_some() {
            return Ok(read);
        }
    }
}

/// Reads all of `path` as text; `-` is stdin.
pub(crate) fn read_text(path: &Path) -> Result<String, Fault> {
    let text =
        if path == Path::new("-") { io::read_to_string(stdin()) } else { std::fs::read_to_string(path) };
    text.map_err(|error| {
        Fault::usage(format!("`{}` cannot be read ({error}); name a readable file of text", path.display()))
    })
}
