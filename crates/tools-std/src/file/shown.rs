//! Commands that show a file as Read does: plain `cat f` and its like, on one file, without pipes or
//! redirections. What counts is what they printed: it is compared with the file.

use super::ledger::{Extent, LineRanges, ReadLedger, Seen};
use super::lines::lines;
use super::place;
use pegboard_tool_core::{ToolContext, resolve_links};
use std::collections::HashSet;
use std::time::SystemTime;

impl ReadLedger {
    /// Notes what `command`, which began at `began`, showed of a file by its `output`. Call it when the command
    /// succeeded and the model saw all of its output. A command that is not plainly one of those that show one file
    /// is not noted, and neither are output that is not from the file and a file that was written since it began.
    pub fn note_command(&self, command: &str, output: &str, began: SystemTime, ctx: &ToolContext) {
        let Some((path, way)) = shown_by(command) else { return };
        let Ok(canonical) = resolve_links(&ctx.absolute(path)) else { return };
        let Ok(version) = place::read(&canonical) else { return };
        if !version.meta.modified().is_ok_and(|modified| modified < began) {
            return;
        }
        // What is no UTF-8 was not shown as it is.
        let Ok(text) = str::from_utf8(&version.bytes) else { return };
        if let Some((extent, shown)) = way.seen(path, text, output) {
            let total = Some(lines(text).count());
            self.note_of(&canonical, Seen::lines(version.hash, extent, shown, total), total);
        }
    }
}

/// How a command shows a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Way {
    /// All lines, maybe with something before each of them.
    All,
    /// All lines, each changed in some way.
    Marked,
    /// Lines from this one on.
    From(usize),
    /// The last lines.
    Last,
    /// Lines that match, maybe with their numbers or the file's name.
    Matches,
}

impl Way {
    /// How much of `text` is in `output`, and which lines; `None` when that is nothing.
    fn seen(self, path: &str, text: &str, output: &str) -> Option<(Extent, LineRanges)> {
        let count = lines(output).count();
        if count == 0 {
            let is_all = text.is_empty() && matches!(self, Self::All | Self::Marked);
            return is_all.then(|| (Extent::Whole, LineRanges::default()));
        }
        match self {
            Self::All | Self::Marked => {
                let is_same =
                    |(shown, line): (&str, &str)| self == Self::Marked || bare(shown).ends_with(bare(line));
                let is_all = lines(text).count() == count && lines(output).zip(lines(text)).all(is_same);
                is_all.then(|| (Extent::Whole, LineRanges::default()))
            }
            Self::From(first) => {
                let part = Part::of(lines(output), lines(text).skip(first - 1), count, str::starts_with)?;
                Some((Extent::Range, LineRanges::of(first, first.saturating_add(part.lines) - 1)))
            }
            Self::Last => {
                let part = Part::of(lines(output).rev(), lines(text).rev(), count, str::ends_with)?;
                let total = lines(text).count();
                Some((Extent::Range, LineRanges::of(total - part.lines + 1, total)))
            }
            Self::Matches => {
                let candidates: HashSet<&str> = lines(output).flat_map(|line| in_match(line, path)).collect();
                let is_shown = |line: &str| !line.trim().is_empty() && candidates.contains(bare(line));
                lines(text).any(is_shown).then(|| (Extent::Range, LineRanges::default()))
            }
        }
    }
}

/// Lines of an output that are the next ones of a file.
struct Part {
    lines: usize,
}

impl Part {
    /// `None` when the `count` lines of the output are not from there. The last one may be cut.
    fn of<'t>(
        output: impl Iterator<Item = &'t str>,
        text: impl Iterator<Item = &'t str>,
        count: usize,
        is_cut_of: fn(&'t str, &'t str) -> bool,
    ) -> Option<Self> {
        let mut matched = 0;
        for (shown, line) in output.zip(text) {
            if bare(shown) == bare(line) {
                matched += 1;
                continue;
            }
            // A character that was cut in two is no character.
            let cut = shown.trim_matches(char::REPLACEMENT_CHARACTER);
            let is_cut = matched + 1 == count && !cut.is_empty() && is_cut_of(line, cut);
            return is_cut.then_some(Self { lines: matched });
        }
        (matched == count).then_some(Self { lines: matched })
    }
}

