//! Builtins that change nothing but the shell of the line: what they assign and switch is followed elsewhere, so
//! that they are as harmless as a program that only looks.

use super::simple::Call;
use super::variables::{is_harmless_for_programs, is_own};
use crate::parse::is_name;
use crate::word::Word;

/// Whether the builtin `name` with these words does nothing that outlives the shell, and nothing to the programs
/// it starts. Only for calls that are not opaque.
pub(super) fn is_quiet(name: &str, call: &Call<'_>) -> bool {
    let args = call.words.get(1..).unwrap_or_default();
    match name {
        "exit" | "return" | "break" | "continue" | "shift" | ":" => true,
        "wait" => args.iter().all(|word| known(word).is_some() || is_last_job(word, call)),
        "jobs" => args.iter().all(|word| {
            known(word).is_some_and(|value| {
                value
                    .strip_prefix('-')
                    .is_none_or(|letters| letters.bytes().all(|byte| b"lprsn".contains(&byte)))
            })
        }),
        "set" => !args.is_empty(),
        "read" => names(args, "rs", "adnNptu"),
        "mapfile" | "readarray" => names(args, "t", "dnOsu"),
        "declare" | "typeset" | "local" | "readonly" => declares(args, false),
        "export" => declares(args, true),
        "unset" => args.iter().all(|word| known(word).is_some_and(|name| is_name(name) && is_own(name))),
        _ => false,
    }
}

/// The value of a word that is one word for certain.
fn known(word: &Word) -> Option<&str> {
    word.value.as_deref().filter(|_| !word.is_many && !word.has_tilde)
}

/// Whether the word is the number of the last job.
pub(super) fn is_last_job(word: &Word, call: &Call<'_>) -> bool {
    call.sources.iter().any(|(at, source)| *at == word.at && matches!(*source, "$!" | "\"$!\""))
}

/// Whether the words are options of these letters and names of variables of the line.
fn names(args: &[Word], flags: &str, with_value: &str) -> bool {
    let mut rest = args.iter();
    let mut had_name = false;
    while let Some(word) = rest.next() {
        let Some(value) = known(word) else { return false };
        let letters = value.strip_prefix('-').filter(|letters| !had_name && !letters.is_empty());
        let Some(letters) = letters else {
            had_name = true;
            if !is_name(value) || !is_own(value) {
                return false;
            }
            continue;
        };
        if letters == "-" {
            had_name = true;
            continue;
        }
        let plain = letters.trim_start_matches(|letter| flags.contains(letter));
        let Some(letter) = plain.chars().next() else { continue };
        if !with_value.contains(letter) {
            return false;
        }
        let attached = plain.get(letter.len_utf8()..).unwrap_or_default();
        let value = match attached {
            "" => rest.next().filter(|word| !word.is_many).map(|word| word.value.as_deref().unwrap_or("?")),
            attached => Some(attached),
        };
        let is_fine = match value {
            Some(value) if letter == 'a' => is_name(value) && is_own(value),
            Some(_) => true,
            None => false,
        };
        if !is_fine {
            return false;
        }
    }
    true
}

/// Whether the words declare variables of the line, or export harmless ones.
fn declares(args: &[Word], is_export: bool) -> bool {
    let mut is_exported = is_export;
    let mut has_name = false;
    for word in args {
        if let Some(letters) = known(word).and_then(|value| value.strip_prefix('-')) {
            if letters.is_empty() || !letters.bytes().all(|byte| b"xraAg".contains(&byte)) {
                return false;
            }
            is_exported |= letters.contains('x');
            continue;
        }
        if word.is_many {
            return false;
        }
        let text = word.value.as_deref().unwrap_or(&word.prefix);
        let name = match text.split_once('=') {
            Some((name, _)) => name.strip_suffix('+').unwrap_or(name),
            None if word.value.is_some() => text,
            None => return false,
        };
        let is_fine = if is_exported {
            word.value.is_some() && is_harmless_for_programs(name)
        } else {
            is_own(name) || is_harmless_for_programs(name)
        };
        if !is_name(name) || !is_fine {
            return false;
        }
        has_name = true;
    }
    has_name
}
