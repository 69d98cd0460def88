//! The JSON that handlers read, in the public form.

use pegboard_tool_core::ToolContext;
use pegboard_tool_core::ports::{BatchCall, HookCall};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// What every event carries.
pub(crate) fn common(event: &str, ctx: &ToolContext) -> Map<String, Value> {
    let transcript = ctx.session_dir.as_ref().map(|dir| dir.join("transcript.jsonl"));
    let mut map = Map::new();
    map.insert("session_id".into(), Value::from(&*ctx.session_id));
    map.insert(
        "transcript_path".into(),
        Value::from(transcript.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()),
    );
    map.insert("cwd".into(), Value::from(ctx.cwd.to_string_lossy().into_owned()));
    map.insert("permission_mode".into(), Value::from(ctx.mode.as_str()));
    map.insert("hook_event_name".into(), Value::from(event));
    if let Some(agent) = &ctx.agent_id {
        map.insert("agent_id".into(), Value::from(&**agent));
    }
    map
}

/// An event about a call.
pub(crate) fn of_call(event: &str, call: &HookCall<'_>) -> Map<String, Value> {
    let mut map = common(event, call.ctx);
    map.insert("tool_name".into(), Value::from(call.tool));
    map.insert("tool_input".into(), call.input.clone());
    if event != "PermissionRequest" {
        map.insert("tool_use_id".into(), Value::from(call.tool_use_id));
    }
    map
}

/// Milliseconds, as the public form has them.
pub(crate) fn milliseconds(duration: Duration) -> Value {
    Value::from(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

/// The event after a batch.
pub(crate) fn of_batch(calls: &[BatchCall], ctx: &ToolContext) -> Map<String, Value> {
    let mut map = common("PostToolBatch", ctx);
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
