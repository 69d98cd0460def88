//! Writes definitions of tools.

use super::schema::subset;
use crate::definitions::{DefinitionProblem, Offered, Report, inline};
use serde_json::{Map, Value, json};

/// The `tools` of a request: one entry with all functions.
pub(crate) fn definitions(tools: &[Offered<'_>], report: &mut Report) -> Value {
    if tools.is_empty() {
        return json!([]);
    }
    let functions: Vec<Value> = tools.iter().map(|tool| function(tool, report)).collect();
    json!([{"functionDeclarations": functions}])
}

fn function(tool: &Offered<'_>, report: &mut Report) -> Value {
    let mut function = Map::new();
    function.insert("name".to_owned(), (*tool.name).into());
    function.insert("description".to_owned(), tool.definition.description.as_str().into());
    let schema = &*tool.definition.input_schema;
    let inlined = inline(schema);
    for reference in inlined.unresolved {
        report.note(tool, DefinitionProblem::Reference { reference });
    }
    let written = if inlined.is_endless {
        Err("it refers to itself or is too large".to_owned())
    } else {
        subset(&inlined.schema)
    };
    match written {
        // Without parameters there must be no schema either.
        Ok(None) => {}
        Ok(Some(schema)) => drop(function.insert("parameters".to_owned(), schema)),
        Err(reason) => {
            report.note(tool, DefinitionProblem::PlainSchema { reason });
            function.insert("parametersJsonSchema".to_owned(), schema.clone());
        }
    }
    Value::Object(function)
}
