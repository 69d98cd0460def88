//! Generated references in `docs/`: written by `cargo xtask codegen`, compared by `cargo xtask codegen --check`.

use std::{fs, path::Path};

use anyhow::{Context as _, bail};

use crate::{crates_doc, tools_doc, workspace::Workspace};

/// Whether references are written or only compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Write them.
    Write,
    /// Compare them and say which is stale.
    Check,
}

type Generator = fn(&Workspace) -> anyhow::Result<String>;

/// Every reference: its name, and what makes its text. It is written to `docs/<name>.md`.
const REFERENCES: &[(&str, Generator)] = &[("crates", crates_doc::generate), ("tools", tools_doc::generate)];

/// Writes or compares all references, or one. False when one is stale.
pub(crate) fn run(workspace: &Workspace, mode: Mode, only: Option<&str>) -> anyhow::Result<bool> {
    if let Some(name) = only
        && !REFERENCES.iter().any(|(known, _)| *known == name)
    {
        let known: Vec<_> = REFERENCES.iter().map(|(name, _)| *name).collect();
        bail!("there is no reference `{name}`; there are {}", known.join(", "));
    }
    let mut fresh = true;
    for (name, generate) in REFERENCES.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
        let file = workspace.workspace_root.join("docs").join(format!("{name}.md"));
        match mode {
            Mode::Write => write(&file, name, &generate(workspace)?)?,
            Mode::Check => fresh &= check(&file, name, &generate(workspace)?)?,
        }
    }
    Ok(fresh)
}

fn write(file: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    println!("wrote docs/{name}.md");
    Ok(())
}

fn check(file: &Path, name: &str, text: &str) -> anyhow::Result<bool> {
    let written = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    match first_difference(&written, text) {
        None => {
            println!("fresh: docs/{name}.md");
            Ok(true)
        }
        Some((line, was, is)) => {
            println!(
                "stale: docs/{name}.md, line {line}; run `cargo xtask codegen {name}`\n  - {was}\n  + {is}"
            );
            Ok(false)
        }
    }
}

/// The first line, from 1, in which two texts differ. Line ends do not count: a checkout may change them.
fn first_difference<'a>(was: &'a str, is: &'a str) -> Option<(usize, &'a str, &'a str)> {
    let (mut was, mut is) = (was.lines(), is.lines());
    for line in 1.. {
        match (was.next(), is.next()) {
            (None, None) => return None,
            (a, b) if a == b => {}
            (a, b) => return Some((line, a.unwrap_or("(end)"), b.unwrap_or("(end)"))),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found_and_line_ends_do_not_count() {
        assert_eq!(first_difference("a\r\nb\r\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some((2, "b", "c")));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some((2, "(end)", "b")));
        assert_eq!(first_difference("", "a\n"), Some((1, "(end)", "a")));
    }
}
