//! Help for an edit whose search text is nowhere: the closest lines, and what differs. It only says; what
//! is changed is for the next call to say.

mod difference;
mod loose;

use super::line_ends;
use super::lines::{cut_line, line_at, numbered, region};
use std::collections::HashSet;

const MAX_CANDIDATES: usize = 3;
/// Beyond this a text is only searched for differences in blanks, quotes and case, not for likeness.
const MAX_COMPARED_LINES: usize = 20_000;
const MAX_COMPARED_CHARS: usize = 300;
/// Beyond this nothing is compared at all.
const MAX_COMPARED_BYTES: usize = 8 * 1024 * 1024;
const LIKE_ENOUGH: f64 = 0.6;
/// Lines of a region that are shown at most.
const MAX_SHOWN: usize = 30;

/// What a search text is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Sought {
    /// A text, which may begin and end within a line.
    Text,
    /// Whole lines.
    Lines,
}

/// What to tell a model that looked for `old` in `text`.
pub(crate) fn explain(text: &str, old: &str, sought: Sought) -> String {
    if text.len() > MAX_COMPARED_BYTES || old.len() > MAX_COMPARED_BYTES {
        return "the file is too large to look for what is like it; find the part with Grep".to_owned();
    }
    let lf = |given: &str| match line_ends::ends_in_cr(text) {
        true => given.replace("\r\n", "\n").replace('\r', "\n"),
        false => given.replace("\r\n", "\n"),
    };
    let (text, old) = (&lf(text), &lf(old));
    if old.trim().is_empty() {
        return "it is blank; give a part with text in it".to_owned();
    }
    line_number_hint(text, old)
        .or_else(|| escape_hint(text, old))
        .or_else(|| loose::hint(text, old, sought))
        .or_else(|| if sought == Sought::Lines { within_lines(text, old) } else { None })
        .unwrap_or_else(|| closest(text, old, sought))
}

/// Says that lines are there, but begin or end in the middle of one.
fn within_lines(text: &str, old: &str) -> Option<String> {
    let old = old.strip_suffix('\n').unwrap_or(old);
    let at = text.find(old)?;
    let (first, last) = (line_at(text, at), line_at(text, at + old.len()));
    if first == last {
        return Some(format!("it is only a part of line {first}; a block holds whole lines"));
    }
    let begins = at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n');
    let what = if begins {
        format!("its last line is only a part of line {last}")
    } else {
        format!("its first line is only a part of line {first}")
    };
    Some(format!(
        "{what}; a block holds whole lines. The file has:\n{}",
        region(text, first, last.min(first + MAX_SHOWN))
    ))
}

/// The lines that are most like the search text.
fn closest(text: &str, old: &str, sought: Sought) -> String {
    let candidates = likely_lines(text, old);
    let Some(&best) = candidates.first() else {
        return "nothing in the file is like it; read the file again".to_owned();
    };
    let height = old.lines().count().clamp(1, MAX_SHOWN);
    let regions: Vec<String> = candidates.iter().map(|&line| region(text, line, line + height - 1)).collect();
    let shown = regions.join("\n  ...\n");
    match difference::first(text, best, old, sought) {
        Some(difference) => format!("the closest lines are:\n{shown}\n{difference}"),
        None => format!("the closest lines are:\n{shown}"),
    }
}

