//! [`FakeLookup`]: tools by name and alias, with a schema that only wants an object.

use pegboard_tool_core::ports::{FoundTool, ToolLookup, ToolSchema};
use pegboard_tool_core::{DynTool, InvalidInput, Violation};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Wants an object that has all of these keys.
#[derive(Clone, Debug, Default)]
pub struct FakeSchema {
    required: Vec<String>,
}

impl FakeSchema {
    /// Wants an object with these keys.
    pub fn requiring<S: Into<String>>(keys: impl IntoIterator<Item = S>) -> Self {
        Self { required: keys.into_iter().map(Into::into).collect() }
    }
}

impl ToolSchema for FakeSchema {
    fn check(&self, input: &Value) -> Result<(), InvalidInput> {
        let Value::Object(map) = input else {
            return Err(InvalidInput::new("the input is no object"));
        };
        let missing = self.required.iter().filter(|key| !map.contains_key(*key));
        let violations: Vec<_> = missing.map(|key| Violation::new(format!("/{key}"), "is missing")).collect();
        if violations.is_empty() {
            return Ok(());
        }
        let lines: Vec<_> = violations.iter().map(|one| format!("{} {}", one.path, one.message)).collect();
        Err(InvalidInput::with_violations(lines.join("\n"), violations))
    }
}

/// Tools by name and alias.
#[derive(Clone, Debug, Default)]
pub struct FakeLookup {
    tools: BTreeMap<String, FoundTool>,
}

impl FakeLookup {
    /// These tools, each under its name and its aliases, with a schema that wants an object.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn DynTool>>) -> Self {
        tools.into_iter().fold(Self::default(), |lookup, tool| lookup.with(tool, FakeSchema::default()))
    }

    /// One tool more, with its schema.
    #[must_use]
    pub fn with(mut self, tool: Arc<dyn DynTool>, schema: FakeSchema) -> Self {
        let schema: Arc<dyn ToolSchema> = Arc::new(schema);
        let definition = tool.definition();
        let names = std::iter::once(&definition.name).chain(&definition.aliases);
        let names: Vec<_> = names.map(ToString::to_string).collect();
        for name in names {
            self.tools.insert(name, FoundTool::new(Arc::clone(&tool), Arc::clone(&schema)));
        }
        self
    }

    /// One name more for a tool, whose input is always replaced by `input`.
    #[must_use]
    pub fn with_adapted(mut self, name: impl Into<String>, tool: Arc<dyn DynTool>, input: Value) -> Self {
        let mut found = FoundTool::new(tool, Arc::new(FakeSchema::default()));
        found.adapted = Some(Arc::new(input));
        self.tools.insert(name.into(), found);
        self
    }
}

impl ToolLookup for FakeLookup {
    fn find(&self, name: &str, _input: &Arc<Value>) -> Option<FoundTool> {
        self.tools.get(name).cloned()
    }

    fn near(&self, name: &str) -> Vec<String> {
        let folded = name.to_lowercase();
        self.tools.keys().filter(|known| known.to_lowercase() == folded).take(3).cloned().collect()
    }

    fn generation(&self) -> u64 {
        0
    }
}
