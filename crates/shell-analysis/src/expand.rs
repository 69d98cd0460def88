//! What words become, as far as it can be told. Pure: the commands within words are walked before, see
//! `walk/visit.rs`.

use std::rc::Rc;

use crate::brace::{self, Braces, Piece};
use crate::env::{Env, Value};
use crate::limits::MAX_VALUE;
use crate::parse::is_name;
use crate::syntax::{Op, Param, Part, WordTree};
use crate::word::Word;

/// A text that is not split.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    /// `None` when it cannot be told.
    pub(crate) value: Option<String>,
    pub(crate) has_glob: bool,
    pub(crate) has_tilde: bool,
}

/// The words that `word` becomes among the words of a command.
pub(crate) fn fields(word: &WordTree<'_>, env: &Env, at: usize, out: &mut Vec<Word>) {
    match brace::expand(&word.parts) {
        Braces::None => {
            let mut fields = Fields::new(env, at, true, out);
            fields.parts(&word.parts, false);
            fields.finish();
        }
        Braces::Words(words) => {
            for pieces in &words {
                let mut fields = Fields::new(env, at, true, out);
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => fields.lit(text),
                        Piece::Open => fields.lit("{"),
                        Piece::Comma => fields.lit(","),
                        Piece::Close => fields.lit("}"),
                        Piece::Part(part) => fields.part(part, false),
                    }
                }
                fields.finish();
            }
        }
        Braces::Unclear => out.push(Word::unknown(true, at)),
    }
}

/// The value of parts that are not split: of an assignment, a here-string, a redirection.
pub(crate) fn text(parts: &[Part<'_>], env: &Env, is_quoted: bool) -> Text {
    let mut out = Vec::new();
    let mut fields = Fields::new(env, 0, false, &mut out);
    fields.is_started = true;
    fields.parts(parts, is_quoted);
    fields.finish();
    match out.pop() {
        Some(word) if out.is_empty() => {
            Text { value: word.value, has_glob: word.has_glob, has_tilde: word.has_tilde }
        }
        _ => Text::default(),
    }
}

/// What an expansion gives.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Given {
    Known(Rc<str>),
    /// One word for certain: a number.
    One,
    /// Any text.
    Any,
    /// Several words even in quotes.
    Many,
}

struct Fields<'o, 'e> {
    env: &'e Env,
    at: usize,
    splits: bool,
    out: &'o mut Vec<Word>,
    value: String,
    is_known: bool,
    is_started: bool,
    /// Whether a part of the word has been seen: a tilde counts before all of them only.
    has_part: bool,
    is_many: bool,
    has_glob: bool,
    has_bracket: bool,
    has_tilde: bool,
    /// Whether a tilde at the beginning has not met its slash.
    is_tilde_open: bool,
}

impl<'o, 'e> Fields<'o, 'e> {
    fn new(env: &'e Env, at: usize, splits: bool, out: &'o mut Vec<Word>) -> Self {
        Self {
            env,
            at,
            splits,
            out,
            value: String::new(),
            is_known: true,
            is_started: false,
            has_part: false,
            is_many: false,
            has_glob: false,
            has_bracket: false,
            has_tilde: false,
            is_tilde_open: false,
        }
    }

    fn finish(&mut self) {
        if !self.is_started && self.value.is_empty() && self.is_known {
            return;
        }
        let value = std::mem::take(&mut self.value);
        let is_many = self.is_many || self.has_glob;
        let word = if self.is_known {
            Word {
                prefix: value.clone(),
                value: Some(value),
                is_many,
                has_glob: self.has_glob,
                has_tilde: self.has_tilde,
                at: self.at,
            }
        } else {
            let prefix = if self.is_many { String::new() } else { value };
            Word {
                value: None,
                prefix,
                is_many,
                has_glob: self.has_glob,
                has_tilde: self.has_tilde,
                at: self.at,
            }
        };
        self.out.push(word);
        self.is_known = true;
        self.is_started = false;
        self.is_many = false;
        self.has_glob = false;
        self.has_bracket = false;
        self.has_tilde = false;
        self.is_tilde_open = false;
    }

