//! Simple commands: assignments, words, redirections in any order; function definitions begin like them.

use super::{Parser, Read, is_name};
use crate::syntax::{Assign, AssignValue, Command, Element, Kind, Part, WordTree};

impl<'a> Parser<'a> {
    /// A simple command, or the definition of a function.
    pub(super) fn simple(&mut self) -> Read<Command<'a>> {
        let start = self.pos;
        let mut assigns = Vec::new();
        let mut words: Vec<WordTree<'a>> = Vec::new();
        let mut redirects = Vec::new();
        let mut takes_assigns = false;
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            match self.peek() {
                0 | b'\n' | b';' | b'&' | b'|' | b')' => break,
                b'(' => {
                    let is_first = words.len() == 1 && assigns.is_empty() && redirects.is_empty();
                    let Some(name) = words.first().filter(|_| is_first) else {
                        return self.bad("a syntax error");
                    };
                    self.bump();
                    self.blanks();
                    if !self.eat(b')') {
                        return self.bad("a syntax error");
                    }
                    let kind = self.function(name)?;
                    return Ok(Command { kind, redirects, start });
                }
                _ => {}
            }
            if words.is_empty() {
                match self.assignment()? {
                    Some(assign) => assigns.push(assign),
                    None => {
                        let word = self.command_word()?;
                        if self.has_continuation && is_reserved(&word) {
                            return self.bad("a reserved word over two lines");
                        }
                        takes_assigns = matches!(
                            word.bare().as_deref(),
                            Some(
                                "declare"
                                    | "typeset"
                                    | "local"
                                    | "export"
                                    | "readonly"
                                    | "eval"
                                    | "let"
                                    | "alias"
                            )
                        );
                        words.push(word);
                    }
                }
            } else {
                words.push(if takes_assigns { self.argument()? } else { self.word()? });
            }
        }
        if words.is_empty() && assigns.is_empty() && redirects.is_empty() {
            return self.bad("a syntax error");
        }
        Ok(Command { kind: Kind::Simple { assigns, words }, redirects, start })
    }

    /// An argument of `declare` and its like, where `name=( )` is read too.
    fn argument(&mut self) -> Read<WordTree<'a>> {
        let mut word = self.word()?;
        if self.peek() == b'(' && word.bare().is_some_and(|text| text.ends_with('=')) {
            self.note_bash(word.start);
            word.parts.push(Part::Array(self.array()?));
            word.end = self.pos;
        }
        Ok(word)
    }

    /// An assignment when one begins here.
    fn assignment(&mut self) -> Read<Option<Assign<'a>>> {
        self.peek();
        let at = self.pos;
        let rest = self.bytes.get(at..).unwrap_or_default();
        let len = rest
            .iter()
            .position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))
            .unwrap_or(rest.len());
        let name = self.slice(at, at + len);
        if !is_name(name) {
            return Ok(None);
        }
        self.pos += len;
        if self.bytes.get(self.pos) == Some(&b'\\') && self.bytes.get(self.pos + 1) == Some(&b'\n') {
            return self.continued_name(at);
        }
        let mut subscript = None;
        let mark = (self.heres.len(), self.functions.len());
        if self.peek() == b'[' {
            self.bump();
            subscript = Some(self.subscript()?);
        }
        let is_append = self.peek() == b'+' && self.peek_second() == b'=';
        if is_append {
            self.bump();
        }
        if !self.eat(b'=') {
            self.pos = at;
            self.heres.truncate(mark.0);
            self.functions.truncate(mark.1);
            return Ok(None);
        }
        if is_append || subscript.is_some() {
            self.note_bash(at);
        }
        let value = if self.peek() == b'(' {
            self.note_bash(at);
            AssignValue::Array(self.array()?)
        } else {
            AssignValue::Scalar(self.assigned_word()?)
        };
        Ok(Some(Assign { name, subscript, is_append, value, at }))
    }

    /// A name that goes on behind a line continuation: an error if it is assigned to.
    fn continued_name(&mut self, at: usize) -> Read<Option<Assign<'a>>> {
        while matches!(self.peek(), byte if byte.is_ascii_alphanumeric() || byte == b'_') {
            self.pos += 1;
        }
        if matches!(self.peek(), b'=' | b'[') || self.peek() == b'+' && self.peek_second() == b'=' {
            return self.bad("an assignment over two lines");
        }
        self.pos = at;
        Ok(None)
    }

    /// The value behind `=`, empty when nothing stands there.
    fn assigned_word(&mut self) -> Read<WordTree<'a>> {
        match self.peek() {
            0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' => {
                Ok(WordTree { start: self.pos, end: self.pos, ..WordTree::default() })
            }
            b'<' | b'>' if self.peek_second() != b'(' => {
                Ok(WordTree { start: self.pos, end: self.pos, ..WordTree::default() })
            }
            b'(' => self.bad("a syntax error"),
            _ => self.word(),
        }
    }

    /// The elements of `name=( )`.
    fn array(&mut self) -> Read<Vec<Element<'a>>> {
        self.bump();
        let mut elements = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                b'\n' if self.pending.is_empty() => self.pos += 1,
                b')' => {
                    self.pos += 1;
                    return match self.peek() {
                        0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>' => Ok(elements),
                        _ => self.bad("a word that goes on behind an array"),
                    };
                }
                b'[' => {
                    let mark = (self.pos, self.heres.len(), self.functions.len());
                    self.bump();
                    let subscript = self.subscript()?;
                    if self.peek() == b'+' && self.peek_second() == b'=' {
                        self.bump();
                    }
                    if self.eat(b'=') {
                        elements.push((Some(subscript), self.assigned_word()?));
                    } else {
                        self.pos = mark.0;
                        self.heres.truncate(mark.1);
                        self.functions.truncate(mark.2);
                        elements.push((None, self.word()?));
                    }
                }
                b'<' | b'>' if self.peek_second() == b'(' => elements.push((None, self.word()?)),
                0 | b'\n' | b';' | b'&' | b'|' | b'(' | b'<' | b'>' => return self.bad("a syntax error"),
                _ => elements.push((None, self.word()?)),
            }
        }
    }
}

/// Whether a word of a text with continuations could be a reserved word that was not seen as one.
fn is_reserved(word: &WordTree<'_>) -> bool {
    word.parts.len() > 1
        && matches!(
            word.bare().as_deref(),
            Some(
                "if" | "then"
                    | "else"
                    | "elif"
                    | "fi"
                    | "for"
                    | "in"
                    | "until"
                    | "while"
                    | "do"
                    | "done"
                    | "case"
                    | "esac"
                    | "select"
                    | "function"
                    | "time"
                    | "coproc"
                    | "{"
                    | "}"
                    | "!"
                    | "[["
                    | "]]"
            )
        )
}
