//! What a command starts: commands by its words, texts that a shell reads.

use std::collections::HashMap;

use pegboard_tool_core::ports::{CommandNature, CommandUse, FileAccess, FileUse};

use super::quiet::is_quiet;
use super::simple::Call;
use super::{Ctx, Input, Place, Walker};
use crate::env::Env;
use crate::parse::parse;
use crate::program::{self, Start};
use crate::word::Word;

impl Walker<'_> {
    /// Notes the command; gives its index in the report.
    pub(super) fn note(&mut self, call: &Call<'_>, ctx: Ctx<'_>) -> usize {
        if self.report.is_muted() {
            return 0;
        }
        let at = call.words.first().map_or(0, |word| word.at);
        let is_known = call.words.first().is_some_and(|word| !word.is_many);
        let mut argv: Vec<Option<String>> = call.words.iter().map(|word| word.value.clone()).collect();
        if let (false, Some(first)) = (is_known, argv.first_mut()) {
            *first = None;
        }
        let mut command = CommandUse::new(argv, at, call.text.clone());
        // What a glob or a home directory becomes is not what stands there.
        for (index, (told, word)) in command.argv.iter_mut().zip(&call.words).enumerate() {
            if word.has_glob {
                *told = None;
            } else if word.has_tilde {
                match self.at_home(told.as_deref().unwrap_or_default(), ctx) {
                    None if index == 0 => {}
                    path => *told = path,
                }
            }
        }
        if command.program.as_deref().is_some_and(|program| matches!(program, "" | "." | ".."))
            && call.words.first().is_some_and(|word| word.value.as_deref() != Some("."))
        {
            command.program = None;
        }
        command.exact = is_known
            && call.words.iter().all(|word| !word.has_glob && (word.value.is_some() || !word.is_many));
        command.via = ctx.via.to_vec();
        command.assigns.clone_from(&call.assigns);
        command.has_glob = call.words.iter().any(|word| word.has_glob);
        command.starter = ctx.starter;
        self.report.command(command)
    }

    /// What an unquoted tilde and the rest of its word become, in the shell of the line; another shell may have
    /// another home.
    fn at_home(&self, word: &str, ctx: Ctx<'_>) -> Option<String> {
        let rest = word.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
        let home = self.home.filter(|_| ctx.via.is_empty())?;
        Some(format!("{home}{rest}"))
    }

    /// Looks at what the command at `index` does, starts and leaves behind.
    pub(super) fn run(&mut self, call: &Call<'_>, index: usize, env: &mut Env, ctx: Ctx<'_>) {
        if !self.budget.spend(u32::try_from(call.words.len()).unwrap_or(u32::MAX)) {
            return;
        }
        if ctx.depth >= crate::limits::MAX_DEPTH || ctx.via.len() > crate::limits::MAX_STARTERS {
            self.report.opaque("nested too deeply", ctx.at(0));
            return;
        }
        let Some(first) = call.words.first() else { return };
        let name = match &first.value {
            Some(name) if !first.is_many => name.as_str(),
            _ => {
                // It may be a builtin or a function that changes anything.
                if call.is_in_shell {
                    env.stop_following();
                }
                return;
            }
        };
        if call.is_in_shell && self.start.shadowed.contains(name) {
            self.report.opaque("a name that the start-up of the shell defines", first.at);
        }
        let program = name.rsplit('/').next().unwrap_or_default().to_owned();
        let used = program::look(&call.words);
        self.report.nature(index, used.nature);
        if self.functions.contains(name) {
            self.report.nature(index, CommandNature::Other);
            self.calls.note(name);
        }
        if program == "bash" && call.words.iter().skip(1).any(sets_shell_option) {
            self.report.glob_option(first.at);
        }
        for touch in used.files {
            if touch.path.is_none() && is_pipe(&program, call, touch.at) && touch.access != FileAccess::Remove
            {
                continue;
            }
            let mut file = FileUse::new(touch.path, touch.access, Some(index), touch.at);
            file.is_deep = touch.is_deep;
            file.has_glob = touch.has_glob;
            self.report.file(file);
        }
        for host in used.network {
            self.report.network(host);
        }
        let mut via = ctx.via.to_vec();
        via.push(program.clone());
        let inner = Ctx { via: &via, starter: Some(index), depth: ctx.depth + 1, ..ctx };
        if call.is_in_shell {
            let is_function = self.functions.contains(name);
            let before = self.report.opaque_count();
            let acted = self.builtin(name, call, env, ctx, inner);
            if is_function {
                env.forget();
            } else if self.report.opaque_count() == before && is_quiet(name, call) {
                self.report.nature(index, CommandNature::ReadOnly);
                if name == "read" {
                    self.report.drop_assign(index, "IFS"); // only says where `read` splits
                }
            }
            if acted {
                return; // more is known here than its words tell
            }
        }
        for reason in used.opaque {
            self.report.opaque(reason, first.at);
        }
        let is_posix = program != "bash";
        for start in used.starts {
            match start {
                Start::Words(words) => self.start_words(words, call, false, env, inner),
                Start::Line { text, arguments, at } => {
                    let mut own = Env::unknown();
                    if arguments.iter().all(|word| !word.is_many && !word.has_tilde) {
                        own.start_positional(arguments.iter().map(|word| word.value.as_deref()));
                    }
                    let place = Place::Word(at);
                    self.text(&text, &mut own, Ctx { place, is_posix, heres: &[], ..inner });
                }
                Start::Input => self.start_input(first.at, Ctx { is_posix, ..inner }),
                Start::Here(text, at) => {
                    let mut own = Env::unknown();
                    self.text(&text, &mut own, Ctx { place: Place::Word(at), heres: &[], ..inner });
                }
            }
        }
    }

    /// A command that another starts by these words.
    pub(super) fn start_words(
        &mut self,
        words: Vec<Word>,
        by: &Call<'_>,
        is_in_shell: bool,
        env: &mut Env,
        ctx: Ctx<'_>,
    ) {
        if words.is_empty() {
            return;
        }
        let text = spelled(&words, by.sources);
        let call = Call {
            words,
            text,
            sources: by.sources,
            pipes: by.pipes,
            assigns: by.assigns.clone(),
            is_in_shell,
        };
        let index = self.note(&call, ctx);
        if is_in_shell {
            self.run(&call, index, env, ctx);
        } else {
            self.run(&call, index, &mut Env::unknown(), ctx);
        }
    }

    /// A shell that reads its commands from standard input.
    fn start_input(&mut self, at: usize, ctx: Ctx<'_>) {
        let Input::Text(text, text_at) = ctx.input else {
            self.report.opaque("commands that come from standard input", at);
            return;
        };
        let from = self.report.commands().len();
        let mut own = Env::unknown();
        let place = Place::Word(text_at);
        let inner = Ctx { place, heres: &[], input: Input::Unknown, ..ctx };
        self.text(text, &mut own, inner);
        // A command that reads some of the input makes the shell go on in the middle of it.
        let has_lines = text.trim_end().contains('\n');
        let takes = |command: &CommandUse| !command.program.as_deref().is_some_and(leaves_input);
        if has_lines && self.report.commands().get(from..).unwrap_or_default().iter().any(takes) {
            self.report.opaque("a command may read from the commands behind it", text_at);
        }
    }

    /// A text that runs in this very shell now.
    pub(super) fn start_here(&mut self, text: &str, env: &mut Env, ctx: Ctx<'_>) {
        let script = parse(text, ctx.depth, self.budget);
        if !script.functions.is_empty() {
            self.report.opaque("a function defined by an evaluated text", ctx.at(0));
        }
        let is_broken = script.bad.is_some();
        drop(script);
        self.text(text, env, Ctx { heres: &[], ..ctx });
        if is_broken {
            env.forget();
        }
    }
}

