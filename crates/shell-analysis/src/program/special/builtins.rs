//! Builtins of the shell.

use pegboard_tool_core::ports::{CommandNature, FileAccess};

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, Start, effects};

/// `eval`: its words joined by blanks run in this shell.
pub(in super::super) fn eval(call: &Call<'_>, used: &mut ProgramUse) {
    let mut words = call.words.get(1..).unwrap_or_default();
    if words.first().is_some_and(|word| word.value.as_deref() == Some("--")) {
        words = words.get(1..).unwrap_or_default();
    }
    let Some(first) = words.first() else { return };
    match effects::join(words) {
        Some(text) => used.starts.push(Start::Here(text, first.at)),
        None => used.opaque.push("a text that `eval` runs cannot be told"),
    }
}

/// `trap TEXT SIGNAL...`.
pub(in super::super) fn trap(call: &Call<'_>, used: &mut ProgramUse) {
    let mut words = call.words.get(1..).unwrap_or_default();
    match words.first().and_then(|word| word.value.as_deref()) {
        Some("-l" | "-p" | "-P") => return,
        Some("--") => words = words.get(1..).unwrap_or_default(),
        _ => {}
    }
    let Some(first) = words.first() else { return };
    match first.value.as_deref() {
        Some("" | "-") if !first.is_many => {}
        Some(text) if !first.has_glob => used.starts.push(Start::Here(text.to_owned(), first.at)),
        _ => used.opaque.push("a text that `trap` runs cannot be told"),
    }
}

/// `history -w FILE`: the list of lines is written or read.
pub(in super::super) fn history(call: &Call<'_>, used: &mut ProgramUse) {
    let accesses = [
        (call.has(&["-w", "-a"]) || !call.is_certain(), FileAccess::Write),
        (call.has(&["-r", "-n"]) || !call.is_certain(), FileAccess::Read),
    ];
    for (_, access) in accesses.into_iter().filter(|(is_it, _)| *is_it) {
        match call.operands.first() {
            Some((_, file)) => used.touch(file, access, false),
            None => used.unknown_file(access, call.at()),
        }
    }
}

/// `source FILE`, `. FILE`.
pub(in super::super) fn source(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.operands.is_empty() || !call.is_certain() {
        used.opaque.push("a file of shell commands is run");
    }
}

/// `command -v NAME` only says what it is.
pub(in super::super) fn command(call: &Call<'_>, used: &mut ProgramUse) {
    if call.has(&["-v", "-V"]) && call.is_certain() {
        used.starts.clear();
        used.nature = match effects::is_by_name_or_system(&call.words[0]) {
            true => CommandNature::ReadOnly,
            false => CommandNature::Other,
        };
    } else if call.has(&["-p"]) && used.nature == CommandNature::Transparent {
        // Another search path: still the same program by name.
        used.nature = CommandNature::Other;
    }
}

/// `cd` into one folder; the permission engine looks at which.
pub(in super::super) fn cd(call: &Call<'_>, used: &mut ProgramUse) {
    let is_dash = call.operands.iter().any(|(_, word)| word.value.as_deref() == Some("-"));
    if call.operands.len() > 1 || is_dash {
        used.nature = CommandNature::Other;
    }
}

/// `jobs -x COMMAND`.
pub(in super::super) fn jobs(call: &Call<'_>, used: &mut ProgramUse) {
    let place = call.words.iter().position(|word| word.prefix.starts_with('-') && word.prefix.contains('x'));
    if let Some(place) = place {
        effects::command(call, place + 1, used);
    } else if !call.is_certain() {
        used.opaque.push("an option of `jobs` is not known");
    }
}

/// `bind -x`, `complete -C`, `compgen -W`, `fc`: texts that run now or later.
pub(in super::super) fn by_text(call: &Call<'_>, used: &mut ProgramUse) {
    let is_quiet = match call.row.name {
        "bind" => {
            call.words
                .get(1)
                .is_none_or(|word| matches!(word.value.as_deref(), Some("-p" | "-l" | "-P" | "-v" | "-V")))
                && call.words.len() < 3
        }
        "complete" => {
            call.words.len() == 2 && call.words.get(1).is_some_and(|word| word.value.as_deref() == Some("-p"))
        }
        "compgen" => {
            call.words.get(1).is_some_and(|word| {
                matches!(word.value.as_deref(), Some("-c" | "-a" | "-b" | "-k" | "-A" | "-u" | "-f" | "-d"))
            }) && call.words.len() < 4
                && call.words.iter().all(|word| {
                    word.value.is_some()
                        && !word.prefix.starts_with("-C")
                        && !word.prefix.starts_with("-F")
                        && !word.prefix.starts_with("-W")
                })
        }
        "enable" => !call.has(&["-f"]) && call.is_certain(),
        "fc" => {
            call.words.get(1).is_some_and(|word| matches!(word.value.as_deref(), Some("-l" | "-ln" | "-lr")))
        }
        _ => false,
    };
    if !is_quiet {
        used.opaque.push("a builtin that runs or loads what its words say");
    }
}

