//! From bytes to events, whatever carries them: server-sent events, JSON lines, a JSON array.

use super::machine::Flow;
use super::sse::{Sse, reused};
use super::values::ValueScan;
use super::{StreamError, StreamLimits};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// One event.
#[derive(Debug)]
pub(super) enum Frame<'f> {
    /// An object, with the name that the carrier gave it.
    Json {
        /// Name in an `event:` line.
        name: Option<&'f str>,
        /// Its text.
        json: &'f [u8],
    },
    /// `[DONE]`, or the end of the array.
    Done,
}

/// What is done with each.
pub(super) type Each<'e> = dyn FnMut(Frame<'_>) -> Result<Flow, StreamError> + 'e;

/// Splits bytes into events.
#[derive(Debug)]
pub(super) struct Frames {
    limits: StreamLimits,
    carrier: Carrier,
}

#[derive(Debug)]
enum Carrier {
    /// Nothing but white space and maybe the start of a byte order mark.
    Start {
        mark: Vec<u8>,
        marked: bool,
    },
    Sse(Sse),
    Values(Values),
    Ended,
}

impl Frames {
    pub(super) fn new(limits: StreamLimits) -> Self {
        Self { limits, carrier: Carrier::Start { mark: Vec::new(), marked: false } }
    }

    pub(super) fn push(&mut self, bytes: &[u8], each: &mut Each<'_>) -> Result<Flow, StreamError> {
        let flow = match &mut self.carrier {
            Carrier::Start { .. } => return self.start(bytes, each),
            Carrier::Sse(sse) => sse.push(bytes, &self.limits, each),
            Carrier::Values(values) => values.push(bytes, &self.limits, each),
            Carrier::Ended => return Ok(Flow::More),
        };
        if !matches!(flow, Ok(Flow::More)) {
            self.carrier = Carrier::Ended;
        }
        flow
    }

    pub(super) fn finish(&mut self, each: &mut Each<'_>) -> Result<Flow, StreamError> {
        match std::mem::replace(&mut self.carrier, Carrier::Ended) {
            Carrier::Sse(mut sse) => sse.finish(&self.limits, each),
            Carrier::Values(values) => values.finish(),
            Carrier::Start { .. } | Carrier::Ended => Ok(Flow::More),
        }
    }

    /// Tells the carrier by the first byte.
    fn start(&mut self, bytes: &[u8], each: &mut Each<'_>) -> Result<Flow, StreamError> {
        let Carrier::Start { mark, marked } = &mut self.carrier else { return Ok(Flow::More) };
        let mut rest = bytes;
        if !*marked {
            while let Some((first, after)) = rest.split_first() {
                if mark.len() == BOM.len() || BOM.get(mark.len()) != Some(first) {
                    break;
                }
                mark.push(*first);
                rest = after;
            }
            if mark.len() < BOM.len() && rest.is_empty() && !mark.is_empty() {
                return Ok(Flow::More);
            }
            if mark.len() != BOM.len() && !mark.is_empty() {
                let error = not_an_event(mark);
                self.carrier = Carrier::Ended;
                return Err(error);
            }
            *marked = !mark.is_empty() || !rest.is_empty();
        }
        rest = rest.trim_ascii_start();
        self.carrier = match rest.first() {
            None => return Ok(Flow::More),
            Some(b'{') => Carrier::Values(Values::default()),
            Some(b'[') => {
                rest = rest.get(1..).unwrap_or_default();
                Carrier::Values(Values { in_array: true, ..Values::default() })
            }
            Some(_) => Carrier::Sse(Sse::default()),
        };
        self.push(rest, each)
    }
}

/// JSON values one after the other, or the items of one array.
#[derive(Debug, Default)]
struct Values {
    in_array: bool,
    /// The value that is being read, and its text where it began in an earlier piece.
    scan: Option<ValueScan>,
    text: Vec<u8>,
}

impl Values {
    fn push(
        &mut self,
        bytes: &[u8],
        limits: &StreamLimits,
        each: &mut Each<'_>,
    ) -> Result<Flow, StreamError> {
        let too_large = || StreamError::TooLarge { what: "an event", limit: limits.event_bytes };
        let mut rest = bytes;
        while !rest.is_empty() {
            let Some(scan) = &mut self.scan else {
                rest = rest.trim_ascii_start();
                match rest.first() {
                    None => {}
                    Some(b'{') => self.scan = Some(ValueScan::default()),
                    Some(b'[') if !self.in_array => self.scan = Some(ValueScan::default()),
                    Some(b',') if self.in_array => rest = rest.get(1..).unwrap_or_default(),
                    Some(b']') if self.in_array => return each(Frame::Done),
                    Some(_) => return Err(not_an_event(rest)),
                }
                continue;
            };
            let Some(end) = scan.read(rest) else {
                if self.text.len() + rest.len() > limits.event_bytes {
                    return Err(too_large());
                }
                self.text.extend_from_slice(rest);
                break;
            };
            self.scan = None;
            let (value, after) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            rest = after;
            if self.text.len() + value.len() > limits.event_bytes {
                return Err(too_large());
            }
            let flow = if self.text.is_empty() {
                frame(value, each)
            } else {
                self.text.extend_from_slice(value);
                let text = std::mem::take(&mut self.text);
                let flow = frame(&text, each);
                self.text = reused(text);
                flow
            };
            let flow = flow?;
            if !matches!(flow, Flow::More) {
                return Ok(flow);
            }
        }
        Ok(Flow::More)
    }

    fn finish(self) -> Result<Flow, StreamError> {
        match self.scan {
            Some(_) => Err(StreamError::Cut { place: "in the middle of an event".to_owned() }),
            None if self.in_array => {
                Err(StreamError::Cut { place: "before the array of events was closed".to_owned() })
            }
            None => Ok(Flow::More),
        }
    }
}

/// The first byte is told only, for more of them may not have come.
fn not_an_event(bytes: &[u8]) -> StreamError {
    let start = bytes.first().map(|byte| byte.escape_ascii().to_string()).unwrap_or_default();
    StreamError::NotAnEvent { start }
}

fn frame(value: &[u8], each: &mut Each<'_>) -> Result<Flow, StreamError> {
    if value == b"[DONE]" { each(Frame::Done) } else { each(Frame::Json { name: None, json: value }) }
}
