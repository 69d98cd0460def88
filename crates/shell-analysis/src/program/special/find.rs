//! `find` and `fd`.

use pegboard_tool_core::ports::{CommandNature, FileAccess};

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, Start, effects};

/// What follows a word of a `find` expression.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Follows {
    /// Nothing; it only looks.
    Nothing,
    /// One word; it only looks.
    One,
    /// A file that is looked at.
    Reference,
    /// A file that is written.
    Output,
    /// A file that is written, and a format.
    OutputAndFormat,
    /// A command up to `;` or `{} +`.
    Command,
    /// The same, in the folder of each file.
    CommandThere,
    /// What was found is removed.
    Deletes,
    /// A file with starting points.
    Starts,
}

const EXPRESSION: &[(&str, Follows)] = &[
    ("!", Follows::Nothing),
    ("(", Follows::Nothing),
    (")", Follows::Nothing),
    (",", Follows::Nothing),
    ("--help", Follows::Nothing),
    ("--version", Follows::Nothing),
    ("-a", Follows::Nothing),
    ("-amin", Follows::One),
    ("-and", Follows::Nothing),
    ("-anewer", Follows::Reference),
    ("-atime", Follows::One),
    ("-cmin", Follows::One),
    ("-cnewer", Follows::Reference),
    ("-context", Follows::One),
    ("-ctime", Follows::One),
    ("-d", Follows::Nothing),
    ("-daystart", Follows::Nothing),
    ("-delete", Follows::Deletes),
    ("-depth", Follows::Nothing),
    ("-empty", Follows::Nothing),
    ("-exec", Follows::Command),
    ("-execdir", Follows::CommandThere),
    ("-executable", Follows::Nothing),
    ("-false", Follows::Nothing),
    ("-files0-from", Follows::Starts),
    ("-fls", Follows::Output),
    ("-follow", Follows::Nothing),
    ("-fprint", Follows::Output),
    ("-fprint0", Follows::Output),
    ("-fprintf", Follows::OutputAndFormat),
    ("-fstype", Follows::One),
    ("-gid", Follows::One),
    ("-group", Follows::One),
    ("-help", Follows::Nothing),
    ("-ignore_readdir_race", Follows::Nothing),
    ("-ilname", Follows::One),
    ("-iname", Follows::One),
    ("-inum", Follows::One),
    ("-ipath", Follows::One),
    ("-iregex", Follows::One),
    ("-iwholename", Follows::One),
    ("-links", Follows::One),
    ("-lname", Follows::One),
    ("-ls", Follows::Nothing),
    ("-maxdepth", Follows::One),
    ("-mindepth", Follows::One),
    ("-mmin", Follows::One),
    ("-mount", Follows::Nothing),
    ("-mtime", Follows::One),
    ("-name", Follows::One),
    ("-newer", Follows::Reference),
    ("-nogroup", Follows::Nothing),
    ("-noignore_readdir_race", Follows::Nothing),
    ("-noleaf", Follows::Nothing),
    ("-not", Follows::Nothing),
    ("-nouser", Follows::Nothing),
    ("-nowarn", Follows::Nothing),
    ("-o", Follows::Nothing),
    ("-ok", Follows::Command),
    ("-okdir", Follows::CommandThere),
    ("-or", Follows::Nothing),
    ("-path", Follows::One),
    ("-perm", Follows::One),
    ("-print", Follows::Nothing),
    ("-print0", Follows::Nothing),
    ("-printf", Follows::One),
    ("-prune", Follows::Nothing),
    ("-quit", Follows::Nothing),
    ("-readable", Follows::Nothing),
    ("-regex", Follows::One),
    ("-regextype", Follows::One),
    ("-samefile", Follows::Reference),
    ("-size", Follows::One),
    ("-true", Follows::Nothing),
    ("-type", Follows::One),
    ("-uid", Follows::One),
    ("-used", Follows::One),
    ("-user", Follows::One),
    ("-version", Follows::Nothing),
    ("-warn", Follows::Nothing),
    ("-wholename", Follows::One),
    ("-writable", Follows::Nothing),
    ("-xdev", Follows::Nothing),
    ("-xtype", Follows::One),
];

