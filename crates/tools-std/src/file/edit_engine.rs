//! Literal replacement in a text. A newline of the search text matches the file's line end, whichever
//! it is (`\r` alone where the file has no `\n`); new lines take the line end of their neighbourhood; nothing outside the replaced part, and
//! nothing that old and new text have in common, changes by a byte.

use super::line_ends;
use super::lines::line_at;
use memchr::memmem;
use std::borrow::Cow;
use std::ops::Range;

/// Matches that are counted and listed at most.
pub(crate) const MAX_COUNTED: usize = 1_000;

/// One replacement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replacement<'a> {
    /// What to look for.
    pub old: &'a str,
    /// What to put there.
    pub new: &'a str,
    /// Where.
    pub occurrences: Occurrences,
}

/// Which places are meant.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Occurrences {
    /// Exactly one.
    Unique,
    /// Each.
    All,
    /// Exactly one, as whole lines with their indentation: both texts are lines with their ends. The last line of a
    /// file needs no end.
    Lines,
}

/// A text after its replacements.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Edited {
    /// The new text.
    pub text: String,
    /// Places that were replaced, in all.
    pub count: usize,
}

/// Why nothing was replaced. `index` counts the replacements from 0.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum EditProblem {
    /// The search text is empty.
    EmptyOld { index: usize },
    /// Old and new text are the same.
    NoChange { index: usize },
    /// The search text is nowhere.
    NotFound { index: usize },
    /// The search text is in several places: their lines.
    Ambiguous { index: usize, lines: Vec<usize> },
    /// It shares a part of the text with another replacement.
    Overlap { index: usize, other: usize },
}

/// Does all replacements, each on the text as it is given, or none.
///
/// # Errors
/// When one of them cannot be done.
pub(crate) fn apply(text: &str, replacements: &[Replacement<'_>]) -> Result<Edited, EditProblem> {
    let view = LfView::of(text);
    let mut changes = Vec::new();
    for (index, replacement) in replacements.iter().enumerate() {
        changes.extend(find(&view, replacement, index)?);
    }
    // Stable, so of two at one place the earlier one comes first.
    changes.sort_by_key(|change| change.place.start);
    for pair in changes.windows(2) {
        if let [before, after] = pair
            && before.place.end > after.place.start
        {
            return Err(EditProblem::Overlap { index: after.index, other: before.index });
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for change in &changes {
        let whole = view.original(change.place.start)..view.original(change.place.end);
        let old = view.text.get(change.place.clone()).unwrap_or_default();
        let differing = Differing::between(old, &change.new);
        let start = view.original(change.place.start + differing.old.start);
        out.push_str(text.get(done..start).unwrap_or_default());
        let inserted = change.new.get(differing.new).unwrap_or_default();
        match if view.ends_in_cr { "\r" } else { ending_near(text, &whole) } {
            "\n" => out.push_str(inserted),
            ending => out.push_str(&inserted.replace('\n', ending)),
        }
        done = view.original(change.place.start + differing.old.end);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Ok(Edited { text: out, count: changes.len() })
}

/// Places of `old` in `text`, as byte ranges of `text`; overlapping ones too.
pub(crate) fn places(text: &str, old: &str) -> Vec<Range<usize>> {
    let view = LfView::of(text);
    let old = view.lf(old);
    if old.is_empty() {
        return Vec::new();
    }
    overlapping(&view.text, &old)
        .into_iter()
        .map(|at| view.original(at)..view.original(at + old.len()))
        .collect()
}

/// One place of the view, and what comes there.
struct Change<'a> {
    index: usize,
    place: Range<usize>,
    new: Cow<'a, str>,
}

fn find<'a>(
    view: &LfView<'_>,
    replacement: &Replacement<'a>,
    index: usize,
) -> Result<Vec<Change<'a>>, EditProblem> {
    let (old, new) = (view.lf(replacement.old), view.lf(replacement.new));
    if old == new {
        return Err(EditProblem::NoChange { index });
    }
    if old.is_empty() {
        return Err(EditProblem::EmptyOld { index });
    }
    let text = &*view.text;
    let found: Vec<Range<usize>> = match replacement.occurrences {
        Occurrences::All => memmem::find_iter(text.as_bytes(), &*old).map(|at| at..at + old.len()).collect(),
        Occurrences::Unique => overlapping(text, &old).into_iter().map(|at| at..at + old.len()).collect(),
        Occurrences::Lines => lines(text, &old),
    };
    if found.len() > 1 && replacement.occurrences != Occurrences::All {
        let lines = apart(&found).iter().map(|place| line_at(text, place.start)).collect();
        return Err(EditProblem::Ambiguous { index, lines });
    }
    if found.is_empty() {
        return Err(EditProblem::NotFound { index });
    }
    let changes = found.into_iter().map(|place| {
        // A last line without an end gets none.
        let new = if place.len() < old.len() {
            new.strip_suffix('\n').unwrap_or(&new).to_owned().into()
        } else {
            new.clone()
        };
        Change { index, place, new }
    });
    Ok(changes.collect())
}

/// The places that replacing all would take, of which none overlaps another; all, when that is just one.
fn apart(found: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut end = 0;
    let mut apart = found.to_vec();
    apart.retain(|place| {
        let counts = place.start >= end;
        if counts {
            end = place.end;
        }
        counts
    });
    if apart.len() > 1 { apart } else { found.to_vec() }
}

/// Places of `old` as whole lines.
fn lines(text: &str, old: &str) -> Vec<Range<usize>> {
    let begins_line = |at: usize| at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n');
    let ends_line = |at: usize| {
        let end = at + old.len();
        old.ends_with('\n') || end == text.len() || text.as_bytes().get(end) == Some(&b'\n')
    };
    let mut found: Vec<Range<usize>> = overlapping_where(text, old, |at| ends_line(at) && begins_line(at))
        .into_iter()
        .map(|at| at..at + old.len())
        .collect();
    // A line end that the text lacks may be that of its last line, not one more empty line.
    if let Some(last) = old.strip_suffix('\n').filter(|last| !last.is_empty() && !last.ends_with('\n'))
        && text.ends_with(last)
        && begins_line(text.len() - last.len())
    {
        found.push(text.len() - last.len()..text.len());
    }
    found
}

fn overlapping(text: &str, old: &str) -> Vec<usize> {
    overlapping_where(text, old, |_| true)
}

fn overlapping_where(text: &str, old: &str, counts: impl Fn(usize) -> bool) -> Vec<usize> {
    let (text, finder) = (text.as_bytes(), memmem::Finder::new(old));
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) {
        // UTF-8 is self-synchronising: a match of whole characters begins at one.
        if counts(from + at) {
            found.push(from + at);
        }
        from += at + 1;
        if found.len() >= MAX_COUNTED {
            break;
        }
    }
    found
}

