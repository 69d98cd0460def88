//! Which known name was probably meant.

/// Names are compared up to this many characters, and only this many of them.
const COMPARED_CHARS: usize = 64;
const COMPARED_NAMES: usize = 256;

/// Similarity from which a name is worth saying, of 1.
const ENOUGH: f64 = 0.6;

/// The one of `names` that is nearest to `given`; the first of equals.
pub(crate) fn nearest<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given = plain(given);
    let mut best: Option<(f64, &str)> = None;
    for name in names.take(COMPARED_NAMES) {
        let similarity = similarity(&given, &plain(name));
        if similarity >= ENOUGH && best.is_none_or(|(most, _)| similarity > most) {
            best = Some((similarity, name));
        }
    }
    best.map(|(_, name)| name)
}

fn similarity(one: &str, other: &str) -> f64 {
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    // `path` for `file_path`, `command_line` for `command`.
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let part =
        if short.len() >= 4 && (long.starts_with(short) || long.ends_with(short)) { 0.75 } else { 0.0 };
    strsim::normalized_damerau_levenshtein(one, other).max(part)
}

/// Lower case, without the separators that styles of names differ in.
fn plain(name: &str) -> String {
    name.chars()
        .take(COMPARED_CHARS)
        .filter(|letter| !matches!(letter, '_' | '-' | ' ' | '.'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_across_styles() {
        let names = ["file_path", "old_string", "new_string", "replace_all"];
        for (given, expected) in [
            ("filePath", Some("file_path")),
            ("path", Some("file_path")),
            ("oldString", Some("old_string")),
            ("old_str", Some("old_string")),
            ("replaceall", Some("replace_all")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, names.into_iter()), expected, "{given}");
        }
    }
}
