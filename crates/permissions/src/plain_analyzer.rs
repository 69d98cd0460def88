//! An analyzer for plain lines: quoted and unquoted words, joined by `&&`, `||`, `;`, `|`, `&` and line
//! ends, with plain redirections. Of everything else it says that it cannot tell. Sound, small, and
//! enough until a real one is plugged in.

use crate::plain_words::{Direction, Token, Word, tokens};
use crate::wrappers;
use pegboard_tool_core::ports::{CommandAnalyzer, CommandReport, CommandUse, OpaquePart, ShellStart};
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
    match direction {
        Direction::Out => report.writes.push(Some(word.value.clone())),
        Direction::In => report.reads.push(Some(word.value.clone())),
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
    report.commands.push(command);
    if let Some(reason) =
        values.split_first().and_then(|(program, rest)| wrappers::splits_text(program, rest))
    {
        report.opaque.push(OpaquePart::new(reason, at));
    }
    for (from, via) in wrappers::candidates(&values) {
        let Some(inner) = words.get(words.len() - values.len() + from..) else { continue };
        if let Some((program, rest)) = inner.split_first() {
            let values: Vec<&str> = rest.iter().map(|word| word.value.as_str()).collect();
            let reason = builtin_that_evaluates(&program.value, rest)
                .or_else(|| wrappers::splits_text(&program.value, &values))
                .or(program.has_glob.then_some("a program named by a pattern"));
            report.opaque.extend(reason.map(|reason| OpaquePart::new(reason, program.at)));
        }
        let argv = inner.iter().map(|word| (!word.has_glob).then(|| word.value.clone())).collect();
        let text = inner.iter().map(|word| word.source.as_str()).collect::<Vec<_>>().join(" ");
        let mut command = CommandUse::new(argv, inner.first().map_or(at, |word| word.at), text);
        command.has_glob = inner.iter().any(|word| word.has_glob);
        command.exact = !command.has_glob;
        command.via = via;
        report.commands.push(command);
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