    fn parts(&mut self, parts: &[Part<'_>], is_quoted: bool) {
        for part in parts {
            self.part(part, is_quoted);
        }
    }

    fn part(&mut self, part: &Part<'_>, is_quoted: bool) {
        if let (Part::Lit(text), false) = (part, is_quoted) {
            self.lit(text);
            return;
        }
        self.close_tilde();
        self.has_part = true;
        match part {
            Part::Lit(text) => self.push(text),
            Part::Quoted(text) => {
                self.is_started = true;
                self.push(text);
            }
            Part::Double(parts) => {
                let is_bare_many = parts.len() == 1
                    && matches!(parts.first(), Some(Part::Param(param)) if given(param, self.env) == Given::Many);
                self.is_started |= !is_bare_many;
                self.parts(parts, true);
            }
            Part::Param(param) => {
                let given = given(param, self.env);
                self.given(&given, is_quoted);
            }
            Part::Command(_) | Part::Backtick(..) => self.given(&Given::Any, is_quoted),
            Part::Arith(_) => self.given(&Given::One, is_quoted),
            Part::Process(_) => {
                self.push("/"); // a path in `/dev/fd`, or of a pipe made for it
                self.unknown();
            }
            Part::Unclear => self.unknown(),
            Part::Array(_) => {
                self.unknown();
                self.is_many = true;
            }
        }
    }

    fn given(&mut self, given: &Given, is_quoted: bool) {
        match given {
            Given::Known(value) if is_quoted || !self.splits => self.push(value),
            Given::Known(value) => self.split(value),
            Given::One => {
                self.unknown();
                self.is_many |= !is_quoted && !self.env.has_plain_ifs;
            }
            Given::Any => {
                self.unknown();
                self.is_many |= !is_quoted;
            }
            Given::Many => {
                self.unknown();
                self.is_many = true;
            }
        }
    }

    fn unknown(&mut self) {
        self.is_known = false;
        self.is_started = true;
    }

    fn push(&mut self, text: &str) {
        if self.is_known {
            self.value.push_str(text);
            if self.value.len() > MAX_VALUE {
                self.unknown();
            }
        }
    }

    /// What stands behind a tilde decides whether it is one: that is not followed further than to a slash.
    fn close_tilde(&mut self) {
        if std::mem::take(&mut self.is_tilde_open) {
            self.unknown();
        }
    }

    /// Literal characters without quotes.
    fn lit(&mut self, text: &str) {
        self.close_tilde();
        let is_first = !std::mem::replace(&mut self.has_part, true);
        if text.starts_with('~') && is_first {
            self.has_tilde = true;
            self.is_tilde_open = !text.contains('/');
            if text.split('/').next().is_some_and(|prefix| prefix.contains(':')) {
                self.unknown();
            }
        } else if text.contains("=~")
            || text.contains(":~") && (self.value.contains('=') || text.contains('='))
        {
            // Where a word looks like an assignment, a tilde in it is expanded too.
            self.push(text);
            self.unknown();
            return;
        }
        self.globs(text);
        self.push(text);
    }

    fn globs(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                b'*' | b'?' => self.has_glob = true,
                b'[' => self.has_bracket = true,
                b']' if self.has_bracket => self.has_glob = true,
                _ => {}
            }
        }
    }

    /// A known value that is split into words and may hold globs.
    fn split(&mut self, value: &str) {
        if !self.env.has_plain_ifs || value.contains('\\') {
            self.unknown();
            self.is_many = true;
            return;
        }
        let mut rest = value;
        loop {
            let len = rest.find([' ', '\t', '\n']).unwrap_or(rest.len());
            let (head, tail) = rest.split_at(len);
            if !head.is_empty() {
                self.is_started = true;
                self.globs(head);
                self.push(head);
            }
            if tail.is_empty() {
                return;
            }
            self.finish();
            rest = tail.trim_start_matches([' ', '\t', '\n']);
        }
    }
}

