//! Simple commands.

use super::redirect::NewInput;
use super::variables::names_program;
use super::{Ctx, Input, Walker};
use crate::env::{Env, Value, changes_shell};
use crate::expand;
use crate::syntax::{Assign, AssignValue, Command, Kind, Part, RedirectKind, WordTree};
use crate::word::Word;

/// A command that is about to run.
#[derive(Clone, Debug)]
pub(super) struct Call<'s> {
    pub(super) words: Vec<Word>,
    /// Its source.
    pub(super) text: String,
    /// Offset and source of the words of the simple command that it stems from.
    pub(super) sources: &'s [(usize, &'s str)],
    /// Offsets of its words that are pipes to commands, `<(...)`.
    pub(super) pipes: &'s [usize],
    /// Variables assigned for it.
    pub(super) assigns: Vec<String>,
    /// Whether this shell itself looks the name up, so that builtins act on it.
    pub(super) is_in_shell: bool,
}

impl Walker<'_> {
    pub(super) fn simple(
        &mut self,
        command: &Command<'_>,
        assigns: &[Assign<'_>],
        words: &[WordTree<'_>],
        env: &mut Env,
        ctx: Ctx<'_>,
    ) {
        let mut argv = Vec::with_capacity(words.len());
        let is_declaration = words.first().is_some_and(is_declaration);
        for (index, word) in words.iter().enumerate() {
            self.visit(&word.parts, env, ctx);
            let at = ctx.at(word.start);
            if is_declaration && index > 0 && is_assignment(word) {
                argv.push(declared(word, env, at));
            } else {
                self.fields(word, env, at, &mut argv);
            }
        }
        // Words that may all vanish leave the assignments to the shell.
        let may_vanish = argv.iter().all(|word| word.is_many && !word.has_glob);
        let names: Vec<String> = assigns.iter().map(|assign| assign.name.to_owned()).collect();
        if argv.is_empty() {
            let before = (!command.redirects.is_empty()).then(|| (env.clone(), env.mark()));
            self.redirects(&command.redirects, env, ctx, None);
            self.assign_all(assigns, env, ctx);
            if let Some((before, mark)) = before {
                env.join_log(&before, mark);
            }
            return;
        }
        let sources: Vec<(usize, &str)> = match ctx.place {
            super::Place::Line(_) => words
                .iter()
                .map(|word| (ctx.at(word.start), ctx.src.get(word.start..word.end).unwrap_or_default()))
                .collect(),
            super::Place::Word(_) => Vec::new(),
        };
        let pipes: Vec<usize> = match ctx.place {
            super::Place::Line(_) => {
                let is_pipe = |word: &&WordTree<'_>| matches!(word.parts.as_slice(), [Part::Process(_)]);
                words.iter().filter(is_pipe).map(|word| ctx.at(word.start)).collect()
            }
            super::Place::Word(_) => Vec::new(),
        };
        let text = source(command, words, ctx);
        // The words are expanded before anything is assigned; the values of the assignments are expanded now.
        let mut own = env.clone();
        self.assign_for_command(assigns, &mut own, ctx);
        if may_vanish {
            self.assign_all(assigns, env, ctx);
        }
        let call =
            Call { words: argv, text, sources: &sources, pipes: &pipes, assigns: names, is_in_shell: true };
        let index = self.note(&call, ctx);
        let input = self.redirects(&command.redirects, env, ctx, Some(index));
        let new_text;
        let input = match input {
            None => ctx.input,
            Some(NewInput::Unknown) => Input::Unknown,
            Some(NewInput::Text(text, at)) => {
                new_text = text;
                Input::Text(&new_text, at)
            }
        };
        self.prefix(&call, env, ctx);
        self.run(&call, index, env, Ctx { input, ..ctx });
    }

    /// Assignments before a command: their values may run commands; which of them stay is seen to after.
    fn assign_for_command(&mut self, assigns: &[Assign<'_>], env: &mut Env, ctx: Ctx<'_>) {
        for assign in assigns {
            self.visit_assign(assign, env, ctx);
            let is_heeded = assign.name.starts_with("BASH")
                || assign.name.starts_with("LD_")
                || assign.name.starts_with("DYLD_")
                || matches!(
                    assign.name,
                    "PATH"
                        | "ENV"
                        | "SHELLOPTS"
                        | "PS4"
                        | "PROMPT_COMMAND"
                        | "GLOBIGNORE"
                        | "EXECIGNORE"
                        | "POSIXLY_CORRECT"
                );
            if is_heeded {
                self.report.opaque("an assignment that changes what runs", ctx.at(assign.at));
            }
            let value = self.value(assign, env, ctx);
            self.check_program(assign.name, &value, ctx.at(assign.at));
            env.set(assign.name, value);
        }
    }

    /// Notes an assignment that can make programs start or load something.
    pub(super) fn check_program(&mut self, name: &str, value: &Value, at: usize) {
        if names_program(name, value) {
            self.report.opaque("a variable that can name a program or a file", at);
        }
    }

    /// The words that `word` becomes; what is not followed to its end is noted.
    pub(super) fn fields(&mut self, word: &WordTree<'_>, env: &Env, at: usize, out: &mut Vec<Word>) {
        if crate::brace::is_unclear(&word.parts) {
            self.report.opaque("braces that stand for too many words", at);
        }
        expand::fields(word, env, at, out);
    }

    /// What assignments before a command leave behind in the shell, or make a builtin see.
    fn prefix(&mut self, call: &Call<'_>, env: &mut Env, ctx: Ctx<'_>) {
        if call.assigns.is_empty() {
            return;
        }
        let name = call.words.first().filter(|word| !word.is_many).and_then(|word| word.value.as_deref());
        let stays = ctx.is_posix
            || match name {
                None => true,
                Some(name) => {
                    self.functions.contains(name)
                        || matches!(
                            name,
                            ":" | "."
                                | "break"
                                | "continue"
                                | "eval"
                                | "exec"
                                | "exit"
                                | "export"
                                | "readonly"
                                | "return"
                                | "set"
                                | "shift"
                                | "source"
                                | "times"
                                | "trap"
                                | "unset"
                                | "command"
                                | "builtin"
                        )
                }
            };
        let is_seen = stays || name.is_some_and(super::builtin::looks_at_variables);
        for assigned in &call.assigns {
            if stays && changes_shell(assigned) {
                self.report.opaque("an assignment that changes the shell", ctx.at(0));
                if assigned == "GLOBIGNORE" {
                    self.report.glob_option(ctx.at(0));
                }
            }
            if stays || is_seen && assigned != "IFS" {
                env.set(assigned, Value::Unknown);
            }
        }
    }

    fn assign_all(&mut self, assigns: &[Assign<'_>], env: &mut Env, ctx: Ctx<'_>) {
        for assign in assigns {
            self.visit_assign(assign, env, ctx);
            let value = self.value(assign, env, ctx);
            self.assign_name(assign.name, value, env, ctx.at(assign.at));
        }
    }

    fn visit_assign(&mut self, assign: &Assign<'_>, env: &mut Env, ctx: Ctx<'_>) {
        if let Some(subscript) = &assign.subscript {
            self.subscript(assign.name, subscript, env, ctx);
        }
        match &assign.value {
            AssignValue::Scalar(word) => self.visit(&word.parts, env, ctx),
            AssignValue::Array(elements) => {
                for (subscript, word) in elements {
                    if let Some(subscript) = subscript {
                        self.subscript(assign.name, subscript, env, ctx);
                    }
                    self.visit(&word.parts, env, ctx);
                }
            }
        }
    }

    fn value(&mut self, assign: &Assign<'_>, env: &Env, _ctx: Ctx<'_>) -> Value {
        let AssignValue::Scalar(word) = &assign.value else { return Value::Unknown };
        if assign.subscript.is_some() {
            return Value::Unknown;
        }
        let value = expand::assigned(word, env, self.home);
        if !assign.is_append {
            return value;
        }
        match (env.look_up(assign.name), value) {
            (Value::Known(old), Value::Known(new)) => Value::Known(format!("{old}{new}").into()),
            _ => Value::Unknown,
        }
    }

    /// What a command writes, when that is certain: for what a shell reads from a pipe.
    pub(super) fn written(
        &mut self,
        command: &Command<'_>,
        env: &Env,
        ctx: Ctx<'_>,
    ) -> Option<(String, usize)> {
        let Kind::Simple { assigns, words } = &command.kind else { return None };
        let name = words.first()?.bare()?;
        if !assigns.is_empty()
            || self.functions.contains(name.as_ref())
            || self.start.shadowed.contains(name.as_ref())
        {
            return None;
        }
        let at = ctx.at(command.start);
        if name == "cat" {
            let [redirect] = command.redirects.as_slice() else { return None };
            let RedirectKind::Here(index) = redirect.kind else { return None };
            let here = ctx.heres.get(index)?;
            if words.len() > 1 {
                return None;
            }
            let text = if here.parts.is_empty() {
                here.body.clone().into_owned()
            } else {
                expand::text(&here.parts, env, true).value?
            };
            return Some((text, ctx.at(here.at)));
        }
        if !command.redirects.is_empty() {
            return None;
        }
        let mut argv = Vec::new();
        for word in words.iter().skip(1) {
            expand::fields(word, env, 0, &mut argv);
        }
        let plain = |word: Word| word.value.filter(|_| !word.is_many && !word.has_tilde);
        let argv: Vec<String> = argv.into_iter().map(plain).collect::<Option<_>>()?;
        match name.as_ref() {
            "echo" => {
                let (end, words) = match argv.split_first() {
                    Some((first, rest)) if first == "-n" => ("", rest),
                    _ => ("\n", argv.as_slice()),
                };
                let text = words.join(" ");
                let is_option = words.first().is_some_and(|word| word.starts_with('-'));
                if is_option || text.contains('\\') {
                    return None;
                }
                Some((format!("{text}{end}"), at))
            }
            "printf" => printed(&argv).map(|text| (text, at)),
            _ => None,
        }
    }
}

/// What `printf` prints for formats of `%s`, `%%`, `\n` and literal text.
fn printed(argv: &[String]) -> Option<String> {
    let (format, mut words) = argv.split_first()?;
    if format.starts_with('-') {
        return None;
    }
    let mut out = String::new();
    loop {
        let count = words.len();
        let mut chars = format.chars();
        while let Some(char) = chars.next() {
            match char {
                '%' => match chars.next()? {
                    '%' => out.push('%'),
                    's' => {
                        if let Some((word, rest)) = words.split_first() {
                            out.push_str(word);
                            words = rest;
                        }
                    }
                    _ => return None,
                },
                '\\' => match chars.next()? {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    '\\' => out.push('\\'),
                    _ => return None,
                },
                char => out.push(char),
            }
        }
        if words.is_empty() {
            return Some(out);
        }
        if words.len() == count {
            return Some(out); // the format takes no words: the rest is not printed
        }
    }
}

/// The source of a simple command without redirections and leading assignments.
fn source(command: &Command<'_>, words: &[WordTree<'_>], ctx: Ctx<'_>) -> String {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return String::new() };
    let mut out = String::new();
    let mut from = first.start;
    for redirect in &command.redirects {
        if redirect.start < first.start || redirect.start > last.end {
            continue;
        }
        out.push_str(ctx.src.get(from..redirect.start).unwrap_or_default().trim_end());
        out.push(' ');
        from = redirect.end;
        while matches!(ctx.src.as_bytes().get(from), Some(b' ' | b'\t')) {
            from += 1;
        }
    }
    out.push_str(ctx.src.get(from..last.end).unwrap_or_default());
    out
}

/// Whether the word is the name of a builtin whose arguments are assignments.
fn is_declaration(word: &WordTree<'_>) -> bool {
    matches!(word.bare().as_deref(), Some("declare" | "typeset" | "local" | "export" | "readonly"))
}

/// Whether an argument of such a builtin is an assignment, which is not split.
fn is_assignment(word: &WordTree<'_>) -> bool {
    let Some(Part::Lit(text)) = word.parts.first() else { return false };
    let Some((name, _)) = text.split_once('=') else { return false };
    crate::parse::is_name(name.strip_suffix('+').unwrap_or(name))
}

/// Such an argument as a word.
fn declared(word: &WordTree<'_>, env: &Env, at: usize) -> Word {
    let Some(Part::Lit(first)) = word.parts.first() else { return Word::unknown(false, at) };
    let text = expand::text(&word.parts, env, false);
    match text.value {
        Some(value) => Word::known(value, at),
        None => {
            let end = first.find('=').map_or(0, |end| end + 1);
            let prefix = first.get(..end).unwrap_or_default().to_owned();
            Word { prefix, ..Word::unknown(false, at) }
        }
    }
}
