//! Shells started by words.

use pegboard_tool_core::ports::FileAccess;

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, Start, effects};

/// What a shell is started with.
#[derive(Debug, Default)]
struct Started {
    has_text: bool,
    reads_input: bool,
    /// Why it is not a plain shell.
    doubt: Option<&'static str>,
    /// The first word behind the options.
    operand: usize,
}

/// `bash`, `sh` and the like, which are read as bash.
pub(in super::super) fn shell(call: &Call<'_>, used: &mut ProgramUse) {
    let started = options(call.words, used);
    if let Some(doubt) = started.doubt {
        used.opaque.push(doubt);
    }
    run(call.words, &started, used);
}

/// A shell that is not read as bash.
pub(in super::super) fn other(call: &Call<'_>, used: &mut ProgramUse) {
    used.opaque.push("a shell whose language is not known");
    let started = options(call.words, used);
    if started.has_text {
        run(call.words, &started, used);
    }
}

fn options(words: &[Word], used: &mut ProgramUse) -> Started {
    let mut started = Started { operand: words.len(), ..Started::default() };
    let mut index = 1;
    while let Some(word) = words.get(index) {
        let text = word.value.as_deref().unwrap_or(&word.prefix);
        if word.value.is_none() && (text.is_empty() || text.starts_with(['-', '+']))
            || word.has_glob && text.starts_with(['-', '*', '?', '['])
        {
            started.doubt = Some("words of a shell that cannot be told");
            started.operand = index;
            return started;
        }
        if matches!(text, "--" | "-") {
            started.operand = index + 1;
            return started;
        }
        if !text.starts_with(['-', '+']) || text.len() < 2 {
            started.operand = index;
            return started;
        }
        index += 1;
        if text.starts_with("--") {
            match text {
                "--norc" | "--noprofile" | "--posix" | "--verbose" | "--noediting" | "--restricted"
                | "--help" | "--version" | "--dump-strings" | "--dump-po-strings" | "--pretty-print" => {}
                "--rcfile" | "--init-file" => {
                    started.doubt = Some("a start-up file of a shell");
                    if let Some(file) = words.get(index) {
                        used.touch(file, FileAccess::Read, false);
                    }
                    index += 1;
                }
                "--login" | "--debugger" => started.doubt = Some("a start-up file of a shell"),
                _ => started.doubt = Some("an option of a shell that is not known"),
            }
            continue;
        }
        for letter in text.chars().skip(1) {
            match letter {
                'c' if text.starts_with('-') => started.has_text = true,
                's' => started.reads_input = true,
                'i' | 'l' => started.doubt = Some("a start-up file of a shell"),
                'o' => index += 1,
                'O' => {
                    started.doubt = Some("an option of a shell that changes its grammar");
                    index += 1;
                }
                'a' | 'b' | 'e' | 'f' | 'h' | 'k' | 'm' | 'n' | 'p' | 'r' | 't' | 'u' | 'v' | 'x' | 'B'
                | 'C' | 'D' | 'E' | 'H' | 'P' | 'T' => {}
                _ => started.doubt = Some("an option of a shell that is not known"),
            }
        }
    }
    started.operand = words.len();
    started
}

fn run(words: &[Word], started: &Started, used: &mut ProgramUse) {
    let operand = words.get(started.operand);
    if started.has_text {
        match operand {
            Some(word) if word.is_many && word.value.is_none() => {
                used.opaque.push("a command line that cannot be told");
            }
            Some(word) => {
                let arguments = words.get(started.operand + 1..).unwrap_or_default().to_vec();
                effects::line(word, arguments, used);
            }
            None => {}
        }
        return;
    }
    match operand {
        Some(word) if !started.reads_input => {
            used.touch(word, FileAccess::Read, false);
            used.opaque.push("a script in a file");
        }
        _ => {
            let asks = words
                .get(1)
                .is_some_and(|word| matches!(word.value.as_deref(), Some("--version" | "--help")));
            if !asks {
                used.starts.push(Start::Input);
            }
        }
    }
}
