//! Words: quoting, and what is expanded in them.

use std::borrow::Cow;

use super::{Parser, Read};
use crate::syntax::{Part, WordTree};

/// Whether `text` is a variable's name.
pub(crate) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl<'a> Parser<'a> {
    /// A word; an error when none begins here.
    pub(super) fn word(&mut self) -> Read<WordTree<'a>> {
        let start = {
            self.peek();
            self.pos
        };
        let mut parts = Vec::new();
        self.word_parts(&mut parts)?;
        if parts.is_empty() {
            return self.bad("a syntax error");
        }
        if crate::brace::may_expand(&parts) {
            self.note_bash(start);
        }
        Ok(WordTree { parts, source: self.slice(start, self.pos), start, end: self.pos })
    }

    /// The first word of a command: `name[` reads up to the bracket that closes it, blanks and all.
    pub(super) fn command_word(&mut self) -> Read<WordTree<'a>> {
        let start = {
            self.peek();
            self.pos
        };
        let rest = self.bytes.get(start..).unwrap_or_default();
        let len = rest
            .iter()
            .position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))
            .unwrap_or(rest.len());
        if rest.get(len) == Some(&b'[') && is_name(self.slice(start, start + len)) {
            let mark = self.heres.len();
            self.pos += len + 1;
            self.subscript()?;
            let end = self.pos;
            if self.slice(start, end).contains([' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>']) {
                return self.bad("a subscript in a command's name");
            }
            self.heres.truncate(mark);
            self.pos = start;
        }
        self.word()
    }

    fn word_parts(&mut self, parts: &mut Vec<Part<'a>>) -> Read<()> {
        loop {
            let byte = self.peek();
            match byte {
                0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' => return Ok(()),
                b'(' => {
                    let is_pattern = self.in_test
                        && matches!(parts.last(), Some(Part::Lit(text)) if text.ends_with(['?', '*', '+', '@', '!']));
                    if !is_pattern {
                        return Ok(());
                    }
                    self.extended_pattern(parts)?;
                }
                b'<' | b'>' => {
                    if self.peek_second() != b'(' {
                        return Ok(());
                    }
                    self.process(parts)?;
                }
                b'\\' => {
                    let from = self.pos;
                    self.pos += 1;
                    let quoted = self.one_char();
                    parts.push(if quoted.is_empty() {
                        Part::Quoted(Cow::Borrowed(self.slice(from, from + 1)))
                    } else {
                        Part::Quoted(Cow::Borrowed(quoted))
                    });
                }
                b'\'' => parts.push(self.single()?),
                b'"' => parts.push(self.double()?),
                b'$' => parts.push(self.dollar(false)?),
                b'`' => parts.push(self.backtick(false)?),
                _ => {
                    let from = self.pos;
                    let rest = self.bytes.get(from..).unwrap_or_default();
                    let len = rest.iter().position(|byte| is_special(*byte)).unwrap_or(rest.len());
                    self.pos += len;
                    parts.push(Part::Lit(self.slice(from, from + len)));
                }
            }
        }
    }

    /// The character at the reader, whatever it is; empty at the end.
    fn one_char(&mut self) -> &'a str {
        let rest = self.src.get(self.pos..).unwrap_or_default();
        let len = rest.chars().next().map_or(0, char::len_utf8);
        self.pos += len;
        rest.get(..len).unwrap_or_default()
    }

    /// `'...'`.
    pub(super) fn single(&mut self) -> Read<Part<'a>> {
        self.pos += 1;
        let from = self.pos;
        let Some(len) = self.bytes.get(from..).unwrap_or_default().iter().position(|byte| *byte == b'\'')
        else {
            return self.bad("a quote without its end");
        };
        self.pos = from + len + 1;
        Ok(Part::Quoted(Cow::Borrowed(self.slice(from, from + len))))
    }

    /// `"..."`.
    pub(super) fn double(&mut self) -> Read<Part<'a>> {
        self.enter()?;
        self.pos += 1;
        let mut parts = Vec::new();
        self.double_parts(&mut parts, true)?;
        if !self.eat(b'"') {
            return self.bad("a quote without its end");
        }
        self.leave();
        Ok(Part::Double(parts))
    }

    /// The parts of a here-document's body: as in double quotes, where a double quote is nothing special.
    pub(super) fn here_body(&mut self) -> Read<Vec<Part<'a>>> {
        self.enter()?;
        let mut parts = Vec::new();
        self.double_parts(&mut parts, false)?;
        self.leave();
        Ok(parts)
    }

    fn double_parts(&mut self, parts: &mut Vec<Part<'a>>, ends_at_quote: bool) -> Read<()> {
        loop {
            match self.peek() {
                0 => return Ok(()),
                b'"' if ends_at_quote => return Ok(()),
                b'\\' => {
                    let from = self.pos;
                    self.pos += 1;
                    let quoted = self.one_char();
                    let is_escape = matches!(quoted, "$" | "`" | "\\") || quoted == "\"" && ends_at_quote;
                    let text = if is_escape { quoted } else { self.slice(from, self.pos) };
                    parts.push(Part::Quoted(Cow::Borrowed(text)));
                }
                b'$' => parts.push(self.dollar(true)?),
                b'`' => parts.push(self.backtick(ends_at_quote)?),
                _ => {
                    let from = self.pos;
                    let rest = self.bytes.get(from..).unwrap_or_default();
                    let is_end =
                        |byte: &u8| matches!(byte, b'\\' | b'$' | b'`') || *byte == b'"' && ends_at_quote;
                    let len = rest.iter().position(is_end).unwrap_or(rest.len());
                    self.pos += len;
                    parts.push(Part::Quoted(Cow::Borrowed(self.slice(from, from + len))));
                }
            }
        }
    }

    /// A command in backticks. `\``, `\\`, `\$` lose their backslash, in double quotes `\"` too.
    pub(super) fn backtick(&mut self, is_double: bool) -> Read<Part<'a>> {
        self.pos += 1;
        let from = self.pos;
        let mut text: Option<String> = None;
        let mut copied = from;
        loop {
            match self.bytes.get(self.pos) {
                None => return self.bad("a backtick without its end"),
                Some(b'`') => break,
                Some(b'\\') => {
                    let is_escape = match self.bytes.get(self.pos + 1) {
                        Some(b'`' | b'\\' | b'$') => true,
                        Some(b'"') => is_double,
                        _ => false,
                    };
                    if is_escape {
                        let text = text.get_or_insert_default();
                        text.push_str(self.src.get(copied..self.pos).unwrap_or_default());
                        copied = self.pos + 1;
                    }
                    self.pos += 1;
                    self.one_char();
                }
                Some(_) => self.pos += 1,
            }
        }
        let rest = self.slice(copied, self.pos);
        let end = self.pos;
        self.pos += 1;
        let text = match text {
            Some(mut text) => {
                text.push_str(rest);
                Cow::Owned(text)
            }
            None => Cow::Borrowed(self.slice(from, end)),
        };
        Ok(Part::Backtick(text, from))
    }

    /// `<(...)` or `>(...)`.
    fn process(&mut self, parts: &mut Vec<Part<'a>>) -> Read<()> {
        self.note_bash(self.pos);
        self.bump();
        self.bump();
        parts.push(Part::Process(Box::new(self.substitution()?)));
        Ok(())
    }

    /// `@(a|b)` and its like behind the character that begins it, which is the last part's end.
    fn extended_pattern(&mut self, parts: &mut Vec<Part<'a>>) -> Read<()> {
        self.enter()?;
        let from = self.pos;
        self.bump();
        parts.push(Part::Lit(self.slice(from, self.pos)));
        loop {
            let from = self.pos;
            self.word_parts(parts)?;
            match self.peek() {
                b')' => {
                    let from = self.pos;
                    self.bump();
                    parts.push(Part::Lit(self.slice(from, self.pos)));
                    self.leave();
                    return Ok(());
                }
                b'|' | b' ' | b'\t' | b'&' | b';' | b'<' | b'>' => {
                    let from = self.pos;
                    self.bump();
                    parts.push(Part::Lit(self.slice(from, self.pos)));
                }
                _ if self.pos == from => return self.bad("a pattern that is not understood"),
                _ => {}
            }
        }
    }
}

/// Whether a byte ends a run of literal characters in a word.
fn is_special(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'\n'
            | b';'
            | b'&'
            | b'|'
            | b'('
            | b')'
            | b'<'
            | b'>'
            | b'\\'
            | b'\''
            | b'"'
            | b'$'
            | b'`'
            | 0
    )
}