/// What of a line that a search printed may be the line of the file.
fn in_match<'t>(line: &'t str, path: &str) -> [&'t str; 4] {
    let line = bare(line);
    let after = |rest: &'t str| rest.strip_prefix([':', '-']);
    let named = line.strip_prefix(path).and_then(after).unwrap_or(line);
    let numbered =
        |line: &'t str| after(line.trim_start_matches(|digit: char| digit.is_ascii_digit())).unwrap_or(line);
    [line, named, numbered(line), numbered(named)]
}

/// A line without the rest of its end.
fn bare(line: &str) -> &str {
    line.trim_end_matches('\r')
}

/// The file that a command shows, and how.
fn shown_by(command: &str) -> Option<(&str, Way)> {
    let words = plain_words(command)?;
    let (program, arguments) = words.split_first()?;
    let searches = match *program {
        "cat" | "nl" | "bat" | "batcat" | "head" | "tail" => false,
        "grep" | "egrep" | "fgrep" | "rg" => true,
        "sed" => return shown_by_sed(arguments),
        _ => return None,
    };
    let takes_number = |option: &str| match *program {
        "head" | "tail" => matches!(option, "-n" | "-c"),
        _ => searches && matches!(option, "-A" | "-B" | "-C" | "-m"),
    };
    let mut plain = Vec::new();
    let mut is_marked = false;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if takes_number(word) {
            rest.next()?.parse::<u64>().ok()?;
        } else if word.starts_with('-') {
            shows_still(word, searches).then_some(())?;
            is_marked |=
                *program == "cat" && !word.starts_with("--") && word.contains(['A', 'e', 'E', 't', 'T', 'v']);
        } else {
            plain.push(*word);
        }
    }
    let way = match *program {
        "head" => Way::From(1),
        "tail" => Way::Last,
        _ if searches => Way::Matches,
        _ if is_marked => Way::Marked,
        _ => Way::All,
    };
    match (plain.len(), plain.last()) {
        (count, Some(path)) if count == usize::from(searches) + 1 => Some((path, way)),
        _ => None,
    }
}

/// Whether a program with this option still shows lines of the one file that it names.
fn shows_still(option: &str, searches: bool) -> bool {
    let letters = option.trim_start_matches('-');
    if searches {
        !option.starts_with("--")
            && letters.chars().all(|letter| matches!(letter, 'n' | 'i' | 'w' | 'x' | 'E' | 'F' | 'H'))
    } else {
        !letters.is_empty() && letters.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
    }
}

/// `sed -n 'X,Yp' file`.
fn shown_by_sed<'a>(arguments: &[&'a str]) -> Option<(&'a str, Way)> {
    let ["-n", script, path] = arguments else { return None };
    let lines = script.strip_suffix('p')?;
    let (from, to) = lines.split_once(',').unwrap_or((lines, lines));
    let from = from.parse::<usize>().ok().filter(|from| *from > 0)?;
    ((to == "$" || to.parse::<u64>().is_ok()) && !path.starts_with('-')).then_some((*path, Way::From(from)))
}

