//! Model API forms of tool calls, results and definitions: Anthropic Messages, OpenAI Chat Completions and
//! Responses, Google Gemini.
//!
//! [`decode`] reads a whole message, [`StreamDecoder`] one that is still arriving; both give the events that
//! a turn executor takes. [`encode_results`] writes what the model reads next, [`definitions()`] says which
//! tools there are. Each form is a module; what is not known (blocks, fields, events) is kept or passed
//! over. Foreign text is bounded in size, depth and number of calls, and never makes a panic.
//!
//! Not in here: running calls, asking a model, reading or printing anything.
//!
//! ```
//! use pegboard_tool_core::ToolResult;
//! use pegboard_wire::{decode, encode_results};
//!
//! let text = r#"[{"type":"tool_use","id":"toolu_1","name":"Add","input":{"a":1,"b":2}}]"#;
//! let turn = decode(text.as_bytes(), None)?;
//! assert_eq!(&*turn.calls[0].name, "Add");
//!
//! let answer = encode_results(&turn, &[ToolResult::text("toolu_1", "3")], &[]);
//! assert_eq!(
//!     answer.to_string(),
//!     r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"3"}]}"#
//! );
//! # Ok::<(), pegboard_wire::WireError>(())
//! ```

pub mod anthropic;
mod content;
mod decode;
mod definitions;
mod error;
mod form;
mod gemini;
mod incoming;
mod openai_chat;
mod openai_responses;
mod partial;
mod results;
mod shape;
mod stream;
mod surrogate;

pub use decode::{MAX_BYTES, MAX_CALLS, decode};
pub use definitions::{
    CacheTtl, DeferredTools, DefinitionNote, DefinitionOptions, DefinitionProblem, Definitions, Examples,
    NameMap, Strictness, definitions,
};
pub use error::WireError;
pub use form::{UnknownForm, WireForm};
pub use incoming::IncomingTurn;
pub use partial::PartialJson;
pub use results::{ResultMessage, encode_results};
pub use stream::{StreamDecoder, StreamError, StreamLimits};
