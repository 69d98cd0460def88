//! Interpreters of other languages: what a script does cannot be told; which script it is can.

use pegboard_tool_core::ports::FileAccess;

use super::super::ProgramUse;
use super::super::call::Call;

const INLINE: &str = "a program text of another language";
const INPUT: &str = "a program of another language on its input";
const UNKNOWN: &str = "an option of an interpreter is not known";

/// A script file as the first operand; without one the program stands on the input.
pub(in super::super) fn script(call: &Call<'_>, used: &mut ProgramUse) {
    unknown(call, used);
    let first = call.operands.first().map(|(_, word)| *word);
    match first {
        None => {
            let asks = call.options.iter().any(|given| {
                matches!(
                    given.known.name,
                    "-v" | "-V" | "-h" | "--version" | "--help" | "-version" | "--test" | "--run" | "i"
                )
            });
            if used.opaque.is_empty() && !asks {
                used.opaque.push(INPUT);
            }
        }
        Some(word) if matches!(word.value.as_deref(), Some("-" | "/dev/stdin")) => used.opaque.push(INPUT),
        Some(_) => {}
    }
}

/// Python: `-m` names a module.
pub(in super::super) fn python(call: &Call<'_>, used: &mut ProgramUse) {
    // What follows `-m NAME` or `-c TEXT` are words of the module or text.
    let ends = call.options.iter().find(|given| matches!(given.known.name, "-m" | "-c"));
    let is_module = ends.is_some_and(|given| given.known.name == "-m");
    let asks = call.has(&["V", "--version", "--help", "h"]);
    if is_module {
        used.files.clear();
        used.opaque.clear();
        if ends
            .and_then(|given| given.value.as_ref())
            .is_none_or(|value| value.value.is_none() || value.is_many)
        {
            used.opaque.push(UNKNOWN);
        }
    }
    if !is_module {
        unknown(call, used);
    }
    let module =
        call.option("-m").and_then(|given| given.value.as_ref()).and_then(|value| value.value.as_deref());
    if matches!(module, Some("timeit" | "code" | "pdb" | "cProfile" | "profile" | "trace" | "runpy")) {
        used.opaque.push(INLINE);
    }
    // `-m json.tool FILE`, `-m zipfile -l FILE`: modules that read or write the files they are told.
    if let Some(given) = ends.filter(|_| is_module) {
        let words = call.words.get(given.end..).unwrap_or_default();
        for word in words.iter().filter(|word| !word.prefix.starts_with('-')) {
            match module {
                Some("json.tool") => {
                    let is_second =
                        words.iter().filter(|other| !other.prefix.starts_with('-')).nth(1) == Some(word);
                    used.touch(word, if is_second { FileAccess::Write } else { FileAccess::Read }, false);
                }
                Some(
                    "base64" | "tokenize" | "ast" | "dis" | "gzip" | "zipfile" | "tarfile" | "py_compile"
                    | "quopri" | "uu" | "csv" | "tabnanny" | "compileall" | "zipapp",
                ) => {
                    used.touch(word, FileAccess::Read, true);
                    if matches!(module, Some("gzip" | "zipfile" | "tarfile" | "zipapp" | "uu")) {
                        used.touch(word, FileAccess::Write, true);
                    }
                }
                Some("black" | "isort" | "ruff" | "autopep8" | "yapf") => {
                    used.touch(word, FileAccess::Read, true);
                    used.touch(word, FileAccess::Write, true);
                }
                _ => {}
            }
        }
        if matches!(module, Some("pip" | "ensurepip")) {
            used.network.push(None);
        }
    }
    let first = call.operands.first().map(|(_, word)| word.value.as_deref());
    match first {
        None if !is_module && !asks && used.opaque.is_empty() => used.opaque.push(INPUT),
        Some(Some("-" | "/dev/stdin")) if !is_module => used.opaque.push(INPUT),
        _ => {}
    }
}

/// Ruby.
pub(in super::super) fn ruby(call: &Call<'_>, used: &mut ProgramUse) {
    script(call, used);
    in_place(call, used);
}

/// `-i` writes the files behind the script; with a text in the options all operands are files.
fn in_place(call: &Call<'_>, used: &mut ProgramUse) {
    let has_text = call.has(&["-e"]);
    let writes = call.has(&["-i"]);
    if !has_text && !writes {
        return;
    }
    for (_, word) in call.operands.iter().skip(usize::from(!has_text)) {
        used.touch(word, FileAccess::Read, false);
        if writes {
            used.touch(word, FileAccess::Write, false);
        }
    }
    if writes && !call.is_certain() {
        used.unknown_file(FileAccess::Write, call.at());
    }
}

