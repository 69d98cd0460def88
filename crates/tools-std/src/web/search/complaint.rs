//! What a program says on standard error: its end, bounded, without credentials of the environment.

use crate::foreign::quoted;
use pegboard_process::read_soon;
use std::collections::BTreeMap;
use std::convert::Infallible;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes of the end that are kept.
const KEPT_BYTES: usize = 8_000;
/// Characters of the end that are shown.
const SHOWN_CHARS: usize = 500;
/// Bytes that are read at once.
const CHUNK_BYTES: usize = 4_096;
/// How often is read after the program ended.
const MOST_READS: usize = 64;
/// A credential has so many bytes at least; what is shorter stands in any text.
const LEAST_SECRET: usize = 6;

/// The end of what a program said.
#[derive(Debug, Default)]
pub(super) struct Complaint {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Complaint {
    /// Listens as long as anybody waits.
    pub(super) async fn listen(&mut self, pipe: &mut (impl AsyncRead + Unpin)) -> Infallible {
        let mut buffer = [0; CHUNK_BYTES];
        while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
            self.add(buffer.get(..read).unwrap_or_default());
        }
        std::future::pending().await
    }

    /// Reads what was said before the end.
    pub(super) async fn read_what_is_left(&mut self, pipe: &mut (impl AsyncRead + Unpin)) {
        let mut buffer = [0; CHUNK_BYTES];
        for _ in 0..MOST_READS {
            let Ok(read @ 1..) = read_soon(pipe, &mut buffer).await else { return };
            self.add(buffer.get(..read).unwrap_or_default());
        }
    }

    fn add(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(chunk);
        let surplus = self.bytes.len().saturating_sub(KEPT_BYTES);
        self.is_cut |= surplus > 0;
        self.bytes.drain(..surplus);
    }

    /// In words, to stand after what is wrong; empty when nothing was said.
    pub(super) fn in_words(&self, vars: &BTreeMap<String, String>) -> String {
        let text = without_credentials(&String::from_utf8_lossy(&self.bytes), vars);
        let text = text.trim();
        let surplus = text.chars().count().saturating_sub(SHOWN_CHARS);
        let end: String = text.chars().skip(surplus).collect();
        let mark = if self.is_cut || surplus > 0 { "... " } else { "" };
        if end.is_empty() { String::new() } else { format!("; it said: {mark}{}", quoted(&end)) }
    }
}

/// The text with the names of variables that look like credentials in place of their values.
fn without_credentials(text: &str, vars: &BTreeMap<String, String>) -> String {
    let is_credential = |name: &str| {
        let name = name.to_ascii_uppercase();
        ["KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH"].iter().any(|word| name.contains(word))
    };
    let mut credentials: Vec<(&str, &str)> = vars
        .iter()
        .map(|(name, value)| (name.as_str(), value.trim()))
        .filter(|(name, value)| value.len() >= LEAST_SECRET && is_credential(name))
        .collect();
    // One may be part of another.
    credentials.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    let hidden = |text: String, (name, value): (&str, &str)| text.replace(value, &format!("[{name}]"));
    credentials.into_iter().fold(text.to_owned(), hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_told_in_quotes_and_without_credentials() {
        let vars = [
            ("BRAVE_API_KEY", "abc123"),
            ("LONGER_TOKEN", "abc123456"),
            ("SHORT_KEY", "a"),
            ("PLACE", "visible"),
        ];
        let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
        for (said, expected) in [
            (&b""[..], String::new()),
            (b" \n ", String::new()),
            (b"no route\n", "; it said: \"no route\"".to_owned()),
            (b"a\nb \"c\"\x1b[31m\xff", "; it said: \"a\u{240a}b \\\"c\\\"\u{fffd}\"".to_owned()),
            (
                b"key abc123 token abc123456 at visible",
                "; it said: \"key [BRAVE_API_KEY] token [LONGER_TOKEN] at visible\"".to_owned(),
            ),
            (&[b'x'; 501], format!("; it said: ... \"{}\"", "x".repeat(500))),
            (&[b'x'; 100_000], format!("; it said: ... \"{}\"", "x".repeat(500))),
        ] {
            let mut complaint = Complaint::default();
            said.chunks(CHUNK_BYTES).for_each(|chunk| complaint.add(chunk));
            assert_eq!(complaint.in_words(&vars), expected);
            assert!(complaint.bytes.len() <= KEPT_BYTES);
        }
    }
}
