//! The lines of one ignore file as a matcher.

use super::fold::fold;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::Path;

/// The patterns of one file, twice: as they are, letter case apart, and folded.
#[derive(Debug)]
pub(super) struct Patterns {
    exact: Gitignore,
    folded: Gitignore,
    is_ascii: bool,
}

/// Collects patterns.
#[derive(Debug)]
pub(super) struct Builder {
    exact: GitignoreBuilder,
    folded: GitignoreBuilder,
    is_ascii: bool,
}

impl Builder {
    pub(super) fn new() -> Self {
        let empty = || {
            let mut builder = GitignoreBuilder::new("");
            builder.allow_unclosed_class(false);
            builder
        };
        Self { exact: empty(), folded: empty(), is_ascii: true }
    }

    /// Adds a line. Braces are letters, as in git; what they would mean as alternatives is closed too.
    ///
    /// # Errors
    /// When it is no pattern, with the engine's words.
    pub(super) fn add(&mut self, line: &str) -> Result<(), String> {
        let has_braces = line.contains(['{', '}']) && !line.contains('\\');
        if !has_braces {
            return self.add_pattern(line);
        }
        if !line.starts_with('!') {
            // One that is not closed is none, and then only letters.
            let _ = self.add_pattern(line);
        }
        self.add_pattern(&line.replace('{', "[{]").replace('}', "[}]"))
    }

    fn add_pattern(&mut self, line: &str) -> Result<(), String> {
        let words = |error: ignore::Error| match error {
            ignore::Error::Glob { err, .. } => err,
            other => other.to_string(),
        };
        self.exact.case_insensitive(true).map_err(words)?;
        self.exact.add_line(None, line).map_err(words)?;
        let mut folded = fold(line);
        // What folds to a sign with a meaning at the beginning of a line does not get the meaning.
        if folded.starts_with(['!', '#']) && !line.starts_with(['!', '#']) {
            folded.insert(0, '\\');
        }
        self.is_ascii &= line.is_ascii();
        self.folded.add_line(None, &folded).map(drop).map_err(words)
    }

    /// The patterns.
    ///
    /// # Errors
    /// When together they are too large.
    pub(super) fn build(&self) -> Result<Patterns, String> {
        let build = |builder: &GitignoreBuilder| builder.build().map_err(|error| error.to_string());
        Ok(Patterns { exact: build(&self.exact)?, folded: build(&self.folded)?, is_ascii: self.is_ascii })
    }
}

/// What a path below the root is, as far as it counts for patterns that end in a slash.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// A folder.
    Folder,
    /// Something else.
    File,
    /// Not known, or nothing yet: whatever closes it counts.
    Unknown,
}

impl Patterns {
    /// Whether the path `below` the root is closed, or a folder above it is: as in git, nothing below a closed folder
    /// is opened again.
    pub(super) fn close(&self, below: &Path, kind: impl Fn() -> Kind) -> bool {
        let folders: Vec<&Path> =
            below.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty()).collect();
        folders.iter().rev().any(|folder| self.names(folder, Kind::Folder)) || {
            let (file, folder) = (self.names(below, Kind::File), self.names(below, Kind::Folder));
            match (file, folder) {
                (true, true) | (false, false) => file,
                _ => match kind() {
                    Kind::File => file,
                    Kind::Folder => folder,
                    Kind::Unknown => true,
                },
            }
        }
    }

    /// Whether the path itself is closed.
    pub(super) fn names(&self, below: &Path, kind: Kind) -> bool {
        let is_folder = kind == Kind::Folder;
        if self.exact.matched(below, is_folder).is_ignore() {
            return true;
        }
        let text = below.to_string_lossy();
        if self.is_ascii && text.is_ascii() {
            return false;
        }
        self.folded.matched(fold(&text), is_folder).is_ignore()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_closed_as_git_ignores_them_and_letter_case_does_not_open_them() {
        let lines = [
            "*.key",
            "!open.key",
            "/top/",
            "build/",
            "!build/kept",
            "doc/**",
            "caf\u{e9}",
            "\u{ff01}x",
            "a b\\ ",
        ];
        let mut builder = Builder::new();
        lines.iter().for_each(|line| builder.add(line).unwrap());
        let patterns = builder.build().unwrap();
        for (path, kind, closed) in [
            ("a.key", Kind::File, true),
            ("d/A.KEY", Kind::File, true),
            ("open.key", Kind::File, false),
            ("d/open.key", Kind::File, false),
            ("top", Kind::Folder, true),
            ("top", Kind::File, false),
            ("top", Kind::Unknown, true),
            ("d/top", Kind::Folder, false),
            ("top/x/y", Kind::File, true),
            ("d/build/kept", Kind::File, true),
            ("doc", Kind::Folder, false),
            ("doc/x", Kind::File, true),
            ("cafe\u{301}", Kind::File, true),
            ("CAF\u{c9}/x", Kind::File, true),
            ("x", Kind::File, false),
            ("\u{ff01}X", Kind::File, true),
            ("a b ", Kind::File, true),
            ("a b", Kind::File, false),
            ("other", Kind::File, false),
        ] {
            assert_eq!(patterns.close(Path::new(path), || kind), closed, "{path} {kind:?}");
        }
        assert!(Builder::new().add("[z").is_err());
        let mut builder = Builder::new();
        ["*.{pem,key}", "a{b", "{x}", "c*", "!{ca,cb}"]
            .into_iter()
            .for_each(|line| builder.add(line).unwrap());
        let patterns = builder.build().unwrap();
        for (path, closed) in [
            ("d.pem", true),
            ("d.{pem,key}", true),
            ("a{b", true),
            ("{x}", true),
            ("x", true),
            ("ca", true),
            ("{ca,cb}", false),
        ] {
            assert_eq!(patterns.close(Path::new(path), || Kind::File), closed, "{path}");
        }
    }
}
