//! What an interpreter printed and nobody has read yet, in bounded memory: its beginning, its end, and how much lies
//! between.

use std::collections::VecDeque;

/// Bytes of the beginning that are kept.
const HEAD_BYTES: usize = 256 * 1024;
/// Bytes of the end that are kept.
const TAIL_BYTES: usize = 256 * 1024;

/// Output that waits to be read.
#[derive(Debug, Default)]
pub(super) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// Bytes between the two that are gone.
    dropped: u64,
}

impl Kept {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = HEAD_BYTES - self.head.len();
        let (head, rest) = bytes.split_at(bytes.len().min(if self.tail.is_empty() { room } else { 0 }));
        self.head.extend_from_slice(head);
        let rest = match rest.len().checked_sub(TAIL_BYTES) {
            Some(more) => {
                self.dropped += more as u64;
                rest.get(more..).unwrap_or_default()
            }
            None => rest,
        };
        let excess = (self.tail.len() + rest.len()).saturating_sub(TAIL_BYTES);
        self.tail.drain(..excess);
        self.dropped += excess as u64;
        self.tail.extend(rest);
    }

    /// All of it as text; nothing is kept any more.
    pub(super) fn take(&mut self) -> String {
        let Self { head, tail, dropped } = std::mem::take(self);
        let tail = Vec::from(tail);
        if dropped == 0 {
            return visible(&[head, tail].concat());
        }
        let gap = format!("\n... [{dropped} bytes in between were dropped] ...\n");
        let (head, tail) = (visible(&head), visible(&tail));
        let head = head.trim_end_matches(char::REPLACEMENT_CHARACTER);
        let tail = tail.trim_start_matches(char::REPLACEMENT_CHARACTER);
        format!("{head}{gap}{tail}")
    }
}

/// Bytes as text for a model: valid UTF-8, no escape sequences, NUL visible.
fn visible(bytes: &[u8]) -> String {
    crate::shell::text::shown(bytes).text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_flood_keeps_both_ends_and_counts_the_rest() {
        let mut kept = Kept::default();
        kept.push(b"first\n");
        for _ in 0..1000 {
            kept.push(&[b'x'; 4096]);
        }
        kept.push(b"\nlast");
        assert!(kept.head.len() <= HEAD_BYTES && kept.tail.len() <= TAIL_BYTES);
        let text = kept.take();
        let dropped = 6 + 4096 * 1000 + 5 - HEAD_BYTES - TAIL_BYTES;
        assert!(text.starts_with("first\nxxx") && text.ends_with("xxx\nlast"));
        assert!(text.contains(&format!("[{dropped} bytes in between were dropped]")));
        assert_eq!(kept.take(), "");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_unless_it_is_counted(parts in prop::collection::vec(0usize..200_000, 0..8)) {
            let mut kept = Kept::default();
            for part in &parts {
                kept.push(&vec![b'a'; *part]);
            }
            let all: usize = parts.iter().sum();
            let held = kept.head.len() + kept.tail.len();
            prop_assert_eq!(held as u64 + kept.dropped, all as u64);
            prop_assert_eq!(kept.dropped == 0, all <= HEAD_BYTES + TAIL_BYTES);
        }
    }
}
