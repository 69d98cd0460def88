//! Lines that people write and git takes for something else: `./x`, `a\b`, `x # why`, the path of the project in
//! front. What they mean is closed beside what they say; it never opens anything.

use std::path::Path;

/// What people mean by a line of the ignore file of `folder`, as a pattern; nothing when that is what it says.
pub(super) fn of(line: &str, folders: &[&Path]) -> Option<String> {
    if is_none(line) || line.starts_with('!') {
        return None;
    }
    let line_without = without_comment(line).trim_start_matches([' ', '\t']);
    let trimmed = line_without.trim_end_matches([' ', '\t']);
    // A blank that is escaped at the end is a part of the name.
    let told = if trimmed.ends_with('\\') { line_without } else { trimmed };
    let below = folders.iter().find_map(|folder| below(told, folder));
    let path = with_slashes(below.as_deref().unwrap_or(told));
    let is_anchored = path.starts_with("./") || path.starts_with('/');
    let is_folder = path.ends_with('/');
    let names: Vec<&str> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    let sign = |is: bool| if is { "/" } else { "" };
    let meant = format!("{}{}{}", sign(is_anchored), names.join("/"), sign(is_folder));
    let says = if trimmed.ends_with('\\') { line } else { line.trim_end_matches(' ') };
    // A blank before `!` takes its meaning.
    (!names.is_empty() && !meant.starts_with('!') && meant != says).then_some(meant)
}

/// What is odd about a line, in words for the operator.
pub(super) fn doubt(line: &str, folders: &[&Path]) -> Option<String> {
    if is_none(line) {
        return None;
    }
    let (path, opens) = match line.strip_prefix('!') {
        Some(path) => (path, true),
        None => (line, false),
    };
    let path = path.trim();
    let names = || path.split('/');
    if names().any(|name| name == "..") {
        return Some("names nothing, because `..` leads out of the folder or back".to_owned());
    }
    if path.starts_with("~/") {
        return Some("names nothing in the home folder: patterns start at the folder of the file".to_owned());
    }
    let is_absolute = Path::new(path).is_absolute() && names().filter(|name| !name.is_empty()).count() > 1;
    let is_elsewhere = |folder: &&Path| {
        let first = names().find(|name| !name.is_empty()).unwrap_or_default();
        folder.join(first).symlink_metadata().is_err() && Path::new(path).symlink_metadata().is_ok()
    };
    if is_absolute && folders.iter().all(|folder| below(path, folder).is_none() && is_elsewhere(folder)) {
        return Some(
            "names nothing outside of the folder: `/` in front means the folder of the file".to_owned(),
        );
    }
    if opens {
        let closes = of(path, folders)?;
        return Some(format!("opens nothing; `!{closes}` is meant, perhaps"));
    }
    let meant = of(line, folders)?;
    // Escaped letters are what git takes them for.
    let line_as_path = line.replace('\\', "/");
    let bare = |path: &str| path.strip_prefix('/').unwrap_or(path).to_owned();
    let is_plain = bare(&meant) == bare(&line_as_path);
    (!is_plain || line.contains('\\') && !line.starts_with('\\'))
        .then(|| format!("is taken literally, as git does; `{meant}` is closed beside it"))
}

fn is_none(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// A line without a comment behind its pattern.
fn without_comment(line: &str) -> &str {
    match line.find(" #").or_else(|| line.find("\t#")) {
        Some(at) => line.get(..at).filter(|told| !told.ends_with('\\')).unwrap_or(line),
        None => line,
    }
}

/// A path below `folder` as a pattern that starts there.
fn below(path: &str, folder: &Path) -> Option<String> {
    let rest = Path::new(path).strip_prefix(folder).ok()?;
    let end = if path.ends_with('/') { "/" } else { "" };
    (!rest.as_os_str().is_empty()).then(|| format!("/{}{end}", rest.to_string_lossy()))
}

/// A path whose folders may be parted as on Windows. A `\` before a sign of a pattern or a blank takes its meaning.
fn with_slashes(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut signs = path.chars().peekable();
    while let Some(sign) = signs.next() {
        match (sign, signs.peek()) {
            ('\\', Some(next)) if next.is_alphanumeric() || matches!(next, '.' | '_' | '-') => out.push('/'),
            ('\\', Some(_)) => {
                out.push(sign);
                out.extend(signs.next());
            }
            _ => out.push(sign),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_mean_is_told_from_what_they_say() {
        let folder = Path::new("/no/such/project");
        for (line, expected, is_odd) in [
            ("x.txt", None, false),
            ("*.key  ", None, false),
            ("/top/", None, false),
            ("a b\\ ", None, false),
            ("\\#x", None, false),
            ("\\!x", None, false),
            ("# comment", None, false),
            ("x#y", None, false),
            ("", None, false),
            ("{a,b}/c", None, false),
            ("./x.txt", Some("/x.txt"), true),
            ("././x/", Some("/x/"), true),
            ("sub/./x.txt", Some("sub/x.txt"), true),
            ("sub//x.txt", Some("sub/x.txt"), true),
            ("//x.txt", Some("/x.txt"), true),
            ("sub\\x.txt", Some("sub/x.txt"), true),
            (".\\sub\\x.txt", Some("/sub/x.txt"), true),
            ("\\a", Some("/a"), false),
            ("/no/such/project/sub/x", Some("/sub/x"), true),
            ("x.txt # comment", Some("x.txt"), true),
            ("x.txt\t# comment", Some("x.txt"), true),
            (" x.txt", Some("x.txt"), true),
            ("x.txt\t", Some("x.txt"), true),
            (" # comment", None, false),
            ("a\\ #b", None, false),
            ("../x", None, true),
            ("~/x", None, true),
            ("/usr/bin/env", None, true),
            ("!./x", None, true),
            ("!x", None, false),
            (" !x", None, false),
            ("./!x", Some("/!x"), true),
        ] {
            assert_eq!(of(line, &[folder]).as_deref(), expected, "{line:?}");
            assert_eq!(doubt(line, &[folder]).is_some(), is_odd, "{line:?}: {:?}", doubt(line, &[folder]));
        }
    }
}
