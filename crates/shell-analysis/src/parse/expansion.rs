//! What stands behind a dollar.

use std::borrow::Cow;

use super::{Parser, Read};
use crate::syntax::{List, Op, Param, Part};

impl<'a> Parser<'a> {
    /// An expansion, or the dollar itself.
    pub(super) fn dollar(&mut self, is_double: bool) -> Read<Part<'a>> {
        let at = self.pos;
        let second = self.peek_second();
        match second {
            b'(' => {
                self.bump();
                self.bump();
                self.parens(at)
            }
            b'{' => {
                self.bump();
                self.bump();
                self.enter()?;
                let param = self.braces(at, is_double)?;
                self.leave();
                Ok(Part::Param(Box::new(param)))
            }
            b'[' => {
                self.note_bash(at);
                self.bump();
                self.bump();
                let parts = self.subscript()?;
                Ok(Part::Arith(parts))
            }
            b'\'' if !is_double => {
                self.note_bash(at);
                self.bump();
                self.ansi()
            }
            b'"' if !is_double => {
                self.note_bash(at);
                self.bump();
                self.double()
            }
            b'*' | b'@' | b'#' | b'?' | b'-' | b'$' | b'!' | b'0'..=b'9' => {
                self.bump();
                self.peek();
                let name = self.slice(self.pos, self.pos + 1);
                self.pos += 1;
                Ok(self.param(name, at))
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.bump();
                self.peek();
                let name = self.name()?;
                Ok(self.param(name, at))
            }
            _ => {
                self.bump();
                Ok(Part::Quoted(Cow::Borrowed("$")))
            }
        }
    }

    fn param(&self, name: &'a str, at: usize) -> Part<'a> {
        Part::Param(Box::new(Param {
            name,
            subscript: None,
            is_indirect: false,
            is_length: false,
            op: Op::None,
            is_bare: true,
            at,
        }))
    }

    /// A name at the reader.
    fn name(&mut self) -> Read<&'a str> {
        let from = self.pos;
        let rest = self.bytes.get(from..).unwrap_or_default();
        let len = rest
            .iter()
            .position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))
            .unwrap_or(rest.len());
        self.pos += len;
        let end = self.pos;
        if self.has_continuation && self.peek() != 0 && self.pos != end {
            let byte = self.bytes.get(self.pos).copied().unwrap_or(0);
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                return self.bad("a name over two lines");
            }
        }
        Ok(self.slice(from, end))
    }

    /// `$(...)` or `$((...))`, behind the first bracket.
    fn parens(&mut self, _at: usize) -> Read<Part<'a>> {
        let start = self.pos;
        if self.peek() == b'(' {
            let mark = (self.heres.len(), self.functions.len(), self.bash_only);
            self.bump();
            if let Some(parts) = self.arithmetic_parens()? {
                return Ok(Part::Arith(parts));
            }
            self.heres.truncate(mark.0);
            self.functions.truncate(mark.1);
            self.bash_only = mark.2;
            self.pos = start;
        }
        Ok(Part::Command(Box::new(self.substitution()?)))
    }

    /// The commands of a substitution up to the bracket that closes it.
    pub(super) fn substitution(&mut self) -> Read<List<'a>> {
        let pending = std::mem::take(&mut self.pending);
        let in_test = std::mem::take(&mut self.in_test);
        let list = self.list()?;
        if !self.pending.is_empty() {
            return self.bad("a here-document that ends outside of its substitution");
        }
        if !self.eat(b')') {
            return self.bad("a syntax error");
        }
        self.pending = pending;
        self.in_test = in_test;
        Ok(list)
    }

    /// `${...}` behind the brace.
    fn braces(&mut self, at: usize, is_double: bool) -> Read<Param<'a>> {
        let mut param = Param {
            name: "",
            subscript: None,
            is_indirect: false,
            is_length: false,
            op: Op::None,
            is_bare: false,
            at,
        };
        let is_parameter = |byte: u8| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
        };
        match self.peek() {
            b'!' => {
                let second = self.peek_second();
                if is_parameter(second) && !matches!(second, b'-' | b'?') {
                    self.note_bash(at);
                    self.bump();
                    param.is_indirect = true;
                }
            }
            b'#' => {
                let second = self.peek_second();
                if second.is_ascii_alphanumeric() || matches!(second, b'_' | b'@' | b'*') {
                    self.bump();
                    param.is_length = true;
                } else if second != b'}' {
                    return self.bad("an expansion that is not understood");
                }
            }
            _ => {}
        }
        let first = self.peek();
        if first.is_ascii_digit() {
            let from = self.pos;
            while self.bytes.get(self.pos).is_some_and(u8::is_ascii_digit) {
                self.pos += 1;
            }
            param.name = self.slice(from, self.pos);
        } else if first.is_ascii_alphabetic() || first == b'_' {
            param.name = self.name()?;
        } else if is_parameter(first) {
            param.name = self.slice(self.pos, self.pos + 1);
            self.pos += 1;
        } else {
            return self.bad("an expansion that is not understood");
        }
        if self.peek() == b'[' {
            self.note_bash(at);
            self.bump();
            param.subscript = Some(self.subscript()?);
        }
        param.op = self.operator(&param, is_double)?;
        if !self.eat(b'}') {
            return self.bad("an expansion that is not understood");
        }
        if param.is_length && !matches!(param.op, Op::None) {
            return self.bad("an expansion that is not understood");
        }
        Ok(param)
    }

    fn operator(&mut self, param: &Param<'a>, is_double: bool) -> Read<Op<'a>> {
        let at = self.pos;
        match self.peek() {
            b'}' => Ok(Op::None),
            b':' => {
                self.bump();
                match self.peek() {
                    kind @ (b'-' | b'=' | b'?' | b'+') => {
                        self.bump();
                        Ok(Op::Default { kind, has_colon: true, word: self.operand(is_double)? })
                    }
                    _ => {
                        self.note_bash(at);
                        Ok(Op::Slice(self.arithmetic_brace()?))
                    }
                }
            }
            kind @ (b'-' | b'=' | b'?' | b'+') => {
                self.bump();
                Ok(Op::Default { kind, has_colon: false, word: self.operand(is_double)? })
            }
            b'#' | b'%' => {
                self.bump();
                Ok(Op::Pattern(self.pattern_operand(is_double)?))
            }
            b'/' | b'^' | b',' => {
                self.note_bash(at);
                self.bump();
                Ok(Op::Pattern(self.pattern_operand(is_double)?))
            }
            b'@' | b'*' if param.is_indirect && self.peek_second() == b'}' && param.subscript.is_none() => {
                self.bump();
                Ok(Op::Names)
            }
            b'@' => {
                self.note_bash(at);
                self.bump();
                let letter = self.peek();
                if !letter.is_ascii_alphabetic() {
                    return self.bad("an expansion that is not understood");
                }
                self.bump();
                Ok(Op::Transform(letter))
            }
            _ => self.bad("an expansion that is not understood"),
        }
    }

    /// The word behind `:-` and its like.
    fn operand(&mut self, is_double: bool) -> Read<Vec<Part<'a>>> {
        self.operand_parts(is_double, false)
    }

    /// The pattern behind `#` and its like, where single quotes are quotes everywhere.
    fn pattern_operand(&mut self, is_double: bool) -> Read<Vec<Part<'a>>> {
        self.operand_parts(is_double, true)
    }

    fn operand_parts(&mut self, is_double: bool, is_pattern: bool) -> Read<Vec<Part<'a>>> {
        let mut parts = Vec::new();
        loop {
            match self.peek() {
                0 => return self.bad("an expansion without its end"),
                b'}' => return Ok(parts),
                b'\\' => {
                    self.pos += 1;
                    let from = self.pos;
                    let len =
                        self.src.get(from..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
                    self.pos += len;
                    parts.push(Part::Quoted(Cow::Borrowed(self.slice(from, from + len))));
                    if is_double && !matches!(self.slice(from, from + len), "$" | "`" | "\"" | "\\" | "}") {
                        // The backslash stays; the value is not followed through here.
                        parts.push(Part::Quoted(Cow::Borrowed("\u{fffd}")));
                    }
                }
                b'\'' if !is_double => parts.push(self.single()?),
                b'\'' if is_pattern => {
                    // In quotes around it, what a quote means here differs between readings when it holds a
                    // character of the syntax.
                    let part = self.single()?;
                    if matches!(&part, Part::Quoted(text) if text.contains(['}', '"', '$', '`', '\\'])) {
                        return self.bad("quotes in an expansion in quotes");
                    }
                    parts.push(part);
                }
                b'\'' => {
                    // Bash takes it as it is; who takes it for a quote ends at the same brace when nothing of the
                    // syntax stands up to the next one.
                    let rest = self.src.get(self.pos + 1..).unwrap_or_default();
                    let len = rest.find(['\'', '}', '"', '$', '`', '\\']).unwrap_or(rest.len());
                    if rest.as_bytes().get(len) != Some(&b'\'') {
                        return self.bad("quotes in an expansion in quotes");
                    }
                    let text = self.slice(self.pos, self.pos + len + 2);
                    self.pos += len + 2;
                    parts.push(Part::Quoted(Cow::Borrowed(text)));
                }
                b'"' => parts.push(self.double()?),
                b'$' => parts.push(self.dollar(is_double)?),
                b'`' => parts.push(self.backtick(is_double)?),
                b'<' | b'>' if self.peek_second() == b'(' && !is_double => {
                    return self.bad("a process substitution in an expansion");
                }
                _ => {
                    let from = self.pos;
                    let rest = self.bytes.get(from..).unwrap_or_default();
                    let is_end = |byte: &u8| {
                        matches!(byte, b'}' | b'\\' | b'\'' | b'"' | b'$' | b'`' | b'<' | b'>' | 0)
                    };
                    let len = rest.iter().position(is_end).unwrap_or(rest.len()).max(1);
                    self.pos += len;
                    let text = self.slice(from, from + len);
                    parts.push(if is_double { Part::Quoted(Cow::Borrowed(text)) } else { Part::Lit(text) });
                }
            }
        }
    }

    /// `$'...'` behind the dollar.
    fn ansi(&mut self) -> Read<Part<'a>> {
        self.pos += 1;
        let from = self.pos;
        loop {
            match self.bytes.get(self.pos) {
                None => return self.bad("a quote without its end"),
                Some(b'\'') => break,
                Some(b'\\') => self.pos = (self.pos + 2).min(self.bytes.len()),
                Some(_) => self.pos += 1,
            }
        }
        let raw = self.slice(from, self.pos);
        self.pos += 1;
        Ok(unescape(raw).map_or(Part::Unclear, |text| Part::Quoted(Cow::Owned(text))))
    }
}

