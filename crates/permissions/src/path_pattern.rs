//! The path language of `Read(...)` and `Edit(...)`: gitignore patterns below an anchor.

use crate::fold::fold;
use crate::text_glob::{Piece, folded_pieces, pieces, pieces_match, pieces_meet};
use pegboard_tool_core::RuleEffect;
use std::path::{Component, Path};

/// More steps than these are not taken to compare a pattern with a glob: they could meet.
const MOST_STEPS: usize = 10_000;

/// One part of a path pattern.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Segment {
    /// `**`: any number of segments.
    Deep,
    /// Exactly this name.
    Name(String),
    /// A name with wildcards.
    Glob(Vec<Piece>),
}

impl Segment {
    fn folded(self) -> Self {
        match self {
            Self::Deep => Self::Deep,
            Self::Name(name) => Self::Name(fold(&name)),
            Self::Glob(pieces) => Self::Glob(folded_pieces(pieces)),
        }
    }

    /// Whether some name fits both. As in bash, a star of `glob` at its beginning is no dot; what stands for exactly one
    /// letter may be one: shells differ, and it hardly means anything else.
    fn meets(&self, glob: &Self) -> bool {
        match (self, glob) {
            (Self::Deep, _) | (_, Self::Deep) => true,
            (Self::Name(name), Self::Name(other)) => name == other,
            (Self::Name(name), Self::Glob(pieces)) => {
                (!name.starts_with('.') || begins_with_one(pieces)) && pieces_match(pieces, name)
            }
            (Self::Glob(pieces), Self::Name(name)) => pieces_match(pieces, name),
            (Self::Glob(one), Self::Glob(other)) => {
                let only_dots = matches!(one.first(), Some(Piece::Char('.'))) && !begins_with_one(other);
                !only_dots && pieces_meet(one, other)
            }
        }
    }
}

/// Whether a pattern begins with exactly one letter that may be a dot.
fn begins_with_one(pieces: &[Piece]) -> bool {
    matches!(pieces.first(), Some(Piece::Char('.') | Piece::One | Piece::Class(..)))
}

/// Whether letter case and Unicode form count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Case {
    /// They do: for what permits.
    Exact,
    /// They do not: for what forbids.
    Folded,
}

/// Whether a pattern means the thing itself too, or only what is below.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Reach {
    /// The named thing and all below it.
    Whole,
    /// Only what is below it (`dir/**`).
    Below,
}

/// A compiled path pattern.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    /// Where the segments start.
    pub(crate) anchor: Anchor,
    /// The segments, from the anchor.
    pub(crate) segments: Vec<Segment>,
    reach: Reach,
}

/// Where a pattern starts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Anchor {
    /// At the root of the file system.
    Root,
    /// At the project's folder (and, for what forbids, at the working directory too), this many
    /// folders up.
    Here(usize),
}

/// Places that patterns may start at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'a> {
    /// Folder of `/`.
    pub(crate) anchor: &'a Path,
    /// Folder of `~/`.
    pub(crate) home: Option<&'a Path>,
}

/// The names of `path` from the root; a drive letter counts as a name.
pub(crate) fn names_of(path: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Prefix(prefix) => {
                let text = prefix.as_os_str().to_string_lossy();
                names.push(text.trim_end_matches(':').trim_start_matches(['\\', '?']).to_lowercase());
            }
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir => {
                names.pop();
            }
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
        }
    }
    names
}

impl PathPattern {
    /// Compiles `text` for a rule of `effect`.
    pub(crate) fn new(
        text: &str,
        effect: RuleEffect,
        case: Case,
        places: Places<'_>,
    ) -> Result<Self, String> {
        let is_strict = effect != RuleEffect::Allow;
        if text.contains('\0') {
            return Err("a path holds no NUL character".to_owned());
        }
        let (mut segments, anchor, rest) = Self::anchored(text, places)?;
        let is_rooted = anchor == Anchor::Root;
        let rest = rest.strip_prefix("./").unwrap_or(rest);
        let is_explicit = is_rooted || text.starts_with("./");
        let (body, reach, ends_in_slash) = match (rest.strip_suffix("/**"), rest.strip_suffix('/')) {
            (Some(body), _) => (body, Reach::Below, false),
            (None, Some(body)) => (body, if is_strict { Reach::Whole } else { Reach::Below }, true),
            (None, None) => (rest, Reach::Whole, false),
        };
        let parts: Vec<&str> = body.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let is_bare_name = parts.len() == 1 && reach == Reach::Whole || ends_in_slash && parts.len() == 1;
        let is_bare_folder = parts.len() == 1 && reach == Reach::Below;
        if !is_explicit && (is_bare_name || is_bare_folder && is_strict) && parts.first() != Some(&"..") {
            segments.push(Segment::Deep);
        }
        let mut ups = 0;
        for part in parts {
            match part {
                ".." if matches!(segments.last(), Some(Segment::Name(_) | Segment::Glob(_))) => {
                    segments.pop();
                }
                ".." if is_rooted => {}
                ".." => ups += 1,
                "**" if segments.last() == Some(&Segment::Deep) => {}
                "**" => segments.push(Segment::Deep),
                _ => segments.push(Self::segment(part, Case::Exact)),
            }
        }
        let anchor = if is_rooted { Anchor::Root } else { Anchor::Here(ups) };
        if case == Case::Folded {
            segments = segments.into_iter().map(Segment::folded).collect();
        }
        Ok(Self { anchor, segments, reach })
    }