/// `let`: its words are arithmetic, whose subscripts run substitutions.
pub(in super::super) fn arithmetic(call: &Call<'_>, used: &mut ProgramUse) {
    let is_constant = |word: &Word| {
        word.value.as_deref().is_some_and(|text| {
            !text.contains(|letter: char| letter.is_alphabetic() || "_[$`".contains(letter))
        })
    };
    if !call.words.iter().skip(1).all(is_constant) {
        used.opaque.push("arithmetic that may run a substitution");
    }
}

/// `declare`, `export`, `local`: names with subscripts run substitutions, and some variables change what runs.
pub(in super::super) fn assigns(call: &Call<'_>, used: &mut ProgramUse) {
    let is_integer = call.words.iter().skip(1).any(|word| {
        (word.prefix.starts_with('-') || word.prefix.starts_with('+')) && word.prefix.contains(['i', 'n'])
            || word.value.is_none() && word.prefix.is_empty()
    });
    for word in call.words.iter().skip(1) {
        let text = word.value.as_deref().unwrap_or(&word.prefix);
        let name = text.split('=').next().unwrap_or_default();
        let has_value = text.contains('=');
        let is_known = word.value.is_some() || has_value;
        let value = text.get(name.len()..).unwrap_or_default();
        let runs = !is_known
            || name.contains(['[', '$', '`'])
            || is_integer
                && (word.value.is_none()
                    || value.contains(|letter: char| letter.is_alphabetic() || "_[$`".contains(letter)))
            || value.starts_with("=(") && value.contains(['$', '`']);
        if runs {
            used.opaque.push("a variable whose name may run a substitution");
        }
        let name = name.trim_end_matches('+');
        if has_value && super::super::assignments::is_risky(name) {
            used.opaque.push("a variable that changes what programs do");
        }
    }
}

/// `read`, `unset`, `mapfile`: names with subscripts run substitutions; `mapfile -C` runs a command.
pub(in super::super) fn names(call: &Call<'_>, used: &mut ProgramUse) {
    let by_option = call.options.iter().filter(|given| matches!(given.known.name, "-a" | "-p"));
    let is_read = call.row.name == "read";
    let bad_option = by_option
        .filter(|given| !(is_read && given.known.name == "-p"))
        .filter_map(|given| given.value.as_ref())
        .any(is_evaluated);
    if bad_option || !call.is_certain() || call.operands.iter().any(|(_, word)| is_evaluated(word)) {
        used.opaque.push("a variable whose name may run a substitution");
    }
}

/// `printf -v NAME` sets a variable.
pub(in super::super) fn printf(call: &Call<'_>, used: &mut ProgramUse) {
    let words = call.words.get(1..).unwrap_or_default();
    let Some(first) = words.first() else { return };
    let sets = first.prefix.starts_with("-v");
    let may_set = first.value.is_none() && "-v".starts_with(first.prefix.get(..2).unwrap_or(&first.prefix));
    if sets || may_set {
        used.nature = CommandNature::Other;
        let glued = first.prefix.get(2..).unwrap_or_default();
        let next_is_bad = glued.is_empty() && words.get(1).is_some_and(is_evaluated);
        if glued.contains('[') || next_is_bad || first.value.is_none() && first.is_many {
            used.opaque.push("a variable whose name may run a substitution");
        }
    }
}

/// `test -v NAME[...]` runs substitutions in the subscript.
pub(in super::super) fn test(call: &Call<'_>, used: &mut ProgramUse) {
    let words = call.words.get(1..).unwrap_or_default();
    let is_unary = |word: &Word| matches!(word.value.as_deref(), Some("-v" | "-R") | None);
    let is_one_of_many = |word: &Word| word.value.is_none() && word.is_many;
    let runs = words
        .windows(2)
        .any(|pair| is_unary(&pair[0]) && pair[0].prefix.len() <= 2 && is_evaluated(&pair[1]));
    if runs || words.iter().any(is_one_of_many) {
        used.opaque.push("a test that may run a substitution");
    }
}

/// Whether the word, as the name of a variable, has a subscript that could run something, or it cannot be told.
fn is_evaluated(word: &Word) -> bool {
    match word.value.as_deref() {
        // A name in a subscript stands for the text of a variable, which is evaluated in turn.
        Some(text) => match text.split_once('[') {
            Some((_, subscript)) => {
                !subscript.trim_end_matches(']').bytes().all(|byte| byte.is_ascii_digit())
            }
            None => text.contains(['$', '`']),
        },
        None => true,
    }
}
