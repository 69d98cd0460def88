//! Model API forms of tool calls, results and definitions.
//!
//! [`decode`] reads what a model wrote, [`anthropic::encode_results`] writes what it reads next,
//! [`anthropic::definitions`] says which tools there are. Each form is a module; the Anthropic form
//! is the one that exists. Foreign text is bounded in size, depth and number of calls, and whatever
//! is not known (blocks, fields) is kept.
//!
//! Not in here: running calls, asking a model, printing.
//!
//! ```
//! use pegboard_tool_core::ToolResult;
//! use pegboard_wire::{anthropic, decode};
//!
//! let text = r#"[{"type":"tool_use","id":"toolu_1","name":"Add","input":{"a":1,"b":2}}]"#;
//! let turn = decode(text.as_bytes(), None)?;
//! assert_eq!(&*turn.calls[0].name, "Add");
//!
//! let answer = anthropic::encode_results(&turn, &[ToolResult::text("toolu_1", "3")], &[]);
//! assert_eq!(
//!     answer.to_string(),
//!     r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"3"}]}"#
//! );
//! # Ok::<(), pegboard_wire::WireError>(())
//! ```

pub mod anthropic;
mod decode;
mod error;
mod form;
mod incoming;
mod shape;

pub use decode::{MAX_BYTES, MAX_CALLS, decode};
pub use error::WireError;
pub use form::{UnknownForm, WireForm};
pub use incoming::IncomingTurn;
