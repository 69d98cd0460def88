//! What an exit code of PowerShell means: 1 of some programs and 0 to 7 of robocopy are answers.

use crate::shell::answers;
use crate::shell::foreground::Meaning;
use crate::shell::status::Status;

/// Reads the status that `line` ended with.
pub(super) fn meaning(status: Status, line: &str, _said: &str) -> Meaning {
    let Some(code) = status.code else { return Meaning::Failure };
    if code == 0 {
        return Meaning::Success;
    }
    let words = last_command(line).unwrap_or_default();
    let Some((first, rest)) = words.split_first() else { return Meaning::Failure };
    match (code, program(first).as_str()) {
        (1, "findstr") => Meaning::Benign("no matches"),
        (1, "robocopy") => Meaning::Benign("files were copied"),
        (2..=7, "robocopy") => Meaning::Benign("files were copied or left alone; none failed"),
        (1, program) => answers::of_one(program, rest).map_or(Meaning::Failure, Meaning::Benign),
        _ => Meaning::Failure,
    }
}

/// The base name of a program, as the system finds it: without folder, `.exe` and case.
fn program(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    name.strip_suffix(".exe").map_or(name.clone(), str::to_owned)
}

/// The words of the last command of the last pipeline, whose status the line ends with; `None` where
/// the line is too involved to tell.
fn last_command(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut in_word) = (Vec::new(), String::new(), false);
    let mut before: Vec<String> = Vec::new();
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '`' => match letters.next()? {
                '\n' => {}
                next => {
                    in_word = true;
                    word.push(next);
                }
            },
            '\'' | '"' => {
                in_word = true;
                loop {
                    match letters.next()? {
                        '`' if letter == '"' => word.push(letters.next()?),
                        '$' if letter == '"' && letters.peek() == Some(&'(') => return None,
                        // A doubled quote stands for one.
                        quote if quote == letter && letters.peek() != Some(&letter) => break,
                        quote if quote == letter => {
                            letters.next();
                            word.push(letter);
                        }
                        other => word.push(other),
                    }
                }
            }
            '#' if !in_word => while letters.next_if(|next| *next != '\n').is_some() {},
            // Blocks, subexpressions, arrays, here-strings, comments in the middle.
            '(' | ')' | '{' | '}' | '<' => return None,
            '@' if matches!(letters.peek(), Some('"' | '\'')) => return None,
            // The call operator at the start of a command, a separator or job after one.
            '&' if !in_word && words.is_empty() && letters.peek() != Some(&'&') => {}
            ';' | '\n' | '|' | '&' => {
                if std::mem::take(&mut in_word) {
                    words.push(std::mem::take(&mut word));
                }
                if !words.is_empty() {
                    before = std::mem::take(&mut words);
                }
            }
            letter if letter.is_whitespace() => {
                if std::mem::take(&mut in_word) {
                    words.push(std::mem::take(&mut word));
                }
            }
            letter => {
                in_word = true;
                word.push(letter);
            }
        }
    }
    if in_word {
        words.push(word);
    }
    Some(if words.is_empty() { before } else { words })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_codes_are_answers_of_some_programs() {
        let of = |code, line| meaning(Status { code: Some(code), signal: None }, line, "");
        for (code, line, is_benign) in [
            (1, "grep x f", true),
            (1, "rg.exe x", true),
            (1, "C:\\tools\\FINDSTR.EXE x f", true),
            (1, "& 'C:\\Program Files\\Git\\usr\\bin\\grep.exe' x f", true),
            (1, "Get-Content f | findstr x", true),
            (1, "cd sub; git grep x", true),
            (1, "git -C sub --no-pager diff --exit-code", true),
            (1, "git diff `\n  --exit-code", true),
            (1, "grep x f # ; false", true),
            (7, "robocopy a b /E", true),
            (1, "Robocopy a b", true),
            (8, "robocopy a b", false),
            (16, "robocopy a b", false),
            (2, "grep x f", false),
            (1, "git status", false),
            (1, "find x f", false),
            (1, "diff a b", false),
            (1, "grep x f; whatever", false),
            (1, "grep x f | Out-String", false),
            (1, "if ($x) { grep x f }", false),
            (1, "grep \"$(cat f)\" f", false),
            (1, "grep 'open", false),
            (1, "", false),
            (3, "echo robocopy", false),
        ] {
            assert_eq!(matches!(of(code, line), Meaning::Benign(_)), is_benign, "{code} {line}");
            assert_eq!(of(0, line), Meaning::Success, "{line}");
        }
        assert_eq!(meaning(Status { code: None, signal: None }, "grep x", ""), Meaning::Failure);
    }
}
