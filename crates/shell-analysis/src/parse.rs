//! From text to syntax tree, as bash reads it: strict, and whatever is doubtful is an error. Never recurses deeper
//! than [`MAX_DEPTH`]. See `parse/word.rs` for words, `parse/expansion.rs` for what stands behind a dollar.

mod arithmetic;
mod compound;
mod expansion;
mod here;
mod redirect;
mod simple;
mod test;
mod word;

use std::borrow::Cow;

use crate::limits::{Budget, MAX_DEPTH};
use crate::syntax::{Bad, Here, Item, List, Pipeline, Script};

pub(crate) use word::is_name;

/// A result of reading.
pub(crate) type Read<T> = Result<T, Bad>;

/// A reader of one text.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    src: &'a str,
    bytes: &'a [u8],
    pos: usize,
    /// Whether the text holds a line continuation anywhere, so that the slow way of looking ahead is needed.
    has_continuation: bool,
    depth: u32,
    budget: &'a Budget,
    heres: Vec<Here<'a>>,
    /// Here-documents whose body has not been read.
    pending: Vec<usize>,
    functions: Vec<Cow<'a, str>>,
    bash_only: Option<usize>,
    /// Whether extended patterns are read: within `[[ ]]` only.
    in_test: bool,
}

/// Reads `src` line by line up to its end or to what is not understood.
pub(crate) fn parse<'a>(src: &'a str, depth: u32, budget: &'a Budget) -> Script<'a> {
    let mut parser = Parser::new(src, depth, budget);
    let mut lines = Vec::new();
    let bad = loop {
        let mark = parser.heres.len();
        match parser.line() {
            Ok(Some(list)) => lines.push(list),
            Ok(None) => break None,
            Err(bad) => {
                parser.heres.truncate(mark);
                break Some(bad);
            }
        }
    };
    Script { lines, heres: parser.heres, functions: parser.functions, bad, bash_only: parser.bash_only }
}

impl<'a> Parser<'a> {
    fn new(src: &'a str, depth: u32, budget: &'a Budget) -> Self {
        Self {
            src,
            bytes: src.as_bytes(),
            pos: 0,
            has_continuation: src.contains("\\\n"),
            depth,
            budget,
            heres: Vec::new(),
            pending: Vec::new(),
            functions: Vec::new(),
            bash_only: None,
            in_test: false,
        }
    }

    fn bad<T>(&self, reason: &'static str) -> Read<T> {
        Err(Bad { reason, at: self.pos.min(self.src.len()) })
    }

    /// One step deeper; [`Parser::leave`] goes back.
    fn enter(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.bad("nested too deeply");
        }
        if !self.budget.spend(1) {
            return self.bad("too much work");
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The byte at the reader, zero at the end (a text never holds a zero byte).
    fn peek(&mut self) -> u8 {
        if self.has_continuation {
            while self.bytes.get(self.pos) == Some(&b'\\') && self.bytes.get(self.pos + 1) == Some(&b'\n') {
                self.pos += 2;
            }
        }
        self.bytes.get(self.pos).copied().unwrap_or(0)
    }

    /// The byte after the reader's.
    fn peek_second(&mut self) -> u8 {
        self.peek();
        let mut next = self.pos + 1;
        if self.has_continuation {
            while self.bytes.get(next) == Some(&b'\\') && self.bytes.get(next + 1) == Some(&b'\n') {
                next += 2;
            }
        }
        self.bytes.get(next).copied().unwrap_or(0)
    }

    /// Steps over the byte at the reader.
    fn bump(&mut self) {
        self.peek();
        if self.pos < self.bytes.len() {
            self.pos += 1;
        }
    }

    /// Steps over `byte` when it is at the reader.
    fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == byte;
        if is_there {
            self.pos += 1;
        }
        is_there
    }

