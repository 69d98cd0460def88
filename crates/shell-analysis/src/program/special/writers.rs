//! Programs that write beside or into the files that they read.

use pegboard_tool_core::ports::FileAccess;

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, effects};

/// What is written stands beside each file, under its name and an ending.
pub(in super::super) fn beside(call: &Call<'_>, used: &mut ProgramUse) {
    if call.has(&["-c", "c", "--stdout", "-t", "t"]) {
        return;
    }
    for (_, word) in &call.operands {
        match word.value.as_deref() {
            Some(path) if !word.has_glob => {
                used.path(format!("{path}*"), FileAccess::Write, false, word.at);
                if let Some(touch) = used.files.last_mut() {
                    touch.has_glob = true;
                }
                if let Some((stem, _)) = path.rsplit_once('.') {
                    used.path(stem, FileAccess::Write, false, word.at);
                }
                used.touch(word, FileAccess::Remove, false);
            }
            _ => used.unknown_file(FileAccess::Write, word.at),
        }
    }
}

/// Unpacks under names that stand in what it reads.
pub(in super::super) fn writes_here(call: &Call<'_>, used: &mut ProgramUse) {
    used.path(".", FileAccess::Write, true, call.at());
    writes_unknown(call, used);
}

/// Writes files that cannot be told.
pub(in super::super) fn writes_unknown(call: &Call<'_>, used: &mut ProgramUse) {
    used.unknown_file(FileAccess::Write, call.at());
}

/// Each word may be a file, and is read and written.
pub(in super::super) fn mentions(call: &Call<'_>, used: &mut ProgramUse) {
    for word in call.words.iter().skip(1) {
        let path = match word.value.as_deref() {
            Some(text) if text.starts_with('-') => match text.split_once('=') {
                Some((_, path)) => Word::known(path, word.at),
                None => continue,
            },
            _ => word.clone(),
        };
        used.touch(&path, FileAccess::Read, true);
        used.touch(&path, FileAccess::Write, true);
    }
}

/// A language whose texts run programs.
pub(in super::super) fn language(_: &Call<'_>, used: &mut ProgramUse) {
    used.opaque.push("a program text of another language");
}

/// `dc`: `!` runs a command.
pub(in super::super) fn calculator(call: &Call<'_>, used: &mut ProgramUse) {
    for given in call.options.iter().filter(|given| given.known.name == "-e") {
        let text = given.value.as_ref().and_then(|value| value.value.as_deref());
        if let Some((_, command)) = text.and_then(|text| text.split_once('!')) {
            effects::line(&Word::known(command, given.at), Vec::new(), used);
        }
    }
    language(call, used);
}

/// `dotenv -f FILE run COMMAND`.
pub(in super::super) fn runs_behind(call: &Call<'_>, used: &mut ProgramUse) {
    used.unknown_file(FileAccess::Read, call.at());
    used.opaque.push("variables from a file");
    super::wrappers::anywhere(call, used);
    if let Some((place, _)) = call.operands.first() {
        effects::command(call, *place, used);
    }
}

/// What is read goes to another machine, perhaps.
pub(in super::super) fn sends(_: &Call<'_>, used: &mut ProgramUse) {
    if used.network.is_empty() {
        used.network.push(None);
    }
}

/// Puts files and all below folders into form, those of the working folder when none is named.
pub(in super::super) fn formats(call: &Call<'_>, used: &mut ProgramUse) {
    let writes = writes_in_place(call);
    let mut any = false;
    for word in call.words.iter().skip(1) {
        let text = word.value.as_deref().unwrap_or(&word.prefix);
        if matches!(text, "--help" | "--version" | "-h" | "-V") && call.words.len() == 2 {
            return;
        }
        if text.starts_with('-') {
            if let Some((_, path)) = text.split_once('=') {
                let path = Word {
                    value: word.value.as_ref().map(|_| path.to_owned()),
                    ..Word::known(path, word.at)
                };
                used.touch(&path, FileAccess::Read, false);
            }
            continue;
        }
        let is_verb = matches!(
            text,
            "check" | "format" | "lint" | "fmt" | "run" | "validate" | "plan" | "apply" | "init" | "ci"
        );
        any |= !is_verb;
        if !is_verb {
            used.touch(word, FileAccess::Read, true);
            if writes {
                used.touch(word, FileAccess::Write, true);
            }
        }
    }
    if !any {
        used.path(".", FileAccess::Read, true, call.at());
        if writes {
            used.path(".", FileAccess::Write, true, call.at());
        }
    }
}

/// Whether it writes what it puts into form: some do unless they are told to check, some only when told to.
fn writes_in_place(call: &Call<'_>) -> bool {
    const TOLD: &[&str] = &[
        "biome",
        "clang-format",
        "clang-tidy",
        "codespell",
        "eslint",
        "gofmt",
        "gofumpt",
        "goimports",
        "markdownlint",
        "oxlint",
        "prettier",
        "shfmt",
        "stylelint",
        "xo",
    ];
    let has = |begins: &[&str]| {
        call.words
            .iter()
            .skip(1)
            .any(|word| word.value.is_none() || begins.iter().any(|begin| word.prefix.starts_with(begin)))
    };
    if TOLD.contains(&call.row.name) {
        return has(&[
            "-w", "--w", "--fix", "--apply", "-i", "--in", "-o", "--out", "-fix", "--unsafe", "format",
        ]);
    }
    let checks =
        call.words.iter().skip(1).any(|word| matches!(word.value.as_deref(), Some("--check" | "--diff")));
    !checks || has(&["--fix", "-w", "--write"])
}

/// TeX runs programs when it is allowed to.
pub(in super::super) fn tex(call: &Call<'_>, used: &mut ProgramUse) {
    let is_let = |word: &Word| {
        word.value.is_none()
            || word.prefix.contains("shell")
            || word.prefix.contains("write18")
            || word.prefix.contains("enable")
            || word.prefix.contains('\\')
    };
    if call.row.name.starts_with("lua") || call.row.name == "latexmk" || call.words.iter().skip(1).any(is_let)
    {
        used.opaque.push("commands in a text of TeX");
    }
    for word in call.words.iter().skip(1) {
        if let Some(path) = word.value.as_deref().filter(|text| !text.starts_with('-')) {
            used.touch(&Word::known(path, word.at), FileAccess::Read, false);
        }
    }
    used.unknown_file(FileAccess::Read, call.at());
    used.unknown_file(FileAccess::Write, call.at());
}
