//! Reading a file of JSON lines, one at a time, without trusting its size.

use crate::exit::Fault;
use serde_json::Value;
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
        while let Some(number) = self.next_of_all(line)? {
            if !is_blank(line) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// The next line, blank or not, with its number from 1; `None` at the end.
    pub(crate) fn next_of_all(&mut self, line: &mut Vec<u8>) -> Result<Option<usize>, Fault> {
        line.clear();
        let read = read_line(&mut *self.reader, line)
            .map_err(|error| Fault::usage(format!("`{}` cannot be read: {error}", self.path.display())))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(self.number))
    }
}

/// Whether a line holds nothing.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// The `id` of a line that is no JSON, as far as it can be found: the first name `id` that is a name of the object itself,
/// with a value that can be read. Null where there is none.
pub(crate) fn id_of_bad(line: &[u8]) -> Value {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = end_of_text(line, at);
                let name = line.get(at..end).unwrap_or_default();
                at = end;
                if depth == 1 && name == b"\"id\"" {
                    let rest = line.get(at..).unwrap_or_default().trim_ascii_start();
                    if let Some(rest) = rest.strip_prefix(b":") {
                        return value_at(rest);
                    }
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Value::Null
}

/// Where a JSON text that begins at `at` is over.
fn end_of_text(line: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(byte) = line.get(end) {
        match byte {
            b'\\' => end += 2,
            b'"' => return end + 1,
            _ => end += 1,
        }
    }
    line.len()
}

fn value_at(text: &[u8]) -> Value {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<Value>();
    values.next().and_then(Result::ok).unwrap_or(Value::Null)
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_id_of_a_line_that_is_no_json_is_found_where_there_is_one() {
        let deep = format!("{{\"x\":{}{},\"id\":\"d\"}}", "[".repeat(500), "]".repeat(500));
        for (line, id) in [
            (r#"{"id":"a","input":{"x":"\ud800"}}"#, json!("a")),
            (r#"{"input":{"id":"no","x":"\ud800"},"id": 7}"#, json!(7)),
            (r#"{"x":"\"id\":1","id":[1,2],"y":"#, json!([1, 2])),
            (r#"{"x":"id","y":"\ud800"}"#, json!(null)),
            (r#"{"id":"\ud800"}"#, json!(null)),
            (deep.as_str(), json!("d")),
            ("not json", json!(null)),
            ("", json!(null)),
            ("{\"id", json!(null)),
            ("{\"a\\", json!(null)),
        ] {
            assert_eq!(id_of_bad(line.as_bytes()), id, "{line}");
        }
    }
}