/// A text whose line ends are all `\n`, and the way back to the original.
struct LfView<'a> {
    text: Cow<'a, str>,
    /// Offsets in `text` of each `\n` that stands for `\r\n`.
    collapsed: Vec<usize>,
    /// Whether each `\n` stands for a `\r` alone.
    ends_in_cr: bool,
}

impl<'a> LfView<'a> {
    fn of(original: &'a str) -> Self {
        let mut collapsed = Vec::new();
        if line_ends::ends_in_cr(original) {
            return Self { text: Cow::Owned(original.replace('\r', "\n")), collapsed, ends_in_cr: true };
        }
        let mut text = String::new();
        let mut done = 0;
        for at in memmem::find_iter(original.as_bytes(), b"\r\n") {
            text.push_str(original.get(done..at).unwrap_or_default());
            collapsed.push(text.len());
            done = at + 1;
        }
        if collapsed.is_empty() {
            return Self { text: Cow::Borrowed(original), collapsed, ends_in_cr: false };
        }
        text.push_str(original.get(done..).unwrap_or_default());
        Self { text: Cow::Owned(text), collapsed, ends_in_cr: false }
    }

    /// `given` with the line ends of the view.
    fn lf<'g>(&self, given: &'g str) -> Cow<'g, str> {
        match to_lf(given) {
            text if self.ends_in_cr && text.contains('\r') => Cow::Owned(text.replace('\r', "\n")),
            text => text,
        }
    }

    /// The original offset of the view's offset `at`.
    fn original(&self, at: usize) -> usize {
        at + self.collapsed.partition_point(|&newline| newline < at)
    }
}

/// The parts of old and new text that differ: what they begin and end with in common stays.
struct Differing {
    old: Range<usize>,
    new: Range<usize>,
}

impl Differing {
    fn between(old: &str, new: &str) -> Self {
        let head: usize =
            old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        let (old_rest, new_rest) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
        let both = old_rest.chars().rev().zip(new_rest.chars().rev());
        let tail: usize = both.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        Self { old: head..old.len() - tail, new: head..new.len() - tail }
    }
}

