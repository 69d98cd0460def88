//! The `prompt` and `agent` handlers: a question to a model, whose answer is `{"ok", "reason", "impossible"}`.

use crate::event::EventKind;
use crate::{Answer, HandlerEnd, HookHandler, HookInput};
use async_trait::async_trait;
use pegboard_tool_core::ports::{Ask, HookDecision, HookReportOutcome};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Which of the two.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ModelKind {
    /// One question.
    Prompt,
    /// A question to somebody who may look around first.
    Agent,
}

/// Asks a model about each event.
#[derive(Debug)]
pub(crate) struct ModelHandler {
    kind: ModelKind,
    prompt: String,
    model: Option<String>,
    goes_on: bool,
    condition: Option<String>,
    ask: Arc<dyn Ask>,
}

impl ModelHandler {
    /// From its object in the settings.
    pub(crate) fn new(
        kind: ModelKind,
        object: &Map<String, Value>,
        condition: Option<&str>,
        ask: Arc<dyn Ask>,
    ) -> Result<Self, String> {
        let prompt = object.get("prompt").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let prompt = prompt.ok_or("must have a `prompt`")?.to_owned();
        let model = match object.get("model") {
            None | Some(Value::Null) => None,
            Some(Value::String(model)) => Some(model.clone()),
            Some(_) => return Err("`model` must be a string".to_owned()),
        };
        let goes_on = match object.get("continueOnBlock") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(goes_on)) => *goes_on,
            Some(_) => return Err("`continueOnBlock` must be true or false".to_owned()),
        };
        let goes_on = goes_on || kind == ModelKind::Agent;
        Ok(Self { kind, prompt, model, goes_on, condition: condition.map(str::to_owned), ask })
    }

    /// What becomes of a no.
    fn refusal(&self, event: EventKind, reason: String, is_impossible: bool) -> Answer {
        let refuses = |reason: String| Answer::decided(HookDecision::Deny, reason);
        let ends = |reason: String| Answer { stop: Some(reason.clone()), ..refuses(reason) };
        match event.name {
            "Stop" | "SubagentStop" if is_impossible && self.kind == ModelKind::Prompt => Answer::silent(),
            "PreToolUse" | "PostToolUse" if !self.goes_on => ends(reason),
            "TeammateIdle" if !self.goes_on => Answer { stop: Some(reason), ..Answer::silent() },
            "PermissionRequest" | "PermissionDenied" => Answer::silent(),
            _ => refuses(reason),
        }
    }
}

/// The question: the input in place of `$ARGUMENTS`, or after the text.
fn question(prompt: &str, input: &str) -> String {
    const NAME: &str = "$ARGUMENTS";
    let mut text = String::new();
    let mut is_filled = false;
    let mut rest = prompt;
    while let Some(at) = rest.find(['\\', '$']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        if let Some(after) = from.strip_prefix("\\$") {
            text.push('$');
            rest = after;
        } else if let Some(after) = from.strip_prefix(NAME) {
            text.push_str(input);
            is_filled = true;
            rest = after;
        } else {
            let (one, after) = from.split_at(1);
            text.push_str(one);
            rest = after;
        }
    }
    text.push_str(rest);
    if is_filled { text } else { format!("{text}\n\n{input}") }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "ok": {"type": "boolean", "description": "Whether the condition is met"},
            "reason": {"type": "string", "description": "Why not; needed when ok is false"},
            "impossible": {"type": "boolean", "description": "The condition can never be met"},
        },
        "required": ["ok"],
    })
}

#[async_trait]
impl HookHandler for ModelHandler {
    fn label(&self) -> String {
        let kind = match self.kind {
            ModelKind::Prompt => "prompt",
            ModelKind::Agent => "agent",
        };
        format!("{kind}: {}", crate::long_text::short(&self.prompt))
    }

    fn identity(&self) -> Option<String> {
        let Self { kind, prompt, model, condition, goes_on, .. } = self;
        Some(format!("{kind:?} {prompt:?} {model:?} {goes_on} {condition:?}"))
    }

    async fn handle(&self, input: &HookInput) -> HandlerEnd {
        let Some(event) = EventKind::of(&input.event) else {
            return HandlerEnd::failed(HookReportOutcome::CouldNotStart, "fired for what is no event");
        };
        let (question, schema) = (question(&self.prompt, &input.text), schema());
        let said = tokio::select! {
            biased;
            () = input.ctx.cancel.cancelled() => return HandlerEnd::cancelled(),
            said = self.ask.ask_of(self.model.as_deref(), &question, &schema) => said,
            () = tokio::time::sleep(input.time_limit) => return HandlerEnd::timed_out(input.time_limit),
        };
        let answer = match said {
            Ok(answer) => answer,
            Err(error) => return HandlerEnd::failed(HookReportOutcome::Crashed, format!("failed: {error}")),
        };
        let is_impossible = answer.get("impossible").and_then(Value::as_bool).unwrap_or(false);
        let reason = answer.get("reason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
        match answer.get("ok").and_then(Value::as_bool) {
            Some(true) => HandlerEnd::answered(Answer::silent()),
            Some(false) => {
                let reason = reason.unwrap_or("the condition of a hook is not met");
                HandlerEnd::answered(self.refusal(event, reason.to_owned(), is_impossible))
            }
            None => HandlerEnd::failed(
                HookReportOutcome::WrongSchema,
                "got an answer of the model that was not understood: `ok` must be true or false",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_stands_where_the_prompt_wants_it() {
        for (prompt, expected) in [
            ("Check $ARGUMENTS now", "Check {} now"),
            ("Check", "Check\n\n{}"),
            (r"Cost \$5, \$ARGUMENTS", "Cost $5, $ARGUMENTS\n\n{}"),
            (r"a\b $x $ARGUMENTS", r"a\b $x {}"),
            ("$ARGUMENTS$ARGUMENTS", "{}{}"),
        ] {
            assert_eq!(question(prompt, "{}"), expected);
        }
    }
}
