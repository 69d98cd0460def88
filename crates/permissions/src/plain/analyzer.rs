//! An analyzer for plain lines: quoted and unquoted words, joined by `&&`, `||`, `;`, `|`, `&` and line
//! ends, with plain redirections. Of everything else it says that it cannot tell. Sound, small, and
//! enough until a real one is plugged in.

use crate::plain::facts::facts;
use crate::plain::read_only::is_read_only;
use crate::plain::words::{Direction, Token, Word, tokens};
use crate::plain::wrappers;
use pegboard_tool_core::ports::{
    CommandAnalyzer, CommandNature, CommandReport, CommandUse, FileAccess, FileUse, OpaquePart, ShellStart,
};
use std::sync::Arc;

/// Knows plain words and plain operators, and answers opaque for everything else.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct PlainAnalyzer;

impl PlainAnalyzer {
    /// An analyzer.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl CommandAnalyzer for PlainAnalyzer {
    fn analyze(&self, line: &str, start: &ShellStart) -> Arc<CommandReport> {
        if !start.is_bash {
            return Arc::new(CommandReport::opaque("the shell is not bash", 0));
        }
        let tokens = match tokens(line, start.home.as_deref()) {
            Ok(tokens) => tokens,
            Err(stop) => return Arc::new(CommandReport::opaque(stop.reason, stop.at)),
        };
        let mut report = CommandReport::default();
        let mut words: Vec<Word> = Vec::new();
        let mut redirect: Option<Direction> = None;
        for token in tokens.into_iter().chain([Token::End]) {
            match (token, redirect.take()) {
                (Token::Word(word), Some(direction)) => add_redirect(&mut report, direction, &word),
                (Token::Word(word), None) => words.push(word),
                (Token::Redirect(direction), None) => redirect = Some(direction),
                (Token::End, None) => add_command(&mut report, std::mem::take(&mut words), start),
                (Token::End | Token::Redirect(_), Some(_)) => {
                    report.opaque.push(OpaquePart::new("a redirection without a target", line.len()));
                    words.clear();
                }
            }
        }
        Arc::new(report)
    }
}

fn add_redirect(report: &mut CommandReport, direction: Direction, word: &Word) {
    if word.has_glob {
        report.opaque.push(OpaquePart::new("a pattern as the target of a redirection", word.at));
        return;
    }
    let mut touch = |access| {
        let mut file = FileUse::new(Some(word.value.clone()), access, None, word.at);
        file.is_redirection = true;
        report.files.push(file);
    };
    match direction {
        Direction::Out => touch(FileAccess::Write),
        Direction::In => touch(FileAccess::Read),
        Direction::Copy => {
            if word.is_quoted || !word.value.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit()) {
                report.opaque.push(OpaquePart::new("a redirection that is not understood", word.at));
            }
        }
    }
}

fn add_command(report: &mut CommandReport, mut words: Vec<Word>, start: &ShellStart) {
    while words.first().is_some_and(|word| word.source == "!") {
        words.remove(0);
    }
    let assigns: Vec<String> =
        words.iter().map_while(|word| assigned_name(word).map(str::to_owned)).collect();
    let Some(at) = words.first().map(|word| word.at) else { return };
    let mut opaque = |reason: &str| report.opaque.push(OpaquePart::new(reason, at));
    if words.iter().take(assigns.len()).any(|word| word.source.contains('~')) {
        opaque("a home directory in an assignment");
    }
    let text = words.iter().map(|word| word.source.as_str()).collect::<Vec<_>>().join(" ");
    let Some(program) = words.get(assigns.len()) else {
        opaque("an assignment that lasts");
        return;
    };
    if program.has_glob {
        opaque("a program named by a pattern");
    }
    let base = program.value.rsplit('/').next().unwrap_or_default();
    if start.shadowed.contains(&program.value) || start.shadowed.contains(base) {
        opaque("a name that the shell's start-up files define");
    }
    let arguments = words.get(assigns.len() + 1..).unwrap_or_default();
    if let Some(reason) = builtin_that_evaluates(&program.value, arguments) {
        opaque(reason);
    }
    if arguments.iter().any(|word| word.source.contains("=~") && assigned_name(word).is_some()) {
        opaque("a home directory in an assignment");
    }
    let argv: Vec<Option<String>> =
        words.iter().skip(assigns.len()).map(|word| (!word.has_glob).then(|| word.value.clone())).collect();
    let mut command = CommandUse::new(argv, at, text);
    command.has_glob = words.iter().any(|word| word.has_glob);
    command.exact = !command.has_glob;
    command.assigns = assigns;
    let values: Vec<&str> =
        words.iter().skip(command.assigns.len()).map(|word| word.value.as_str()).collect();
    let own = report.commands.len();
    command.nature = nature(&values, command.has_glob);
    add_files(report, &values, &command, own);
    let only = wrappers::transparent(&values);
    report.commands.push(command);
    if let Some(reason) =
        values.split_first().and_then(|(program, rest)| wrappers::splits_text(program, rest))
    {
        report.opaque.push(OpaquePart::new(reason, at));
    }
    let mut starters: Vec<(Vec<String>, usize)> = Vec::new();
    let mut candidates = wrappers::candidates(&values);
    candidates.sort_by_key(|(at, _)| *at);
    for (from, via) in candidates {
        if only.is_some_and(|only| from < only || from > only && via.len() == 1) {
            continue;
        }
        let Some(inner) = words.get(words.len() - values.len() + from..) else { continue };
        if let Some((program, rest)) = inner.split_first() {
            let values: Vec<&str> = rest.iter().map(|word| word.value.as_str()).collect();
            let reason = builtin_that_evaluates(&program.value, rest)
                .or_else(|| wrappers::splits_text(&program.value, &values))
                .or(program.has_glob.then_some("a program named by a pattern"));
            report.opaque.extend(reason.map(|reason| OpaquePart::new(reason, program.at)));
        }
        let mut argv: Vec<Option<String>> =
            inner.iter().map(|word| (!word.has_glob).then(|| word.value.clone())).collect();
        let text = inner.iter().map(|word| word.source.as_str()).collect::<Vec<_>>().join(" ");
        let is_fed = via.last().is_some_and(|last| last == "xargs");
        if is_fed {
            argv.push(None);
        }
        let mut command = CommandUse::new(argv, inner.first().map_or(at, |word| word.at), text);
        command.has_glob = inner.iter().any(|word| word.has_glob);
        command.exact = !command.has_glob && !is_fed;
        let before = via.len().saturating_sub(1);
        let starter = starters.iter().rev().find(|(known, _)| Some(known.as_slice()) == via.get(..before));
        command.starter = Some(starter.map_or(own, |(_, at)| *at));
        starters.push((via.clone(), report.commands.len()));
        command.via = via;
        let values: Vec<&str> = inner.iter().map(|word| word.value.as_str()).collect();
        if !is_fed {
            command.nature = nature(&values, command.has_glob);
        }
        add_files(report, &values, &command, report.commands.len());
        report.commands.push(command);
    }
}