/// Perl: a cluster such as `-pe` ends in a text.
pub(in super::super) fn perl(call: &Call<'_>, used: &mut ProgramUse) {
    unknown(call, used);
    in_place(call, used);
    let asks = call.has(&["v", "-V", "h"]);
    if call.operands.is_empty() && used.opaque.is_empty() && !asks {
        used.opaque.push(INPUT);
    }
}

/// `bun`: runs scripts of a package, files, or packages.
pub(in super::super) fn bun(call: &Call<'_>, used: &mut ProgramUse) {
    unknown(call, used);
    match call.operands.first().map(|(_, word)| word.value.as_deref()) {
        Some(Some("x")) => super::packages::behind(call, 1, used),
        Some(Some("add" | "install" | "i" | "update" | "create" | "publish" | "outdated")) => {
            used.network.push(None)
        }
        None | Some(None) => used.opaque.push(UNKNOWN),
        Some(Some(_)) => {}
    }
}

/// `deno`.
pub(in super::super) fn deno(call: &Call<'_>, used: &mut ProgramUse) {
    match call.operands.first().map(|(_, word)| word.value.as_deref()) {
        Some(Some("eval" | "repl" | "-" | "task" | "jupyter")) | None | Some(None) => {
            used.opaque.push(INLINE)
        }
        Some(Some("install" | "add" | "publish" | "upgrade" | "cache")) => used.network.push(None),
        Some(Some("run" | "serve")) => {
            let target = call.operands.iter().skip(1).find(|(_, word)| !word.prefix.starts_with('-'));
            match target.map(|(_, word)| (word.value.as_deref(), *word)) {
                Some((Some("-"), _)) | None => used.opaque.push(INPUT),
                Some((Some(text), word)) if text.contains("://") => {
                    super::super::hosts::url_or_path(word, used)
                }
                Some(_) => {}
            }
        }
        Some(Some(_)) => {}
    }
}

/// `java`: a class or a file.
pub(in super::super) fn java(call: &Call<'_>, used: &mut ProgramUse) {
    if call.words.iter().any(|word| {
        ["-javaagent", "-agent", "-XX:OnError", "-XX:OnOutOfMemoryError", "@"]
            .iter()
            .any(|bad| word.prefix.starts_with(bad))
    }) {
        used.opaque.push(UNKNOWN);
    }
}

/// `psql`: a statement on the input can run programs.
pub(in super::super) fn sql(call: &Call<'_>, used: &mut ProgramUse) {
    unknown(call, used);
    super::network::addresses(call, used);
    if !call.has(&["-c", "-f", "-l"]) {
        used.opaque.push(INPUT);
    }
}

/// `mysql`: its commands run programs and write files.
pub(in super::super) fn mysql(call: &Call<'_>, used: &mut ProgramUse) {
    super::network::addresses(call, used);
    if !call.is_certain() {
        used.network.push(None);
    }
    used.opaque.push(INPUT);
}

/// `sqlite3`: its dot commands run programs and write files.
pub(in super::super) fn sqlite(call: &Call<'_>, used: &mut ProgramUse) {
    let operands: Vec<_> = call.words.iter().skip(1).filter(|word| !word.prefix.starts_with('-')).collect();
    if let Some(file) = operands.first() {
        used.touch(file, FileAccess::Read, false);
        used.touch(file, FileAccess::Write, false);
    }
    let plain = |text: &str| {
        !text.trim_start().starts_with('.')
            && !text.contains("load_extension")
            && !text.contains("\n.")
            && !text.contains("edit(")
            && !text.contains("writefile")
    };
    let is_plain =
        operands.len() == 2 && operands.get(1).is_some_and(|word| word.value.as_deref().is_some_and(plain));
    let has_options = call.words.iter().skip(1).any(|word| {
        word.prefix.starts_with('-')
            && !matches!(
                word.value.as_deref(),
                Some(
                    "-readonly"
                        | "-json"
                        | "-csv"
                        | "-header"
                        | "-column"
                        | "-batch"
                        | "-line"
                        | "-markdown"
                        | "-box"
                        | "-table"
                )
            )
    });
    if !is_plain || has_options {
        used.opaque.push(INPUT);
    }
}

fn unknown(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.is_certain() {
        used.opaque.push(UNKNOWN);
    }
}
