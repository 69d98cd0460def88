//! `xargs` and `parallel`: commands whose last words come from the input.

use pegboard_tool_core::ports::CommandNature;

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, Start, effects};

/// `xargs`: what it appends is not known, nor how many words.
pub(in super::super) fn xargs(call: &Call<'_>, used: &mut ProgramUse) {
    let is_bare = call.options.is_empty() && call.is_certain();
    let mark = call.option("-I").or_else(|| call.option("-i")).map(|given| {
        given.value.as_ref().and_then(|value| value.value.clone()).unwrap_or_else(|| "{}".to_owned())
    });
    let mut words = match call.operands.first() {
        Some((place, _)) => call.words.get(*place..).unwrap_or_default().to_vec(),
        None => vec![Word::known("echo", call.at())],
    };
    match mark {
        Some(mark) => {
            for word in &mut words {
                *word = super::find::replaced(word, &mark, "");
            }
        }
        None => words.push(Word::unknown(true, call.at())),
    }
    used.starts.push(Start::Words(words));
    used.nature = match is_bare && effects::is_by_name_or_system(&call.words[0]) {
        true => CommandNature::Transparent,
        false => CommandNature::Other,
    };
}

/// `parallel`: joins its words and gives them to a shell.
pub(in super::super) fn parallel(call: &Call<'_>, used: &mut ProgramUse) {
    const VALUES: &[&str] = &[
        "-j",
        "--jobs",
        "-P",
        "--max-procs",
        "-n",
        "--max-args",
        "-N",
        "-L",
        "--max-lines",
        "-I",
        "-a",
        "--arg-file",
        "--colsep",
        "-C",
        "-d",
        "--delimiter",
        "--delay",
        "--timeout",
        "--joblog",
        "--results",
        "--retries",
        "--load",
        "--memfree",
        "--nice",
        "--halt",
        "-S",
        "--sshlogin",
        "--workdir",
        "--wd",
        "--env",
        "--tagstring",
        "--block",
        "--recstart",
        "--recend",
        "-s",
    ];
    used.opaque.push("a command line that `parallel` makes");
    let mut index = 1;
    while let Some(word) = call.words.get(index) {
        let text = word.value.as_deref().unwrap_or(&word.prefix);
        if !text.starts_with('-') {
            break;
        }
        index += if VALUES.contains(&text) { 2 } else { 1 };
    }
    let rest = call.words.get(index..).unwrap_or_default();
    let is_mark = |word: &&Word| word.value.as_deref().is_some_and(|text| text.starts_with(":::"));
    let command: Vec<Word> = rest.iter().take_while(|word| !is_mark(word)).cloned().collect();
    if command.is_empty() {
        // The inputs are the command lines.
        for word in rest.iter().filter(|word| !is_mark(word)) {
            effects::line(word, Vec::new(), used);
        }
        if rest.is_empty() {
            used.starts.push(Start::Input);
        }
        return;
    }
    let inner: Vec<Word> = command.iter().map(|word| super::find::replaced(word, "{", "")).collect();
    if let [only] = inner.as_slice() {
        effects::line(only, vec![Word::unknown(true, call.at())], used);
    }
    let mut words = inner;
    words.push(Word::unknown(true, call.at()));
    used.starts.push(Start::Words(words));
}
