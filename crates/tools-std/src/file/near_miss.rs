//! Help for an edit whose search text is nowhere: the closest lines, and what differs.

use super::lines::{cut_line, line_at, numbered, region};
use std::collections::HashSet;

const MAX_CANDIDATES: usize = 3;
/// Beyond this a text is only searched for differences in blanks, quotes and case, not for likeness.
const MAX_COMPARED_LINES: usize = 20_000;
const MAX_COMPARED_CHARS: usize = 300;
/// Beyond this nothing is compared at all.
const MAX_COMPARED_BYTES: usize = 8 * 1024 * 1024;
const LIKE_ENOUGH: f64 = 0.6;

/// What is left of a character when a difference does not count.
type Loosen = fn(char) -> Option<char>;

/// What may differ between what a model wrote and what is in a file.
const DIFFERENCES: &[(&str, Loosen)] = &[
    ("blanks, tabs or indentation", |c| (!is_blank(c)).then_some(c)),
    ("quotes or dashes", |c| Some(plain_mark(c))),
    ("upper and lower case", |c| Some(lower(c))),
];

/// What to tell a model that looked for `old` in `text`.
pub(crate) fn explain(text: &str, old: &str) -> String {
    if text.len() > MAX_COMPARED_BYTES {
        return "the file is too large to look for what is like it; find the part with Grep".to_owned();
    }
    let text = &text.replace("\r\n", "\n");
    let old = &old.replace("\r\n", "\n");
    if let Some(hint) = line_number_hint(text, old) {
        return hint;
    }
    if let Some(hint) = loose_hint(text, old) {
        return hint;
    }
    let candidates = likely_lines(text, old);
    if candidates.is_empty() {
        return "nothing in the file is like it; read the file again".to_owned();
    }
    let height = old.lines().count().max(1);
    let regions: Vec<String> = candidates.iter().map(|&line| region(text, line, line + height - 1)).collect();
    format!("the closest lines are:\n{}", regions.join("\n  ...\n"))
}