/// The words of a command that has nothing but plain and quoted words.
fn plain_words(command: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    let mut rest = command.trim_matches([' ', '\t', '\n']);
    while !rest.is_empty() {
        let quote = rest.chars().next().filter(|first| matches!(first, '\'' | '"'));
        let (word, after) = match quote {
            Some(quote) => rest.get(1..)?.split_once(quote)?,
            None => rest.split_at(rest.find([' ', '\t']).unwrap_or(rest.len())),
        };
        let special: &[char] = match quote {
            Some('\'') => &['\n'],
            Some(_) => &['\n', '$', '`', '\\', '!'],
            None => &[
                '\n', '$', '`', '\\', '!', '\'', '"', '|', '&', ';', '<', '>', '(', ')', '{', '}', '*', '?',
                '[', ']', '#', '=',
            ],
        };
        if word.contains(special) || !(after.is_empty() || after.starts_with([' ', '\t'])) {
            return None;
        }
        words.push(word);
        rest = after.trim_start_matches([' ', '\t']);
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_plain_commands_on_one_file_show_it() {
        for (command, expected) in [
            ("cat a", Some(("a", Way::All))),
            ("  cat -n 'a b'\n", Some(("a b", Way::All))),
            ("cat -A a", Some(("a", Way::Marked))),
            ("nl -ba a", Some(("a", Way::All))),
            ("head -n 5 a", Some(("a", Way::From(1)))),
            ("tail -5 a", Some(("a", Way::Last))),
            ("grep -n \"x y\" a", Some(("a", Way::Matches))),
            ("grep -A 3 x a", Some(("a", Way::Matches))),
            ("sed -n '1,5p' a", Some(("a", Way::From(1)))),
            ("sed -n '0,5p' a", None),
            ("sed -n 1,\\$p a", None),
            ("sed -n '3,$p' a", Some(("a", Way::From(3)))),
            ("sed -i s/a/b/ a", None),
            ("sed '1,5p' a", None),
            ("cat a b", None),
            ("cat a | head", None),
            ("cat a > b", None),
            ("cat $x", None),
            ("cat *.rs", None),
            ("cat a; cat b", None),
            ("cat a #", None),
            ("cat", None),
            ("grep a", None),
            ("grep -l x a", None),
            ("grep -r x a", None),
            ("grep -c x a", None),
            ("rg --files a", None),
            ("ls a", None),
            ("", None),
            ("cat 'a", None),
            ("X=1 cat a", None),
        ] {
            assert_eq!(shown_by(command), expected, "{command}");
        }
    }

    const TEXT: &str = "one\r\n\n  two: 2\nlast";

    #[test]
    fn only_what_was_printed_is_shown() {
        let whole = Some((Extent::Whole, LineRanges::default()));
        let lines = |first, last| Some((Extent::Range, LineRanges::of(first, last)));
        let some = Some((Extent::Range, LineRanges::default()));
        for (way, output, expected) in [
            (Way::All, TEXT, whole.clone()),
            (Way::All, "one\n\n  two: 2\nlast\n", whole.clone()),
            (Way::All, "     1\tone\n     2\t\n     3\t  two: 2\n     4\tlast\n", whole.clone()),
            (Way::All, "one\n\n  two: 2\n", None),
            (Way::All, "Usage: cat [OPTION]... [FILE]...\n\nand\nso\n", None),
            (Way::All, "", None),
            (Way::Marked, "one^M$\n$\n  two: 2$\nlast", whole),
            (Way::Marked, "", None),
            (Way::From(1), "", None),
            (Way::From(1), "one\n\n", lines(1, 2)),
            (Way::From(1), "o", lines(1, 0)),
            (Way::From(1), "o\u{fffd}", lines(1, 0)),
            (Way::From(1), "\u{fffd}", None),
            (Way::From(1), "one\n\n  tw", lines(1, 2)),
            (Way::From(1), "==> a <==\none\n", None),
            (Way::From(3), "  two: 2\nlast\n", lines(3, 4)),
            (Way::From(9), "", None),
            (Way::From(9), "last\n", None),
            (Way::From(1), &format!("{TEXT}\nmore\n"), None),
            (Way::Last, "", None),
            (Way::Last, "last", lines(4, 4)),
            (Way::Last, "t", lines(5, 4)),
            (Way::Last, "wo: 2\nlast", lines(4, 4)),
            (Way::Last, "other\nlast", None),
            (Way::Matches, "", None),
            (Way::Matches, "\n", None),
            (Way::Matches, "2:\n", None),
            (Way::Matches, "  two: 2\n", some.clone()),
            (Way::Matches, "3:  two: 2\n", some.clone()),
            (Way::Matches, "a:  two: 2\n", some.clone()),
            (Way::Matches, "a-3-  two: 2\n--\n", some),
            (Way::Matches, "1\n", None),
            (Way::Matches, "two\n", None),
        ] {
            assert_eq!(way.seen("a", TEXT, output), expected, "{way:?} {output:?}");
        }
        assert_eq!(Way::All.seen("a", "", ""), Some((Extent::Whole, LineRanges::default())));
        assert_eq!(Way::From(1).seen("a", "", ""), None);
    }

    proptest! {
        #[test]
        fn lines_that_are_said_to_be_shown_are_in_the_output(
            text in "([ab]{0,2}\n){0,6}[ab]{0,2}", output in "([ab]{0,2}\n){0,6}[ab]{0,2}", from in 1usize..8,
        ) {
            for way in [Way::All, Way::From(from), Way::Last, Way::Matches] {
                let Some((extent, shown)) = way.seen("f", &text, &output) else { continue };
                let missing = shown.missing(text.lines().count());
                let is_missing = |line: usize| missing.iter().any(|(first, last)| (*first..=*last).contains(&line));
                let said = (1..).zip(text.lines()).filter(|(line, _)| extent == Extent::Whole || !is_missing(*line));
                for (_, line) in said {
                    prop_assert!(output.lines().any(|shown| shown.ends_with(line)), "{line:?} by {way:?}");
                }
                prop_assert!(!output.is_empty() || text.is_empty());
            }
        }
    }
}
