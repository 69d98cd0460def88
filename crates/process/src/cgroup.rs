//! Control groups: who belongs to a command whatever it did to its environment and session, and what
//! all commands may use together.

mod hierarchies;
mod session_groups;
mod tree_group;

pub(crate) use session_groups::SessionGroups;
pub(crate) use tree_group::{Kind, TreeGroup};

use std::fs;
use std::io;
use std::path::Path;

/// Writes a control file. It must be there: a new file in its place would control nothing.
fn control(file: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    fs::OpenOptions::new().write(true).open(file)?.write_all(text.as_bytes())
}

/// The number of a line `key number` of a control file.
fn counted(file: &Path, key: &str) -> u64 {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
    line.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
}
