//! Ids for calls that have none. They are for our own books and never sent.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The id of the `ordinal`-th call of a message: the same whenever the same call of the same response
/// is read, whole or as a stream. (Two messages without a response id whose calls and signatures are
/// the same to the last byte cannot be told apart.)
pub(super) fn own_id(response_id: Option<&str>, ordinal: usize, part: &Map<String, Value>) -> String {
    let mut hash = Sha256::new();
    let call = part.get("functionCall").map(Value::to_string).unwrap_or_default();
    let signature = part.get("thoughtSignature").map(Value::to_string).unwrap_or_default();
    for text in [response_id.unwrap_or_default(), &call, &signature] {
        hash.update(text.len().to_le_bytes());
        hash.update(text.as_bytes());
    }
    let hex: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("gemini_{ordinal}_{hex}")
}
