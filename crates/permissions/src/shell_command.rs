//! One simple command of a line, in the spellings that rules are compared with.

use crate::command_pattern::collapse_blanks;
use pegboard_tool_core::ports::CommandUse;

/// Variables that may be set for a command without changing what it does to the world.
const HARMLESS: &[&str] = &[
    "NODE_ENV",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "LANG",
    "LANGUAGE",
    "TZ",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "TERM",
    "COLUMNS",
    "LINES",
    "CI",
    "DEBUG",
];

/// A command, its words lined up with their source.
#[derive(Debug)]
pub(crate) struct ShellCommand {
    /// Words after quote removal; a glob stands as written.
    pub(crate) words: Vec<String>,
    /// The words as written; empty when they could not be lined up.
    pub(crate) sources: Vec<String>,
    /// Whether every word is known.
    pub(crate) is_known: bool,
    /// Whether a word is a glob.
    pub(crate) has_glob: bool,
    /// Whether it is run by another command of the line.
    pub(crate) is_inner: bool,
    /// Whether all variables that are set for it are harmless.
    pub(crate) is_harmless: bool,
}

impl ShellCommand {
    pub(crate) fn new(command: &CommandUse) -> Self {
        let all = source_words(&command.text);
        let assigned = command.assigns.len();
        let count = command.argv.len();
        let sources: Vec<String> = if all.len() == count {
            all
        } else if all.len() == count + assigned {
            all.into_iter().skip(assigned).collect()
        } else {
            Vec::new()
        };
        let mut is_known = command.exact || command.has_glob;
        let words = command.argv.iter().enumerate().map(|(at, word)| match (word, sources.get(at)) {
            (Some(word), _) => word.clone(),
            (None, Some(source))
                if command.has_glob && !source.contains(['$', '`', '"', '\'', '\\', '{']) =>
            {
                source.clone()
            }
            (None, _) => {
                is_known = false;
                String::new()
            }
        });
        let words = words.collect();
        let is_harmless =
            command.assigns.iter().all(|name| HARMLESS.contains(&name.as_str()) || name.starts_with("LC_"));
        Self {
            words,
            sources,
            is_known,
            has_glob: command.has_glob,
            is_inner: !command.via.is_empty(),
            is_harmless,
        }
    }

    /// A command of words that were only guessed.
    pub(crate) fn guessed(words: Vec<String>) -> Self {
        Self {
            words,
            sources: Vec::new(),
            is_known: true,
            has_glob: false,
            is_inner: true,
            is_harmless: false,
        }
    }

    pub(crate) fn words(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }

    /// The text as written from word `start`, blanks collapsed.
    pub(crate) fn source_from(&self, start: usize) -> Option<String> {
        let sources = self.sources.get(start..).filter(|sources| !sources.is_empty())?;
        Some(collapse_blanks(&sources.join(" ")))
    }

    /// Every text that a rule which holds back is compared with, each with its program.
    pub(crate) fn forbidden_texts(&self) -> Vec<(String, String)> {
        let Some((program, rest)) = self.words.split_first() else { return Vec::new() };
        let base = program.rsplit('/').next().unwrap_or_default().to_owned();
        let mut texts = Vec::with_capacity(3);
        let mut add = |program: &str, rest: &[String]| {
            let mut text = program.to_owned();
            rest.iter().for_each(|word| {
                text.push(' ');
                text.push_str(word);
            });
            texts.push((program.to_owned(), text));
        };
        add(&base, rest);
        if base != *program {
            add(program, rest);
        }
        if base == "git" && rest.first().is_some_and(|word| word.starts_with('-')) {
            add(&base, after_git_options(rest));
        }
        if let Some(source) = self.source_from(0)
            && !texts.iter().any(|(_, text)| *text == source)
        {
            texts.push((base, source));
        }
        texts
    }
}

/// The words of a git command after the options that stand in front of the subcommand.
fn after_git_options(rest: &[String]) -> &[String] {
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| word.starts_with('-')) {
        at += match word.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env" | "--super-prefix"
            | "--exec-path" => 2,
            _ => 1,
        };
    }
    rest.get(at..).unwrap_or_default()
}

/// The words of a source text, quotes kept.
fn source_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, ' ' | '\t') => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                continue;
            }
            (None | Some('"'), '\\') => {
                word.push(c);
                word.extend(chars.next());
                continue;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        word.push(c);
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
