//! Splits a shell line into words and operators, as far as they are plain. Everything that bash would
//! expand, evaluate or group ends the reading with a reason. Used by `plain_analyzer.rs`.

use std::path::Path;

/// One token.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Token {
    /// A word.
    Word(Word),
    /// What ends a command: `;`, `&`, `|`, `&&`, `||`, a line end.
    End,
    /// A redirection; its target is the next word.
    Redirect(Direction),
}

/// Which way a redirection goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Direction {
    /// Into a file.
    Out,
    /// From a file.
    In,
    /// To another descriptor: nothing is opened; the next word must be digits or `-`.
    Copy,
}

/// One plain word.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Word {
    /// After quote removal.
    pub(crate) value: String,
    /// As written.
    pub(crate) source: String,
    /// Byte offset.
    pub(crate) at: usize,
    /// Whether it holds an unquoted glob.
    pub(crate) has_glob: bool,
    /// Whether any part of it is quoted.
    pub(crate) is_quoted: bool,
}

/// Why reading stopped, and where.
#[derive(Debug)]
pub(crate) struct NotPlain {
    /// In words.
    pub(crate) reason: &'static str,
    /// Byte offset.
    pub(crate) at: usize,
}

/// Reads `line`.
pub(crate) fn tokens(line: &str, home: Option<&Path>) -> Result<Vec<Token>, NotPlain> {
    let mut reader = Reader { line, at: 0, home, tokens: Vec::new() };
    reader.run()?;
    Ok(reader.tokens)
}

