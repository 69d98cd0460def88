//! Compound commands and function definitions.

use std::borrow::Cow;

use super::{Parser, Read};
use crate::syntax::{Command, Kind, List, WordTree};

impl<'a> Parser<'a> {
    /// One command with its redirections.
    pub(super) fn command(&mut self) -> Read<Command<'a>> {
        self.enter()?;
        self.blanks();
        let start = self.pos;
        let command = match self.compound()? {
            Some(kind @ Kind::Function { .. }) => Command { kind, redirects: Vec::new(), start },
            Some(kind @ Kind::Coproc { .. }) => Command { kind, redirects: Vec::new(), start },
            Some(kind) => {
                let redirects = self.redirects()?;
                Command { kind, redirects, start }
            }
            None => self.simple()?,
        };
        self.leave();
        Ok(command)
    }

    /// Whether a compound command begins here.
    fn at_compound(&mut self) -> bool {
        self.peek() == b'('
            || matches!(self.plain(), "{" | "if" | "while" | "until" | "for" | "select" | "case" | "[[")
    }

    /// A compound command when one begins here.
    fn compound(&mut self) -> Read<Option<Kind<'a>>> {
        if self.peek() == b'(' {
            return self.parenthesis().map(Some);
        }
        let word = self.plain();
        let at = self.pos;
        let kind = match word {
            "{" => {
                self.pos += 1;
                let list = self.some_list()?;
                self.expect_word("}")?;
                Kind::Group(list)
            }
            "if" => self.if_clause()?,
            "while" | "until" => {
                self.pos += word.len();
                let condition = self.some_list()?;
                let body = self.do_group()?;
                Kind::Loop { condition, body }
            }
            "for" => self.for_clause(false)?,
            "select" => {
                self.note_bash(at);
                self.for_clause(true)?
            }
            "case" => self.case_clause()?,
            "[[" => {
                self.note_bash(at);
                self.pos += 2;
                Kind::Test(self.test_items()?)
            }
            "function" => {
                self.note_bash(at);
                self.pos += word.len();
                self.blanks();
                let name = self.word()?;
                self.blanks();
                if self.peek() == b'(' {
                    self.bump();
                    self.blanks();
                    if !self.eat(b')') {
                        return self.bad("a syntax error");
                    }
                }
                self.function(&name)?
            }
            "coproc" => {
                self.note_bash(at);
                self.pos += word.len();
                self.coproc()?
            }
            "then" | "do" | "done" | "fi" | "elif" | "else" | "esac" | "}" | "in" if word != "in" => {
                return self.bad("a syntax error");
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    /// A list of at least one command.
    fn some_list(&mut self) -> Read<List<'a>> {
        let list = self.list()?;
        if list.is_empty() { self.bad("a syntax error") } else { Ok(list) }
    }

    /// `( )` or `(( ))`.
    fn parenthesis(&mut self) -> Read<Kind<'a>> {
        let start = self.pos;
        self.bump();
        if self.peek() == b'(' {
            let (heres, functions) = (self.heres.len(), self.functions.len());
            self.bump();
            if let Some(parts) = self.arithmetic_parens()? {
                self.note_bash(start);
                return Ok(Kind::Arith(parts));
            }
            self.heres.truncate(heres);
            self.functions.truncate(functions);
            self.pos = start + 1;
        }
        let list = self.some_list()?;
        self.newlines()?;
        if !self.eat(b')') {
            return self.bad("a syntax error");
        }
        Ok(Kind::Subshell(list))
    }

    fn if_clause(&mut self) -> Read<Kind<'a>> {
        self.pos += 2;
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.some_list()?;
            self.expect_word("then")?;
            let body = self.some_list()?;
            branches.push((condition, body));
            self.newlines()?;
            match self.plain() {
                "elif" => self.pos += 4,
                "else" => {
                    self.pos += 4;
                    otherwise = Some(self.some_list()?);
                    self.expect_word("fi")?;
                    break;
                }
                "fi" => {
                    self.pos += 2;
                    break;
                }
                _ => return self.bad("a syntax error"),
            }
        }
        Ok(Kind::If { branches, otherwise })
    }

    fn do_group(&mut self) -> Read<List<'a>> {
        self.expect_word("do")?;
        let body = self.some_list()?;
        self.expect_word("done")?;
        Ok(body)
    }

    /// The body of a `for`: `do ... done`, or braces as bash has it too.
    fn for_body(&mut self) -> Read<(List<'a>, bool)> {
        self.newlines()?;
        if self.plain() == "{" {
            self.note_bash(self.pos);
            self.pos += 1;
            let body = self.some_list()?;
            self.expect_word("}")?;
            return Ok((body, true));
        }
        Ok((self.do_group()?, false))
    }

    fn for_clause(&mut self, is_select: bool) -> Read<Kind<'a>> {
        self.pos += if is_select { 6 } else { 3 };
        self.blanks();
        if self.peek() == b'(' && self.peek_second() == b'(' && !is_select {
            self.note_bash(self.pos);
            self.bump();
            self.bump();
            let Some(head) = self.arithmetic_parens()? else { return self.bad("a syntax error") };
            self.blanks();
            self.eat(b';');
            let (body, _) = self.for_body()?;
            return Ok(Kind::ArithFor { head, body });
        }
        let word = self.word()?;
        let Some(Cow::Borrowed(name)) = word.bare() else {
            return self.bad("a loop variable that is no name");
        };
        if !super::is_name(name) {
            return self.bad("a loop variable that is no name");
        }
        self.newlines()?;
        let mut words = None;
        if self.plain() == "in" {
            self.pos += 2;
            let mut list: Vec<WordTree<'a>> = Vec::new();
            loop {
                self.blanks();
                match self.peek() {
                    b'\n' => break,
                    b';' if self.peek_second() != b';' => {
                        self.bump();
                        break;
                    }
                    b'&' | b'|' | b'(' | b')' | b';' | 0 => return self.bad("a syntax error"),
                    _ => list.push(self.word()?),
                }
            }
            words = Some(list);
        } else if self.peek() == b';' {
            self.bump();
        }
        let (body, has_braces) = self.for_body()?;
        Ok(Kind::For { name, words, body, is_select, has_braces })
    }

    fn case_clause(&mut self) -> Read<Kind<'a>> {
        self.pos += 4;
        self.blanks();
        let word = self.word()?;
        self.newlines()?;
        if self.plain() != "in" {
            return self.bad("a syntax error");
        }
        self.pos += 2;
        let mut arms = Vec::new();
        loop {
            self.newlines()?;
            if self.plain() == "esac" {
                self.pos += 4;
                return Ok(Kind::Case { word, arms });
            }
            if self.eat(b'(') {
                self.blanks();
            }
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.word()?);
                self.blanks();
                if self.eat(b'|') {
                    continue;
                }
                if self.eat(b')') {
                    break;
                }
                return self.bad("a syntax error");
            }
            let list = self.list()?;
            arms.push((patterns, list));
            if self.peek() == b';' && matches!(self.peek_second(), b';' | b'&') {
                let second = self.peek_second();
                self.bump();
                self.bump();
                if second == b'&' {
                    self.note_bash(self.pos);
                } else if self.peek() == b'&' {
                    self.note_bash(self.pos);
                    self.bump();
                }
            } else if self.plain() != "esac" {
                return self.bad("a syntax error");
            }
        }
    }

    /// The body of a function whose head has been read.
    pub(super) fn function(&mut self, name: &WordTree<'a>) -> Read<Kind<'a>> {
        let Some(name) = name.bare() else { return self.bad("a function name with quotes or expansions") };
        self.enter()?;
        self.newlines()?;
        if !self.at_compound() {
            return self.bad("a syntax error");
        }
        let body = self.command()?;
        self.leave();
        self.functions.push(name.clone());
        Ok(Kind::Function { name, body: Box::new(body) })
    }

    fn coproc(&mut self) -> Read<Kind<'a>> {
        self.blanks();
        if !self.at_compound() {
            let mark = (self.pos, self.heres.len(), self.functions.len());
            let word = self.word()?;
            self.blanks();
            if self.at_compound() {
                let Some(name) = word.bare() else { return self.bad("a coprocess name that is no name") };
                let body = Box::new(self.command()?);
                return Ok(Kind::Coproc { name: Some(name), body });
            }
            self.pos = mark.0;
            self.heres.truncate(mark.1);
            self.functions.truncate(mark.2);
        }
        let body = Box::new(self.command()?);
        Ok(Kind::Coproc { name: None, body })
    }
}
