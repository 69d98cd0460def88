//! The decoder: carrier, form and calls put together.

use super::api_error::{api_error_text, undecided};
use super::frames::{Frame, Frames};
use super::machine::{Flow, Machine, value_of};
use super::{Calls, StreamError, StreamLimits};
use crate::incoming::IncomingTurn;
use crate::shape::excerpt;
use crate::{WireForm, anthropic, gemini, openai_chat, openai_responses};
use pegboard_tool_core::ports::TurnEvent;
use serde_json::Value;
use std::sync::Arc;

/// Most bytes that are remembered of a stream without a known event, to say how it begins.
const SHOWN: usize = 200;

/// Most attempts at a message in one stream.
const MAX_ATTEMPTS: usize = 100;

/// Reads a live stream: push its bytes as they come, then [`StreamDecoder::finish`].
///
/// - Server-sent events, JSON lines or one JSON array, told apart by the first byte; the form is told
///   by the first event that only one form has. Any cutting into pieces gives the same events.
/// - Every stream ends with exactly one `Ended` or `Failed`; nothing follows `Ended`. After a `Failed` that the
///   API reported, and where a message breaks off and another begins, the message is tried again: then
///   comes `Restarted`, and the events of the new attempt.
/// - A call becomes ready when its input is complete and cannot have been cut, after the calls before it,
///   once. With one id twice in a message the first call stands ([`StreamDecoder::repeats`]). A message
///   that is sent again from its beginning, under the same id, gives only what was not given before.
/// - Events, blocks and fields that are not known are no error.
///
/// ```
/// use pegboard_wire::{StreamDecoder, WireForm};
///
/// let mut decoder = StreamDecoder::new(None);
/// let events = decoder.push(b"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\n");
/// assert!(events.is_empty());
/// assert_eq!(decoder.form(), Some(WireForm::Anthropic));
/// assert_eq!(decoder.finish().len(), 1); // `Failed`: it was cut
/// ```
#[derive(Debug)]
pub struct StreamDecoder {
    frames: Frames,
    core: Core,
}

#[derive(Debug)]
struct Core {
    form: Option<WireForm>,
    machine: Option<Box<dyn Machine>>,
    calls: Calls,
    start: Vec<u8>,
    /// How the message ended, as long as no other attempt began.
    end: Option<Result<(), StreamError>>,
    /// Whether nothing can follow.
    is_over: bool,
    attempts: usize,
}

impl StreamDecoder {
    /// A decoder for a form, or for whichever comes.
    #[must_use]
    pub fn new(form: Option<WireForm>) -> Self {
        Self::with_limits(form, StreamLimits::default())
    }

    /// A decoder with other limits.
    #[must_use]
    pub fn with_limits(form: Option<WireForm>, limits: StreamLimits) -> Self {
        let machine = form.map(machine);
        let calls = Calls::new(limits);
        let core = Core { form, machine, calls, start: Vec::new(), end: None, is_over: false, attempts: 1 };
        Self { frames: Frames::new(limits), core }
    }

    /// Reads on and gives what happened, in order.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<TurnEvent> {
        if self.core.is_over {
            return Vec::new();
        }
        let core = &mut self.core;
        if core.machine.is_none() {
            let room = SHOWN.saturating_sub(core.start.len()).min(bytes.len());
            core.start.extend_from_slice(bytes.get(..room).unwrap_or_default());
        }
        let flow = self.frames.push(bytes, &mut |frame| core.frame(&frame));
        self.core.events(flow)
    }

    /// The stream has no more bytes. Gives the last events, nothing when it ended before.
    pub fn finish(&mut self) -> Vec<TurnEvent> {
        if self.core.is_over {
            return Vec::new();
        }
        let core = &mut self.core;
        let flow = self.frames.finish(&mut |frame| core.frame(&frame));
        let flow = match flow {
            Ok(Flow::More) => self.core.finish(),
            other => other,
        };
        let events = self.core.events(flow);
        self.core.is_over = true;
        events
    }

    /// The form, once it is known.
    #[must_use]
    pub fn form(&self) -> Option<WireForm> {
        self.core.form
    }

    /// Whether `Ended` or `Failed` was given and no other attempt began since.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.core.end.is_some()
    }

    /// What went wrong, when something did.
    #[must_use]
    pub fn error(&self) -> Option<&StreamError> {
        self.core.end.as_ref()?.as_ref().err()
    }

    /// Ids that came with more than one call, once for each call that was left out.
    #[must_use]
    pub fn repeats(&self) -> &[Arc<str>] {
        self.core.calls.repeats()
    }

    /// Why the message ended, in the API's word, once it says so.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&str> {
        self.core.machine.as_ref()?.stop_reason()
    }

    /// What the message cost so far, as the API says it.
    #[must_use]
    pub fn usage(&self) -> Option<&Value> {
        self.core.machine.as_ref()?.usage()
    }

    /// The assistant message so far, as it goes back to the API: a message (Anthropic, Chat), an array of
    /// items (Responses), a content (Gemini). Signatures, reasoning and parts that are not known are in
    /// it, unchanged. Of its calls only those that became ready are, so that each of them has a result.
    #[must_use]
    pub fn message(&self) -> Option<Value> {
        self.core.machine.as_ref()?.message(&self.core.calls)
    }

    /// The message so far as a turn whose results can be encoded; `None` before a call is ready, unless
    /// the message ended well without any.
    #[must_use]
    pub fn turn(&self) -> Option<IncomingTurn> {
        let (form, message) = (self.core.form?, self.message()?);
        let (calls, kinds): (Vec<_>, Vec<_>) =
            self.core.calls.all_ready().map(|(call, kind)| (call.clone(), kind)).unzip();
        if calls.is_empty() && !matches!(self.core.end, Some(Ok(()))) {
            return None;
        }
        let stop_reason = self.stop_reason().map(str::to_owned);
        let model = self.core.machine.as_ref()?.model().map(str::to_owned);
        Some(IncomingTurn::assembled(form, calls, kinds, stop_reason, model, message))
    }
}

