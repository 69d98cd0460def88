//! Where a JSON object or array ends, without parsing it.

use memchr::memchr2;

/// Follows brackets and texts from the opening bracket on. Whether it is valid JSON is not its question.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueScan {
    depth: usize,
    in_text: bool,
    escaped: bool,
}

impl ValueScan {
    /// Reads on; gives the place after the last bracket when the value ends in `bytes`.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            if self.escaped {
                self.escaped = false;
                at += 1;
                continue;
            }
            if self.in_text {
                let found = memchr2(b'"', b'\\', rest)?;
                if rest.get(found) == Some(&b'"') {
                    self.in_text = false;
                } else {
                    self.escaped = true;
                }
                at += found + 1;
                continue;
            }
            let special = |byte: &u8| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']');
            let found = rest.iter().position(special)?;
            at += found + 1;
            match rest.get(found) {
                Some(b'"') => self.in_text = true,
                Some(b'{' | b'[') => self.depth += 1,
                _ => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at);
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_found_in_any_pieces() {
        let text = br#"{"a\"}":[{"b":"]\\"}],"c":"{"} {"#;
        let end = text.len() - 2;
        for size in 1..=text.len() {
            let mut scan = ValueScan::default();
            let mut before = 0;
            let found = text.chunks(size).find_map(|piece| {
                let found = scan.read(piece).map(|at| before + at);
                before += piece.len();
                found
            });
            assert_eq!(found, Some(end), "{size}");
        }
    }
}
