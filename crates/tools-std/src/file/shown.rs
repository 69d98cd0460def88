//! Commands that show a file as Read does: plain `cat f` and its like, on one file, without pipes or
//! redirections.

use super::ledger::{Extent, ReadLedger, Seen};
use super::place;
use pegboard_tool_core::{ToolContext, resolve_links};
use std::time::SystemTime;

impl ReadLedger {
    /// Notes the file that `command`, which began at `began`, showed. Call it when the command succeeded
    /// and the model saw all of its output. A command that is not plainly one of those that show one file
    /// is not noted, and neither is a file that was written since it began.
    pub fn note_command(&self, command: &str, began: SystemTime, ctx: &ToolContext) {
        let Some((path, extent)) = shown_by(command) else { return };
        let Ok(canonical) = resolve_links(&ctx.absolute(path)) else { return };
        let Ok(version) = place::read(&canonical) else { return };
        if version.meta.modified().is_ok_and(|modified| modified < began) {
            self.note(&canonical, Seen { hash: version.hash, extent });
        }
    }
}

/// The file that a command shows, and how much of it.
fn shown_by(command: &str) -> Option<(&str, Extent)> {
    let words = plain_words(command)?;
    let (program, arguments) = words.split_first()?;
    let (before_file, extent) = match *program {
        "cat" | "nl" | "bat" | "batcat" => (0, Extent::Whole),
        "head" | "tail" => (0, Extent::Range),
        "grep" | "egrep" | "fgrep" | "rg" => (1, Extent::Range),
        "sed" => return shown_by_sed(arguments).map(|path| (path, Extent::Range)),
        _ => return None,
    };
    let takes_number = |option: &str| match *program {
        "head" | "tail" => matches!(option, "-n" | "-c"),
        _ => before_file == 1 && matches!(option, "-A" | "-B" | "-C" | "-m"),
    };
    let mut plain = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if takes_number(word) {
            rest.next()?.parse::<u64>().ok()?;
        } else if word.starts_with('-') {
            shows_still(word, before_file == 1).then_some(())?;
        } else {
            plain.push(*word);
        }
    }
    match (plain.len(), plain.last()) {
        (count, Some(path)) if count == before_file + 1 => Some((path, extent)),
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
fn shown_by_sed<'a>(arguments: &[&'a str]) -> Option<&'a str> {
    let ["-n", script, path] = arguments else { return None };
    let lines = script.strip_suffix('p')?;
    let (from, to) = lines.split_once(',').unwrap_or((lines, lines));
    (from.parse::<u64>().is_ok() && (to == "$" || to.parse::<u64>().is_ok()) && !path.starts_with('-'))
        .then_some(*path)
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

    #[test]
    fn only_plain_commands_on_one_file_show_it() {
        for (command, expected) in [
            ("cat a", Some(("a", Extent::Whole))),
            ("  cat -n 'a b'\n", Some(("a b", Extent::Whole))),
            ("nl -ba a", Some(("a", Extent::Whole))),
            ("head -n 5 a", Some(("a", Extent::Range))),
            ("tail -5 a", Some(("a", Extent::Range))),
            ("grep -n \"x y\" a", Some(("a", Extent::Range))),
            ("grep -A 3 x a", Some(("a", Extent::Range))),
            ("sed -n '1,5p' a", Some(("a", Extent::Range))),
            ("sed -n 1,\\$p a", None),
            ("sed -n '1,$p' a", Some(("a", Extent::Range))),
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
}
