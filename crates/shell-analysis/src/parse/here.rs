//! Here-documents: their operators, and their bodies behind the next newline.

use std::borrow::Cow;

use super::{Parser, Read};
use crate::syntax::{Bad, Here, Part};

impl<'a> Parser<'a> {
    /// The delimiter behind `<<`; gives the index of the document.
    pub(super) fn here(&mut self, strips_tabs: bool) -> Read<usize> {
        self.blanks_only();
        if matches!(self.peek(), 0 | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' | b'#') {
            return self.bad("a syntax error");
        }
        let at = self.pos;
        let word = self.word()?;
        let mut delimiter = String::new();
        let mut is_quoted = false;
        for part in &word.parts {
            match part {
                Part::Lit(text) if !text.contains('$') => delimiter.push_str(text),
                Part::Quoted(text) => {
                    is_quoted = true;
                    delimiter.push_str(text);
                }
                Part::Double(parts) => {
                    is_quoted = true;
                    for part in parts {
                        let Part::Quoted(text) = part else { return self.bad("a strange here-document") };
                        delimiter.push_str(text);
                    }
                }
                _ => return self.bad("a strange here-document"),
            }
        }
        let written = self.slice(word.start, word.end);
        if delimiter.contains('\n')
            || written.contains("$'")
            || written.contains("$\"")
            || written.contains("\\\n")
        {
            return self.bad("a strange here-document");
        }
        let index = self.heres.len();
        self.heres.push(Here { delimiter, is_quoted, strips_tabs, at, ..Here::default() });
        self.pending.push(index);
        Ok(index)
    }

    /// Reads the bodies that are due. The reader stands behind a newline.
    pub(super) fn here_documents(&mut self) -> Read<()> {
        for index in std::mem::take(&mut self.pending) {
            let Some(here) = self.heres.get(index) else { continue };
            let (delimiter, is_quoted, strips_tabs) =
                (here.delimiter.clone(), here.is_quoted, here.strips_tabs);
            let start = self.pos;
            let (end, next) = self.here_end(&delimiter, is_quoted, strips_tabs)?;
            let raw = self.slice(start, end);
            let body = if strips_tabs && raw.contains('\t') {
                let lines: Vec<&str> = raw.split('\n').map(|line| line.trim_start_matches('\t')).collect();
                Cow::Owned(lines.join("\n"))
            } else {
                Cow::Borrowed(raw)
            };
            let mut parts = Vec::new();
            if !is_quoted && raw.contains(['$', '`', '\\']) {
                // Tabs at line starts make no difference to what is expanded, except within an expansion: those
                // that span lines are refused when tabs are stripped.
                let mut inner = Parser::new(self.slice(0, end), self.depth + 1, self.budget);
                inner.pos = start;
                parts = inner.here_body()?;
                if strips_tabs
                    && body.len() != raw.len()
                    && parts.iter().any(|part| !matches!(part, Part::Quoted(_)))
                {
                    return Err(Bad {
                        reason: "expansions in a here-document whose tabs are stripped",
                        at: start,
                    });
                }
                if !inner.heres.is_empty() {
                    return Err(Bad { reason: "a here-document in a here-document", at: start });
                }
                self.functions.append(&mut inner.functions);
                if let Some(at) = inner.bash_only {
                    self.note_bash(at);
                }
            }
            if let Some(here) = self.heres.get_mut(index) {
                here.body = body;
                here.parts = parts;
                here.at = start;
            }
            self.pos = next;
        }
        Ok(())
    }

    /// Where the body ends and where the line behind the delimiter begins.
    fn here_end(&self, delimiter: &str, is_quoted: bool, strips_tabs: bool) -> Read<(usize, usize)> {
        let mut at = self.pos;
        while at < self.src.len() {
            let start = at;
            let mut is_joined = false;
            loop {
                let rest = self.bytes.get(at..).unwrap_or_default();
                let len = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                let line = rest.get(..len).unwrap_or_default();
                at += len + 1;
                let slashes = line.iter().rev().take_while(|byte| **byte == b'\\').count();
                if is_quoted || slashes % 2 == 0 || at > self.src.len() {
                    break;
                }
                is_joined = true;
            }
            let line = self.slice(start, (at - 1).min(self.src.len()));
            let line = if strips_tabs { line.trim_start_matches('\t') } else { line };
            if is_joined {
                if strips_tabs || line.replace("\\\n", "") == delimiter {
                    return Err(Bad { reason: "a here-document with a line over two lines", at: start });
                }
            } else if line == delimiter {
                return Ok((start, at.min(self.src.len())));
            }
        }
        Err(Bad { reason: "a here-document without its end", at: self.pos })
    }
}
