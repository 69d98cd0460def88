//! Writes definitions of tools.

use crate::definitions::{DefinitionOptions, Offered, Report};
use serde_json::{Value, json};

/// The `tools` of a request.
pub(crate) fn definitions(tools: &[Offered<'_>], options: &DefinitionOptions, report: &mut Report) -> Value {
    let written = tools.iter().map(|tool| {
        let (parameters, is_strict) = report.openai_schema(tool, options);
        let description = &tool.definition.description;
        let mut function = json!({"name": &*tool.name, "description": description, "parameters": parameters});
        if let (Value::Object(function), true) = (&mut function, is_strict) {
            function.insert("strict".to_owned(), true.into());
        }
        json!({"type": "function", "function": function})
    });
    written.collect()
}