struct Reader<'a> {
    line: &'a str,
    at: usize,
    home: Option<&'a Path>,
    tokens: Vec<Token>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.line.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn stop<T>(&self, reason: &'static str) -> Result<T, NotPlain> {
        Err(NotPlain { reason, at: self.at })
    }

    fn run(&mut self) -> Result<(), NotPlain> {
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' => self.at += 1,
                '\\' if self.rest().starts_with("\\\n") => self.at += 2,
                '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                '\n' | ';' | '&' | '|' => self.operator()?,
                '<' | '>' => self.redirect()?,
                _ => self.word()?,
            }
        }
        Ok(())
    }

    fn operator(&mut self) -> Result<(), NotPlain> {
        if self.eat("&>>") || self.eat("&>") {
            self.tokens.push(Token::Redirect(Direction::Out));
            return Ok(());
        }
        if self.rest().starts_with(";;") || self.rest().starts_with(";&") {
            return self.stop("a case construct");
        }
        if !["&&", "||", "|&", ";", "&", "|", "\n"].into_iter().any(|operator| self.eat(operator)) {
            return self.stop("an operator that is not understood");
        }
        self.tokens.push(Token::End);
        Ok(())
    }

    fn redirect(&mut self) -> Result<(), NotPlain> {
        for construct in ["<<", "<>", "<(", ">("] {
            if self.rest().starts_with(construct) {
                return self.stop("a here-document or a process substitution");
            }
        }
        let direction = if self.eat(">&") || self.eat("<&") {
            Direction::Copy
        } else if self.eat(">>") || self.eat(">|") || self.eat(">") {
            if self.rest().starts_with('(') {
                return self.stop("a process substitution");
            }
            Direction::Out
        } else {
            self.eat("<");
            Direction::In
        };
        self.tokens.push(Token::Redirect(direction));
        Ok(())
    }

    fn word(&mut self) -> Result<(), NotPlain> {
        let start = self.at;
        let mut word = Word {
            value: String::new(),
            source: String::new(),
            at: start,
            has_glob: false,
            is_quoted: false,
        };
        if self.peek() == Some('~') {
            self.tilde(&mut word)?;
        }
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' => break,
                '\'' => {
                    self.at += 1;
                    let Some(end) = self.rest().find('\'') else {
                        return self.stop("a quote that is never closed");
                    };
                    word.value.push_str(self.rest().get(..end).unwrap_or_default());
                    self.at += end + 1;
                    word.is_quoted = true;
                }
                '"' => self.double_quoted(&mut word)?,
                '$' if self.rest().starts_with("$'") => self.ansi_quoted(&mut word)?,
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        None => return self.stop("a backslash at the end"),
                        Some('\n') => {}
                        Some(c) => {
                            word.value.push(c);
                            word.is_quoted = true;
                        }
                    }
                    self.at += self.peek().map_or(0, char::len_utf8);
                }
                '{' if self.rest().starts_with("{}") => {
                    word.value.push_str("{}");
                    self.at += 2;
                }
                '$' | '`' => return self.stop("an expansion"),
                '(' | ')' => return self.stop("parentheses"),
                '{' | '}' => return self.stop("braces"),
                '\0' => return self.stop("a NUL character"),
                c if !c.is_ascii() && (c.is_whitespace() || c.is_control()) => {
                    return self.stop("a blank that shells may read either way");
                }
                c => {
                    word.has_glob |= matches!(c, '*' | '?' | '[');
                    word.value.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        word.source = self.line.get(start..self.at).unwrap_or_default().to_owned();
        let is_descriptor = matches!(self.peek(), Some('<' | '>'))
            && !word.is_quoted
            && word.value.bytes().all(|byte| byte.is_ascii_digit());
        if !is_descriptor {
            self.tokens.push(Token::Word(word));
        }
        Ok(())
    }

    fn tilde(&mut self, word: &mut Word) -> Result<(), NotPlain> {
        let after = self.rest().chars().nth(1);
        let is_home =
            after.is_none_or(|c| matches!(c, '/' | ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>'));
        match self.home.and_then(Path::to_str) {
            Some(home) if is_home => {
                word.value.push_str(home);
                self.at += 1;
                Ok(())
            }
            _ => self.stop("a home directory that is not known"),
        }
    }

    fn double_quoted(&mut self, word: &mut Word) -> Result<(), NotPlain> {
        self.at += 1;
        word.is_quoted = true;
        loop {
            let Some(c) = self.peek() else { return self.stop("a quote that is never closed") };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(()),
                '`' => return self.stop("an expansion"),
                '$' if matches!(self.peek(), Some('"' | ' ' | '\n')) => word.value.push('$'),
                '$' => return self.stop("an expansion"),
                '\0' => return self.stop("a NUL character"),
                '\\' => match self.peek() {
                    Some('\n') => self.at += 1,
                    Some(escaped @ ('$' | '`' | '"' | '\\')) => {
                        word.value.push(escaped);
                        self.at += 1;
                    }
                    _ => word.value.push('\\'),
                },
                c => word.value.push(c),
            }
        }
    }

    fn ansi_quoted(&mut self, word: &mut Word) -> Result<(), NotPlain> {
        self.at += 2;
        word.is_quoted = true;
        loop {
            let Some(c) = self.peek() else { return self.stop("a quote that is never closed") };
            self.at += c.len_utf8();
            match c {
                '\'' => return Ok(()),
                '\0' => return self.stop("a NUL character"),
                '\\' => {
                    let Some(kind) = self.peek() else { return self.stop("a quote that is never closed") };
                    self.at += kind.len_utf8();
                    match kind {
                        'n' => word.value.push('\n'),
                        't' => word.value.push('\t'),
                        'r' => word.value.push('\r'),
                        '\\' | '\'' | '"' | '?' => word.value.push(kind),
                        'x' => {
                            let digits: String =
                                self.rest().chars().take(2).take_while(char::is_ascii_hexdigit).collect();
                            match u8::from_str_radix(&digits, 16) {
                                Ok(byte @ 1..=0x7f) => word.value.push(char::from(byte)),
                                _ => return self.stop("an escape that is not understood"),
                            }
                            self.at += digits.len();
                        }
                        _ => return self.stop("an escape that is not understood"),
                    }
                }
                c => word.value.push(c),
            }
        }
    }
}