/// The search text begins each line with the number that Read shows.
fn line_number_hint(text: &str, old: &str) -> Option<String> {
    let without: Option<Vec<&str>> = old
        .lines()
        .map(|line| {
            let (number, rest) = line.split_once('\t')?;
            let number = number.trim_start();
            (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
        })
        .collect();
    let without = without.filter(|lines| !lines.is_empty())?.join("\n");
    text.contains(&without).then(|| {
        "it begins with line numbers: Read shows them before the text, they are not in the file; leave out the \
         number and the tab after it"
            .to_owned()
    })
}

/// The search text is there but for blanks, quotes or case.
fn loose_hint(text: &str, old: &str) -> Option<String> {
    let all = |c: char| (!is_blank(c)).then(|| lower(plain_mark(c)));
    let needle: String = old.trim().chars().filter_map(all).collect();
    if needle.is_empty() {
        return Some("it is blank; give a part with text in it".to_owned());
    }
    // Offsets of the loosened characters in the text, to find the way back.
    let (mut loose, mut origin) = (String::with_capacity(text.len()), Vec::new());
    for (at, c) in text.char_indices() {
        if let Some(c) = all(c) {
            origin.extend(std::iter::repeat_n(at, c.len_utf8()));
            loose.push(c);
        }
    }
    let found: Vec<(usize, usize)> = loose
        .match_indices(&needle)
        .take(MAX_CANDIDATES)
        .filter_map(|(at, _)| Some((*origin.get(at)?, *origin.get(at + needle.len() - 1)?)))
        .collect();
    if found.is_empty() {
        return None;
    }
    let single = DIFFERENCES.iter().filter(|(_, loosen)| {
        let loose = |text: &str| text.chars().filter_map(loosen).collect::<String>();
        loose(text).contains(&loose(old))
    });
    let mut names: Vec<&str> = single.map(|(name, _)| *name).collect();
    if names.is_empty() {
        names = DIFFERENCES.iter().map(|(name, _)| *name).collect();
    }
    let regions: Vec<String> =
        found.iter().map(|&(from, to)| region(text, line_at(text, from), line_at(text, to))).collect();
    Some(format!(
        "it is there but for {}; the file has (after the line number and a tab):\n{}",
        names.join(", "),
        show_tabs(&regions.join("\n  ...\n"), old)
    ))
}

/// Makes tabs of the lines visible when the search text has none, or blanks where it has tabs.
fn show_tabs(regions: &str, old: &str) -> String {
    let has_tabs =
        regions.lines().filter_map(|line| line.split_once('\t')).any(|(_, text)| text.contains('\t'));
    match (has_tabs, old.contains('\t')) {
        (true, false) => format!("{regions}\n(the file has tabs where your text has blanks)"),
        (false, true) => format!("{regions}\n(the file has blanks where your text has tabs)"),
        _ => regions.to_owned(),
    }
}

/// First lines of the places that are most like the longest line of `old`.
fn likely_lines(text: &str, old: &str) -> Vec<usize> {
    let Some((offset, wanted)) = old.lines().enumerate().max_by_key(|(_, line)| line.trim().len()) else {
        return Vec::new();
    };
    let wanted = pairs(wanted);
    let mut scored: Vec<(f64, usize)> = text
        .lines()
        .take(MAX_COMPARED_LINES)
        .enumerate()
        .map(|(index, line)| (likeness(&wanted, &pairs(line)), index))
        .filter(|(score, _)| *score >= LIKE_ENOUGH)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(MAX_CANDIDATES);
    scored.into_iter().map(|(_, index)| (index + 1).saturating_sub(offset).max(1)).collect()
}

/// Pairs of neighbouring characters, blanks left out.
fn pairs(line: &str) -> HashSet<(char, char)> {
    let chars: Vec<char> =
        line.chars().filter(|c| !is_blank(*c)).take(MAX_COMPARED_CHARS).map(lower).collect();
    chars.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect()
}

fn likeness(a: &HashSet<(char, char)>, b: &HashSet<(char, char)>) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let common = a.intersection(b).count();
    2.0 * common as f64 / (a.len() + b.len()) as f64
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{200b}' || c == '\u{feff}'
}

fn plain_mark(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201f}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => c,
    }
}

fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// The beginning of `text`, for when there is nothing better to show.
pub(crate) fn beginning(text: &str, max_lines: usize) -> String {
    let lines: Vec<String> = text.lines().take(max_lines).map(|line| cut_line(line, 300).0).collect();
    numbered(1, lines.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_differs() {
        insta::assert_snapshot!(explain("if x:\n\ty = 1\n\tz = 2\n", "    y = 1\n    z = 2"), @r"
        it is there but for blanks, tabs or indentation; the file has (after the line number and a tab):
             2		y = 1
             3		z = 2
        (the file has tabs where your text has blanks)
        ");
        insta::assert_snapshot!(explain("It\u{2019}s\n", "It's"), @r"
        it is there but for quotes or dashes; the file has (after the line number and a tab):
             1	It’s
        ");
        insta::assert_snapshot!(explain("one\nTwo three\n", "two three"), @r"
        it is there but for upper and lower case; the file has (after the line number and a tab):
             2	Two three
        ");
        insta::assert_snapshot!(explain("one\ntwo\n", "     2\ttwo"), @"it begins with line numbers: Read shows them before the text, they are not in the file; leave out the number and the tab after it");
    }

    #[test]
    fn shows_the_closest_lines() {
        let text = "fn alpha(value: u32) -> u32 {\n    value + 1\n}\n\nfn omega() {}\n";
        insta::assert_snapshot!(explain(text, "fn alpha(value: i64) -> i64 {"), @r"
        the closest lines are:
             1	fn alpha(value: u32) -> u32 {
        ");
        insta::assert_snapshot!(explain(text, "SELECT * FROM users"), @"nothing in the file is like it; read the file again");
    }
}
