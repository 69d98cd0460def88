//! awk: what a program text writes, reads and runs, as far as its tokens say.

use pegboard_tool_core::ports::{CommandNature, FileAccess};

use super::super::ProgramUse;
use super::super::call::Call;

/// awk, gawk, mawk, nawk.
pub(in super::super) fn hook(call: &Call<'_>, used: &mut ProgramUse) {
    // Not among the programs that run without asking: a text of a whole language.
    used.nature = CommandNature::Other;
    if !call.is_certain() {
        used.opaque.push("an option of `awk` is not known");
    }
    let mut files = call.operands.iter();
    let mut texts: Vec<Option<&str>> = Vec::new();
    let mut has_file = false;
    let mut writes = false;
    for given in &call.options {
        match given.known.name {
            "-e" => texts.push(given.value.as_ref().and_then(|value| value.value.as_deref())),
            "-f" | "-E" => has_file = true,
            "-i" => {
                let library = given.value.as_ref().and_then(|value| value.value.as_deref());
                writes |= library.is_none_or(|name| name.contains("inplace"));
                used.opaque.push("a script in a file");
            }
            _ => {}
        }
    }
    if has_file {
        used.opaque.push("a script in a file");
    } else if texts.is_empty() {
        let Some((_, word)) = files.next() else { return };
        texts.push(word.value.as_deref().filter(|_| !word.has_glob));
    }
    for text in texts {
        let Some(code) = text.and_then(code_of) else {
            used.opaque.push("a program text of awk");
            continue;
        };
        judge(&code, call.at(), used);
    }
    for (_, word) in files {
        match word.value.as_deref().and_then(|text| text.split_once('=')) {
            // An assignment, where a file could stand.
            Some((name, _)) if is_name(name) => {}
            _ => {
                used.touch(word, FileAccess::Read, false);
                if writes {
                    used.touch(word, FileAccess::Write, false);
                }
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn judge(code: &str, at: usize, used: &mut ProgramUse) {
    let has_word = |word: &str| code.contains(word);
    let pipes = code.replace("||", "  ").contains('|');
    if pipes || has_word("system") || code.contains(['@', '`']) {
        used.opaque.push("a program text of awk that runs commands");
    }
    if has_word("getline") || has_word("ARGV") {
        used.unknown_file(FileAccess::Read, at);
    }
    if let Some(print) = code.find("print")
        && code.get(print..).unwrap_or_default().contains('>')
    {
        used.unknown_file(FileAccess::Write, at);
    }
}

/// The text without its strings, regular expressions and comments; `None` when these cannot be told from
/// divisions for certain.
fn code_of(text: &str) -> Option<String> {
    let mut code = String::new();
    let mut letters = text.chars().peekable();
    let mut before = '\n';
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                skip(&mut letters, '"')?;
                code.push('s');
                before = '"';
                continue;
            }
            '/' => match before {
                '~' | '(' | ',' | '{' | ';' | '}' | '!' | '&' | '|' | '\n' | '=' => {
                    skip(&mut letters, '/')?;
                    code.push('r');
                    before = ')';
                    continue;
                }
                ')' | ']' | '0'..='9' => {}
                _ => return None,
            },
            '#' => {
                while letters.peek().is_some_and(|next| *next != '\n') {
                    letters.next();
                }
                continue;
            }
            '\\' => return None,
            _ => {}
        }
        code.push(letter);
        if !matches!(letter, ' ' | '\t') {
            before = letter;
        }
    }
    Some(code)
}

/// Skips up to the closing mark; `None` when there is none, or a bracket or a line end makes it doubtful.
fn skip(letters: &mut std::iter::Peekable<std::str::Chars<'_>>, end: char) -> Option<()> {
    let mut in_brackets = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next()?;
            }
            '\n' => return None,
            '[' if end == '/' => in_brackets = true,
            ']' => in_brackets = false,
            _ if letter == end => return (!in_brackets).then_some(()),
            _ => {}
        }
    }
    None
}
