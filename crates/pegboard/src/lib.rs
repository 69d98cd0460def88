//! The tool runtime of AI agents: a typed builder over the layers of pegboard.
//!
//! [`Pegboard::builder`] takes tools and layers and cannot build without a gate. Each layer is a
//! crate of its own, re-exported here; switch one off (`default-features = false`) and hand in yours.
//!
//! Not in here: any logic. What a rule means, how a call runs, what a hook may answer is in the
//! crate of that layer.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod allow_all;
mod builder;
mod error;
#[cfg(feature = "settings")]
mod hook_sources;
#[cfg(feature = "settings")]
mod keeper;
#[cfg(feature = "settings")]
mod live;
#[cfg(feature = "settings")]
mod loader;
mod pegboard;

pub use allow_all::AllowAll;
pub use builder::{Builder, Gated, NoGate};
pub use error::BuildError;
#[cfg(feature = "settings")]
pub use hook_sources::{hook_options, hooks_of};
#[cfg(feature = "settings")]
pub use loader::{LoadError, Loaded, ShellFacts};
pub use pegboard::Pegboard;

pub use pegboard_dispatch as dispatch;
#[cfg(feature = "guard")]
pub use pegboard_guard as guard;
#[cfg(feature = "hooks")]
pub use pegboard_hooks as hooks;
#[cfg(feature = "rules")]
pub use pegboard_permissions as permissions;
#[cfg(feature = "std-tools")]
pub use pegboard_process as process;
pub use pegboard_registry as registry;
pub use pegboard_scheduler as scheduler;
#[cfg(feature = "schema")]
pub use pegboard_schema as schema;
#[cfg(feature = "session")]
pub use pegboard_session as session;
#[cfg(feature = "settings")]
pub use pegboard_settings as settings;
#[cfg(feature = "shell")]
pub use pegboard_shell_analysis as shell_analysis;
pub use pegboard_tool_core as tool_core;
#[cfg(feature = "std-tools")]
pub use pegboard_tools_std as tools_std;
#[cfg(feature = "wire")]
pub use pegboard_wire as wire;

pub use pegboard_tool_core::{
    Accesses, CancellationToken, Concurrency, ContextSnapshot, DynTool, Effects, ErrorKind, Grant, Origin,
    PermissionMode, ResultContent, RuleEffect, RuleText, SettingSource, Tool, ToolBuilder, ToolContext,
    ToolDefinition, ToolEnv, ToolError, ToolName, ToolOutput, ToolResult, ToolUse, dyn_tool, ports,
};

/// The README's example, as a test.
#[cfg(all(doctest, feature = "rules", feature = "schema", feature = "wire"))]
#[doc = include_str!("../../../README.md")]
#[derive(Debug)]
pub struct ReadmeDoctests;
