//! Path rules of one kind and effect, found by the names that a path has, not by trying all of them.

use crate::path_pattern::{Anchor, PathPattern, Segment};
use crate::paths::{JudgedPath, Names};
use pegboard_tool_core::SettingSource;
use std::collections::HashMap;
use std::path::Path;

/// Rules by the literal start of their pattern.
#[derive(Debug, Default)]
pub(crate) struct PathIndex {
    patterns: Vec<Entry>,
    /// What rules that begin with `!` take back, from the rules of their source only.
    exceptions: Vec<(SettingSource, PathPattern)>,
    rooted: HashMap<String, Vec<usize>>,
    here: HashMap<String, Vec<usize>>,
    floating: HashMap<String, Vec<usize>>,
    rest: Vec<usize>,
}

/// The pattern of one rule.
#[derive(Debug)]
struct Entry {
    id: u32,
    source: SettingSource,
    pattern: PathPattern,
}

/// Whether rules with wildcards count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Wild {
    /// They do.
    Too,
    /// What is there is compared with them instead.
    Not,
}

/// Folders at which patterns without an anchor start.
#[derive(Debug)]
pub(crate) struct Heres<'a> {
    /// The project's folder, then for what forbids the working directory.
    pub(crate) folders: Vec<&'a Names>,
}

impl PathIndex {
    /// Adds the pattern of rule `id`.
    pub(crate) fn add(&mut self, id: u32, source: SettingSource, pattern: PathPattern) {
        let at = self.patterns.len();
        let start = pattern.literal_start().fold(String::new(), |mut key, name| {
            push(&mut key, &crate::fold::fold(name));
            key
        });
        match (pattern.anchor, pattern.floating_name()) {
            (Anchor::Root, _) => self.rooted.entry(start).or_default().push(at),
            (Anchor::Here(0), Some(name)) => {
                self.floating.entry(crate::fold::fold(name)).or_default().push(at);
            }
            (Anchor::Here(0), None) if !start.is_empty() => self.here.entry(start).or_default().push(at),
            (Anchor::Here(_), _) => self.rest.push(at),
        }
        self.patterns.push(Entry { id, source, pattern });
    }

    /// Adds what a rule takes back from the others of its source.
    pub(crate) fn add_exception(&mut self, source: SettingSource, pattern: PathPattern) {
        self.exceptions.push((source, pattern));
    }

    /// The rule of the highest source.
    pub(crate) fn first(&self) -> Option<u32> {
        self.patterns.iter().map(|entry| entry.id).min()
    }

    /// Whether there are no rules.
    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The strictest-source rule that matches the path in any spelling.
    pub(crate) fn forbids(&self, path: &JudgedPath, heres: &Heres<'_>) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let spared = self.spared(path, heres);
        let found = path
            .all_names()
            .filter_map(|names| self.find(names, &names.folded, path.is_tree, heres, &spared, true));
        found.min()
    }

    /// A rule for the path as named, when where it leads is matched too.
    pub(crate) fn permits(&self, path: &JudgedPath, heres: &Heres<'_>) -> Option<u32> {
        if self.is_empty() || path.canonical.is_none() || path.is_lossy {
            return None;
        }
        let taken = self.taken_back(path, heres);
        let find = |names: &Names| self.find(names, &names.exact, path.is_tree, heres, &taken, false);
        let named = find(&path.as_named)?;
        let leads_too = path.as_led.is_empty() || path.as_led.iter().any(|names| find(names).is_some());
        leads_too.then_some(named)
    }

    /// Sources whose forbidding rules do not mean this path: they say so of it exactly, and of where it leads.
    fn spared(&self, path: &JudgedPath, heres: &Heres<'_>) -> Vec<SettingSource> {
        if self.exceptions.is_empty() || path.canonical.is_none() || path.is_lossy || path.is_tree {
            return Vec::new();
        }
        let fits = |pattern: &PathPattern, names: &Names| {
            each_base(pattern, heres, &names.exact, |here| &here.exact, |below| pattern.matches(below, false))
        };
        let spares = self.exceptions.iter().filter(|(_, pattern)| {
            fits(pattern, &path.as_named)
                && (path.as_led.is_empty() || path.as_led.iter().any(|names| fits(pattern, names)))
        });
        spares.map(|(source, _)| *source).collect()
    }

    /// Sources whose permitting rules do not mean this path: they take it back in any spelling of it.
    fn taken_back(&self, path: &JudgedPath, heres: &Heres<'_>) -> Vec<SettingSource> {
        let takes = self.exceptions.iter().filter(|(_, pattern)| {
            path.all_names().any(|names| {
                each_base(
                    pattern,
                    heres,
                    &names.folded,
                    |here| &here.folded,
                    |below| {
                        pattern.matches(below, path.is_tree)
                            || path.is_tree && pattern.could_match_below(below)
                    },
                )
            })
        });
        takes.map(|(source, _)| *source).collect()
    }

