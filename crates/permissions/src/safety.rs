//! What is guarded whatever the rules say: protected paths and critical removals.

use crate::fold::fold;
use crate::path_pattern::names_of;
use crate::protected_names::{CONFIG_FOLDERS, FILES, FOLDERS, PLACES};
use crate::text_glob::star_match;
use pegboard_tool_core::ContextSnapshot;
use std::path::{Path, PathBuf};

/// The part of a path that makes it protected: a name, a place of the system, a store of this program (`stores`), or
/// a git folder under another name (`git`).
pub(crate) fn protected<'p>(
    path: &Path,
    stores: impl Iterator<Item = &'p Path>,
    git: &[PathBuf],
) -> Option<String> {
    let names: Vec<String> = names_of(path).iter().map(|name| bare(&fold(name))).collect();
    for (at, name) in names.iter().enumerate() {
        let next = names.get(at + 1).map(String::as_str);
        let is_worktree = name == ".claude" && next == Some("worktrees") && names.len() > at + 2;
        let is_start_up = name == ".config" && next.is_some_and(|next| CONFIG_FOLDERS.contains(&next));
        if FOLDERS.contains(&name.as_str()) && !is_worktree || is_start_up || FILES.contains(&name.as_str()) {
            return Some(name.clone());
        }
    }
    let is_below = |folder: &Path| {
        let folder = names_of(folder);
        folder.len() <= names.len()
            && folder.iter().zip(&names).all(|(wanted, name)| bare(&fold(wanted)) == *name)
    };
    if let Some(place) = PLACES.iter().find(|place| is_below(Path::new(place))) {
        return Some((*place).to_owned());
    }
    if git.iter().any(|folder| is_below(folder)) {
        return Some("the git folder".to_owned());
    }
    let mut stores = stores;
    stores.any(is_below).then(|| "a store of this program".to_owned())
}

/// How far below a folder, and through how many names, is looked for something protected.
const DEEPEST: usize = 3;
const MOST_NAMES: usize = 5_000;

/// Something protected that lies in a folder, or that it holds too much to tell.
pub(crate) fn protected_below(folder: &Path) -> Option<String> {
    let mut left = MOST_NAMES;
    let mut open = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            left -= 1;
            if left == 0 {
                return Some("too much to look through".to_owned());
            }
            let name = bare(&fold(&entry.file_name().to_string_lossy()));
            if FOLDERS.contains(&name.as_str()) || FILES.contains(&name.as_str()) {
                return Some(format!("`{name}`"));
            }
            if depth < DEEPEST && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push((entry.path(), depth + 1));
            }
        }
    }
    None
}

/// Whether a folder is the root of a repository: removing it takes the history away.
pub(crate) fn is_repository_root(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

/// A protected name that a path with wildcards could stand for. As in bash, a wildcard does not match a dot at the
/// beginning of a name.
pub(crate) fn could_be_protected(named: &str) -> Option<&'static str> {
    let wild = named.split('/').filter(|name| name.starts_with('.') && name.contains(['*', '?', '[']));
    wild.map(|name| widened(&fold(name)))
        .find_map(|pattern| FOLDERS.iter().chain(FILES).find(|name| star_match(&pattern, name)))
        .copied()
}

/// A protected name that stands anywhere in a line that cannot be understood.
pub(crate) fn mentions_protected(line: &str) -> Option<&'static str> {
    let line = fold(line);
    let goes_on = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
    let stands = |name: &str| {
        line.match_indices(name).any(|(at, _)| {
            let before = line.get(..at).and_then(|before| before.chars().next_back());
            let after = line.get(at + name.len()..).and_then(|after| after.chars().next());
            !before.is_some_and(goes_on) && !after.is_some_and(|letter| goes_on(letter) || letter == '.')
        })
    };
    FOLDERS.iter().chain(FILES).find(|name| stands(name)).copied()
}

/// Every wildcard as a star: matches at least what the pattern matches.
fn widened(pattern: &str) -> String {
    let mut wide = String::with_capacity(pattern.len());
    let mut in_class = false;
    for letter in pattern.chars() {
        match letter {
            '[' if !in_class => {
                in_class = true;
                wide.push('*');
            }
            ']' if in_class => in_class = false,
            _ if in_class => {}
            '?' => wide.push('*'),
            other => wide.push(other),
        }
    }
    wide
}

/// Some file systems ignore dots and blanks at the end of a name.
fn bare(name: &str) -> String {
    let cut = name.trim_end_matches(['.', ' ']);
    if cut.is_empty() { name.to_owned() } else { cut.to_owned() }
}