    fn anchored<'t>(text: &'t str, places: Places<'_>) -> Result<(Vec<Segment>, Anchor, &'t str), String> {
        let at = |folder: &Path| names_of(folder).into_iter().map(Segment::Name).collect::<Vec<_>>();
        if let Some(rest) = text.strip_prefix("//") {
            return Ok((Vec::new(), Anchor::Root, rest));
        }
        if text == "~" || text.starts_with("~/") {
            let home =
                places.home.ok_or("the home directory is not known; write an absolute path with `//`")?;
            return Ok((at(home), Anchor::Root, text.trim_start_matches('~').trim_start_matches('/')));
        }
        if let Some(rest) = text.strip_prefix('/') {
            return Ok((at(places.anchor), Anchor::Root, rest));
        }
        Ok((Vec::new(), Anchor::Here(0), text))
    }

    fn segment(part: &str, case: Case) -> Segment {
        let pieces = pieces(part);
        let name = pieces.iter().map(|piece| match piece {
            Piece::Char(c) => Some(*c),
            Piece::Run | Piece::One | Piece::Class(..) => None,
        });
        let segment = match name.collect::<Option<String>>() {
            Some(name) => Segment::Name(name),
            None => Segment::Glob(pieces),
        };
        if case == Case::Folded { segment.folded() } else { segment }
    }

    /// The parts of a path on a command line, of which some may be globs, folded.
    pub(crate) fn glob_names(path: &Path) -> Vec<Segment> {
        let names = names_of(path).into_iter();
        names
            .map(|name| {
                if crate::expand::is_wild(&name) {
                    Self::segment(&name, Case::Folded)
                } else {
                    Segment::Name(fold(&name))
                }
            })
            .collect()
    }

    /// Whether any part of it is a wildcard.
    pub(crate) fn is_wild(&self) -> bool {
        self.segments.iter().any(|segment| !matches!(segment, Segment::Name(_)))
    }

    /// The names in front of the first wildcard, below the anchor.
    pub(crate) fn literal_start(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().map_while(|segment| match segment {
            Segment::Name(name) => Some(name.as_str()),
            Segment::Deep | Segment::Glob(_) => None,
        })
    }

    /// The name that must stand somewhere in a matching path, when the pattern floats.
    pub(crate) fn floating_name(&self) -> Option<&str> {
        match (self.segments.first(), self.segments.get(1)) {
            (Some(Segment::Deep), Some(Segment::Name(name))) => Some(name),
            _ => None,
        }
    }

    /// Whether it names `path` (below the anchor) or a folder above it. `is_tree`: the path stands for
    /// a folder with all that is below.
    pub(crate) fn matches(&self, path: &[String], is_tree: bool) -> bool {
        let (mut s, mut p) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            let fits = match self.segments.get(s) {
                None if self.reach == Reach::Whole || is_tree || p < path.len() => return true,
                None => false,
                Some(Segment::Deep) => {
                    retry = Some((s, p));
                    s += 1;
                    continue;
                }
                Some(Segment::Name(name)) => path.get(p) == Some(name),
                Some(Segment::Glob(pieces)) => path.get(p).is_some_and(|text| pieces_match(pieces, text)),
            };
            if fits {
                s += 1;
                p += 1;
            } else {
                match retry {
                    Some((deep, from)) if from < path.len() => {
                        retry = Some((deep, from + 1));
                        s = deep + 1;
                        p = from + 1;
                    }
                    _ => return false,
                }
            }
        }
    }

    /// Whether it names exactly `path` (below the anchor), not a folder above it; `dir/**` names `dir` too.
    pub(crate) fn matches_whole(&self, path: &[String]) -> bool {
        fn go(segments: &[Segment], path: &[String], reach: Reach, steps: &mut usize) -> bool {
            *steps += 1;
            match (segments.split_first(), path.split_first()) {
                _ if *steps > MOST_STEPS => false,
                (None, rest) => rest.is_none() || reach == Reach::Below,
                (Some((Segment::Deep, rest)), tail) => {
                    go(rest, path, reach, steps)
                        || tail.is_some_and(|(_, tail)| go(segments, tail, reach, steps))
                }
                (Some(_), None) => false,
                (Some((Segment::Name(wanted), rest)), Some((name, tail))) => {
                    wanted == name && go(rest, tail, reach, steps)
                }
                (Some((Segment::Glob(pieces), rest)), Some((name, tail))) => {
                    pieces_match(pieces, name) && go(rest, tail, reach, steps)
                }
            }
        }
        go(&self.segments, path, self.reach, &mut 0)
    }

    /// Whether a path that `glob` could stand for (or, with `is_deep`, something below it) could match.
    pub(crate) fn could_match_glob(&self, glob: &[Segment], is_deep: bool) -> bool {
        fn go(pattern: &[Segment], glob: &[Segment], is_deep: bool, steps: &mut usize) -> bool {
            *steps += 1;
            if *steps > MOST_STEPS {
                return true;
            }
            match (pattern.split_first(), glob.split_first()) {
                (None, _) => true,
                (Some(_), None) => is_deep || pattern.iter().all(|segment| *segment == Segment::Deep),
                (Some((Segment::Deep, rest)), Some((_, below))) => {
                    go(rest, glob, is_deep, steps) || go(pattern, below, is_deep, steps)
                }
                (Some((segment, rest)), Some((name, below))) => {
                    segment.meets(name) && go(rest, below, is_deep, steps)
                }
            }
        }
        go(&self.segments, glob, is_deep, &mut 0)
    }

    /// Whether something below the folder `path` (from the anchor, folded) could match.
    pub(crate) fn could_match_below(&self, path: &[String]) -> bool {
        let names: Vec<Segment> = path.iter().map(|name| Segment::Name(name.clone())).collect();
        self.could_match_glob(&names, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(effect: RuleEffect, pattern: &str, path: &str) -> bool {
        let places = Places { anchor: Path::new("/w"), home: Some(Path::new("/home/u")) };
        let pattern = PathPattern::new(pattern, effect, Case::Exact, places).unwrap();
        let names = names_of(Path::new(path));
        match pattern.anchor {
            Anchor::Root => pattern.matches(&names, false),
            Anchor::Here(ups) => {
                let base = 1_usize.saturating_sub(ups);
                (base == 0 || names.first().is_some_and(|name| name == "w"))
                    && pattern.matches(&names[base..], false)
            }
        }
    }

    #[test]
    fn anchors_are_read_as_documented() {
        use RuleEffect::{Allow, Deny};
        for (effect, pattern, path, expected) in [
            (Allow, "/docs/**", "/w/docs/a.md", true),
            (Allow, "/docs/**", "/docs/a.md", false),
            (Deny, "//etc/shadow", "/etc/shadow", true),
            (Deny, "/etc/shadow", "/w/etc/shadow", true),
            (Deny, "/etc/shadow", "/etc/shadow", false),
            (Deny, ".env", "/w/a/b/.env", true),
            (Deny, ".env", "/.env", false),
            (Allow, "src/**", "/w/src/app.ts", true),
            (Allow, "src/**", "/w/vendor/src/lib.js", false),
            (Deny, "src/**", "/w/vendor/src/lib.js", true),
            (Deny, "./src/**", "/w/vendor/src/lib.js", false),
            (Deny, "/src/**", "/w/vendor/src/lib.js", false),
            (Deny, "**/src/**", "/w/vendor/src/lib.js", true),
            (Deny, "a/b/**", "/w/x/a/b/c", false),
            (Deny, "~/.ssh/**", "/home/u/.ssh/id", true),
            (Deny, "../x", "/x", true),
            (Deny, "secrets/", "/w/secrets/a", true),
            (Deny, "secrets", "/w/secretsauce", false),
            (Allow, "*.md", "/w/a/b.md", true),
        ] {
            assert_eq!(check(effect, pattern, path), expected, "{effect} {pattern} {path}");
        }
    }
}
