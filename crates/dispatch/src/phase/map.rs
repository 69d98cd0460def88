//! Phase 7: the result as the model reads it, within the size budget of the tool. Nothing is cut
//! silently.

use super::change;
use super::execute::{Ended, Executed};
use super::post_hooks::Observed;
use crate::config::DispatchConfig;
use crate::preview;
use pegboard_tool_core::ports::{Event, Finished, Outcome};
use pegboard_tool_core::{ContextChange, ErrorKind, ResultContent, ToolContext, ToolResult};
use std::sync::Arc;

/// Makes the one result of the call.
pub(crate) async fn map(config: &DispatchConfig, observed: Observed, ctx: &ToolContext) -> Box<Finished> {
    let Observed { mut call, stop } = observed;
    let ended = std::mem::replace(&mut call.ended, Ended::Cancelled(String::new()));
    let mut context_change = None;
    let (mut content, outcome) = match ended {
        Ended::Output(output) => {
            let mut output = *output;
            if config.observer.wants_rendered()
                && let Some(text) = call.found.tool.render_result(&output.data)
            {
                config.emit(&Event::Rendered { id: &call.who.id, text: &text });
            }
            call.messages.append(&mut output.new_messages);
            let outcome =
                if output.is_error { Outcome::Failed(ErrorKind::Failed) } else { Outcome::Succeeded };
            if let Some(change) = output.context_change {
                context_change = honour(config, &call, change, &mut output.content, ctx);
            }
            (output.content, outcome)
        }
        Ended::Failed(kind, text) => (vec![ResultContent::Text(text)], Outcome::Failed(kind)),
        Ended::Cancelled(text) => (vec![ResultContent::Text(text)], Outcome::Cancelled),
    };
    if let Some(limit) = call.found.definition().max_inline_chars
        && preview::exceeds(&content, limit)
    {
        content = Box::pin(preview::within(config, &call.who.id, content, limit, outcome)).await;
    }
    let mut result = ToolResult::new(Arc::clone(&call.who.id), content);
    result.is_error = outcome != Outcome::Succeeded;
    let mut finished = Box::new(Finished::new(result, call.who.tool, call.who.input, outcome));
    finished.view = call.view;
    finished.context_change = context_change;
    finished.messages = call.messages;
    finished.stop = stop;
    finished.duration = call.duration;
    finished
}

/// The change, if it may happen; else both the model and the user learn that it did not.
fn honour(
    config: &DispatchConfig,
    call: &Executed,
    change: ContextChange,
    content: &mut Vec<ResultContent>,
    ctx: &ToolContext,
) -> Option<ContextChange> {
    match change::check(config, call, &change, ctx) {
        Ok(()) => Some(change),
        Err(why) => {
            let text =
                format!("the change of the context that {} asked for was not made: {why}", call.who.tool);
            config.notice(&call.who.id, &text);
            content.push(ResultContent::Text(format!("Error: {text}.")));
            None
        }
    }
}
