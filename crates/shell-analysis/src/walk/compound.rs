//! Compound commands.

use super::{Ctx, Input, Walker};
use crate::env::{Env, Value};
use crate::expand;
use crate::limits::MAX_DEPTH;
use crate::syntax::{Command, Kind, List, Part, Pipeline, TestItem, WordTree};

impl Walker<'_> {
    pub(super) fn pipeline(&mut self, pipeline: &Pipeline<'_>, env: &mut Env, ctx: Ctx<'_>) {
        if let [command] = pipeline.commands.as_slice() {
            self.command(command, env, ctx);
            return;
        }
        // Each command of a pipeline has variables of its own.
        let mut written: Option<(String, usize)> = None;
        let mut is_first = true;
        for command in &pipeline.commands {
            let input = match &written {
                Some((text, at)) => Input::Text(text, *at),
                None if is_first => ctx.input,
                None => Input::Unknown,
            };
            is_first = false;
            let mut own = env.clone();
            self.command(command, &mut own, Ctx { input, ..ctx });
            written = self.written(command, env, Ctx { input, ..ctx });
        }
    }

    pub(super) fn command(&mut self, command: &Command<'_>, env: &mut Env, ctx: Ctx<'_>) {
        if !self.budget.spend(4) || ctx.depth > MAX_DEPTH {
            return;
        }
        let ctx = Ctx { depth: ctx.depth + 1, ..ctx };
        if let Kind::Simple { assigns, words } = &command.kind {
            self.simple(command, assigns, words, env, ctx);
            return;
        }
        // A redirection that fails keeps the command from running.
        let before = (!command.redirects.is_empty()).then(|| (env.clone(), env.mark()));
        let input = self.redirects(&command.redirects, env, ctx, None);
        // Several commands may share the input: none can be told what it gets.
        let ctx = Ctx { input: if input.is_some() { Input::Unknown } else { ctx.input }, ..ctx };
        let ctx = Ctx {
            input: if matches!(ctx.input, Input::Text(..)) { Input::Unknown } else { ctx.input },
            ..ctx
        };
        self.compound(command, env, ctx);
        if let Some((before, mark)) = before {
            env.join_log(&before, mark);
        }
    }

    fn compound(&mut self, command: &Command<'_>, env: &mut Env, ctx: Ctx<'_>) {
        match &command.kind {
            Kind::Simple { .. } => {}
            Kind::Group(list) => self.list(list, env, ctx),
            Kind::Subshell(list) => self.subshell(list, env, ctx),
            Kind::If { branches, otherwise } => self.branches(branches, otherwise.as_ref(), env, ctx),
            Kind::Loop { condition, body } => self.repeat(env, &mut |walker, env| {
                walker.list(condition, env, ctx);
                walker.list(body, env, ctx);
            }),
            Kind::For { name, words, body, is_select, .. } => {
                self.for_each(name, words.as_deref(), body, *is_select, env, ctx);
            }
            Kind::ArithFor { head, body } => {
                self.arithmetic(head, env, ctx);
                self.repeat(env, &mut |walker, env| {
                    walker.list(body, env, ctx);
                    walker.arithmetic(head, env, ctx);
                });
            }
            Kind::Case { word, arms } => {
                self.visit(&word.parts, env, ctx);
                let mark = env.mark();
                let before = env.clone();
                for (patterns, list) in arms {
                    for pattern in patterns {
                        self.visit(&pattern.parts, env, ctx);
                    }
                    // With `;&` an arm runs after the one before it, so that each starts from anything before.
                    let mut own = env.clone();
                    own.join_log(&before, mark);
                    self.list(list, &mut own, ctx);
                    env.join(&own);
                }
            }
            Kind::Test(items) => self.test(items, env, ctx),
            Kind::Arith(parts) => self.arithmetic(parts, env, ctx),
            Kind::Function { body, name } => {
                if self.start.shadowed.contains(name.as_ref()) {
                    self.report
                        .opaque("a name that the start-up of the shell defines", ctx.at(command.start));
                }
                let mut own = env.for_body();
                self.calls.enter(name);
                self.command(body, &mut own, Ctx { input: Input::Unknown, ..ctx });
                self.calls.leave();
            }
            Kind::Coproc { name, body } => {
                env.set("COPROC", Value::Unknown);
                if let Some(name) = name {
                    self.assign_name(name, Value::Unknown, env, ctx.at(command.start));
                }
                let mut own = env.clone();
                self.command(body, &mut own, Ctx { input: Input::Unknown, ..ctx });
            }
        }
    }

    /// Commands with variables of their own.
    pub(super) fn subshell(&mut self, list: &List<'_>, env: &Env, ctx: Ctx<'_>) {
        let mut own = env.clone();
        self.list(list, &mut own, ctx);
    }

    fn branches(
        &mut self,
        branches: &[(List<'_>, List<'_>)],
        otherwise: Option<&List<'_>>,
        env: &mut Env,
        ctx: Ctx<'_>,
    ) {
        // `env` is the flow in which no condition was true so far.
        let mut ends: Vec<Env> = Vec::new();
        for (condition, body) in branches {
            self.list(condition, env, ctx);
            let mut own = env.clone();
            self.list(body, &mut own, ctx);
            ends.push(own);
        }
        if let Some(list) = otherwise {
            self.list(list, env, ctx);
        }
        for end in ends {
            env.join(&end);
        }
    }

    /// Something that runs any number of times, and may be left half-way.
    fn repeat(&mut self, env: &mut Env, body: &mut dyn FnMut(&mut Self, &mut Env)) {
        let before = env.clone();
        let mark = env.mark();
        let mut entry = before.clone();
        self.report.mute();
        let mut is_stable = false;
        for _ in 0..3 {
            let mut own = entry.clone();
            body(self, &mut own);
            own.join_log(&entry, mark);
            is_stable = own.is_same(&entry);
            entry = own;
            if is_stable {
                break;
            }
        }
        self.report.unmute();
        if !is_stable {
            entry.forget();
        }
        let mut own = entry.clone();
        body(self, &mut own);
        own.join_log(&entry, mark);
        *env = own;
    }

    fn for_each(
        &mut self,
        name: &str,
        words: Option<&[WordTree<'_>]>,
        body: &List<'_>,
        is_select: bool,
        env: &mut Env,
        ctx: Ctx<'_>,
    ) {
        let mut values = Vec::new();
        for word in words.unwrap_or_default() {
            self.visit(&word.parts, env, ctx);
            self.fields(word, env, ctx.at(word.start), &mut values);
        }
        if values.iter().any(|word| word.has_glob) {
            self.report.glob();
        }
        let at = ctx.at(words.and_then(<[_]>::first).map_or(0, |word| word.start));
        if is_select {
            env.set("REPLY", Value::Unknown);
        }
        let known: Option<Vec<String>> = words.and_then(|_| {
            let plain =
                |word: &crate::word::Word| word.value.clone().filter(|_| !word.is_many && !word.has_tilde);
            values.iter().map(plain).collect()
        });
        match known {
            // Few values, each certain: the body is looked at once for each, so that commands made from them are
            // known.
            Some(values)
                if !is_select
                    && !values.is_empty()
                    && values.len() <= 8
                    && !self.is_in_values
                    && body_uses(body, name) =>
            {
                let before = env.clone();
                let mark = env.mark();
                self.is_in_values = true;
                self.repeat_values(name, &values, body, env, ctx, at);
                self.is_in_values = false;
                env.join_log(&before, mark);
            }
            _ => self.repeat(env, &mut |walker, env| {
                walker.assign_name(name, Value::Unknown, env, at);
                walker.list(body, env, ctx);
            }),
        }
    }

    fn repeat_values(
        &mut self,
        name: &str,
        values: &[String],
        body: &List<'_>,
        env: &mut Env,
        ctx: Ctx<'_>,
        at: usize,
    ) {
        // First what the variables may be in any round, then each value in such a round.
        let mark = env.mark();
        let mut entry = env.clone();
        self.report.mute();
        let mut is_stable = false;
        for _ in 0..3 {
            let mut own = entry.clone();
            for value in values {
                let mut round = entry.clone();
                self.assign_name(name, Value::Known(value.as_str().into()), &mut round, at);
                self.list(body, &mut round, ctx);
                let from = entry.mark();
                round.join_log(&entry, from);
                own.join(&round);
            }
            own.join_log(&entry, mark);
            is_stable = own.is_same(&entry);
            entry = own;
            if is_stable {
                break;
            }
        }
        self.report.unmute();
        if !is_stable {
            entry.forget();
        }
        let mut end = entry.clone();
        for value in values {
            let mut round = entry.clone();
            self.assign_name(name, Value::Known(value.as_str().into()), &mut round, at);
            self.list(body, &mut round, ctx);
            end.join(&round);
        }
        *env = end;
    }

    /// `[[ ]]`: numbers are compared as arithmetic, `-v` looks into subscripts.
    fn test(&mut self, items: &[TestItem<'_>], env: &mut Env, ctx: Ctx<'_>) {
        for (index, item) in items.iter().enumerate() {
            let TestItem::Word(word) = item else { continue };
            self.visit(&word.parts, env, ctx);
            match word.bare().as_deref() {
                Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") => {
                    for near in [index.wrapping_sub(1), index + 1] {
                        if let Some(TestItem::Word(operand)) = items.get(near) {
                            self.arithmetic_operand(operand, env, ctx);
                        }
                    }
                }
                Some("-v" | "-R") => {
                    if let Some(TestItem::Word(operand)) = items.get(index + 1) {
                        let value = expand::text(&operand.parts, env, false).value;
                        self.check_name(value.as_deref(), ctx.at(operand.start));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether the value of the variable matters for which commands run: it stands in a command's first word.
fn body_uses(body: &List<'_>, name: &str) -> bool {
    body.iter().any(|item| {
        std::iter::once(&item.first).chain(&item.rest).flat_map(|pipeline| &pipeline.commands).any(
            |command| match &command.kind {
                Kind::Simple { words, .. } => {
                    words.iter().any(|word| word.parts.iter().any(|part| uses(part, name)))
                }
                _ => true,
            },
        )
    })
}

fn uses(part: &Part<'_>, name: &str) -> bool {
    match part {
        Part::Lit(_) | Part::Quoted(_) | Part::Unclear => false,
        Part::Param(param) => {
            param.name == name
                || !matches!(param.op, crate::syntax::Op::None)
                || param.subscript.is_some()
                || param.is_indirect
        }
        Part::Double(parts) => parts.iter().any(|part| uses(part, name)),
        _ => true,
    }
}