/// `find`.
pub(in super::super) fn hook(call: &Call<'_>, used: &mut ProgramUse) {
    let mut is_certain = effects::is_by_name_or_system(&call.words[0]);
    let follows = |word: &Word| matches!(word.value.as_deref(), Some("-L" | "-follow"));
    let mut index = 1;
    while let Some(word) = call.words.get(index) {
        match word.value.as_deref() {
            Some("-D") => {
                is_certain = false;
                index += 2;
            }
            Some(text)
                if matches!(text, "-H" | "-L" | "-P" | "-E" | "-X" | "-x") || text.starts_with("-O") =>
            {
                index += 1
            }
            _ => break,
        }
    }
    let mut starts = Vec::new();
    while let Some(word) = call.words.get(index) {
        if word.prefix.starts_with('-') && word.prefix.len() > 1
            || matches!(word.value.as_deref(), Some("(" | ")" | "," | "!"))
        {
            break;
        }
        let is_bare = word.value.is_none() && word.prefix.is_empty();
        if word.is_many && (word.value.is_none() || word.prefix.starts_with(['*', '?', '['])) {
            used.opaque.push("words of `find` that cannot be told");
        }
        is_certain &= !is_bare && !word.has_glob;
        starts.push(word);
        used.touch(word, FileAccess::Read, false);
        index += 1;
    }
    if starts.is_empty() {
        used.path(".", FileAccess::Read, false, call.at());
    }
    is_certain &= expression(call, index, &starts, used);
    used.nature = if is_certain { CommandNature::ReadOnly } else { CommandNature::Other };
    if call.words.iter().any(follows) {
        if used.files.iter().any(|touch| touch.access == FileAccess::Remove) {
            used.unknown_file(FileAccess::Remove, call.at());
        }
        used.follows_links(call.at());
    }
}

/// Looks at the expression from the word `index` on; whether all of it is known to only look.
fn expression(call: &Call<'_>, mut index: usize, starts: &[&Word], used: &mut ProgramUse) -> bool {
    let mut is_certain = true;
    while let Some(word) = call.words.get(index) {
        index += 1;
        let Some(text) = word.value.as_deref().filter(|_| !word.is_many) else {
            used.opaque.push("words of `find` that cannot be told");
            is_certain = false;
            continue;
        };
        let known = EXPRESSION.binary_search_by(|(name, _)| (*name).cmp(text)).ok();
        let follows = match known.and_then(|at| EXPRESSION.get(at)) {
            Some((_, follows)) => *follows,
            None if text.starts_with("-newer") && text.len() == 8 => match text.ends_with('t') {
                true => Follows::One,
                false => Follows::Reference,
            },
            None => {
                is_certain = false;
                continue;
            }
        };
        let value = call.words.get(index);
        match follows {
            Follows::Nothing => {}
            Follows::One => {
                if value.is_some_and(|value| value.is_many && value.value.is_none()) {
                    used.opaque.push("words of `find` that cannot be told");
                }
                is_certain &= value.is_none_or(|value| !value.has_glob);
                index += 1;
            }
            Follows::Reference | Follows::Starts | Follows::Output | Follows::OutputAndFormat => {
                is_certain &= follows == Follows::Reference;
                let access = match follows {
                    Follows::Reference | Follows::Starts => FileAccess::Read,
                    _ => FileAccess::Write,
                };
                if let Some(value) = value {
                    used.touch(value, access, false);
                    if value.is_many {
                        used.opaque.push("words of `find` that cannot be told");
                    }
                }
                if follows == Follows::Starts {
                    used.unknown_file(FileAccess::Read, word.at);
                }
                index += if follows == Follows::OutputAndFormat { 2 } else { 1 };
            }
            Follows::Deletes => {
                is_certain = false;
                for start in starts {
                    used.touch(start, FileAccess::Remove, true);
                }
                if starts.is_empty() {
                    used.path(".", FileAccess::Remove, true, word.at);
                }
            }
            Follows::Command | Follows::CommandThere => {
                is_certain = false;
                let found = match follows {
                    Follows::CommandThere => "./",
                    _ => match starts {
                        [] => ".",
                        [only] => only.value.as_deref().unwrap_or_default(),
                        _ => "",
                    },
                };
                if follows == Follows::CommandThere {
                    used.opaque.push("a command that runs in other folders");
                    used.elsewhere(word.at);
                }
                index = command(call, index, found, used);
            }
        }
    }
    is_certain
}

