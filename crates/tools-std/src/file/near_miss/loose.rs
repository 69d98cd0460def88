//! Search texts that are there but for blanks, quotes, case or characters that nobody sees.

use super::{MAX_CANDIDATES, MAX_SHOWN, Sought, difference, line_at, region};
use std::borrow::Cow;

/// A text without one kind of difference.
type Loosen = fn(&str) -> String;

/// What may differ between what a model wrote and what is in a file, the least first.
const DIFFERENCES: &[(&str, Loosen)] = &[
    ("blanks at the end of lines", |text| by_line(text, |line| line.trim_end().into())),
    ("indentation (tabs or the number of blanks)", |text| by_line(text, |line| line.trim_start().into())),
    ("blanks or tabs inside lines", |text| by_line(text, blanks_as_one)),
    ("empty lines", |text| lines(text.lines().filter(|line| !line.trim().is_empty()).map(Cow::from))),
    ("characters that are not seen (no-break blanks, zero-width ones)", |text| {
        text.chars().filter_map(visible).collect()
    }),
    ("where lines end", |text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
    ("all blanks", |text| text.chars().filter(|c| !is_blank(*c)).collect()),
    ("quotes or dashes", |text| text.chars().map(plain_mark).collect()),
    ("upper and lower case", |text| text.chars().map(lower).collect()),
];

/// What to tell about a search text that is there but for such differences.
pub(super) fn hint(text: &str, old: &str, sought: Sought) -> Option<String> {
    let all = |c: char| (!is_blank(c)).then(|| lower(plain_mark(c)));
    let needle: String = old.chars().filter_map(all).collect();
    if needle.is_empty() {
        return None;
    }
    // Offsets of the loosened characters in the text, to find the way back.
    let (mut loose, mut origin) = (String::with_capacity(text.len()), Vec::new());
    for (at, c) in text.char_indices() {
        if let Some(c) = all(c) {
            origin.extend(std::iter::repeat_n(at, c.len_utf8()));
            loose.push(c);
        }
    }
    let is_blank_from =
        |at: usize| text.get(at..).unwrap_or_default().chars().take_while(|c| *c != '\n').all(is_blank);
    let is_blank_to =
        |at: usize| text.get(..at).unwrap_or_default().chars().rev().take_while(|c| *c != '\n').all(is_blank);
    let (begins, ends) = (sought == Sought::Lines, sought == Sought::Lines || old.ends_with('\n'));
    let found: Vec<(usize, usize)> = loose
        .match_indices(&needle)
        .filter_map(|(at, _)| Some((*origin.get(at)?, *origin.get(at + needle.len() - 1)?)))
        .filter(|&(from, to)| {
            let after = to + text.get(to..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            (!begins || is_blank_to(from)) && (!ends || is_blank_from(after))
        })
        .take(MAX_CANDIDATES)
        .collect();
    let &(first, _) = found.first()?;
    // Whole lines are compared with the line ends around them.
    let framed = |text: String, begins: bool, ends: bool| {
        format!("{}{text}{}", if begins { "\n" } else { "" }, if ends { "\n" } else { "" })
    };
    let single = DIFFERENCES.iter().find(|(_, loosen)| {
        let wanted = loosen(old.strip_suffix('\n').unwrap_or(old));
        let has_lines = loosen("a\nb").contains('\n');
        let wanted = framed(wanted, begins && has_lines, ends && has_lines);
        !wanted.trim_matches('\n').is_empty() && format!("\n{}\n", loosen(text)).contains(&wanted)
    });
    let name = single.map_or("blanks, quotes, dashes or case", |(name, _)| *name);
    let regions: Vec<String> = found
        .iter()
        .map(|&(from, to)| {
            let first = line_at(text, from);
            region(text, first, line_at(text, to).min(first + MAX_SHOWN))
        })
        .collect();
    let shown = regions.join("\n  ...\n");
    let mut said =
        format!("it is there but for {name}; the file has (after the line number and a tab):\n{shown}");
    if let Some(difference) = difference::first(text, line_at(text, first), old, sought) {
        said.push('\n');
        said.push_str(&difference);
    }
    Some(said)
}

fn by_line(text: &str, change: fn(&str) -> Cow<'_, str>) -> String {
    lines(text.lines().map(change))
}

fn lines<'a>(lines: impl Iterator<Item = Cow<'a, str>>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

/// A line with each run of blanks inside of it as one blank.
fn blanks_as_one(line: &str) -> Cow<'_, str> {
    let start = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(start);
    let end = rest.trim_end().len();
    let (inside, after) = rest.split_at(end);
    format!(
        "{indent}{}{after}",
        inside.split([' ', '\t']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    )
    .into()
}

pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_unseen(c)
}

fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

/// The character as it looks; nothing for one that does not show.
fn visible(c: char) -> Option<char> {
    match c {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => Some(' '),
        _ => (!is_unseen(c)).then_some(c),
    }
}

fn plain_mark(c: char) -> char {
    match c {
        '"' | '`' | '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201f}' | '\u{2033}' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => c,
    }
}

pub(super) fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}
