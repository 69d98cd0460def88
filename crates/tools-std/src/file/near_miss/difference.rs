//! The first line in which a place of a file and a search text differ, written so that it shows.

use super::Sought;

/// Characters of a line that are shown around the difference.
const AROUND: usize = 60;

/// How the lines from `line` (from 1) on and those of `old` differ first; `None` when they do not.
pub(super) fn first(text: &str, line: usize, old: &str, sought: Sought) -> Option<String> {
    let mut there = text.lines().skip(line.saturating_sub(1));
    let height = old.lines().count();
    for (index, wanted) in old.lines().enumerate() {
        let number = line + index;
        let Some(found) = there.next() else {
            return Some(format!(
                "the file ends before line {number}; your text goes on with {}",
                quoted(wanted, 0)
            ));
        };
        // A search text may begin and end within a line; what ends in a line end does not.
        let begins_within = index == 0 && sought == Sought::Text;
        let ends_within = index + 1 == height && sought == Sought::Text && !old.ends_with('\n');
        let fits = match (begins_within, ends_within) {
            (true, true) => found.contains(wanted),
            (true, false) => found.ends_with(wanted),
            (false, true) => found.starts_with(wanted) && !wanted.is_empty(),
            (false, false) => found == wanted,
        };
        if fits {
            continue;
        }
        let same = found.chars().zip(wanted.chars()).take_while(|(a, b)| a == b).count();
        return Some(format!(
            "first difference, line {number}: the file has {}, your text has {}{}",
            quoted(found, same),
            quoted(wanted, same),
            odd(found, wanted, same)
        ));
    }
    None
}

/// A line with its blanks and odd characters written out, from a little before character `at` on.
fn quoted(line: &str, at: usize) -> String {
    let from = at.saturating_sub(AROUND / 2);
    let shown: String = line.chars().skip(from).take(AROUND).collect();
    let before = if from > 0 { "..." } else { "" };
    let after = if line.chars().count() > from + AROUND { "..." } else { "" };
    format!("{before}{shown:?}{after}")
}

/// The characters at the difference by number, when one is not a plain one.
fn odd(found: &str, wanted: &str, at: usize) -> String {
    let is_odd = |c: Option<char>| c.is_some_and(|c| !c.is_ascii());
    let (found, wanted) = (found.chars().nth(at), wanted.chars().nth(at));
    if !is_odd(found) && !is_odd(wanted) {
        return String::new();
    }
    let number = |c: Option<char>| c.map_or("nothing".to_owned(), |c| format!("U+{:04X}", u32::from(c)));
    format!(" ({} there, {} in yours)", number(found), number(wanted))
}
