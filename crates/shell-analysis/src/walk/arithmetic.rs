//! Arithmetic: what a variable holds is evaluated again, and a subscript in it may hold commands. A value that is
//! not known to be a number makes the line opaque.

use super::visit::reaches_programs;
use super::{Ctx, Walker};
use crate::env::{Env, Value};
use crate::syntax::{Op, Param, Part, WordTree};

/// How often the value of a variable may lead to another.
const MAX_LOOKS: u32 = 5;

impl Walker<'_> {
    /// Evaluates an arithmetic text.
    pub(super) fn arithmetic(&mut self, parts: &[Part<'_>], env: &mut Env, ctx: Ctx<'_>) {
        env.may_abort = true;
        self.visit(parts, env, ctx);
        let mut text = String::new();
        if flatten(parts, env, &mut text) {
            self.evaluate(&text, env, ctx);
        } else {
            self.report.opaque("arithmetic on a value that is not known", ctx.at(first_at(parts)));
        }
    }

    /// Evaluates a word as arithmetic, as `[[ x -eq y ]]` does.
    pub(super) fn arithmetic_operand(&mut self, word: &WordTree<'_>, env: &mut Env, ctx: Ctx<'_>) {
        env.may_abort = true;
        let mut text = String::new();
        if flatten(&word.parts, env, &mut text) {
            self.evaluate(&text, env, ctx);
        } else {
            self.report.opaque("arithmetic on a value that is not known", ctx.at(word.start));
        }
    }

    /// Evaluates a text without expansions.
    pub(super) fn evaluate(&mut self, text: &str, env: &mut Env, ctx: Ctx<'_>) {
        if !check(
            text,
            env,
            &mut |name| {
                if reaches_programs(name) {
                    self.report.ambient(name);
                }
            },
            MAX_LOOKS,
        ) {
            self.report.opaque("arithmetic on a value that is not known", ctx.at(0));
        }
    }
}

fn first_at(parts: &[Part<'_>]) -> usize {
    parts
        .iter()
        .find_map(|part| if let Part::Param(param) = part { Some(param.at) } else { None })
        .unwrap_or(0)
}

/// The text that is evaluated, numbers for expansions that certainly are some; false when one is not.
fn flatten(parts: &[Part<'_>], env: &Env, out: &mut String) -> bool {
    for part in parts {
        match part {
            Part::Lit(text) => out.push_str(text),
            Part::Quoted(text) => out.push_str(text),
            Part::Double(parts) => {
                if !flatten(parts, env, out) {
                    return false;
                }
            }
            Part::Arith(_) => out.push('0'),
            Part::Param(param) => match number(param, env) {
                Some(Value::Known(text)) => out.push_str(&text),
                Some(_) => out.push('0'),
                None => return false,
            },
            Part::Unclear | Part::Command(_) | Part::Backtick(..) | Part::Process(_) | Part::Array(_) => {
                return false;
            }
        }
    }
    true
}

/// What an expansion gives in arithmetic; `None` when that is not known.
fn number(param: &Param<'_>, env: &Env) -> Option<Value> {
    if param.is_length {
        return Some(Value::Int);
    }
    if param.subscript.is_some() || param.is_indirect || !matches!(param.op, Op::None) {
        return None;
    }
    match param.name {
        "#" | "?" | "$" => Some(Value::Int),
        name => match env.look_up(name) {
            Value::Unknown if is_counter(name) => Some(Value::Int),
            Value::Unknown => None,
            value => Some(value),
        },
    }
}

/// Whether the shell itself keeps a number there.
fn is_counter(name: &str) -> bool {
    matches!(
        name,
        "RANDOM" | "SRANDOM" | "SECONDS" | "EPOCHSECONDS" | "LINENO" | "UID" | "EUID" | "PPID" | "BASHPID"
    )
}

/// Whether evaluating `text` certainly runs nothing. Variables that it assigns become numbers.
fn check(text: &str, env: &mut Env, assigned: &mut dyn FnMut(&str), looks: u32) -> bool {
    if looks == 0 || text.contains(['$', '`', '\\', '"', '\'']) {
        return false;
    }
    let bytes = text.as_bytes();
    let is_conditional = text.contains("&&") || text.contains("||") || text.contains('?');
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'#' | b'@');
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii_digit() {
            at += bytes
                .get(at..)
                .unwrap_or_default()
                .iter()
                .position(|byte| !is_word(byte))
                .unwrap_or(bytes.len());
            continue;
        }
        if !(byte.is_ascii_alphabetic() || *byte == b'_') {
            if !byte.is_ascii() {
                return false;
            }
            at += 1;
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let len = rest
            .bytes()
            .position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))
            .unwrap_or(rest.len());
        let (name, behind) = rest.split_at(len);
        let before = text.get(..at).unwrap_or_default().trim_end();
        at += len;
        let behind = behind.trim_start();
        if behind.starts_with('[') {
            return false; // an element of an array is not followed
        }
        let is_set = behind.starts_with('=') && !behind.starts_with("==");
        let changes = is_set
            || behind.starts_with("++")
            || behind.starts_with("--")
            || before.ends_with("++")
            || before.ends_with("--")
            || ["+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="]
                .iter()
                .any(|op| behind.starts_with(op));
        let value = env.look_up(name);
        if !(value.is_int() || is_counter(name) || is_set && !is_conditional) {
            match value {
                Value::Known(value) => {
                    if changes || !check(&value, env, assigned, looks - 1) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        if changes {
            if crate::env::changes_shell(name) || crate::env::is_special(name) {
                return false;
            }
            assigned(name);
            env.set(name, Value::Int);
        }
    }
    true
}
