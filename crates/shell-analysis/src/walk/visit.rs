//! What words do while they are expanded: they run commands, assign variables, evaluate subscripts.

use super::{Ctx, Walker};
use crate::env::{Env, Value, changes_shell};
use crate::limits::MAX_DEPTH;
use crate::parse::{is_name, parse};
use crate::syntax::{Op, Param, Part};

impl Walker<'_> {
    /// Walks everything in `parts` that runs when they are expanded.
    pub(super) fn visit(&mut self, parts: &[Part<'_>], env: &mut Env, ctx: Ctx<'_>) {
        for part in parts {
            match part {
                Part::Lit(_) | Part::Quoted(_) | Part::Unclear => {}
                Part::Double(parts) => self.visit(parts, env, ctx),
                Part::Param(param) => self.visit_param(param, env, ctx),
                Part::Command(list) | Part::Process(list) => {
                    if self.enters(ctx) {
                        self.subshell(list, env, Ctx { depth: ctx.depth + 1, ..ctx });
                    }
                }
                Part::Backtick(text, at) => {
                    if self.enters(ctx) {
                        let place = match (ctx.place, text) {
                            (super::Place::Line(base), std::borrow::Cow::Borrowed(_)) => {
                                super::Place::Line(base + at)
                            }
                            _ => super::Place::Word(ctx.at(*at)),
                        };
                        let mut own = env.clone();
                        let script = parse(text, ctx.depth + 1, self.budget);
                        self.script(&script, &mut own, Ctx { src: text, place, depth: ctx.depth + 1, ..ctx });
                    }
                }
                Part::Arith(parts) => self.arithmetic(parts, env, ctx),
                Part::Array(elements) => {
                    for (subscript, word) in elements {
                        if let Some(subscript) = subscript {
                            self.subscript("", subscript, env, ctx);
                        }
                        self.visit(&word.parts, env, ctx);
                    }
                }
            }
        }
    }

    fn enters(&mut self, ctx: Ctx<'_>) -> bool {
        if ctx.depth < MAX_DEPTH {
            return self.budget.spend(4);
        }
        self.report.opaque("nested too deeply", ctx.at(0));
        false
    }

    fn visit_param(&mut self, param: &Param<'_>, env: &mut Env, ctx: Ctx<'_>) {
        let at = ctx.at(param.at);
        let is_all = matches!(param.subscript.as_deref(), Some([Part::Lit("@" | "*")]));
        if let Some(subscript) = &param.subscript {
            self.subscript(param.name, subscript, env, ctx);
        }
        if param.is_indirect && !matches!(param.op, Op::Names) {
            let is_keys = is_all && matches!(param.op, Op::None);
            let is_known = param.subscript.is_none()
                && matches!(env.look_up(param.name), Value::Known(value) if is_name(&value));
            if !is_keys && !is_known {
                self.report.opaque("a variable named by another of unknown value", at);
            }
        }
        match &param.op {
            Op::None | Op::Names => {}
            Op::Default { kind, word, .. } => {
                // What stands behind the operator may or may not be expanded.
                let mut own = env.clone();
                self.visit(word, &mut own, ctx);
                env.join(&own);
                match kind {
                    b'=' if param.is_indirect || param.subscript.is_some() => {
                        self.report.opaque("an assignment in an expansion", at);
                    }
                    b'=' => {
                        let is_set =
                            matches!(env.look_up(param.name), Value::Known(value) if !value.is_empty());
                        if !is_set {
                            self.assign_name(param.name, Value::Unknown, env, at);
                        }
                    }
                    b'?' => env.may_abort = true,
                    _ => {}
                }
            }
            Op::Pattern(parts) => self.visit(parts, env, ctx),
            Op::Slice(parts) => {
                env.may_abort = true;
                self.arithmetic(parts, env, ctx);
            }
            Op::Transform(letter) => {
                env.may_abort = true;
                match letter {
                    b'Q' | b'U' | b'u' | b'L' | b'E' | b'K' | b'k' | b'A' | b'a' => {}
                    _ => self.report.opaque("a value that is expanded as a prompt", at),
                }
            }
        }
    }

    /// A subscript: arithmetic, unless the variable is known to have keys.
    pub(super) fn subscript(&mut self, name: &str, parts: &[Part<'_>], env: &mut Env, ctx: Ctx<'_>) {
        match parts {
            [Part::Lit(text)]
                if text.bytes().all(|byte| byte.is_ascii_digit()) || matches!(*text, "@" | "*") => {}
            _ if env.has_keys(name) => self.visit(parts, env, ctx),
            _ => self.arithmetic(parts, env, ctx),
        }
    }

    /// Assigns to a variable by name, and notes what that may change.
    pub(super) fn assign_name(&mut self, name: &str, value: Value, env: &mut Env, at: usize) {
        if changes_shell(name) && !is_harmless(name, &value) {
            self.report.opaque("an assignment that changes the shell", at);
            if matches!(name, "GLOBIGNORE" | "BASHOPTS" | "SHELLOPTS") {
                self.report.glob_option(at);
            }
        }
        self.check_program(name, &value, at);
        if reaches_programs(name) {
            self.report.ambient(name);
        }
        env.set(name, value);
    }

    /// A name that is given to a builtin which looks into its subscript.
    pub(super) fn check_name(&mut self, name: Option<&str>, at: usize) {
        let is_plain = name.is_some_and(|name| {
            let (name, subscript) = match name.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
                Some((name, subscript)) => (name, subscript),
                None => (name, ""),
            };
            (is_name(name) || name.bytes().all(|byte| byte.is_ascii_digit()))
                && (subscript.bytes().all(|byte| byte.is_ascii_digit()) || matches!(subscript, "@" | "*"))
        });
        if !is_plain {
            self.report.opaque("a variable whose name or subscript is not known", at);
        }
    }
}