/// Whether removing `target` (as named, absolute in `absolute`) would take away a system folder, the
/// home directory, or the ground we stand on.
pub(crate) fn is_critical_removal(target: &str, absolute: &Path, cwd: &Path, ctx: &ContextSnapshot) -> bool {
    if let Some(rest) = target.strip_prefix('$').or_else(|| target.strip_prefix("\"$")) {
        let after = rest
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '{' | '}' | '"'));
        if after.starts_with('/')
            && after.trim_start_matches('/').bytes().all(|byte| matches!(byte, b'*' | b'.' | b'?'))
        {
            return true;
        }
    }
    let has_glob = |name: &std::ffi::OsStr| name.to_string_lossy().contains(['*', '?', '[']);
    if absolute.file_name().is_some_and(has_glob) {
        let Some(folder) = absolute.parent() else { return true };
        return depth(folder) <= 1
            || is_home(folder, ctx)
            || ctx.directories.iter().any(|directory| directory.starts_with(folder))
            || is_above(folder, cwd)
            || is_above(folder, &ctx.project_dir);
    }
    let is_macos_private = absolute.strip_prefix("/private").is_ok_and(|rest| depth(rest) <= 1);
    depth(absolute) <= 1
        || is_macos_private
        || is_home(absolute, ctx)
        || cwd.starts_with(absolute)
        || ctx.project_dir.starts_with(absolute)
}

fn depth(path: &Path) -> usize {
    names_of(path).len() - usize::from(cfg!(windows)).min(names_of(path).len())
}

fn is_home(path: &Path, ctx: &ContextSnapshot) -> bool {
    ctx.home.as_deref().is_some_and(|home| home.starts_with(path))
}

fn is_above(folder: &Path, place: &Path) -> bool {
    place != folder && place.starts_with(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_paths_are_found_at_any_depth_and_in_any_spelling() {
        for (path, expected) in [
            ("/w/.git/config", true),
            ("/w/vendor/lib/.GIT/config", true),
            ("/w/.git./config", true),
            ("/w/.gitignore", false),
            ("/w/.github/workflows/ci.yml", false),
            ("/w/.claude/worktrees/a/x", false),
            ("/w/.claude/worktrees", true),
            ("/w/.claude/worktrees/a/.git/config", true),
            ("/home/u/.config/git/config", true),
            ("/home/u/.bashrc", true),
            ("/home/u/.config/fish/config.fish", true),
            ("/home/u/.config/systemd/user/x.service", true),
            ("/home/u/.config/nvim/init.lua", false),
            ("/home/u/.ssh/authorized_keys", true),
            ("/etc/profile.d/x.sh", true),
            ("/etc/profile", true),
            ("/etc/hosts", false),
            ("/w/etc/profile", false),
            ("/var/spool/cron/crontabs/u", true),
            ("/store/git/hooks/x", true),
            ("/state/pegboard/x", true),
            ("/w/a", false),
        ] {
            let stores = [Path::new("/state/pegboard")];
            let found = protected(Path::new(path), stores.into_iter(), &["/store/git".into()]);
            assert_eq!(found.is_some(), expected, "{path}");
        }
    }

    #[test]
    fn wildcards_that_reach_a_protected_name_are_seen() {
        for (named, expected) in [
            (".g*", true),
            (".[g]it", true),
            (".??*", true),
            (".g*/description", true),
            ("sub/.GI?/x", true),
            ("*", false),
            ("src/*.rs", false),
            (".qq*", false),
        ] {
            assert_eq!(could_be_protected(named).is_some(), expected, "{named}");
        }
    }

    #[test]
    fn critical_removals_are_known() {
        let mut ctx = ContextSnapshot::new("/w/p", "s");
        ctx.home = Some("/home/u".into());
        for (target, expected) in [
            ("/", true),
            ("/usr", true),
            ("/usr/x", false),
            ("/home/u", true),
            ("/w/p", true),
            ("/w", true),
            ("/w/p/build", false),
            ("/home/u/*", true),
            ("/*", true),
            ("/w/*", true),
            ("/w/p/*", false),
        ] {
            assert_eq!(
                is_critical_removal(target, Path::new(target), Path::new("/w/p"), &ctx),
                expected,
                "{target}"
            );
        }
        for target in ["$DIR/*", "\"$DIR\"/*", "${DIR}/", "$DIR/"] {
            assert!(is_critical_removal(target, Path::new("/w/p/x/y"), Path::new("/w/p"), &ctx), "{target}");
        }
    }
}
