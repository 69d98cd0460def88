//! In which folder the shell is that a call would give its code to.

use super::input::{ReplAction, ReplInput};
use super::sessions::Interpreters;
use crate::terminal::owner::Owner;
use pegboard_tool_core::ToolContext;
use serde_json::Value;
use std::path::PathBuf;

/// The folder of the interpreter that the call with this input means; `None` when that cannot be told.
pub(crate) fn folder(input: &Value, ctx: &ToolContext) -> Option<PathBuf> {
    let input: ReplInput = serde_json::from_value(input.clone()).ok()?;
    let key = (Owner::of(ctx), input.language, input.name().to_owned());
    let slot = match input.action {
        // A new one starts where the session is.
        ReplAction::Restart => None,
        _ => ctx.session.of::<Interpreters>().find(&key),
    };
    let Some(slot) = slot else { return Some(ctx.cwd.clone()) };
    let slot = slot.try_lock().ok()?;
    match slot.as_ref() {
        None => Some(ctx.cwd.clone()),
        Some(interpreter) => interpreter.folder(),
    }
}
