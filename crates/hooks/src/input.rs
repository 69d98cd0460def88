//! The JSON that handlers read, in the public form.

use crate::event::EventKind;
use pegboard_tool_core::ToolContext;
use pegboard_tool_core::ports::{BatchCall, HookCall};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Extension of a context (see `ContextSnapshot::extensions`) with what only the host knows: `prompt_id`,
/// `agent_type`, `effort` and `transcript_path`, each a string.
pub const CONTEXT_EXTENSION: &str = "hooks";

/// What the host says about itself in the context.
pub(crate) fn known<'a>(ctx: &'a ToolContext, name: &str) -> Option<&'a str> {
    ctx.extensions.get(CONTEXT_EXTENSION)?.get(name)?.as_str()
}

/// What every event carries.
pub(crate) fn common(event: EventKind, ctx: &ToolContext) -> Map<String, Value> {
    let own =
        || ctx.session_dir.as_ref().map(|dir| dir.join("transcript.jsonl").to_string_lossy().into_owned());
    let transcript = known(ctx, "transcript_path").map(str::to_owned).or_else(own);
    let mut map = Map::new();
    map.insert("session_id".into(), Value::from(&*ctx.session_id));
    map.insert("transcript_path".into(), Value::from(transcript.unwrap_or_default()));
    map.insert("cwd".into(), Value::from(ctx.cwd.to_string_lossy().into_owned()));
    if let Some(prompt) = known(ctx, "prompt_id") {
        map.insert("prompt_id".into(), Value::from(prompt));
    }
    if event.is_of_turn() {
        map.insert("permission_mode".into(), Value::from(ctx.mode.as_str()));
    }
    map.insert("hook_event_name".into(), Value::from(event.name));
    if event.has_condition()
        && let Some(level) = known(ctx, "effort")
    {
        map.insert("effort".into(), json!({ "level": level }));
    }
    if let Some(agent) = &ctx.agent_id {
        map.insert("agent_id".into(), Value::from(&**agent));
    }
    if let Some(kind) = known(ctx, "agent_type") {
        map.insert("agent_type".into(), Value::from(kind));
    }
    map
}

/// An event about a call.
pub(crate) fn of_call(event: EventKind, call: &HookCall<'_>) -> Map<String, Value> {
    let mut map = common(event, call.ctx);
    map.insert("tool_name".into(), Value::from(call.tool));
    map.insert("tool_input".into(), call.input.clone());
    if event.name != "PermissionRequest" {
        map.insert("tool_use_id".into(), Value::from(call.tool_use_id));
    }
    map
}

/// Milliseconds, as the public form has them.
pub(crate) fn milliseconds(duration: Duration) -> Value {
    Value::from(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

/// The event after a batch.
pub(crate) fn of_batch(event: EventKind, calls: &[BatchCall], ctx: &ToolContext) -> Map<String, Value> {
    let mut map = common(event, ctx);
    let calls = calls.iter().map(|call| {
        json!({
            "tool_name": &*call.tool,
            "tool_input": &*call.input,
            "tool_use_id": &*call.result.tool_use_id,
            "tool_response": call.result.joined_text(),
        })
    });
    map.insert("tool_calls".into(), calls.collect());
    map
}
