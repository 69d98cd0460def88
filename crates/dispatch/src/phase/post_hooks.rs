//! Phase 6: hooks after a call that ran: those for success or those for failure, never both, and none
//! after a cancellation.

use super::execute::{Ended, Executed};
use crate::config::DispatchConfig;
use crate::wait::unless_cancelled;
use pegboard_tool_core::ports::{FoundTool, HookCall, HookEvent, Phase, PostOutcome};
use pegboard_tool_core::{RawOutput, ResultContent, ToolContext, ToolOrigin};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Proof that hooks saw how the call ended.
pub(crate) struct Observed {
    pub(super) call: Executed,
    /// The turn stops; the text is for the user.
    pub(super) stop: Option<String>,
}

/// Runs the hooks that are for such an end, when any is interested.
pub(crate) async fn post_hooks(config: &DispatchConfig, call: Executed, ctx: &ToolContext) -> Observed {
    let event = match &call.ended {
        Ended::Cancelled(_) => return Observed { call, stop: None },
        Ended::Output(output) if !output.is_error => HookEvent::PostToolUse,
        Ended::Output(_) | Ended::Failed(..) => HookEvent::PostToolUseFailure,
    };
    let definition = call.found.definition();
    let interested = config.hooks.interested(event, definition.name.as_str(), &definition.aliases);
    match call.view.clone().filter(|_| interested && !ctx.cancel.is_cancelled()) {
        None => Observed { call, stop: None },
        // Boxed, so that calls without hooks stay small.
        Some(view) => Box::pin(run(config, call, event, &view, ctx)).await,
    }
}

async fn run(
    config: &DispatchConfig,
    mut call: Executed,
    event: HookEvent,
    view: &Value,
    ctx: &ToolContext,
) -> Observed {
    config.started(&call.who.id, Phase::PostHooks);
    let said = {
        let definition = call.found.definition();
        let hook_call = HookCall::new(definition.name.as_str(), &definition.aliases, &call.who.id, view, ctx);
        unless_cancelled(&ctx.cancel, config.grace, ask(config, &hook_call, &call)).await
    };
    let stop = match said {
        None => None,
        Some(said) => {
            config.hooks_ran(&call.who.id, event, &said.reports, &said.system_messages);
            take_over(config, &mut call, said)
        }
    };
    config.ended(&call.who.id, Phase::PostHooks);
    Observed { call, stop }
}

async fn ask(config: &DispatchConfig, hook_call: &HookCall<'_>, call: &Executed) -> PostOutcome {
    match &call.ended {
        Ended::Output(output) if !output.is_error => {
            config.hooks.post(hook_call, &output.data, call.duration).await
        }
        Ended::Output(output) => {
            config.hooks.failure(hook_call, &text_of(&output.content), call.duration).await
        }
        Ended::Failed(_, text) => config.hooks.failure(hook_call, text, call.duration).await,
        Ended::Cancelled(_) => PostOutcome::default(),
    }
}

fn text_of(content: &[ResultContent]) -> String {
    let texts = content.iter().filter_map(|content| match content {
        ResultContent::Text(text) => Some(text.as_str()),
        ResultContent::Image { .. } | ResultContent::Other(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn take_over(config: &DispatchConfig, call: &mut Executed, said: PostOutcome) -> Option<String> {
    let PostOutcome { additional_context, updated_output, stop, .. } = said;
    call.messages.extend(additional_context);
    if let (Some(data), Ended::Output(output)) = (updated_output, &mut call.ended)
        && !output.is_error
    {
        replace_output(config, &call.found, &call.who.id, output, data);
    }
    stop
}

fn replace_output(config: &DispatchConfig, found: &FoundTool, id: &str, output: &mut RawOutput, data: Value) {
    // `map_output` is the tool's code, and the data is a stranger's.
    let mapped = catch_unwind(AssertUnwindSafe(|| found.tool.map_output(&data)));
    match mapped {
        Ok(Ok(content)) => {
            output.content = content;
            output.data = data;
        }
        // What a server's tool answers has no shape that we know.
        _ if matches!(found.definition().origin, ToolOrigin::Mcp { .. }) => {
            let text = data.as_str().map_or_else(|| data.to_string(), str::to_owned);
            output.content = vec![ResultContent::Text(text)];
            output.data = data;
        }
        Ok(Err(invalid)) => {
            let tool = found.definition().name.as_str();
            let why = without_types(&invalid.text);
            let text =
                format!("the output that a hook put in place was ignored: it is no output of {tool} ({why})");
            config.notice(id, &text);
        }
        Err(_) => config.notice(id, "the output that a hook put in place was ignored"),
    }
}

/// A reader's words without names of our own types, which say nothing to people.
fn without_types(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("struct ") {
        plain.push_str(before);
        plain.push_str("an object");
        rest = after.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_are_for_nobody() {
        let text = without_types("invalid type: string \"x\", expected struct BashOutput at line 1");
        assert_eq!(text, "invalid type: string \"x\", expected an object at line 1");
    }
}