/// Whether the program certainly reads nothing from standard input.
fn leaves_input(program: &str) -> bool {
    matches!(
        program,
        "echo"
            | "printf"
            | "ls"
            | "rm"
            | "mkdir"
            | "rmdir"
            | "touch"
            | "cp"
            | "mv"
            | "ln"
            | "cd"
            | "pwd"
            | "true"
            | "false"
            | ":"
            | "test"
            | "["
            | "export"
            | "set"
            | "exit"
            | "unset"
            | "chmod"
            | "chown"
            | "id"
            | "date"
            | "basename"
            | "dirname"
            | "sleep"
            | "uname"
            | "whoami"
            | "hostname"
            | "declare"
            | "local"
            | "readonly"
            | "shift"
            | "return"
            | "break"
            | "continue"
            | "trap"
            | "umask"
            | "stat"
            | "du"
            | "df"
            | "env"
            | "which"
            | "type"
            | "command"
    )
}

/// Whether the word is `-O` or `+O` of bash, alone or among others.
fn sets_shell_option(word: &Word) -> bool {
    word.prefix.starts_with(['-', '+']) && !word.prefix.starts_with("--") && word.prefix.contains('O')
}

/// Whether the word at `at` is a pipe to a command that the program reads or writes, and no list of other files.
fn is_pipe(program: &str, call: &Call<'_>, at: usize) -> bool {
    let is_plain = matches!(
        program,
        "cat"
            | "cmp"
            | "colordiff"
            | "column"
            | "comm"
            | "cut"
            | "diff"
            | "egrep"
            | "fgrep"
            | "fold"
            | "grep"
            | "head"
            | "join"
            | "nl"
            | "paste"
            | "rev"
            | "sdiff"
            | "sort"
            | "tac"
            | "tail"
            | "tee"
            | "uniq"
            | "wc"
    );
    let place = call.words.iter().position(|word| word.at == at);
    let before = place.and_then(|place| call.words.get(place.wrapping_sub(1)));
    let is_value = before.is_none_or(|word| word.prefix.starts_with("--") && word.prefix != "--");
    is_plain && call.pipes.contains(&at) && !is_value
}

/// The source of words that another command starts.
fn spelled(words: &[Word], sources: &[(usize, &str)]) -> String {
    let mut out = String::new();
    let sources: HashMap<usize, &str> = sources.iter().copied().collect();
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for word in words {
        *counts.entry(word.at).or_default() += 1;
    }
    for word in words {
        if !out.is_empty() {
            out.push(' ');
        }
        let source = sources.get(&word.at).copied();
        let is_single = counts.get(&word.at) == Some(&1);
        let is_written = word.value.is_some()
            || source.is_some_and(|source| source.contains(['$', '`', '*', '?', '[', '<', '>', '{']));
        match (source.filter(|_| is_single && is_written), &word.value) {
            (Some(source), _) => out.push_str(source),
            (None, Some(value)) => out.push_str(&quoted(value)),
            (None, None) => out.push('?'),
        }
    }
    out
}

/// A value as a shell word.
fn quoted(value: &str) -> String {
    let is_plain = !value.is_empty()
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:=,+@%*?".contains(&byte));
    if is_plain { value.to_owned() } else { format!("'{}'", value.replace('\'', "'\\''")) }
}