    /// The first rule with a wildcard.
    pub(crate) fn first_wild(&self) -> Option<u32> {
        self.patterns.iter().filter(|entry| entry.pattern.is_wild()).map(|entry| entry.id).min()
    }

    /// A rule that could match something below the path, whatever is there now. `wild`: also one with wildcards.
    pub(crate) fn could_forbid_below(&self, path: &JudgedPath, wild: Wild, heres: &Heres<'_>) -> Option<u32> {
        let counts = |pattern: &PathPattern| wild == Wild::Too || !pattern.is_wild();
        let found = self.patterns.iter().filter(|Entry { pattern, .. }| {
            counts(pattern)
                && path.all_names().any(|names| match pattern.anchor {
                    Anchor::Root => pattern.could_match_below(&names.folded),
                    Anchor::Here(ups) => heres.folders.iter().any(|here| {
                        let base =
                            here.folded.get(..here.folded.len().saturating_sub(ups)).unwrap_or_default();
                        match names.folded.strip_prefix(base) {
                            Some(below) => pattern.could_match_below(below),
                            None => base.starts_with(&names.folded),
                        }
                    }),
                })
        });
        found.map(|entry| entry.id).min()
    }

    /// A rule that could match what a glob stands for, or with `is_deep` what is below that.
    pub(crate) fn could_forbid_glob(&self, glob: &Path, is_deep: bool, heres: &Heres<'_>) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let names = PathPattern::glob_names(glob);
        let found = self.patterns.iter().filter(|Entry { pattern, .. }| match pattern.anchor {
            Anchor::Root => pattern.could_match_glob(&names, is_deep),
            Anchor::Here(ups) => heres.folders.iter().any(|here| {
                let base = here.folded.get(..here.folded.len().saturating_sub(ups)).unwrap_or_default();
                let is_here = base.iter().zip(&names).all(|(folder, name)| could_be(name, folder));
                match names.get(base.len()..) {
                    Some(below) => is_here && pattern.could_match_glob(below, is_deep),
                    None => is_here && is_deep,
                }
            }),
        });
        found.map(|entry| entry.id).min()
    }

    fn find(
        &self,
        names: &Names,
        compared: &[String],
        is_tree: bool,
        heres: &Heres<'_>,
        without: &[SettingSource],
        is_folded: bool,
    ) -> Option<u32> {
        let mut best: Option<u32> = None;
        let mut consider = |at: &usize, below: &[String]| {
            if let Some(Entry { id, source, pattern }) = self.patterns.get(*at)
                && best.is_none_or(|best| *id < best)
                && !without.contains(source)
                && pattern.matches(below, is_tree)
            {
                best = Some(*id);
            }
        };
        each_start(&self.rooted, &names.folded, &mut |at| consider(at, compared));
        for here in &heres.folders {
            let base = if is_folded { &here.folded } else { &here.exact };
            for at in &self.rest {
                if let Some(Entry { pattern: PathPattern { anchor: Anchor::Here(ups), .. }, .. }) =
                    self.patterns.get(*at)
                    && let Some(base) = base.get(..base.len().saturating_sub(*ups))
                    && let Some(below) = compared.strip_prefix(base)
                {
                    consider(at, below);
                }
            }
            let Some(below) = compared.strip_prefix(base.as_slice()) else { continue };
            let folded = names.folded.get(base.len()..).unwrap_or_default();
            each_start(&self.here, folded, &mut |at| consider(at, below));
            if !self.floating.is_empty() {
                for name in folded {
                    self.floating.get(name).into_iter().flatten().for_each(|at| consider(at, below));
                }
            }
        }
        best
    }
}

fn could_be(name: &Segment, folder: &str) -> bool {
    match name {
        Segment::Deep => true,
        Segment::Name(name) => name == folder,
        Segment::Glob(pieces) => crate::text_glob::pieces_match(pieces, folder),
    }
}

/// Whether `fits` says yes for the names below some folder at which `pattern` starts.
pub(crate) fn each_base<'h>(
    pattern: &PathPattern,
    heres: &Heres<'h>,
    names: &[String],
    of: impl Fn(&'h Names) -> &'h Vec<String>,
    fits: impl Fn(&[String]) -> bool,
) -> bool {
    match pattern.anchor {
        Anchor::Root => fits(names),
        Anchor::Here(ups) => heres.folders.iter().any(|here| {
            let base = of(here);
            let base = base.get(..base.len().saturating_sub(ups)).unwrap_or_default();
            names.strip_prefix(base).is_some_and(&fits)
        }),
    }
}

/// Calls `found` for every rule whose literal start is a start of `names`.
fn each_start(map: &HashMap<String, Vec<usize>>, names: &[String], found: &mut dyn FnMut(&usize)) {
    if map.is_empty() {
        return;
    }
    let mut key = String::with_capacity(128);
    map.get(&key).into_iter().flatten().for_each(&mut *found);
    for name in names {
        push(&mut key, name);
        map.get(&key).into_iter().flatten().for_each(&mut *found);
    }
}

fn push(key: &mut String, name: &str) {
    key.push('/');
    key.push_str(name);
}
