//! `[[ ... ]]`.

use super::{Parser, Read};
use crate::syntax::{Part, TestItem};

impl<'a> Parser<'a> {
    /// Words and operators up to behind the closing brackets.
    pub(super) fn test_items(&mut self) -> Read<Vec<TestItem<'a>>> {
        self.enter()?;
        let was = std::mem::replace(&mut self.in_test, true);
        let mut items = Vec::new();
        let mut depth = 0_u32;
        let mut is_regex = false;
        loop {
            self.test_blanks()?;
            if !is_regex && self.plain() == "]]" {
                self.pos += 2;
                break;
            }
            if is_regex {
                is_regex = false;
                items.push(TestItem::Word(self.regex()?));
                continue;
            }
            match (self.peek(), self.peek_second()) {
                (0 | b';' | b'`', _) => return self.bad("a test that is not understood"),
                (b'&', b'&') | (b'|', b'|') => {
                    self.bump();
                    self.bump();
                    items.push(TestItem::Operator);
                }
                (b'<' | b'>', second) if second != b'(' => {
                    self.bump();
                    items.push(TestItem::Operator);
                }
                (b'(', _) => {
                    depth += 1;
                    self.bump();
                    items.push(TestItem::Operator);
                }
                (b')', _) if depth > 0 => {
                    depth -= 1;
                    self.bump();
                    items.push(TestItem::Operator);
                }
                (b'&' | b'|' | b')', _) => return self.bad("a test that is not understood"),
                _ => {
                    let word = self.word()?;
                    is_regex = matches!(word.parts.as_slice(), [Part::Lit("=~")]);
                    items.push(TestItem::Word(word));
                }
            }
        }
        if depth > 0 || items.is_empty() {
            return self.bad("a test that is not understood");
        }
        self.in_test = was;
        self.leave();
        Ok(items)
    }

    /// Blanks and newlines; a `#` begins no comment before a pattern, so that one here is refused.
    fn test_blanks(&mut self) -> Read<()> {
        loop {
            self.blanks_only();
            match self.peek() {
                b'\n' => self.newline()?,
                b'#' => return self.bad("a test that is not understood"),
                _ => return Ok(()),
            }
        }
    }

    /// The word behind `=~`: brackets and bars are part of it.
    fn regex(&mut self) -> Read<crate::syntax::WordTree<'a>> {
        let start = self.pos;
        let mut parts = Vec::new();
        let mut depth = 0_u32;
        loop {
            match self.peek() {
                0 | b'\n' => break,
                b' ' | b'\t' | b'<' | b'>' | b'&' | b';' if depth == 0 => break,
                b'(' => {
                    depth += 1;
                    self.lit(&mut parts);
                }
                b')' => {
                    if depth == 0 {
                        break;
                    }
                    depth -= 1;
                    self.lit(&mut parts);
                }
                b'|' | b' ' | b'\t' | b'<' | b'>' | b'&' | b';' | b'{' | b'}' | b'#' => self.lit(&mut parts),
                _ => {
                    let word = self.word()?;
                    parts.extend(word.parts);
                }
            }
        }
        if parts.is_empty() || depth > 0 {
            return self.bad("a test that is not understood");
        }
        Ok(crate::syntax::WordTree { parts, source: self.slice(start, self.pos), start, end: self.pos })
    }

    fn lit(&mut self, parts: &mut Vec<Part<'a>>) {
        let from = self.pos;
        self.bump();
        parts.push(Part::Lit(self.slice(from, self.pos)));
    }
}