fn nature(words: &[&str], has_glob: bool) -> CommandNature {
    if wrappers::transparent(words).is_some() {
        return CommandNature::Transparent;
    }
    if is_read_only(words, has_glob) {
        let is_git = words.first() == Some(&"git");
        return if is_git { CommandNature::ReadOnlyInTrusted } else { CommandNature::ReadOnly };
    }
    if facts(words).is_edit { CommandNature::FileEdit } else { CommandNature::Other }
}

fn add_files(report: &mut CommandReport, words: &[&str], command: &CommandUse, own: usize) {
    let facts = facts(words);
    let mut add = |path: &str, access, is_deep| {
        let path = (!path.is_empty()).then(|| path.to_owned());
        let mut file = FileUse::new(path, access, Some(own), command.at);
        file.has_glob =
            command.has_glob && file.path.as_ref().is_some_and(|path| path.contains(['*', '?', '[']));
        file.is_deep = is_deep;
        report.files.push(file);
    };
    if words.first() == Some(&"cd") {
        return;
    }
    let here: &[&str] = if facts.is_deep && facts.reads.is_empty() { &["."] } else { &[] };
    for path in facts.reads.iter().chain(here) {
        add(path, FileAccess::Read, facts.is_deep);
    }
    for path in &facts.removes {
        add(
            path,
            FileAccess::Remove,
            words.iter().any(|word| word.starts_with('-') && word.contains(['r', 'R'])),
        );
    }
    for path in facts.writes.iter().filter(|path| !facts.removes.contains(&path.as_str())) {
        add(path, FileAccess::Write, false);
    }
}

/// The variable that a word in front of a command assigns.
fn assigned_name(word: &Word) -> Option<&str> {
    let (name, _) = word.source.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split('[').next().unwrap_or(name);
    let mut bytes = name.bytes();
    let is_name = bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some(name)
}

/// Why a name at the head of a command may run or define more than its words say.
fn builtin_that_evaluates(program: &str, arguments: &[Word]) -> Option<&'static str> {
    let has_bracket = || arguments.iter().any(|word| word.value.contains('['));
    match program {
        "if" | "then" | "else" | "elif" | "fi" | "do" | "done" | "case" | "esac" | "while" | "until"
        | "for" | "select" | "function" | "in" | "[[" | "]]" | "coproc" | "{" | "}" => Some("a control word"),
        "eval" | "source" | "." | "exec" | "trap" | "fc" | "history" | "bind" | "complete" | "compgen"
        | "compopt" => Some("a builtin that runs its arguments"),
        "alias" | "unalias" | "hash" | "enable" | "shopt" | "set" | "declare" | "typeset" | "local"
        | "export" | "readonly" | "unset" | "let" | "read" | "mapfile" | "readarray" | "getopts"
        | "pushd" | "popd" => Some("a builtin that changes the shell"),
        "printf" if arguments.iter().any(|word| word.value.starts_with("-v")) => {
            Some("a builtin that changes the shell")
        }
        "wait" | "jobs" if !arguments.is_empty() => Some("a builtin that changes the shell"),
        "test" | "[" if has_bracket() && arguments.iter().any(|word| word.value.starts_with('-')) => {
            let inner = arguments.iter().rev().skip(usize::from(program == "["));
            inner.filter(|word| word.value.contains('[')).count().gt(&0).then_some("a test that may evaluate")
        }
        "builtin" | "command" | "time" | "nice" | "nohup" | "timeout" | "stdbuf" => {
            let inner = arguments.iter().enumerate().find(|(_, word)| {
                !word.value.starts_with('-') && builtin_that_evaluates(&word.value, &[]).is_some()
            });
            inner.map(|_| "a builtin behind a wrapper")
        }
        "bash" | "sh" | "dash" | "zsh" | "ksh" | "ash" | "fish" | "csh" | "tcsh" => {
            Some("a shell that runs what it is given")
        }
        _ => {
            let base = program.rsplit('/').next().unwrap_or_default();
            (base != program).then(|| builtin_shell(base)).flatten()
        }
    }
}

fn builtin_shell(base: &str) -> Option<&'static str> {
    matches!(base, "bash" | "sh" | "dash" | "zsh" | "ksh" | "ash" | "fish" | "csh" | "tcsh" | "busybox")
        .then_some("a shell that runs what it is given")
}
