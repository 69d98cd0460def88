//! Goes through a syntax tree as bash would run it, and reports every command that could run. What may or may not
//! run counts as running; what is certain about variables is followed in [`Env`].

mod arithmetic;
mod builtin;
mod compound;
mod quiet;
mod recursion;
mod redirect;
mod simple;
mod start;
mod variables;
mod visit;

use std::collections::HashSet;

use pegboard_tool_core::ports::ShellStart;

use crate::env::Env;
use crate::limits::{Budget, MAX_DEPTH};
use crate::parse::parse;
use crate::report::Builder;
use crate::second;
use crate::syntax::{Here, Item, List, Script};

/// Where the text of a tree stands in the line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// It is the line, from this offset on.
    Line(usize),
    /// It is made from the word at this offset.
    Word(usize),
}

impl Place {
    fn at(self, pos: usize) -> usize {
        match self {
            Self::Line(base) => base + pos,
            Self::Word(at) => at,
        }
    }
}

/// What stands on standard input.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'c> {
    /// Anything.
    Unknown,
    /// This text, made at this offset.
    Text(&'c str, usize),
}

/// In what a command stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ctx<'c> {
    src: &'c str,
    place: Place,
    heres: &'c [Here<'c>],
    /// Whether the text is for a POSIX shell, of which it is not known whether it is bash.
    is_posix: bool,
    /// Programs through which it runs.
    via: &'c [String],
    starter: Option<usize>,
    input: Input<'c>,
    depth: u32,
}

impl Ctx<'_> {
    fn at(&self, pos: usize) -> usize {
        self.place.at(pos)
    }
}

/// A walk through a line and all texts in it.
#[derive(Debug)]
pub(crate) struct Walker<'w> {
    start: &'w ShellStart,
    home: Option<&'w str>,
    budget: &'w Budget,
    pub(crate) report: Builder,
    /// Names of functions that the line defines anywhere.
    functions: HashSet<String>,
    /// Which of them call which.
    calls: recursion::Calls,
    /// Whether a loop is walked once for each of its values: one at a time, as work multiplies.
    is_in_values: bool,
    /// Whether a variable was made read-only: an assignment to it ends the line early.
    has_readonly: bool,
}

impl<'w> Walker<'w> {
    pub(crate) fn new(start: &'w ShellStart, budget: &'w Budget) -> Self {
        let home = start.home.as_deref().and_then(|home| home.to_str());
        Self {
            start,
            home,
            budget,
            report: Builder::default(),
            functions: HashSet::new(),
            calls: recursion::Calls::default(),
            is_in_values: false,
            has_readonly: false,
        }
    }

    /// Walks the line that was given.
    pub(crate) fn line(&mut self, line: &str) {
        let mut env = Env::unknown();
        if let Some(home) = self.home {
            env.start("HOME", home);
        }
        if let Some(cwd) = self.start.cwd.to_str() {
            env.start("PWD", cwd);
        }
        let script = parse(line, 0, self.budget);
        let ctx = Ctx {
            src: line,
            place: Place::Line(0),
            heres: &[],
            is_posix: false,
            via: &[],
            starter: None,
            input: Input::Unknown,
            depth: 0,
        };
        self.script(&script, &mut env, ctx);
        if self.calls.has_circle() {
            self.report.opaque("a function that calls itself", 0);
        }
        if self.budget.is_spent() {
            self.report.opaque("too much work", 0);
        }
    }

    /// Walks a text that a shell reads; `ctx` says where it stands.
    fn script(&mut self, script: &Script<'_>, env: &mut Env, ctx: Ctx<'_>) {
        let ctx = Ctx { heres: &script.heres, ..ctx };
        self.functions.extend(script.functions.iter().map(|name| name.clone().into_owned()));
        if let (true, Some(at)) = (ctx.is_posix, script.bash_only) {
            self.report.opaque("a construct that shells read in different ways", ctx.at(at));
        }
        for line in &script.lines {
            let mark = env.mark();
            let before = env.clone();
            env.may_abort = false;
            self.list(line, env, ctx);
            if env.may_abort || self.has_readonly {
                env.join_log(&before, mark);
            }
        }
        match script.bad {
            Some(bad) => self.report.opaque(bad.reason, ctx.at(bad.at)),
            None if self.report.is_muted() => {}
            None => {
                if let Some(reason) = second::doubt(ctx.src, script) {
                    self.report.opaque(reason, ctx.at(0));
                }
            }
        }
    }

    /// Walks a text made from a word, in this very shell or in one of its own.
    fn text(&mut self, text: &str, env: &mut Env, ctx: Ctx<'_>) {
        if ctx.depth >= MAX_DEPTH || text.len() > crate::limits::MAX_VALUE {
            self.report.opaque("nested too deeply", ctx.at(0));
            return;
        }
        if text.contains('\0') {
            self.report.opaque("a zero byte", ctx.at(0));
            return;
        }
        self.budget.spend(u32::try_from(text.len() / 64).unwrap_or(u32::MAX));
        let script = parse(text, ctx.depth, self.budget);
        self.script(&script, env, Ctx { src: text, ..ctx });
    }

    fn list(&mut self, list: &List<'_>, env: &mut Env, ctx: Ctx<'_>) {
        for item in list {
            self.item(item, env, ctx);
        }
    }

    fn item(&mut self, item: &Item<'_>, env: &mut Env, ctx: Ctx<'_>) {
        if item.is_background {
            // The variables of a background list are its own.
            let mut own = env.clone();
            self.and_or(item, &mut own, ctx);
            return;
        }
        self.and_or(item, env, ctx);
    }

    fn and_or(&mut self, item: &Item<'_>, env: &mut Env, ctx: Ctx<'_>) {
        self.pipeline(&item.first, env, ctx);
        for pipeline in &item.rest {
            let mut own = env.clone();
            self.pipeline(pipeline, &mut own, ctx);
            env.join(&own);
        }
    }
}
