//! The `mcp_tool` handler: a tool of a connected server, whose text is read like the output of a command.

use crate::event::EventKind;
use crate::{HandlerEnd, HookHandler, HookInput, ToolCallError, ToolCaller, output};
use async_trait::async_trait;
use pegboard_tool_core::ports::HookReportOutcome;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// Time that a cancelled call has to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// Calls a tool for each event.
#[derive(Debug)]
pub(crate) struct McpToolHandler {
    server: String,
    tool: String,
    input: Map<String, Value>,
    condition: Option<String>,
    caller: Arc<dyn ToolCaller>,
}

impl McpToolHandler {
    /// From its object in the settings.
    pub(crate) fn new(
        object: &Map<String, Value>,
        condition: Option<&str>,
        caller: Arc<dyn ToolCaller>,
    ) -> Result<Self, String> {
        let text = |name: &str| {
            let text = object.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.map(str::to_owned).ok_or_else(|| format!("must have a `{name}`"))
        };
        let input = match object.get("input") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(input)) => input.clone(),
            Some(_) => return Err("`input` must be an object".to_owned()),
        };
        let condition = condition.map(str::to_owned);
        Ok(Self { server: text("server")?, tool: text("tool")?, input, condition, caller })
    }
}

#[async_trait]
impl HookHandler for McpToolHandler {
    fn label(&self) -> String {
        crate::tool_caller::pool_name(&self.server, &self.tool)
    }

    fn identity(&self) -> Option<String> {
        let Self { server, tool, input, condition, .. } = self;
        Some(format!("mcp_tool {server:?} {tool:?} {} {condition:?}", Value::Object(input.clone())))
    }

    async fn handle(&self, input: &HookInput) -> HandlerEnd {
        let Some(event) = EventKind::of(&input.event) else {
            return HandlerEnd::failed(HookReportOutcome::CouldNotStart, "fired for what is no event");
        };
        let filled = filled(&Value::Object(self.input.clone()), &input.json);
        // A call that is dropped at the limit is cancelled first.
        let ctx = input.ctx.with_cancel(input.ctx.cancel.child_token());
        let called = self.caller.call(&self.server, &self.tool, filled, &ctx);
        tokio::pin!(called);
        let early = tokio::select! {
            biased;
            () = input.ctx.cancel.cancelled() => Err(HandlerEnd::cancelled()),
            said = &mut called => Ok(said),
            () = tokio::time::sleep(input.time_limit) => Err(HandlerEnd::timed_out(input.time_limit)),
        };
        let said = match early {
            Ok(said) => said,
            Err(end) => {
                ctx.cancel.cancel();
                // What it says now is too late; it only gets time to end well.
                let _too_late = tokio::time::timeout(GRACE, called).await;
                return end;
            }
        };
        match said {
            Ok(text) => output::read_text(text, event),
            Err(ToolCallError::NotThere { text }) => {
                HandlerEnd::failed(HookReportOutcome::CouldNotStart, format!("could not start: {text}"))
            }
            Err(ToolCallError::Failed { text }) => HandlerEnd::failed(
                HookReportOutcome::Crashed,
                format!("failed: {}", crate::long_text::short(&text)),
            ),
        }
    }
}

/// The input with `${path}` in its strings replaced by what stands at that path of the event.
fn filled(value: &Value, event: &Value) -> Value {
    match value {
        Value::String(text) => filled_text(text, event),
        Value::Array(items) => items.iter().map(|item| filled(item, event)).collect(),
        Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), filled(value, event))).collect(),
        other => other.clone(),
    }
}

fn filled_text(text: &str, event: &Value) -> Value {
    let at = |path: &str| {
        path.split('.').try_fold(event, |value, name| match value {
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            value => value.get(name),
        })
    };
    // A string that is one placeholder keeps the kind of what it stands for.
    if let Some(path) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
        && !path.contains(['$', '{', '}'])
    {
        return at(path).cloned().unwrap_or(Value::String(String::new()));
    }
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        whole.push_str(before);
        let Some((path, next)) = after.split_once('}') else {
            whole.push_str("${");
            rest = after;
            continue;
        };
        match at(path) {
            Some(Value::String(text)) => whole.push_str(text),
            Some(value) => whole.push_str(&value.to_string()),
            None => {}
        }
        rest = next;
    }
    whole.push_str(rest);
    Value::String(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn placeholders_are_paths_into_the_event() {
        let event = json!({"tool_input": {"file_path": "/w/a", "n": 3}, "tool_calls": [{"id": "x"}]});
        for (given, expected) in [
            (json!("${tool_input.file_path}"), json!("/w/a")),
            (json!("${tool_input.n}"), json!(3)),
            (json!("f=${tool_input.file_path} n=${tool_input.n}"), json!("f=/w/a n=3")),
            (json!({"a": ["${tool_calls.0.id}"]}), json!({"a": ["x"]})),
            (json!("${nothing.here}"), json!("")),
            (json!("$tool_input ${unclosed"), json!("$tool_input ${unclosed")),
            (json!(7), json!(7)),
        ] {
            assert_eq!(filled(&given, &event), expected, "{given}");
        }
    }
}
