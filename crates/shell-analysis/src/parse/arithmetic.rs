//! Arithmetic as text with expansions in it.

use std::borrow::Cow;

use super::{Parser, Read};
use crate::syntax::Part;

/// What ends an arithmetic text.
#[derive(Clone, Copy, Eq, PartialEq)]
enum End {
    Parens,
    Bracket,
    Brace,
}

impl<'a> Parser<'a> {
    /// The text of `((...))` behind its brackets up to behind those that close it; `None` when it turns out to be
    /// no arithmetic but brackets within brackets.
    pub(super) fn arithmetic_parens(&mut self) -> Read<Option<Vec<Part<'a>>>> {
        self.arithmetic(End::Parens)
    }

    /// A subscript behind its bracket up to behind the one that closes it.
    pub(super) fn subscript(&mut self) -> Read<Vec<Part<'a>>> {
        Ok(self.arithmetic(End::Bracket)?.unwrap_or_default())
    }

    /// Offset and length in `${name:...}` up to the brace.
    pub(super) fn arithmetic_brace(&mut self) -> Read<Vec<Part<'a>>> {
        Ok(self.arithmetic(End::Brace)?.unwrap_or_default())
    }

    fn arithmetic(&mut self, end: End) -> Read<Option<Vec<Part<'a>>>> {
        self.enter()?;
        let mut parts = Vec::new();
        let mut depth = 0_u32;
        let mut has_quotes = false;
        loop {
            match self.peek() {
                0 => return self.bad("arithmetic without its end"),
                b')' if end == End::Parens && depth == 0 => {
                    self.leave();
                    if self.peek_second() != b')' {
                        return Ok(None);
                    }
                    if has_quotes {
                        return self.bad("quotes in arithmetic");
                    }
                    self.bump();
                    self.bump();
                    return Ok(Some(parts));
                }
                b']' if end == End::Bracket && depth == 0 => {
                    self.bump();
                    self.leave();
                    return Ok(Some(parts));
                }
                b'}' if end == End::Brace => {
                    if has_quotes {
                        return self.bad("quotes in arithmetic");
                    }
                    self.leave();
                    return Ok(Some(parts));
                }
                b'\'' if end == End::Bracket => parts.push(self.single()?),
                b'\'' => {
                    // Commands in brackets may hold quotes; arithmetic that does is refused.
                    has_quotes = true;
                    self.single()?;
                }
                b'"' => parts.push(self.double()?),
                b'\\' => {
                    self.pos += 1;
                    let from = self.pos;
                    let len =
                        self.src.get(from..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
                    self.pos += len;
                    parts.push(Part::Quoted(Cow::Borrowed(self.slice(from, from + len))));
                }
                b'$' => parts.push(self.dollar(true)?),
                b'`' => parts.push(self.backtick(true)?),
                byte => {
                    if byte == b'(' && end == End::Parens || byte == b'[' && end == End::Bracket {
                        depth += 1;
                    } else if byte == b')' && end == End::Parens || byte == b']' && end == End::Bracket {
                        depth -= 1;
                    }
                    if depth > crate::limits::MAX_DEPTH {
                        return self.bad("nested too deeply");
                    }
                    let from = self.pos;
                    let rest = self.bytes.get(from..).unwrap_or_default();
                    let is_end = |byte: &u8| {
                        matches!(
                            byte,
                            b'(' | b')' | b'[' | b']' | b'}' | b'\'' | b'"' | b'\\' | b'$' | b'`' | 0
                        )
                    };
                    let len = rest.iter().skip(1).position(is_end).map_or(rest.len(), |len| len + 1);
                    self.pos += len;
                    parts.push(Part::Lit(self.slice(from, from + len)));
                }
            }
        }
    }
}
