//! Whether a path pattern of a host and one of a rule could name the same file. Errs towards yes.

use crate::doubt::Look;
use std::path::{Component, Path};

/// Patterns of more components than this count as able to name anything.
const MOST_PARTS: usize = 64;

/// Characters at which what is certain of a component ends.
const GLOB: [char; 7] = ['*', '?', '[', '{', '(', '!', '\\'];

/// Splits a rule into the tool's name and what stands in its brackets.
pub(crate) fn parts_of(rule: &str) -> (&str, Option<&str>) {
    match rule.split_once('(') {
        Some((tool, rest)) => {
            let rest = rest.trim_end();
            (tool.trim(), Some(rest.strip_suffix(')').unwrap_or(rest).trim()))
        }
        None => (rule.trim(), None),
    }
}

/// Whether the rule's `pattern` could name a file that `path` reaches: the file itself, one that the globs in it match, or
/// one below it.
pub(crate) fn could_name(pattern: &str, path: &Path, anchor: &Path, look: &Look<'_>) -> bool {
    let path = parts(&path.to_string_lossy());
    let meets = |base: &Path, rest: &str| {
        let mut rule = parts(&base.to_string_lossy());
        rule.extend(parts(rest));
        could_meet(&path, &rule)
    };
    let everywhere = |rest: &str| {
        let mut rule = vec!["**".to_owned()];
        rule.extend(parts(rest));
        could_meet(&path, &rule)
    };
    if let Some(rest) = pattern.strip_prefix("//") {
        return meets(Path::new("/"), rest);
    }
    if let Some(rest) = pattern.strip_prefix('~') {
        return look.home.is_none_or(|home| meets(home, rest));
    }
    if let Some(rest) = pattern.strip_prefix('/') {
        return meets(anchor, rest) || look.folders.iter().any(|folder| meets(folder, rest));
    }
    if !pattern.trim_end_matches('/').contains('/') {
        return everywhere(pattern);
    }
    meets(anchor, pattern) || look.folders.iter().any(|folder| meets(folder, pattern))
}

/// The components in lower case, without `.`; `..` takes one away where it is certain what.
fn parts(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_string_lossy().to_lowercase()),
            Component::ParentDir => {
                parts.pop();
            }
            Component::Prefix(prefix) => parts.push(prefix.as_os_str().to_string_lossy().to_lowercase()),
            Component::RootDir | Component::CurDir => {}
        }
    }
    parts
}

/// Whether the host's pattern and the rule's could name the same file, or one of them a folder above what the other names.
/// A glob of the host names files, not folders.
fn could_meet(left: &[String], right: &[String]) -> bool {
    if left.len() > MOST_PARTS || right.len() > MOST_PARTS {
        return true;
    }
    let names_folder = left.last().is_none_or(|last| !last.contains(GLOB));
    // reached[j]: the components so far of `left` could be those before `j` of `right`.
    let mut reached = vec![false; right.len() + 1];
    for at in 0..=left.len() {
        let before = std::mem::replace(&mut reached, vec![false; right.len() + 1]);
        for to in 0..=right.len() {
            let now = |list: &[bool], index: usize| list.get(index).copied().unwrap_or(false);
            let from_left = at.checked_sub(1).and_then(|index| left.get(index));
            let from_right = to.checked_sub(1).and_then(|index| right.get(index));
            let is_met = match (from_left, from_right) {
                (None, None) => true,
                (Some(one), None) => one == "**" && now(&before, to),
                (None, Some(other)) => other == "**" && now(&reached, to - 1),
                (Some(one), Some(other)) => {
                    let is_deep = one == "**" || other == "**";
                    is_deep && (now(&before, to) || now(&reached, to - 1) || now(&before, to - 1))
                        || could_be_equal(one, other) && now(&before, to - 1)
                }
            };
            if let Some(slot) = reached.get_mut(to) {
                *slot = is_met;
            }
            // What is left of the other pattern is below what is named.
            if is_met && (to == right.len() || names_folder && at == left.len()) {
                return true;
            }
        }
    }
    false
}

/// Whether two components could be the same name: what is certain at their starts and ends must agree.
fn could_be_equal(one: &str, other: &str) -> bool {
    const END: [char; 9] = ['*', '?', '[', ']', '{', '}', '(', ')', '\\'];
    match (one.find(GLOB), other.find(GLOB)) {
        (None, None) => one == other,
        (first, second) => {
            let start =
                |text: &'_ str, at: Option<usize>| text.get(..at.unwrap_or(text.len())).map(str::to_owned);
            let (left, right) =
                (start(one, first).unwrap_or_default(), start(other, second).unwrap_or_default());
            let end = |text: &str| text.rsplit(END).next().unwrap_or_default().to_owned();
            let (left_end, right_end) = (end(one), end(other));
            let is_long_enough = |text: &str, at: Option<usize>, start: &str, end: &str| {
                at.is_some() || text.len() >= start.len().max(end.len())
            };
            (left.starts_with(&right) || right.starts_with(&left))
                && (left_end.ends_with(&right_end) || right_end.ends_with(&left_end))
                && is_long_enough(one, first, &right, &right_end)
                && is_long_enough(other, second, &left, &left_end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_that_could_be_equal() {
        for (one, other) in [
            ("a", "a"),
            ("*", "x"),
            ("*.rs", "a.rs"),
            ("a*", "*b"),
            ("{a,b}", "b"),
            ("a?c", "abc"),
            ("[ab]c", "bc"),
        ] {
            assert!(could_be_equal(one, other) && could_be_equal(other, one), "{one} {other}");
        }
        for (one, other) in [("a", "b"), ("*.rs", "a.pem"), ("*.rs", "*.pem"), ("a*", "b*"), ("abc*", "ab")] {
            assert!(!could_be_equal(one, other) && !could_be_equal(other, one), "{one} {other}");
        }
    }
}
