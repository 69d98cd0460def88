//! Wrappers whose words are taken in a way of their own.

use pegboard_tool_core::ports::{CommandNature, FileAccess};

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, Start, effects};

/// `chroot`, `unshare`, `nsenter`: a shell when no command is given; files are not what they are called here.
pub(in super::super) fn elsewhere(call: &Call<'_>, used: &mut ProgramUse) {
    if call.row.name == "chroot" {
        used.opaque.push("a command with another root folder");
        used.elsewhere(call.at());
    }
    if used.starts.is_empty() && call.is_certain() && !call.has(&["-h", "-V", "--help", "--version"]) {
        used.starts.push(Start::Input);
    }
}

/// Takes its options from among the words of the command as well, unless `--` stands before it.
pub(in super::super) fn permutes(call: &Call<'_>, used: &mut ProgramUse) {
    let Some((place, _)) = call.operands.first() else { return };
    let is_apart = call.words.get(place - 1).is_some_and(|word| word.value.as_deref() == Some("--"));
    let is_option = |word: &Word| word.prefix.starts_with('-') || word.value.is_none();
    if !is_apart && call.words.iter().skip(*place).any(is_option) {
        used.opaque.push("where the command begins cannot be told");
    }
}

/// `direnv exec DIR COMMAND`, `mise exec -- COMMAND`.
pub(in super::super) fn behind_exec(call: &Call<'_>, used: &mut ProgramUse) {
    match call.words.get(1).and_then(|word| word.value.as_deref()) {
        Some("exec" | "x" | "run" | "watch") => {
            used.opaque.push("where the command begins cannot be told");
            anywhere(call, used);
        }
        Some(_) | None if call.words.len() < 2 => {}
        Some(_) => {}
        None => used.opaque.push("a subcommand that cannot be told"),
    }
}

/// A command may begin at any of the first words.
pub(in super::super) fn anywhere(call: &Call<'_>, used: &mut ProgramUse) {
    const MAX_PLACES: usize = 6;
    let places = call.words.iter().enumerate().skip(2);
    let places = places.filter(|(_, word)| !word.prefix.starts_with('-') && !word.prefix.is_empty());
    let places: Vec<usize> = places.map(|(place, _)| place).take(MAX_PLACES).collect();
    if places.is_empty() {
        return;
    }
    if used.opaque.is_empty() {
        used.opaque.push("where the command begins cannot be told");
    }
    for place in places {
        effects::command(call, place, used);
    }
}

/// `entr` puts the file for `/_`.
pub(in super::super) fn placeholder(_: &Call<'_>, used: &mut ProgramUse) {
    for start in &mut used.starts {
        if let Start::Words(words) = start {
            for word in words {
                if word.value.as_deref() == Some("/_") {
                    *word = Word { prefix: "/".into(), ..Word::unknown(false, word.at) };
                }
            }
        }
    }
}

/// `flock FILE COMMAND...`, `flock FILE -c TEXT`, `flock NUMBER`.
pub(in super::super) fn flock(call: &Call<'_>, used: &mut ProgramUse) {
    let Some((place, file)) = call.operands.first() else { return };
    if file
        .value
        .as_deref()
        .is_none_or(|text| !text.bytes().all(|byte| byte.is_ascii_digit()) || call.operands.len() > 1)
    {
        used.touch(file, FileAccess::Write, false);
    }
    if let Some(given) = call.option("-c") {
        if let Some(text) = &given.value {
            effects::line(text, Vec::new(), used);
        }
        return;
    }
    if file.is_many {
        used.opaque.push("where the command begins cannot be told");
    }
    let mut rest = place + 1;
    let text = call.words.get(rest).and_then(|word| word.value.as_deref());
    match text {
        Some("-c" | "--command") => {
            if let Some(text) = call.words.get(rest + 1) {
                effects::line(text, Vec::new(), used);
            }
            return;
        }
        Some("--") => rest += 1,
        _ => {}
    }
    effects::command(call, rest, used);
}

/// `hyperfine`: each operand is a command line.
pub(in super::super) fn lines(call: &Call<'_>, used: &mut ProgramUse) {
    used.starts.retain(|start| !matches!(start, Start::Line { at, .. } if call.operands.first().is_some_and(|(_, word)| word.at == *at)));
    for (_, word) in &call.operands {
        effects::line(word, Vec::new(), used);
    }
    if !call.is_certain() {
        used.opaque.push("an option of a program that starts others is not known");
    }
}

/// `nice` alone prints a number.
pub(in super::super) fn nice(call: &Call<'_>, used: &mut ProgramUse) {
    if call.words.len() == 1 && effects::is_by_name_or_system(&call.words[0]) {
        used.nature = CommandNature::ReadOnly;
    }
}

