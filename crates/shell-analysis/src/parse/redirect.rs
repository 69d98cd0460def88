//! Redirections.

use super::{Parser, Read, is_name};
use crate::syntax::{Fd, Part, Redirect, RedirectKind, WordTree};

impl<'a> Parser<'a> {
    /// The redirections behind a compound command.
    pub(super) fn redirects(&mut self) -> Read<Vec<Redirect<'a>>> {
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    /// A redirection when one begins here.
    pub(super) fn redirect(&mut self) -> Read<Option<Redirect<'a>>> {
        let first = self.peek();
        let start = self.pos;
        let mut fd = Fd::Default;
        if first.is_ascii_digit() {
            let rest = self.bytes.get(self.pos..).unwrap_or_default();
            let len = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
            if rest.get(len..).unwrap_or_default().starts_with(b"\\\n") {
                return self.bad("a number over two lines");
            }
            let is_operator = matches!(rest.get(len), Some(b'<' | b'>')) && rest.get(len + 1) != Some(&b'(');
            if !is_operator {
                return Ok(None);
            }
            let Ok(number) = self.slice(start, start + len).parse() else {
                return self.bad("a strange descriptor");
            };
            if len > 1 {
                self.note_bash(start); // to other shells it is a word
            }
            fd = Fd::Number(number);
            self.pos += len;
        } else if first == b'{' {
            let rest = self.bytes.get(self.pos..).unwrap_or_default();
            let len =
                rest.iter().position(|byte| matches!(byte, b'}' | b' ' | b'\t' | b'\n' | b';' | b'<' | b'>'));
            let Some(len) = len.filter(|len| {
                rest.get(*len) == Some(&b'}') && matches!(rest.get(len + 1), Some(b'<' | b'>'))
            }) else {
                return Ok(None);
            };
            let name = self.slice(start + 1, start + len);
            if !is_name(name) {
                return self.bad("a strange descriptor");
            }
            self.note_bash(start);
            fd = Fd::Name(name);
            self.pos += len + 1;
        }
        let kind = match (self.peek(), self.peek_second()) {
            (b'<' | b'>', b'(') if fd == Fd::Default => return Ok(None),
            (b'&', b'>') if fd == Fd::Default => {
                self.note_bash(start);
                self.bump();
                self.bump();
                self.eat(b'>');
                RedirectKind::Both(self.target()?)
            }
            (b'<', _) => {
                self.bump();
                match self.peek() {
                    b'<' => {
                        self.bump();
                        if self.eat(b'<') {
                            self.note_bash(start);
                            RedirectKind::HereString(self.target()?)
                        } else {
                            let strips_tabs = self.eat(b'-');
                            RedirectKind::Here(self.here(strips_tabs)?)
                        }
                    }
                    b'&' => {
                        self.bump();
                        RedirectKind::DupIn(self.descriptor()?)
                    }
                    b'>' => {
                        self.bump();
                        RedirectKind::ReadWrite(self.target()?)
                    }
                    _ => RedirectKind::Read(self.target()?),
                }
            }
            (b'>', _) => {
                self.bump();
                match self.peek() {
                    b'>' => {
                        self.bump();
                        RedirectKind::Append(self.target()?)
                    }
                    b'|' => {
                        self.bump();
                        RedirectKind::Write(self.target()?)
                    }
                    b'&' => {
                        self.bump();
                        RedirectKind::DupOut(self.descriptor()?)
                    }
                    _ => RedirectKind::Write(self.target()?),
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(Redirect { fd, kind, start, end: self.pos }))
    }

    /// The word behind `<&` or `>&`. A dash is all of it, whatever stands behind.
    fn descriptor(&mut self) -> Read<WordTree<'a>> {
        self.blanks_only();
        let start = self.pos;
        if self.peek() == b'-' {
            let source = self.slice(self.pos, self.pos + 1);
            self.pos += 1;
            return Ok(WordTree { parts: vec![Part::Lit(source)], source, start, end: self.pos });
        }
        self.target()
    }

    /// The word behind an operator.
    fn target(&mut self) -> Read<WordTree<'a>> {
        self.blanks_only();
        match self.peek() {
            b'<' | b'>' if self.peek_second() == b'(' => self.word(),
            0 | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' | b'#' => self.bad("a syntax error"),
            _ => self.word(),
        }
    }

    /// Steps over blanks, not over a comment.
    pub(super) fn blanks_only(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.pos += 1;
        }
    }
}