/// The text that `raw` stands for between `$'` and `'`; `None` when it is no UTF-8, is cut by a zero byte or holds a
/// byte that bash uses for marks of its own.
fn unescape(raw: &str) -> Option<String> {
    let bytes = raw.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let number = |at: &mut usize, radix: u32, most: usize| {
        let mut value = 0_u32;
        let mut seen = 0;
        while seen < most {
            let Some(digit) = bytes.get(*at).and_then(|byte| char::from(*byte).to_digit(radix)) else {
                break;
            };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            *at += 1;
            seen += 1;
        }
        (seen > 0).then_some(value)
    };
    while let Some(byte) = bytes.get(at) {
        at += 1;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let escape = bytes.get(at)?;
        at += 1;
        match escape {
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'e' | b'E' => out.push(27),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'\\' | b'\'' | b'"' | b'?' => out.push(*escape),
            b'0'..=b'7' => {
                at -= 1;
                let value = number(&mut at, 8, 3)? & 0xff;
                out.push(u8::try_from(value).ok()?);
            }
            b'x' => {
                if bytes.get(at) == Some(&b'{') {
                    return None;
                }
                let value = number(&mut at, 16, 2)?;
                out.push(u8::try_from(value).ok()?);
            }
            b'u' | b'U' => {
                let value = number(&mut at, 16, if *escape == b'u' { 4 } else { 8 })?;
                if value >= 0x80 {
                    return None; // depends on the locale
                }
                out.push(u8::try_from(value).ok()?);
            }
            _ => return None,
        }
        if matches!(out.last(), Some(0 | 1 | 0x7f)) {
            return None;
        }
    }
    String::from_utf8(out).ok()
}
