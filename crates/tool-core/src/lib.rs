//! What a tool is, what a call is, and the ports between the layers of pegboard.
//!
//! Authors of tools implement [`Tool`] (or use [`ToolBuilder`]). Authors of a layer implement one of
//! the traits in [`ports`]. Two modules, two stability notes: `tool` is meant to stand still for
//! years; a breaking change of a port is a major version of this crate too, so ports are small and
//! their types are `#[non_exhaustive]`.
//!
//! Not in here: any tool, any rule language, any process, any runtime. `serde`, `serde_json`,
//! `schemars` and [`CancellationToken`] are the only foreign types in public signatures.
//!
//! ```
//! use pegboard_tool_core::{Concurrency, Effects, ToolBuilder, ToolOutput};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, Deserialize, schemars::JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Add { a: i64, b: i64 }
//!
//! let tool = ToolBuilder::new("Add", "Adds two numbers.")
//!     .concurrency(Concurrency::Shared)
//!     .effects(Effects::ReadOnly)
//!     .build(|input: Add, _ctx| async move { Ok(ToolOutput::new(input.a + input.b)) })?;
//! assert_eq!(tool.definition().name.as_str(), "Add");
//! # Ok::<(), pegboard_tool_core::DefinitionError>(())
//! ```

mod access;
mod context;
mod context_change;
mod definition;
mod effects;
mod error;
mod grant;
mod mode;
mod names;
pub mod ports;
mod resolve;
mod result;
mod rule_text;
mod schema_form;
mod session_state;
mod settings_source;
mod tool;
mod tool_use;

pub use access::{Access, AccessMode, Accesses, Resource};
pub use context::{ContextSnapshot, ToolContext};
pub use context_change::ContextChange;
pub use definition::{DefinitionError, ToolDefinition, ToolOrigin};
pub use effects::{Availability, Concurrency, Effects, ToolEnv};
pub use error::{ErrorKind, InvalidInput, ToolError, Violation, WhoseTurn};
pub use grant::{Grant, GrantedPath};
pub use mode::{PermissionMode, UnknownMode};
pub use names::{ToolName, ToolNameError, ToolUseId, ToolUseIdError};
pub use resolve::{resolve_links, without_dots};
pub use result::{ResultContent, ToolResult};
pub use rule_text::{Origin, RuleEffect, RuleText};
pub use schema_form::input_schema_of;
pub use session_state::SessionState;
pub use settings_source::{SettingSource, SourceOrder, UnknownSource};
pub use tokio_util::sync::CancellationToken;
pub use tool::{
    ClosureTool, DynTool, Invocation, PartialInput, Progress, ProgressSink, PromptContext, RawOutput, Tool,
    ToolBuilder, ToolCheck, ToolOutput, dyn_tool,
};
pub use tool_use::{Caller, RawInput, ToolUse};