/// Whether the value leaves the shell as it is.
fn is_harmless(name: &str, value: &Value) -> bool {
    if !(name == "LANG" || name == "LANGUAGE" || name.starts_with("LC_")) {
        return false;
    }
    matches!(value, Value::Known(value) if {
        let value = value.to_ascii_lowercase();
        matches!(&*value, "" | "c" | "posix" | "en") || value.ends_with(".utf-8") || value.ends_with(".utf8")
    })
}

/// Whether a variable of this name may be in the environment already and be heeded by programs, so that an
/// assignment without `export` reaches them too.
pub(super) fn reaches_programs(name: &str) -> bool {
    let is_upper = name.len() > 2
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let is_usual = matches!(
        name,
        "FILE"
            | "FILES"
            | "DIR"
            | "DIRS"
            | "SRC"
            | "DST"
            | "DEST"
            | "OUT"
            | "OUTPUT"
            | "INPUT"
            | "TMP_DIR"
            | "TMPFILE"
            | "NAME"
            | "NAMES"
            | "COUNT"
            | "TOTAL"
            | "LINE"
            | "MSG"
            | "MESSAGE"
            | "BRANCH"
            | "COMMIT"
            | "HASH"
            | "SHA"
            | "TAG"
            | "URL"
            | "KEY"
            | "VALUE"
            | "RESULT"
            | "RESULTS"
            | "STATUS"
            | "CODE"
            | "INDEX"
            | "NUM"
            | "SUM"
            | "MAX"
            | "MIN"
            | "LIST"
            | "ITEM"
            | "ITEMS"
            | "ARG"
            | "ARGS"
            | "CMD"
            | "TEXT"
            | "LOG"
            | "LOGFILE"
            | "START"
            | "END"
            | "BASE"
            | "ROOT"
            | "PATTERN"
            | "PREFIX"
            | "SUFFIX"
            | "EXT"
            | "DATE"
            | "TIME"
            | "NOW"
            | "SIZE"
            | "FOUND"
            | "DONE"
            | "ID"
            | "PID"
            | "RC"
            | "RET"
    );
    is_upper && !is_usual || name.ends_with("_proxy")
}