/// `su [-] [USER] [-c TEXT]`, `runuser -u USER COMMAND`.
pub(in super::super) fn su(call: &Call<'_>, used: &mut ProgramUse) {
    let operands: Vec<usize> = call
        .operands
        .iter()
        .filter(|(_, word)| word.value.as_deref() != Some("-"))
        .map(|(place, _)| *place)
        .collect();
    if call.has(&["-l"]) || call.operands.len() > operands.len() {
        used.opaque.push("a start-up file of a shell");
    }
    if call.row.name == "runuser" && call.has(&["-u"]) {
        permutes(call, used);
        if let Some(place) = operands.first() {
            effects::command(call, *place, used);
        }
        return;
    }
    // What follows the user goes to the shell.
    if operands.len() > 1 {
        used.opaque.push("words for a shell of another user");
        effects::command(call, operands.get(1).copied().unwrap_or_default(), used);
    }
    if !call.has(&["-c", "--session-command"]) {
        used.starts.push(Start::Input);
    }
}

/// `script -c TEXT`, else a shell on its input.
pub(in super::super) fn script(call: &Call<'_>, used: &mut ProgramUse) {
    let dashes = call.words.iter().position(|word| word.value.as_deref() == Some("--"));
    match dashes {
        Some(place) => {
            used.opaque.push("where the command begins cannot be told");
            effects::command(call, place + 1, used);
        }
        None if !call.has(&["-c", "-h", "-V"]) => used.starts.push(Start::Input),
        None => {}
    }
    if call.operands.is_empty() && !call.has(&["-O", "-B", "-h", "-V"]) {
        used.path("typescript", FileAccess::Write, false, call.at());
    }
    if call.operands.len() > 1 && dashes.is_none() {
        used.opaque.push("where the command begins cannot be told");
        if let Some((place, _)) = call.operands.get(1) {
            effects::command(call, *place, used);
        }
    }
}

/// `setarch [NAME] COMMAND`.
pub(in super::super) fn setarch(call: &Call<'_>, used: &mut ProgramUse) {
    const NAMES: &[&str] = &[
        "aarch64", "arm", "armh", "arm64", "i386", "i486", "i586", "i686", "athlon", "linux32", "linux64",
        "ppc", "ppc64", "riscv64", "s390x", "uname26", "x86_64",
    ];
    let Some((place, word)) = call.operands.first() else { return };
    if word.value.as_deref().is_some_and(|name| NAMES.contains(&name)) {
        used.starts.clear();
        let inner = Call::read(call.row, call.words.get(*place..).unwrap_or_default());
        effects::apply(&inner, used);
        used.nature = CommandNature::Other;
    }
}

/// `sg GROUP [-c] TEXT`.
pub(in super::super) fn sg(call: &Call<'_>, used: &mut ProgramUse) {
    let mut rest =
        call.words.iter().skip(1).filter(|word| !matches!(word.value.as_deref(), Some("-" | "-l" | "-c")));
    let _group = rest.next();
    match rest.next() {
        Some(text) => effects::line(text, Vec::new(), used),
        None => used.starts.push(Start::Input),
    }
    if rest.next().is_some() {
        used.opaque.push("where the command begins cannot be told");
    }
}

/// `strace -o '|COMMAND'`.
pub(in super::super) fn traced(call: &Call<'_>, used: &mut ProgramUse) {
    let output =
        call.options.iter().filter(|given| given.known.name == "-o").filter_map(|given| given.value.as_ref());
    for value in output {
        if let Some(text) = value.value.as_deref().and_then(|text| text.strip_prefix(['|', '!'])) {
            effects::line(&Word::known(text, value.at), Vec::new(), used);
        }
    }
}

/// `sudo -s`, `sudo -i`: a shell; `sudo -e`: an editor.
pub(in super::super) fn sudo(call: &Call<'_>, used: &mut ProgramUse) {
    if call.has(&["-e"]) {
        for (_, word) in &call.operands {
            used.touch(word, FileAccess::Read, false);
            used.touch(word, FileAccess::Write, false);
        }
        used.starts.clear();
        used.opaque.push("an editor");
    } else if call.has(&["-s", "-i"]) {
        used.opaque.push("a shell of another user");
        if used.starts.is_empty() {
            used.starts.push(Start::Input);
        }
    }
}

/// `watch TEXT...`: its words joined by blanks are a command line, unless `-x` is given.
pub(in super::super) fn watch(call: &Call<'_>, used: &mut ProgramUse) {
    let Some((place, _)) = call.operands.first() else { return };
    let words = call.words.get(*place..).unwrap_or_default();
    if call.has(&["-x"]) {
        effects::command(call, *place, used);
        return;
    }
    // A glob that is expanded before becomes part of the text.
    if effects::join(words).is_none()
        && words.first().is_some_and(|word| word.value.is_some() && !word.has_glob)
    {
        used.starts.push(Start::Words(words.to_vec()));
    }
    effects::joined_line(words, used);
}
