//! Writes definitions of tools.

use crate::definitions::{DefinitionOptions, Offered, Report};
use serde_json::{Value, json};

/// The `tools` of a request. Strictness is always said, for the API would make schemas strict by itself.
pub(crate) fn definitions(tools: &[Offered<'_>], options: &DefinitionOptions, report: &mut Report) -> Value {
    let written = tools.iter().map(|tool| {
        let (parameters, is_strict) = report.openai_schema(tool, options);
        json!({
            "type": "function",
            "name": &*tool.name,
            "description": tool.definition.description,
            "parameters": parameters,
            "strict": is_strict,
        })
    });
    written.collect()
}
