//! Messages on the wire: a header with a length, then JSON. Nothing a peer claims is believed before it is there:
//! memory grows with what arrives, up to a bound.

use serde_json::Value;
use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// Most bytes of a message.
pub(super) const MOST_BYTES: u64 = 32 * 1024 * 1024;
/// Most bytes of a header line, and most lines of a header.
const MOST_HEADER_BYTES: u64 = 4 * 1024;
const MOST_HEADER_LINES: usize = 32;

/// What arrived is no message.
#[derive(Debug, thiserror::Error)]
pub(super) enum FrameError {
    /// The peer closed its end.
    #[error("it ended")]
    Ended,
    /// Reading failed.
    #[error("its output cannot be read ({0})")]
    Io(#[from] io::Error),
    /// Something else than a header.
    #[error("it wrote `{0}` where a message begins")]
    Header(String),
    /// A message that is too large.
    #[error("it announced a message of {0} bytes, more than {MOST_BYTES}")]
    TooLarge(u64),
    /// The content is no JSON.
    #[error("it sent a message that is no JSON")]
    Json,
}

/// Reads one message.
///
/// # Errors
/// When there is none; the stream cannot be used any further.
pub(super) async fn read(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Value, FrameError> {
    let mut length = None;
    for number in 0.. {
        let mut line = Vec::new();
        (&mut *from).take(MOST_HEADER_BYTES).read_until(b'\n', &mut line).await?;
        if line.is_empty() && number == 0 {
            return Err(FrameError::Ended);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        if text.is_empty() && line.ends_with(b"\n") && length.is_some() {
            break;
        }
        let header = || FrameError::Header(text.chars().take(120).collect());
        let (name, value) = text.split_once(':').filter(|_| line.ends_with(b"\n")).ok_or_else(header)?;
        if number >= MOST_HEADER_LINES {
            return Err(header());
        }
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            length = Some(value.trim().parse::<u64>().map_err(|_| header())?);
        } else if !name.trim().eq_ignore_ascii_case("Content-Type") {
            return Err(header());
        }
    }
    let length = length.unwrap_or_default();
    if length > MOST_BYTES {
        return Err(FrameError::TooLarge(length));
    }
    let mut content = Vec::new();
    from.take(length).read_to_end(&mut content).await?;
    if content.len() as u64 != length {
        return Err(FrameError::Ended);
    }
    serde_json::from_slice(&content).map_err(|_| FrameError::Json)
}

/// The bytes of a message.
pub(super) fn bytes(message: &Value) -> Vec<u8> {
    let content = message.to_string();
    format!("Content-Length: {}\r\n\r\n{content}", content.len()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read_all(mut bytes: &[u8]) -> (Vec<Value>, FrameError) {
        let mut messages = Vec::new();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        loop {
            match runtime.block_on(read(&mut bytes)) {
                Ok(message) => messages.push(message),
                Err(error) => return (messages, error),
            }
        }
    }

    #[test]
    fn messages_are_read_and_everything_else_is_refused() {
        for (text, expected) in [
            ("", "it ended"),
            ("Content-Length: 2\r\n\r\n{}", "it ended"),
            ("content-length:2\nContent-Type: x\n\n{}", "it ended"),
            ("Content-Length: 3\r\n\r\n{}", "it ended"),
            ("Content-Length: 1\r\n\r\n{}", "it sent a message that is no JSON"),
            (
                "Content-Length: 99999999999999999999\r\n\r\n",
                "it wrote `Content-Length: 99999999999999999999` where a message begins",
            ),
            (
                "Content-Length: 18446744073709551615\r\n\r\n",
                "it announced a message of 18446744073709551615 bytes, more than 33554432",
            ),
            ("Content-Length: -1\r\n\r\n", "it wrote `Content-Length: -1` where a message begins"),
            ("\r\n{}", "it wrote `` where a message begins"),
            ("Warning: old\n", "it wrote `Warning: old` where a message begins"),
            ("hello", "it wrote `hello` where a message begins"),
            ("Content-Length: 2", "it wrote `Content-Length: 2` where a message begins"),
            ("Content-Length: 4\r\n\r\n\u{0}\u{0}\u{0}\u{0}", "it sent a message that is no JSON"),
        ] {
            assert_eq!(read_all(text.as_bytes()).1.to_string(), expected, "{text:?}");
        }
        let endless = format!("Content-Length: 2\r\n{}", "Content-Type: x\r\n".repeat(100));
        assert!(matches!(read_all(endless.as_bytes()).1, FrameError::Header(_)));
        assert!(matches!(read_all("x".repeat(1_000_000).as_bytes()).1, FrameError::Header(_)));
        let deep = bytes(&json!("x")).len();
        let nested = format!("Content-Length: 20000\r\n\r\n{}", "[".repeat(20_000));
        assert!(deep > 0 && matches!(read_all(nested.as_bytes()).1, FrameError::Json));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(texts in prop::collection::vec(".*", 0..8)) {
            let messages: Vec<Value> = texts.iter().map(|text| json!({"method": text})).collect();
            let stream: Vec<u8> = messages.iter().flat_map(bytes).collect();
            let (read, end) = read_all(&stream);
            prop_assert_eq!(read, messages);
            prop_assert!(matches!(end, FrameError::Ended));
        }

        #[test]
        fn garbage_is_no_trap(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            read_all(&bytes);
        }
    }
}
