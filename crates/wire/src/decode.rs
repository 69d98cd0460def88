//! From bytes to a message, within bounds.

use crate::incoming::Found;
use crate::shape::{describe, excerpt};
use crate::{IncomingTurn, WireError, WireForm, anthropic, gemini, openai_chat, openai_responses, surrogate};
use serde_json::Value;
use std::collections::HashSet;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Most bytes of one message.
pub const MAX_BYTES: usize = 256 * 1024 * 1024;
/// Most calls of one message.
pub const MAX_CALLS: usize = 10_000;

/// Reads a message; its form is guessed when `form` is none.
///
/// # Errors
/// When it is no JSON, of another form, no message, or has no calls, too many, or two with one id.
pub fn decode(bytes: &[u8], form: impl Into<Option<WireForm>>) -> Result<IncomingTurn, WireError> {
    let (raw, is_mended) = parse(bytes)?;
    let form = match form.into().or_else(|| WireForm::of(&raw)) {
        Some(form) => form,
        None => return Err(WireError::UnknownForm { found: describe(&raw) }),
    };
    let mut found = match form {
        WireForm::Anthropic => anthropic::decode(&raw),
        WireForm::OpenAiChat => openai_chat::decode(&raw),
        WireForm::OpenAiResponses => openai_responses::decode(&raw),
        WireForm::Gemini => gemini::decode(&raw),
    }?;
    if is_mended {
        found.calls = found.calls.into_iter().map(surrogate::judged).collect();
    }
    check_calls(form, &found)?;
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    Ok(IncomingTurn::new(form, found, raw, bytes.into()))
}

fn check_calls(form: WireForm, found: &Found) -> Result<(), WireError> {
    match found.calls.len() {
        0 => return Err(WireError::NoCalls { form }),
        found if found > MAX_CALLS => return Err(WireError::TooManyCalls { found }),
        _ => {}
    }
    let mut ids = HashSet::with_capacity(found.calls.len());
    match found.calls.iter().find(|call| !ids.insert(&*call.id)) {
        Some(call) => Err(WireError::DuplicateId { id: excerpt(&call.id) }),
        None => Ok(()),
    }
}

/// Reads JSON, with or without a byte order mark. `serde_json` bounds the depth. Whether halves of surrogate pairs
/// stood in it.
pub(crate) fn parse(bytes: &[u8]) -> Result<(Value, bool), WireError> {
    if bytes.len() > MAX_BYTES {
        return Err(WireError::TooLarge { bytes: bytes.len() });
    }
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(WireError::Empty);
    }
    let read = serde_json::from_slice(bytes).map(|raw| (raw, false)).or_else(|error| {
        let mended = surrogate::mended(bytes).and_then(|bytes| serde_json::from_slice(&bytes).ok());
        mended.map(|raw| (raw, true)).ok_or(error)
    });
    read.map_err(|source| {
        let start = bytes.get(..200).unwrap_or(bytes);
        WireError::NotJson {
            line: source.line(),
            column: source.column(),
            start: excerpt(&String::from_utf8_lossy(start)),
            source,
        }
    })
}
