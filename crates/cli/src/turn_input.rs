//! Reads TURN: a file or standard input, whole and bounded.

use crate::exit::Fault;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

/// Most bytes of a message that are read. A message of a model is far smaller; more is a mistake.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The bytes of `named`; `-` or nothing is stdin.
pub(crate) fn read(named: Option<&Path>) -> Result<Vec<u8>, Fault> {
    match named.filter(|path| *path != Path::new("-")) {
        Some(path) => {
            let fault = |error: io::Error| {
                Fault::usage(format!("`{}` cannot be read ({error}); name a readable file", path.display()))
            };
            let file = File::open(path).map_err(fault)?;
            if file.metadata().map_err(fault)?.is_dir() {
                return Err(Fault::usage(format!("`{}` is a folder; name a file", path.display())));
            }
            bounded(file, &format!("`{}`", path.display()))
        }
        None => {
            let stdin = io::stdin();
            if stdin.is_terminal() {
                return Err(Fault::usage("no message; name a file, or pipe one to standard input"));
            }
            bounded(stdin.lock(), "standard input")
        }
    }
}

fn bounded(reader: impl Read, name: &str) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    reader
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Fault::usage(format!("{name} cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Fault::usage(format!(
            "{name} is larger than {MAX_BYTES} bytes; that is no message of a model"
        )));
    }
    Ok(bytes)
}
