//! Server-sent events: lines ended by CR, LF or CRLF, `event:` and `data:`, blank lines between events.

use super::frames::{Each, Frame};
use super::machine::Flow;
use super::{StreamError, StreamLimits};
use memchr::memchr2;

/// Splits bytes into events. A line and the data of an event are copied only where a piece ends in them.
#[derive(Debug, Default)]
pub(super) struct Sse {
    /// Beginning of the line whose end has not come.
    line: Vec<u8>,
    /// Whether a LF that comes next belongs to the CR before it.
    skip_lf: bool,
    /// Name of the event, and whether it has data at all.
    name: Option<String>,
    has_data: bool,
    data: Vec<u8>,
}

/// Data of an event that lies in the piece that is read.
type Borrowed<'b> = Option<&'b [u8]>;

impl Sse {
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        limits: &StreamLimits,
        each: &mut Each<'_>,
    ) -> Result<Flow, StreamError> {
        let mut rest = bytes;
        let mut borrowed: Borrowed<'_> = None;
        loop {
            if std::mem::take(&mut self.skip_lf) {
                match rest.first() {
                    Some(b'\n') => rest = rest.get(1..).unwrap_or_default(),
                    Some(_) => {}
                    None => self.skip_lf = true,
                }
            }
            let Some(at) = memchr2(b'\n', b'\r', rest) else { break };
            let (piece, after) = rest.split_at_checked(at).unwrap_or((rest, &[]));
            self.skip_lf = after.first() == Some(&b'\r');
            rest = after.get(1..).unwrap_or_default();
            let flow = if self.line.is_empty() {
                self.whole(piece, &mut borrowed, limits, each)?
            } else {
                self.extend(piece, limits)?;
                let line = std::mem::take(&mut self.line);
                let flow = self.joined(&line, &mut borrowed, limits, each);
                self.line = reused(line);
                flow?
            };
            if !matches!(flow, Flow::More) {
                return Ok(flow);
            }
        }
        self.extend(rest, limits)?;
        if let Some(data) = borrowed {
            self.data.extend_from_slice(data);
        }
        Ok(Flow::More)
    }

    /// The end of the bytes. An event without its blank line counts when its data is whole.
    pub(super) fn finish(&mut self, limits: &StreamLimits, each: &mut Each<'_>) -> Result<Flow, StreamError> {
        let line = std::mem::take(&mut self.line);
        let mut borrowed = None;
        if !line.is_empty() {
            self.joined(&line, &mut borrowed, limits, each)?;
        }
        let is_whole =
            self.data == b"[DONE]" || serde_json::from_slice::<serde::de::IgnoredAny>(&self.data).is_ok();
        match () {
            () if !self.has_data => Ok(Flow::More),
            () if is_whole => self.dispatch(None, each),
            () => Err(StreamError::Cut { place: "in the middle of an event".to_owned() }),
        }
    }

    fn extend(&mut self, piece: &[u8], limits: &StreamLimits) -> Result<(), StreamError> {
        if self.line.len() + piece.len() > limits.event_bytes {
            return Err(StreamError::TooLarge { what: "a line", limit: limits.event_bytes });
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    /// A line that lies in the piece that is read.
    fn whole<'b>(
        &mut self,
        line: &'b [u8],
        borrowed: &mut Borrowed<'b>,
        limits: &StreamLimits,
        each: &mut Each<'_>,
    ) -> Result<Flow, StreamError> {
        if line.len() > limits.event_bytes {
            return Err(StreamError::TooLarge { what: "a line", limit: limits.event_bytes });
        }
        match field(line) {
            Field::Blank => self.dispatch(borrowed.take(), each),
            Field::Data(value) if !self.has_data => {
                self.has_data = true;
                *borrowed = Some(value);
                Ok(Flow::More)
            }
            _ => self.joined(line, borrowed, limits, each),
        }
    }

    /// A line that is not to be borrowed from.
    fn joined(
        &mut self,
        line: &[u8],
        borrowed: &mut Borrowed<'_>,
        limits: &StreamLimits,
        each: &mut Each<'_>,
    ) -> Result<Flow, StreamError> {
        match field(line) {
            Field::Blank => return self.dispatch(borrowed.take(), each),
            Field::Data(value) => {
                if let Some(first) = borrowed.take() {
                    self.data.extend_from_slice(first);
                }
                if self.data.len() + value.len() >= limits.event_bytes {
                    return Err(StreamError::TooLarge { what: "an event", limit: limits.event_bytes });
                }
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            // A name that is no short word is none that is known.
            Field::Name(value) => {
                self.name = std::str::from_utf8(value.get(..64).unwrap_or(value)).ok().map(str::to_owned)
            }
            Field::Other => {}
        }
        Ok(Flow::More)
    }

    fn dispatch(&mut self, borrowed: Borrowed<'_>, each: &mut Each<'_>) -> Result<Flow, StreamError> {
        let name = self.name.take();
        if !std::mem::take(&mut self.has_data) {
            return Ok(Flow::More);
        }
        let data = std::mem::take(&mut self.data);
        let flow = match borrowed.unwrap_or(&data).trim_ascii() {
            [] => Ok(Flow::More),
            b"[DONE]" => each(Frame::Done),
            json => each(Frame::Json { name: name.as_deref(), json }),
        };
        self.data = reused(data);
        flow
    }
}

/// An empty buffer, with its memory unless that is much.
pub(super) fn reused(mut buffer: Vec<u8>) -> Vec<u8> {
    buffer.clear();
    if buffer.capacity() > 1 << 20 { Vec::new() } else { buffer }
}

enum Field<'l> {
    Blank,
    Data(&'l [u8]),
    Name(&'l [u8]),
    /// A comment, an id, a time for reconnecting, or something unknown.
    Other,
}

fn field(line: &[u8]) -> Field<'_> {
    if line.is_empty() {
        return Field::Blank;
    }
    let value = |prefix: &[u8]| {
        let rest = line.strip_prefix(prefix)?;
        let rest = if rest.is_empty() { rest } else { rest.strip_prefix(b":")? };
        Some(rest.strip_prefix(b" ").unwrap_or(rest))
    };
    match (value(b"data"), value(b"event")) {
        (Some(data), _) => Field::Data(data),
        (None, Some(name)) => Field::Name(name),
        (None, None) => Field::Other,
    }
}
