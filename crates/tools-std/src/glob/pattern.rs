//! A glob pattern as a folder to begin in and a test for what is below it.

use globset::{GlobBuilder, GlobMatcher};
use pegboard_tool_core::{InvalidInput, ToolContext};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A pattern after its leading plain folders were taken off.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Pattern {
    /// Folder to begin in, absolute.
    pub root: PathBuf,
    /// The pattern below it.
    pub rest: String,
}

/// Whether a file is meant.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// Any name below, with this end.
    Suffix(String),
    /// Any name below that matches.
    Name(GlobMatcher),
    /// The path below the root matches.
    Path(GlobMatcher),
}

impl Pattern {
    /// Splits `pattern`, which is relative to `base` unless it is absolute.
    pub(super) fn split(pattern: &str, base: &Path, ctx: &ToolContext) -> Self {
        let (plain, rest) = split_plain(pattern);
        let root = match plain {
            "" => base.to_path_buf(),
            _ if plain.starts_with('/') || plain.starts_with("~/") => ctx.absolute(plain),
            _ => ctx.absolute(base.join(plain)),
        };
        let parts: Vec<&str> = rest.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        Self { root, rest: if parts.is_empty() { "*".to_owned() } else { parts.join("/") } }
    }

    /// The test for paths below the root.
    ///
    /// # Errors
    /// When it is no glob; the text is the engine's. When `..` comes after a wildcard: no path below holds it.
    pub(super) fn compile(&self) -> Result<Test, InvalidInput> {
        if self.rest.split(['/', '{', ',', '}']).any(|part| part == "..") {
            let text =
                "`..` comes after a wildcard in `pattern`; begin with it, or give the folder as `path`";
            return Err(InvalidInput::new(text));
        }
        let name = self.rest.strip_prefix("**/").filter(|name| !name.contains('/') && !name.contains("**"));
        if let Some(suffix) = name.and_then(|name| name.strip_prefix('*'))
            && !suffix.contains(META)
        {
            return Ok(Test::Suffix(suffix.to_owned()));
        }
        let glob = GlobBuilder::new(name.unwrap_or(&self.rest)).literal_separator(true).build();
        let matcher = glob.map_err(|error| InvalidInput::new(error.to_string()))?.compile_matcher();
        Ok(if name.is_some() { Test::Name(matcher) } else { Test::Path(matcher) })
    }

    /// How deep below the root a match can be; `None` is any depth.
    pub(super) fn max_depth(&self) -> Option<usize> {
        (!self.rest.contains("**")).then(|| self.rest.matches('/').count() + 1)
    }

    /// Whether the pattern itself names the store of a version control system.
    pub(super) fn names_version_store(&self) -> bool {
        [".git", ".hg", ".svn", ".jj"].iter().any(|name| self.rest.split('/').any(|part| part == *name))
    }
}

impl Test {
    /// Whether `path`, which is below `root`, is meant.
    pub(super) fn is_match(&self, path: &Path, root: &Path) -> bool {
        let name = || path.file_name().unwrap_or(OsStr::new(""));
        match self {
            Self::Suffix(suffix) => name().as_encoded_bytes().ends_with(suffix.as_bytes()),
            Self::Name(matcher) => matcher.is_match(name()),
            Self::Path(matcher) => path.strip_prefix(root).is_ok_and(|below| matcher.is_match(below)),
        }
    }
}

const META: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// The leading folders without special characters, and the rest. The last part is always rest.
fn split_plain(pattern: &str) -> (&str, &str) {
    let end = pattern.find(META).unwrap_or(pattern.len());
    match pattern.get(..end).and_then(|head| head.rfind('/')) {
        Some(0) => pattern.split_at(1),
        Some(slash) => {
            (pattern.get(..slash).unwrap_or_default(), pattern.get(slash + 1..).unwrap_or_default())
        }
        None => ("", pattern),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pegboard_tool_core::ContextSnapshot;
    use std::sync::Arc;

    #[test]
    fn plain_folders_are_where_the_search_begins() {
        let mut snapshot = ContextSnapshot::new("/w", "s");
        snapshot.home = Some("/home/u".into());
        let ctx = ToolContext::new(Arc::new(snapshot));
        for (pattern, root, rest) in [
            ("**/*.rs", "/w", "**/*.rs"),
            ("src/**/*.rs", "/w/src", "**/*.rs"),
            ("src/main.rs", "/w/src", "main.rs"),
            ("../x/{a/b,c}/*", "/x", "{a/b,c}/*"),
            ("/etc/*.conf", "/etc", "*.conf"),
            ("/*", "/", "*"),
            ("~/x/*", "/home/u/x", "*"),
            ("src/", "/w/src", "*"),
            ("./**/./*.rs", "/w", "**/*.rs"),
            ("src//**//x", "/w/src", "**/x"),
            ("", "/w", "*"),
            ("a\\*b/c", "/w", "a\\*b/c"),
        ] {
            let split = Pattern::split(pattern, Path::new("/w"), &ctx);
            assert_eq!((split.root.as_path(), split.rest.as_str()), (Path::new(root), rest), "{pattern}");
        }
    }

    #[test]
    fn stars_and_folders() {
        for (rest, path, expected) in [
            ("*.rs", "a.rs", true),
            ("*.rs", "d/a.rs", false),
            ("**/*.rs", "a.rs", true),
            ("**/*.rs", "d/e/a.rs", true),
            ("**/*.rs", "d/e/a.rsx", false),
            ("**/a?.{rs,md}", "d/ab.md", true),
            ("**/a?.{rs,md}", "d/b.md", false),
            ("d/**", "d/e/a", true),
            ("**/e/*", "d/e/a", true),
            ("**/*", ".hidden", true),
            ("**", "d/e", true),
            ("*.RS", "a.rs", false),
            ("{a,d/b}.rs", "d/b.rs", true),
            ("[!a]*", "b", true),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
        ] {
            let test = Pattern { root: "/r".into(), rest: rest.into() }.compile().unwrap();
            assert_eq!(
                test.is_match(&Path::new("/r").join(path), Path::new("/r")),
                expected,
                "{rest} {path}"
            );
        }
        for wrong in ["a{b", "[z", "*/../x", "{..,a}/b"] {
            assert!(Pattern { root: "/r".into(), rest: wrong.into() }.compile().is_err(), "{wrong}");
        }
    }
}
