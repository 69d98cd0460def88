//! The text for the system prompt that makes a model schedule its calls well.

use crate::ToolPool;
use crate::pool::SEARCH_TOOL;
use pegboard_tool_core::PromptContext;

/// What the model should know about the tools of `pool`, then what single tools add.
pub(crate) fn text(pool: &ToolPool) -> String {
    let mut lines = vec![
        "Put calls that do not depend on each other into one message: calls that only read run at the same time."
            .to_owned(),
        "Calls of one message run in order where one of them changes something; put a call that needs another's result into a later message.".to_owned(),
    ];
    if pool.entry("Bash").is_some() {
        lines.push(
            "Join commands that depend on each other in one Bash call with `&&`, instead of one call each."
                .to_owned(),
        );
    }
    let files: Vec<_> = ["Read", "Edit", "Write", "Grep", "Glob"]
        .into_iter()
        .filter(|name| pool.canonical(name).is_some_and(|canonical| canonical.as_str() == *name))
        .collect();
    if !files.is_empty() && pool.entry("Bash").is_some() {
        lines.push(format!("For files use {} instead of shell commands.", files.join(", ")));
    }
    if pool.entry(SEARCH_TOOL).is_some() && pool.offered().len() < pool.len() {
        lines.push(format!("There are more tools than are listed; find them with {SEARCH_TOOL}."));
    }
    let mut context = PromptContext::default();
    context.tool_names = pool.offered().map(|entry| entry.definition.name.to_string()).collect();
    let mut text = lines.into_iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n");
    for entry in pool.offered() {
        if let Some(words) = entry.tool.prompt(&context) {
            text.push_str(&format!("\n\n# {}\n{}", entry.definition.name, words.trim_end()));
        }
    }
    text
}