/// What a parameter expansion gives.
fn given(param: &Param<'_>, env: &Env) -> Given {
    if param.is_length {
        return Given::One;
    }
    if let Some(subscript) = &param.subscript {
        let is_all = matches!(subscript.as_slice(), [Part::Lit("@" | "*")]);
        return if is_all { Given::Many } else { Given::Any };
    }
    let mut name = param.name;
    let pointed;
    if param.is_indirect {
        if matches!(param.op, Op::Names) {
            return Given::Many;
        }
        match env.look_up(name) {
            Value::Known(value) if is_name(&value) => {
                pointed = value;
                name = &pointed;
            }
            _ => return Given::Many,
        }
    }
    let value = match name {
        "@" | "*" => return Given::Many,
        "?" | "#" | "$" => return if matches!(param.op, Op::None) { Given::One } else { Given::Any },
        _ if !is_name(name) && !name.bytes().all(|byte| byte.is_ascii_digit()) => return Given::Any,
        _ => env.look_up(name),
    };
    match (&param.op, value) {
        (Op::None, Value::Known(value)) => Given::Known(value),
        (Op::Default { kind, has_colon, word }, Value::Known(value)) => {
            let is_set = !has_colon || !value.is_empty();
            match (kind, is_set) {
                (b'-' | b'=' | b'?', true) => Given::Known(value),
                (b'-', false) | (b'+', true) => {
                    // What the word becomes when it holds quotes or expansions without quotes is not followed.
                    let is_plain = word
                        .iter()
                        .all(|part| matches!(part, Part::Lit(text) if !text.contains(['~', '\\'])));
                    match text(word, env, true).value {
                        Some(value) if is_plain => Given::Known(Rc::from(value)),
                        _ => Given::Many,
                    }
                }
                (b'+', false) => Given::Known(Rc::from("")),
                _ => Given::Any,
            }
        }
        (Op::Default { word, .. }, _)
            if !word.iter().all(|part| matches!(part, Part::Lit(_) | Part::Quoted(_))) =>
        {
            Given::Many
        }
        _ => Given::Any,
    }
}

/// The value of an assignment: a tilde at its beginning or behind a colon is the home directory.
pub(crate) fn assigned(word: &WordTree<'_>, env: &Env, home: Option<&str>) -> Value {
    let mut tilde = None;
    if let Some(Part::Lit(first)) = word.parts.first()
        && first.starts_with('~')
    {
        let is_plain = first.len() == 1 && word.parts.len() == 1 || first.starts_with("~/");
        match home.filter(|_| is_plain) {
            Some(home) => tilde = Some(home),
            None => return Value::Unknown,
        }
    }
    if word.parts.iter().any(|part| matches!(part, Part::Lit(text) if text.contains(":~"))) {
        return Value::Unknown;
    }
    if matches!(word.parts.as_slice(), [Part::Arith(_)]) {
        return Value::Int;
    }
    if let [Part::Param(param)] = word.parts.as_slice() {
        if param.is_length || matches!(param.name, "#" | "?" | "$") && matches!(param.op, Op::None) {
            return Value::Int;
        }
        if param.subscript.is_none()
            && !param.is_indirect
            && matches!(param.op, Op::None)
            && is_name(param.name)
        {
            return env.look_up(param.name);
        }
    }
    match text(&word.parts, env, false).value {
        Some(value) if value.len() <= MAX_VALUE => {
            let value = match tilde {
                Some(home) => format!("{home}{}", value.get(1..).unwrap_or_default()),
                None => value,
            };
            Value::Known(Rc::from(value))
        }
        _ => Value::Unknown,
    }
}
