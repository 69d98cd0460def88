//! The tables, by lines: the files in `tests/` hold a line, ` => ` and what is told of it.
//!
//! A line is split by blanks and quotes only. `$x` stands for any number of words that are not known, `"$x"` for one.

use pegboard_tool_core::ports::{CommandNature, FileAccess};
use proptest::prelude::*;

use super::{ProgramUse, Start, look, rows};
use crate::word::Word;

const CASES: [(&str, &str); 14] = [
    ("wrappers", include_str!("tests/wrappers.txt")),
    ("looks", include_str!("tests/looks.txt")),
    ("files", include_str!("tests/files.txt")),
    ("git", include_str!("tests/git.txt")),
    ("network", include_str!("tests/network.txt")),
    ("interpreters", include_str!("tests/interpreters.txt")),
    ("builtins", include_str!("tests/builtins.txt")),
    ("packages", include_str!("tests/packages.txt")),
    ("texts", include_str!("tests/texts.txt")),
    ("links", include_str!("tests/links.txt")),
    ("writers", include_str!("tests/writers.txt")),
    ("readers", include_str!("tests/readers.txt")),
    ("hosts", include_str!("tests/hosts.txt")),
    ("runners", include_str!("tests/runners.txt")),
];

#[test]
fn lines_are_told_as_written_in_the_cases() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, text) in CASES {
        for case in text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
            let Some((line, expected)) = case.split_once(" => ") else {
                wrong.push(format!("{file}: no ` => `: {case}"));
                continue;
            };
            count += 1;
            let told = told(&look(&split(line)));
            if told != expected {
                wrong.push(format!("{file}: {line} => {told}\n    expected {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 400, "{count} cases");
}

#[test]
fn each_program_has_a_case() {
    let cases: Vec<Vec<Word>> = CASES
        .iter()
        .flat_map(|(_, text)| text.lines())
        .filter_map(|case| case.split_once(" => ").map(|(line, _)| split(line)))
        .collect();
    let firsts: std::collections::BTreeSet<String> = cases
        .iter()
        .filter_map(|words| {
            words.first()?.value.as_deref().and_then(|name| name.rsplit('/').next()).map(str::to_owned)
        })
        .collect();
    let missing: Vec<&str> = rows::names().filter(|name| !firsts.contains(*name)).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

proptest! {
    #[test]
    fn any_words_are_looked_at(
        program in proptest::sample::select(rows::names().collect::<Vec<_>>()),
        words in proptest::collection::vec((
            "([-+a-zA-Z0-9=/.{};:~@,|$\\\\]{0,7}|[-][-]?[a-z]{1,9}(=[^ ]{0,3})?|.{0,5})",
            0_u8..12,
        ), 0..8),
    ) {
        let mut all = vec![Word::known(program, 0)];
        for (text, kind) in words {
            all.push(match kind {
                0 => Word::unknown(true, 1),
                1 => Word::unknown(false, 1),
                2 => Word { value: None, ..Word::known(text, 1) },
                3 => Word { value: None, is_many: true, ..Word::known(text, 1) },
                4 => Word { has_glob: true, is_many: true, ..Word::known(text, 1) },
                5 => Word { has_tilde: true, ..Word::known(text, 1) },
                _ => Word::known(text, 1),
            });
        }
        let used = look(&all);
        // What only looks neither starts nor changes nor reaches anything.
        if matches!(used.nature, CommandNature::ReadOnly | CommandNature::ReadOnlyInTrusted) {
            prop_assert!(used.starts.is_empty() && used.network.is_empty() && used.opaque.is_empty());
            prop_assert!(used.files.iter().all(|touch| touch.access == FileAccess::Read));
        }
    }

    #[test]
    fn a_word_more_that_is_not_known_never_makes_a_wrapper_transparent(
        program in proptest::sample::select(vec!["timeout 5", "nice", "nohup", "stdbuf -oL", "time", "env", "sudo", "xargs"]),
    ) {
        let mut words = split(program);
        words.push(Word::unknown(true, 0));
        words.push(Word::known("ls", 0));
        let used = look(&words);
        let is_command = used.starts.iter().any(|start| matches!(start, Start::Words(words) if words[0].value.is_none()));
        prop_assert!(!used.opaque.is_empty() || is_command, "{program}");
    }
}

/// Splits a line of a case.
fn split(line: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut letters = line.char_indices().peekable();
    while let Some((at, first)) = letters.next() {
        if first == ' ' {
            continue;
        }
        let mut word = Word { value: Some(String::new()), at, has_tilde: first == '~', ..Word::default() };
        let mut quote = None;
        let mut next = Some(first);
        while let Some(letter) = next {
            match (quote, letter) {
                (Some(open), _) if letter == open => quote = None,
                (None, '\'' | '"') => quote = Some(letter),
                (None | Some('"'), '$') => {
                    word.value = None;
                    word.is_many |= quote.is_none();
                    while letters.peek().is_some_and(|(_, letter)| letter.is_ascii_alphanumeric()) {
                        letters.next();
                    }
                }
                (_, 'n')
                    if word.value.as_deref().is_some_and(|text| text.ends_with('\\'))
                        && quote == Some('\'') =>
                {
                    if let Some(value) = &mut word.value {
                        value.pop();
                        word.prefix.pop();
                        value.push('\n');
                        word.prefix.push('\n');
                    }
                }
                _ => {
                    if quote.is_none() && matches!(letter, '*' | '?' | '[') && word.value.is_some() {
                        let rest: String = letters
                            .clone()
                            .map(|(_, letter)| letter)
                            .take_while(|letter| *letter != ' ')
                            .collect();
                        word.has_glob |= letter != '[' || rest.contains(']');
                        word.is_many |= word.has_glob;
                    }
                    if let Some(value) = &mut word.value {
                        value.push(letter);
                        word.prefix.push(letter);
                    }
                }
            }
            next = letters.next_if(|(_, letter)| quote.is_some() || *letter != ' ').map(|(_, letter)| letter);
        }
        words.push(word);
    }
    words
}

/// What is told, as text.
fn told(used: &ProgramUse) -> String {
    let mut parts = Vec::new();
    match used.nature {
        CommandNature::ReadOnly => parts.push("looks".to_owned()),
        CommandNature::ReadOnlyInTrusted => parts.push("looks-in-trusted".to_owned()),
        CommandNature::FileEdit => parts.push("edits".to_owned()),
        CommandNature::Transparent => parts.push("transparent".to_owned()),
        CommandNature::Other => {}
    }
    for touch in &used.files {
        let access = match touch.access {
            FileAccess::Read => "r",
            FileAccess::Write => "w",
            FileAccess::Remove => "d",
        };
        let path = touch.path.as_deref().unwrap_or("?");
        let deep = if touch.is_deep { "/**" } else { "" };
        let glob = if touch.has_glob { "(glob)" } else { "" };
        parts.push(format!("{access}:{path}{deep}{glob}"));
    }
    for start in &used.starts {
        parts.push(match start {
            Start::Words(words) => format!("run({})", told_words(words)),
            Start::Line { text, arguments, .. } if arguments.is_empty() => format!("line({text})"),
            Start::Line { text, arguments, .. } => format!("line({text}; {})", told_words(arguments)),
            Start::Input => "input".to_owned(),
            Start::Here(text, _) => format!("here({text})"),
        });
    }
    for host in &used.network {
        parts.push(format!("net:{}", host.as_deref().unwrap_or("?")));
    }
    if !used.opaque.is_empty() {
        parts.push("opaque".to_owned());
    }
    if parts.is_empty() { "other".to_owned() } else { parts.join(" ").replace('\n', "\\n") }
}

fn told_words(words: &[Word]) -> String {
    let words = words.iter().map(|word| match (&word.value, word.is_many) {
        (Some(text), _) => text.clone(),
        (None, false) => format!("{}$", word.prefix),
        (None, true) => format!("{}$*", word.prefix),
    });
    words.collect::<Vec<_>>().join(" ")
}
