//! What the inputs of several tools have in common.

use pegboard_tool_core::{InvalidInput, ToolContext, ToolDefinition, ToolName, Violation};
use serde_json::Value;

/// Refuses a path or pattern that cannot be one.
pub(crate) fn check_text(field: &str, text: &str) -> Result<(), InvalidInput> {
    let problem = if text.is_empty() {
        "is empty"
    } else if text.contains('\0') {
        "holds a NUL byte"
    } else {
        return Ok(());
    };
    let text = format!("`{field}` {problem}");
    Err(InvalidInput::with_violations(text.clone(), vec![Violation::new(format!("/{field}"), text)]))
}

/// Refuses a path that is none of a file to be written: one that ends like that of a folder would lose its end and
/// make a file with the folder's name.
pub(crate) fn check_file(field: &str, path: &str) -> Result<(), InvalidInput> {
    check_text(field, path)?;
    let last = path.rsplit(std::path::is_separator).next().unwrap_or_default();
    if !matches!(last, "" | "." | "..") {
        return Ok(());
    }
    let text = format!("`{field}` names a folder; give the path of the file");
    Err(InvalidInput::with_violations(text.clone(), vec![Violation::new(format!("/{field}"), text)]))
}

/// Makes the path in `field` absolute in what hooks and rules see.
pub(crate) fn make_absolute(field: &str, input: &mut Value, ctx: &ToolContext) {
    if let Some(Value::String(path)) = input.get_mut(field)
        && !path.is_empty()
    {
        *path = ctx.absolute(path.as_str()).to_string_lossy().into_owned();
    }
}

/// Adds an alias that is known to be a tool name.
pub(crate) fn with_alias(mut definition: ToolDefinition, alias: &str) -> ToolDefinition {
    definition.aliases.extend(ToolName::new(alias));
    definition
}