/// The line end inside `range`, else the next one after it, else the last one before it.
fn ending_near(text: &str, range: &Range<usize>) -> &'static str {
    let bytes = text.as_bytes();
    let newline = memchr::memchr(b'\n', bytes.get(range.start..).unwrap_or_default())
        .map(|at| range.start + at)
        .or_else(|| memchr::memrchr(b'\n', bytes.get(..range.start).unwrap_or_default()));
    match newline {
        Some(at) if at > 0 && bytes.get(at - 1) == Some(&b'\r') => "\r\n",
        _ => "\n",
    }
}

fn to_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(text: &str, old: &str, new: &str) -> Result<String, EditProblem> {
        apply(text, &[Replacement { old, new, occurrences: Occurrences::Unique }]).map(|edited| edited.text)
    }

    #[test]
    fn line_ends_follow_the_file() {
        for (text, old, new, expected) in [
            ("a\r\nb\r\nc\r\n", "a\nb", "a\nB", "a\r\nB\r\nc\r\n"),
            ("a\r\nb\nc\r\n", "b", "B", "a\r\nB\nc\r\n"),
            ("a\r\nb\nc\r\n", "a\nb\nc", "A\nb\nC", "A\r\nb\r\nC\r\n"),
            ("a\r\nb\nc\r\n", "a\nb\nc", "a\nb\nC", "a\r\nb\nC\r\n"),
            ("p 10%\rp 20%\rdone\nend\n", "end", "END", "p 10%\rp 20%\rdone\nEND\n"),
            ("a\r\nb\r\n", "b", "b1\nb2", "a\r\nb1\r\nb2\r\n"),
            ("a\r\nb", "b", "b\nc", "a\r\nb\r\nc"),
            ("a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"),
            ("a\nb\nc\n", "b\n", "B\n", "a\nB\nc\n"),
            ("a", "a", "$1\\n", "$1\\n"),
            ("one\rtwo\rthree\r", "two", "two\nnew", "one\rtwo\rnew\rthree\r"),
            ("one\rtwo\rthree\r", "two\nthree", "2\n3\n4", "one\r2\r3\r4\r"),
            ("one\rtwo\rthree", "one\r\ntwo\r", "1\rtwo\r\n", "1\rtwo\rthree"),
        ] {
            assert_eq!(one(text, old, new).as_deref(), Ok(expected), "{text:?} {old:?} {new:?}");
        }
    }

    #[test]
    fn what_cannot_be_done_changes_nothing() {
        let lines = vec![1, 2];
        assert_eq!(one("x\nx\n", "x", "y"), Err(EditProblem::Ambiguous { index: 0, lines }));
        assert_eq!(one("aXaXa", "aXa", "y"), Err(EditProblem::Ambiguous { index: 0, lines: vec![1, 1] }));
        assert_eq!(one("aaaa", "aa", "y"), Err(EditProblem::Ambiguous { index: 0, lines: vec![1, 1] }));
        assert_eq!(one("abc", "", "y"), Err(EditProblem::EmptyOld { index: 0 }));
        assert_eq!(one("abc", "abc", "abc"), Err(EditProblem::NoChange { index: 0 }));
        assert_eq!(one("a\r\nb", "a\nb", "a\r\nb"), Err(EditProblem::NoChange { index: 0 }));
        assert!(matches!(one("abc", "a.c", "y"), Err(EditProblem::NotFound { index: 0 })));
    }

    #[test]
    fn several_replacements_are_made_in_one_text_or_none_is() {
        let all = |old, new| Replacement { old, new, occurrences: Occurrences::All };
        let edited = apply("a b a", &[all("b", "c"), all("a", "b")]).unwrap();
        assert_eq!(edited, Edited { text: "b c b".to_owned(), count: 3 });
        assert_eq!(apply("a", &[all("a", "b"), all("z", "y")]), Err(EditProblem::NotFound { index: 1 }));
        let overlap = EditProblem::Overlap { index: 0, other: 1 };
        assert_eq!(apply("abc", &[all("bc", "x"), all("ab", "y")]), Err(overlap));
    }

    #[test]
    fn blocks_of_lines_mean_whole_lines() {
        let lines = |text: &str, old, new| {
            let replacement = Replacement { old, new, occurrences: Occurrences::Lines };
            apply(text, &[replacement]).map(|edited| edited.text)
        };
        for (text, old, new, expected) in [
            ("foo\nfoobar\nxfoo\n", "foo\n", "F\n", "F\nfoobar\nxfoo\n"),
            ("a\nfoo\n", "a\n", "", "foo\n"),
            ("a\nfoo", "foo\n", "F\n", "a\nF"),
            ("a\nfoo", "foo\n", "", "a\n"),
            ("a\r\nfoo", "a\nfoo\n", "b\nc\n", "b\r\nc"),
            ("a\n\nb\n", "\n", "x\n", "a\nx\nb\n"),
            ("a\rb\rc", "b\n", "B\nX\n", "a\rB\rX\rc"),
        ] {
            assert_eq!(lines(text, old, new).as_deref(), Ok(expected), "{text:?} {old:?}");
        }
        let ambiguous = EditProblem::Ambiguous { index: 0, lines: vec![1, 2] };
        assert_eq!(lines("a\na\n", "a\n", "b\n"), Err(ambiguous));
        for (text, old) in [
            ("foobar\n", "foo\n"),
            // The other new lines would be at column 0.
            ("    foo();\nb\n", "foo();\n"),
            ("\tfoo();\n\tbar();\n", "foo();\n\tbar();\n"),
            ("max = 1\nother\n", "x = 1\n"),
            ("    number = 1\nz\n", "r = 1\nz\n"),
            ("# not enabled\n", "enabled\n"),
            ("# not enabled", "enabled\n"),
            ("a\nb\n", "\nb\n"),
            ("  \nb\n", "\nb\n"),
            ("key: value\nlast: 1\n", "last: 1\n\n"),
        ] {
            let new = "new: 2\n";
            assert_eq!(lines(text, old, new), Err(EditProblem::NotFound { index: 0 }), "{text:?} {old:?}");
        }
        let many = "xa\n".repeat(MAX_COUNTED + 1);
        assert_eq!(lines(&format!("{many}a\n"), "a\n", "b\n"), Ok(format!("{many}b\n")));
    }

    proptest! {
        #[test]
        fn everything_outside_the_replaced_part_stays(
            before in "[ab\r\n日é]{0,12}", old in "[xyz]{1,3}(\r\n|\n)?[xyz]{1,3}", after in "[ab\r\n日é]{0,12}",
            new in "[pq\n]{0,6}",
        ) {
            let text = format!("{before}{old}{after}");
            let edited = one(&text, &old.replace("\r\n", "\n"), &new).unwrap();
            prop_assert!(edited.starts_with(&before));
            prop_assert!(edited.ends_with(&after));
            let middle = &edited[before.len()..edited.len() - after.len()];
            let middle = middle.replace("\r\n", "\n");
            prop_assert_eq!(if text.contains('\n') { middle } else { middle.replace('\r', "\n") }, new);
        }

        #[test]
        fn an_edit_keeps_every_byte_of_a_file_outside_the_edited_part(
            before in "[ab\r\n é]{0,12}", after in "[ab\r\n é]{0,12}", encoding in 0usize..4,
        ) {
            let encode = |text: &str| -> Vec<u8> {
                match encoding {
                    0 => text.as_bytes().to_vec(),
                    1 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
                    2 => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
                    // A lone byte in front makes the rest an encoding of one byte a letter.
                    _ => text.chars().map(|c| c as u8).collect(),
                }
            };
            let mark: &[u8] = [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff", b"\xe9 "][encoding];
            // Such a heap of one letter could be in any alphabet, and not all have another.
            let new = if encoding < 3 { "new\u{e8}" } else { "new" };
            let bytes = [mark, &encode(&before), &encode("OLD"), &encode(&after)].concat();
            let file = crate::file::encoding::decode(bytes).unwrap();
            let bytes = file.encode(&one(&file.text, "OLD", new).unwrap()).unwrap();
            let expected = [mark, &encode(&before), &encode(new), &encode(&after)].concat();
            prop_assert_eq!(bytes, expected);
        }

        #[test]
        fn every_piece_of_an_lf_text_is_found_and_put_back(text in "[ab\n é]{1,20}", from in 0usize..20, len in 1usize..8) {
            let chars: Vec<char> = text.chars().collect();
            let piece: String = chars.iter().skip(from).take(len).collect();
            prop_assume!(!piece.is_empty());
            let there = apply(&text, &[Replacement { old: &piece, new: "Z", occurrences: Occurrences::All }]).unwrap();
            let back = apply(&there.text, &[Replacement { old: "Z", new: &piece, occurrences: Occurrences::All }]).unwrap();
            prop_assert_eq!(back.text, text);
        }
    }
}