    fn slice(&self, from: usize, to: usize) -> &'a str {
        self.src.get(from..to).unwrap_or_default()
    }

    /// Notes a construct that only bash knows.
    fn note_bash(&mut self, at: usize) {
        self.bash_only.get_or_insert(at);
    }

    /// Steps over blanks and a comment.
    fn blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.pos += 1;
        }
        if self.peek() == b'#' {
            let rest = self.bytes.get(self.pos..).unwrap_or_default();
            self.pos += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        }
    }

    /// Steps over a newline and the here-documents that begin behind it.
    fn newline(&mut self) -> Read<()> {
        self.pos += 1;
        if self.pending.is_empty() { Ok(()) } else { self.here_documents() }
    }

    /// Steps over blanks, comments and newlines.
    fn newlines(&mut self) -> Read<()> {
        loop {
            self.blanks();
            if self.peek() != b'\n' {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// The next complete line; `None` at the end.
    fn line(&mut self) -> Read<Option<List<'a>>> {
        self.newlines()?;
        if self.peek() == 0 {
            return if self.pending.is_empty() {
                Ok(None)
            } else {
                self.bad("a here-document without its end")
            };
        }
        let mut list = Vec::new();
        loop {
            list.push(self.item()?);
            self.blanks();
            match self.peek() {
                b'\n' => {
                    self.newline()?;
                    return Ok(Some(list));
                }
                0 if self.pending.is_empty() => return Ok(Some(list)),
                0 => return self.bad("a here-document without its end"),
                _ => {}
            }
        }
    }

    /// Commands up to what ends a compound: a closing word, `)`, `;;`. At least one unless `may_be_empty`.
    fn list(&mut self) -> Read<List<'a>> {
        self.enter()?;
        let mut list = Vec::new();
        loop {
            self.newlines()?;
            if self.at_list_end() {
                break;
            }
            list.push(self.item()?);
        }
        self.leave();
        Ok(list)
    }

    fn at_list_end(&mut self) -> bool {
        match self.peek() {
            0 | b')' => true,
            b';' => matches!(self.peek_second(), b';' | b'&'),
            _ => matches!(self.plain(), "then" | "do" | "done" | "fi" | "elif" | "else" | "esac" | "}"),
        }
    }

    /// An and-or list with the `;` or `&` behind it; a newline is left where it is.
    fn item(&mut self) -> Read<Item<'a>> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            match (self.peek(), self.peek_second()) {
                (b'&', b'&') | (b'|', b'|') => {
                    self.bump();
                    self.bump();
                    self.newlines()?;
                    rest.push(self.pipeline()?);
                }
                (b';', b';' | b'&') => return Ok(Item { first, rest, is_background: false }),
                (b';', _) => {
                    self.bump();
                    return Ok(Item { first, rest, is_background: false });
                }
                (b'&', _) => {
                    self.bump();
                    return Ok(Item { first, rest, is_background: true });
                }
                (b'\n' | b')' | 0, _) => return Ok(Item { first, rest, is_background: false }),
                _ => return self.bad("a syntax error"),
            }
        }
    }

    /// Commands joined by `|`, behind `!` and `time`.
    fn pipeline(&mut self) -> Read<Pipeline<'a>> {
        let mut had_prefix = false;
        loop {
            self.blanks();
            match self.plain() {
                "!" => self.pos += 1,
                "time" => {
                    self.note_bash(self.pos);
                    self.pos += 4;
                    self.blanks();
                    if self.plain_argument() == "-p" {
                        self.pos += 2;
                        self.blanks();
                    }
                    if self.plain_argument() == "--" {
                        self.pos += 2;
                    }
                }
                _ => break,
            }
            had_prefix = true;
        }
        let mut pipeline = Pipeline::default();
        if had_prefix {
            self.blanks();
            if matches!(self.peek(), b'\n' | b';' | b'&' | b')' | 0) {
                return Ok(pipeline); // a bare `!` or `time` runs nothing
            }
        }
        loop {
            pipeline.commands.push(self.command()?);
            self.blanks();
            match (self.peek(), self.peek_second()) {
                (b'|', b'|') => return Ok(pipeline),
                (b'|', second) => {
                    self.bump();
                    if second == b'&' {
                        self.note_bash(self.pos);
                        self.bump();
                    }
                    self.newlines()?;
                    if matches!(self.plain(), "!") {
                        return self.bad("a syntax error");
                    }
                }
                _ => return Ok(pipeline),
            }
        }
    }

    /// The token at the reader when it is made of letters, braces, brackets or `!` only, as reserved words are;
    /// else empty.
    fn plain(&mut self) -> &'a str {
        self.token(|byte| byte.is_ascii_lowercase() || matches!(byte, b'{' | b'}' | b'!' | b'[' | b']'))
    }

    /// The token at the reader when it is an option such as `-p`; else empty.
    fn plain_argument(&mut self) -> &'a str {
        self.token(|byte| byte.is_ascii_lowercase() || byte == b'-')
    }

    fn token(&mut self, is_part: impl Fn(u8) -> bool) -> &'a str {
        self.peek();
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        let len = rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len());
        let end = rest.get(len).copied().unwrap_or(0);
        let ends = matches!(end, 0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>');
        if ends { self.slice(self.pos, self.pos + len) } else { "" }
    }

    /// Steps over the reserved word `word`, or fails.
    fn expect_word(&mut self, word: &str) -> Read<()> {
        self.newlines()?;
        if self.plain() != word {
            return self.bad("a syntax error");
        }
        self.pos += word.len();
        Ok(())
    }
}
