//! Whose a terminal or an interpreter is: each agent has its own.

use pegboard_tool_core::ToolContext;
use std::sync::Arc;

/// An agent, or the session itself.
#[derive(Clone, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) struct Owner(Option<Arc<str>>);

impl Owner {
    pub(crate) fn of(ctx: &ToolContext) -> Self {
        Self(ctx.agent_id.clone())
    }

    pub(crate) fn agent(id: &str) -> Self {
        Self(Some(Arc::from(id)))
    }
}

/// Longest name that may be given, in bytes.
const MOST_NAME: usize = 64;

/// What is wrong with a name, if anything.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let is_sound = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if (1..=MOST_NAME).contains(&name.len()) && name.bytes().all(is_sound) {
        return Ok(());
    }
    Err("`session` is no name; use 1 to 64 letters, digits, `_`, `-` or `.`".to_owned())
}
