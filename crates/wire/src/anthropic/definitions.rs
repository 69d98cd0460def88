//! Writes definitions of tools.

use crate::definitions::{CacheTtl, DefinitionOptions, Examples, Offered, Report};
use serde_json::{Map, Value, json};

/// The `tools` of a request: the same bytes as the registry's, plus the marks that were asked for. The cache
/// mark is on the last tool that is not deferred, for the API refuses it on a deferred one.
pub(crate) fn definitions(tools: &[Offered<'_>], options: &DefinitionOptions, report: &mut Report) -> Value {
    let last = tools.iter().rposition(|tool| !tool.is_deferred);
    let mut written = Vec::with_capacity(tools.len());
    for (index, tool) in tools.iter().enumerate() {
        let definition = tool.definition;
        let mut fields = Map::new();
        fields.insert("name".to_owned(), (*tool.name).into());
        fields.insert("description".to_owned(), definition.description.as_str().into());
        if options.examples == Examples::Sent && !definition.examples.is_empty() {
            fields.insert("input_examples".to_owned(), definition.examples.clone().into());
        }
        let (schema, is_strict) = report.anthropic_schema(tool, options);
        fields.insert("input_schema".to_owned(), schema);
        if is_strict {
            fields.insert("strict".to_owned(), true.into());
        }
        if tool.is_deferred {
            fields.insert("defer_loading".to_owned(), true.into());
        }
        if let Some(ttl) = options.cache.filter(|_| last == Some(index)) {
            fields.insert(
                "cache_control".to_owned(),
                match ttl {
                    CacheTtl::FiveMinutes => json!({"type": "ephemeral"}),
                    CacheTtl::OneHour => json!({"type": "ephemeral", "ttl": "1h"}),
                },
            );
        }
        written.push(Value::Object(fields));
    }
    written.into()
}