/// The search text begins each line with the number that Read shows.
fn line_number_hint(text: &str, old: &str) -> Option<String> {
    let without: Option<Vec<&str>> = old
        .lines()
        .map(|line| {
            let (number, rest) = line.split_once(['\t', '\u{2192}'])?;
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

/// The search text is there once its escapes are what they stand for, or the other way round.
fn escape_hint(text: &str, old: &str) -> Option<String> {
    let real = old.replace("\\r\\n", "\n").replace("\\n", "\n").replace("\\t", "\t");
    if real != old && text.contains(&real) {
        let text = "it has `\\n` or `\\t` as two letters where the file has a real line end or tab; write the real \
                    characters";
        return Some(text.to_owned());
    }
    let quotes = old.replace("\\\"", "\"").replace("\\'", "'").replace("\\\\", "\\");
    if quotes != old && text.contains(&quotes) {
        return Some(
            "it has a `\\` before quotes or other characters that the file has not; leave it out".to_owned(),
        );
    }
    let escaped = old.replace('\\', "\\\\").replace('"', "\\\"");
    let letters = old.replace('\n', "\\n").replace('\t', "\\t");
    let is_escaped = |form: &String| *form != old && text.contains(form.as_str());
    [&escaped, &letters].into_iter().any(is_escaped).then(|| {
        "the file has it with escapes (such as `\\n`, `\\\"` or `\\\\`), your text without; write the letters that \
         the file has"
            .to_owned()
    })
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
        line.chars().filter(|c| !loose::is_blank(*c)).take(MAX_COMPARED_CHARS).map(loose::lower).collect();
    chars.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect()
}

fn likeness(a: &HashSet<(char, char)>, b: &HashSet<(char, char)>) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let common = a.intersection(b).count();
    2.0 * common as f64 / (a.len() + b.len()) as f64
}

/// The beginning of `text`, for when there is nothing better to show.
pub(crate) fn beginning(text: &str, max_lines: usize) -> String {
    let lines: Vec<String> = text.lines().take(max_lines).map(|line| cut_line(line, 300).0).collect();
    numbered(1, lines.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explain(text: &str, old: &str) -> String {
        super::explain(text, old, Sought::Text)
    }

    #[test]
    fn the_cause_is_named() {
        for (text, old, sought, says) in [
            ("    total = 1\n", "total = 1\n", Sought::Lines, "but for indentation"),
            ("total = 1  \n", "total = 1\n", Sought::Lines, "but for blanks at the end of lines"),
            ("a\n  total = 1\n  b\n", "total = 1\nb\n", Sought::Lines, "but for indentation"),
            ("x total = 1\nb\n", "total = 1\nb\n", Sought::Lines, "its first line is only a part of line 1"),
            ("a\nb c\n", "a\nb\n", Sought::Lines, "its last line is only a part of line 2"),
            ("x = \"1\"\n", "x = '1'\n", Sought::Lines, "but for quotes or dashes"),
            ("x = \"1\"\n", "x = '1'", Sought::Text, "but for quotes or dashes"),
            ("x = `1`\n", "x = '1'", Sought::Text, "but for quotes or dashes"),
            ("a\rtotal  =  1\rb\r", "total = 1\n", Sought::Text, "but for blanks or tabs inside lines"),
            ("foo bar\n", "foo\nbar\n", Sought::Lines, "but for where lines end"),
            ("foobar = 1;\n", "foo\n", Sought::Text, "nothing in the file is like it"),
        ] {
            let said = super::explain(text, old, sought);
            assert!(said.contains(says), "{old:?} in {text:?}: {said}");
        }
    }

    #[test]
    fn says_what_differs() {
        insta::assert_snapshot!(explain("if x:\n\ty = 1\n\tz = 2\n", "    y = 1\n    z = 2"), @r###"
        it is there but for indentation (tabs or the number of blanks); the file has (after the line number and a tab):
             2		y = 1
             3		z = 2
        first difference, line 2: the file has "\ty = 1", your text has "    y = 1"
        "###);
        insta::assert_snapshot!(explain("It\u{2019}s\n", "It's"), @r###"
        it is there but for quotes or dashes; the file has (after the line number and a tab):
             1	It’s
        first difference, line 1: the file has "It’s", your text has "It's" (U+2019 there, U+0027 in yours)
        "###);
        insta::assert_snapshot!(explain("one\nTwo three\n", "two three"), @r###"
        it is there but for upper and lower case; the file has (after the line number and a tab):
             2	Two three
        first difference, line 2: the file has "Two three", your text has "two three"
        "###);
        insta::assert_snapshot!(explain("a line  \nand more\n", "a line\nand more"), @r###"
        it is there but for blanks at the end of lines; the file has (after the line number and a tab):
             1	a line  
             2	and more
        first difference, line 1: the file has "a line  ", your text has "a line"
        "###);
        insta::assert_snapshot!(explain("a\n\n\nb\n", "a\nb"), @r###"
        it is there but for empty lines; the file has (after the line number and a tab):
             1	a
             2	
             3	
             4	b
        first difference, line 2: the file has "", your text has "b"
        "###);
        insta::assert_snapshot!(explain("let a\u{a0}= 1;\n", "let a = 1;"), @r###"
        it is there but for characters that are not seen (no-break blanks, zero-width ones); the file has (after the line number and a tab):
             1	let a = 1;
        first difference, line 1: the file has "let a\u{a0}= 1;", your text has "let a = 1;" (U+00A0 there, U+0020 in yours)
        "###);
        insta::assert_snapshot!(explain("one\ntwo\n", "     2\ttwo"), @r###"it begins with line numbers: Read shows them before the text, they are not in the file; leave out the number and the tab after it"###);
        insta::assert_snapshot!(explain("one\ntwo\n", "one\\ntwo"), @r###"it has `\n` or `\t` as two letters where the file has a real line end or tab; write the real characters"###);
        insta::assert_snapshot!(explain("say \"hi\"\n", "say \\\"hi\\\""), @r###"it has a `\` before quotes or other characters that the file has not; leave it out"###);
        insta::assert_snapshot!(explain("print(\"a\\n\")\n", "print(\"a\n\")"), @r###"the file has it with escapes (such as `\n`, `\"` or `\\`), your text without; write the letters that the file has"###);
    }

    #[test]
    fn shows_the_closest_lines() {
        let text = "fn alpha(value: u32) -> u32 {\n    value + 1\n}\n\nfn omega() {}\n";
        insta::assert_snapshot!(explain(text, "fn alpha(value: i64) -> i64 {\n    value + 1\n}"), @r###"
        the closest lines are:
             1	fn alpha(value: u32) -> u32 {
             2	    value + 1
             3	}
        first difference, line 1: the file has "fn alpha(value: u32) -> u32 {", your text has "fn alpha(value: i64) -> i64 {"
        "###);
        insta::assert_snapshot!(explain(text, "SELECT * FROM users"), @r###"nothing in the file is like it; read the file again"###);
        insta::assert_snapshot!(explain("cafe\u{301} au lait\n", "caf\u{e9} au lait"), @r###"
        the closest lines are:
             1	café au lait
        first difference, line 1: the file has "cafe\u{301} au lait", your text has "café au lait" (U+0065 there, U+00E9 in yours)
        "###);
    }
}