impl Core {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<Flow, StreamError> {
        let Frame::Json { name, json } = frame else { return self.finish() };
        match self.event(*name, json) {
            Ok(Flow::Another) => {
                self.renew()?;
                self.event(*name, json)
            }
            Err(StreamError::NotJson { .. }) if *name == Some("error") => self.failed(api_error_text(json)),
            Err(error @ StreamError::Api { .. }) => self.failed(error),
            other => other,
        }
    }

    fn event(&mut self, name: Option<&str>, json: &[u8]) -> Result<Flow, StreamError> {
        if self.end.is_some() {
            // Only another attempt can follow. What is no JSON is of the one that failed.
            let event = value_of(json).unwrap_or_default();
            let form = self.form.or_else(|| WireForm::of_event(&event));
            let begins = form.is_some_and(|form| form.begins(&event));
            return Ok(if begins { Flow::Another } else { Flow::More });
        }
        if self.machine.is_none() {
            let event = value_of(json)?;
            let Some(form) = WireForm::of_event(&event) else { return undecided(&event) };
            self.form = Some(form);
            self.machine = Some(machine(form));
            self.start = Vec::new();
        }
        match &mut self.machine {
            Some(machine) => machine.event(name, json, &mut self.calls),
            None => Ok(Flow::More),
        }
    }

    /// The API reported that this attempt failed.
    fn failed(&mut self, error: StreamError) -> Result<Flow, StreamError> {
        self.calls.fail(error.to_string());
        self.end = Some(Err(error));
        Ok(Flow::More)
    }

    /// Another attempt begins.
    fn renew(&mut self) -> Result<(), StreamError> {
        self.attempts += 1;
        if self.attempts > MAX_ATTEMPTS {
            return Err(StreamError::broken(format!("the message began more than {MAX_ATTEMPTS} times")));
        }
        self.machine = self.form.map(machine);
        self.calls.renew();
        self.end = None;
        Ok(())
    }

    fn finish(&mut self) -> Result<Flow, StreamError> {
        match &mut self.machine {
            _ if self.end.is_some() => Ok(Flow::More),
            Some(machine) => machine.finish(&mut self.calls),
            None => {
                let text = String::from_utf8_lossy(&self.start);
                let text = text.trim();
                let start = if text.is_empty() { String::new() } else { format!(": {}", excerpt(text)) };
                Err(StreamError::UnknownForm { start })
            }
        }
    }

    fn events(&mut self, flow: Result<Flow, StreamError>) -> Vec<TurnEvent> {
        match flow {
            Ok(Flow::More | Flow::Another) => self.calls.take_events(),
            // The attempt that failed is the last, and was told.
            Ok(Flow::Ended(_)) | Err(_) if self.end.is_some() => {
                self.is_over = true;
                self.calls.take_events()
            }
            Ok(Flow::Ended(reason)) => {
                let mut events = self.calls.take_events();
                events.push(TurnEvent::Ended(reason));
                self.end = Some(Ok(()));
                self.is_over = true;
                events
            }
            Err(error) => {
                self.calls.fail(error.to_string());
                self.end = Some(Err(error));
                self.is_over = true;
                self.calls.take_events()
            }
        }
    }
}

fn machine(form: WireForm) -> Box<dyn Machine> {
    match form {
        WireForm::Anthropic => Box::<anthropic::Stream>::default(),
        WireForm::OpenAiChat => Box::<openai_chat::Stream>::default(),
        WireForm::OpenAiResponses => Box::<openai_responses::Stream>::default(),
        WireForm::Gemini => Box::<gemini::Stream>::default(),
    }
}