/// The command of `-exec` from the word `index` on; gives the index behind it.
fn command(call: &Call<'_>, mut index: usize, found: &str, used: &mut ProgramUse) -> usize {
    let mut words: Vec<Word> = Vec::new();
    while let Some(word) = call.words.get(index) {
        index += 1;
        let text = word.value.as_deref();
        if text == Some(";") {
            break;
        }
        let after_braces = index >= 2
            && call.words.get(index - 2).is_some_and(|before| before.value.as_deref() == Some("{}"));
        if text == Some("+") && after_braces {
            if let Some(last) = words.last_mut() {
                last.is_many = true;
            }
            break;
        }
        words.push(replaced(word, "{}", found));
    }
    if !words.is_empty() {
        used.starts.push(Start::Words(words));
    }
    index
}

/// The word with what is put for `mark` not known beyond its beginning.
pub(in super::super) fn replaced(word: &Word, mark: &str, found: &str) -> Word {
    match word.prefix.split_once(mark) {
        Some((before, _)) if !mark.is_empty() => Word {
            value: None,
            prefix: format!("{before}{found}"),
            is_many: word.is_many,
            has_glob: false,
            has_tilde: word.has_tilde,
            at: word.at,
        },
        _ => word.clone(),
    }
}

/// `fd`: `-x COMMAND` and `-X COMMAND` take all that follows, up to `;`.
pub(in super::super) fn fd(call: &Call<'_>, used: &mut ProgramUse) {
    let mut index = 1;
    let mut operands = 0;
    while let Some(word) = call.words.get(index) {
        index += 1;
        let text = word.value.as_deref().unwrap_or(&word.prefix);
        let glued = ["--exec=", "--exec-batch="].iter().find_map(|option| text.strip_prefix(option));
        let is_exec = matches!(text, "-x" | "-X" | "--exec" | "--exec-batch")
            || text.len() > 4 && text.starts_with("--ex") && "--exec-batch".starts_with(text);
        if let Some(glued) = glued {
            let mut words = vec![marked(&Word {
                value: word.value.as_ref().map(|_| glued.to_owned()),
                prefix: glued.to_owned(),
                ..word.clone()
            })];
            index = fd_command(call, index, &mut words);
            used.starts.push(Start::Words(words));
        } else if is_exec {
            let mut words = Vec::new();
            index = fd_command(call, index, &mut words);
            if !words.is_empty() {
                used.starts.push(Start::Words(words));
            }
        } else if text.starts_with('-') && !text.starts_with("--") && text.contains(['x', 'X']) {
            let (_, glued) = text.split_at(text.find(['x', 'X']).map_or(0, |at| at + 1));
            let mut words = Vec::new();
            if !glued.is_empty() {
                words.push(marked(&Word {
                    value: word.value.as_ref().map(|_| glued.to_owned()),
                    prefix: glued.to_owned(),
                    ..word.clone()
                }));
            }
            index = fd_command(call, index, &mut words);
            if !words.is_empty() {
                used.starts.push(Start::Words(words));
            }
            used.opaque.push("an option of `fd` that may start a command");
        } else if word.value.is_none()
            && (word.prefix.is_empty() || word.is_many || word.prefix.starts_with('-'))
        {
            used.opaque.push("words of `fd` that cannot be told");
        } else if !text.starts_with('-') {
            operands += 1;
            if operands > 1 {
                used.touch(word, FileAccess::Read, false);
            }
        }
    }
    used.path(".", FileAccess::Read, false, call.at());
    used.nature = CommandNature::Other;
    if call.has(&["-L"]) {
        used.follows_links(call.at());
    }
    if call.has(&["-C"]) {
        used.elsewhere(call.at());
    }
}

fn fd_command(call: &Call<'_>, mut index: usize, words: &mut Vec<Word>) -> usize {
    let mut has_mark = words.iter().any(|word| word.value.is_none());
    while let Some(word) = call.words.get(index) {
        index += 1;
        if word.value.as_deref() == Some(";") {
            break;
        }
        let replaced = marked(word);
        has_mark |= replaced.value.is_none();
        words.push(replaced);
    }
    if !has_mark {
        words.push(Word::unknown(true, call.at()));
    }
    index
}

fn marked(word: &Word) -> Word {
    for mark in ["{}", "{/}", "{//}", "{.}", "{/.}"] {
        if word.prefix.contains(mark) {
            return replaced(word, mark, "");
        }
    }
    word.clone()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_expression_table_is_sorted() {
        assert!(super::EXPRESSION.is_sorted_by(|a, b| a.0 < b.0));
    }
}
