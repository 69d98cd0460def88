//! The form of the Anthropic Messages API.

mod block;
mod decode;
mod definitions;
mod encode;
mod stream;

pub(crate) use decode::{decode, message, server_tool_open};
pub(crate) use definitions::definitions;
pub(crate) use encode::encode;
pub(crate) use stream::Stream;

use crate::{IncomingTurn, ResultMessage};
use pegboard_tool_core::ToolResult;

/// Answers `turn`, whose form is Anthropic's: the same as [`crate::encode_results`].
#[must_use]
pub fn encode_results(turn: &IncomingTurn, results: &[ToolResult], messages: &[String]) -> ResultMessage {
    crate::encode_results(turn, results, messages)
}
