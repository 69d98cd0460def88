//! Which tools there are, and whether an input fits: ports of `registry` and `schema`.

use crate::{DynTool, InvalidInput, ToolDefinition};
use serde_json::Value;
use std::fmt::Debug;
use std::sync::Arc;

/// A tool that was found under a name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundTool {
    /// The tool.
    pub tool: Arc<dyn DynTool>,
    /// How an input under this name becomes the tool's own, for aliases with another shape.
    pub adapted: Option<Arc<Value>>,
    /// The compiled schema of the input.
    pub schema: Arc<dyn ToolSchema>,
    /// What rules and hooks are told of it, where that is more than the tool says itself: the names that are
    /// accepted for it beside its own aliases.
    pub known_as: Option<Arc<ToolDefinition>>,
}

impl FoundTool {
    /// A tool found under its own name.
    #[must_use]
    pub fn new(tool: Arc<dyn DynTool>, schema: Arc<dyn ToolSchema>) -> Self {
        Self { tool, adapted: None, schema, known_as: None }
    }

    /// The tool as rules and hooks know it: its canonical name, and every name that is accepted for it.
    #[must_use]
    pub fn definition(&self) -> &ToolDefinition {
        self.known_as.as_deref().unwrap_or_else(|| self.tool.definition())
    }
}

/// Finds tools by name.
///
/// # Contract
/// - Synchronous and quick: one call in the hot path of every dispatch.
/// - Two calls with one generation give the same answer for names of the pool.
pub trait ToolLookup: Debug + Send + Sync {
    /// The tool under `name` (its canonical name, an alias, or a dynamic one), with `input` adapted
    /// where the alias has another shape.
    fn find(&self, name: &str, input: &Arc<Value>) -> Option<FoundTool>;

    /// Names that are near to one that was not found, best first, at most a handful.
    fn near(&self, name: &str) -> Vec<String>;

    /// Counts the changes of the pool.
    fn generation(&self) -> u64;
}

const _: fn(&dyn ToolLookup) = |_| ();

/// A schema that inputs are checked against; compiled at first use.
pub trait ToolSchema: Debug + Send + Sync {
    /// Checks `input`.
    ///
    /// # Errors
    /// Lists every violation, in a text made for the model.
    fn check(&self, input: &Value) -> Result<(), InvalidInput>;

    /// The same input in the words of the schema, for one that was refused: a whole number with a fraction of zero
    /// without it, and without fields that are null where they may be left out and null does not fit. `None` when
    /// there is nothing of the kind. What is given here is checked again.
    fn reworded(&self, _input: &Value) -> Option<Value> {
        None
    }
}

const _: fn(&dyn ToolSchema) = |_| ();

/// A schema cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the input schema of `{tool}` cannot be used: {problem}")]
#[non_exhaustive]
pub struct SchemaError {
    /// Which tool.
    pub tool: String,
    /// What is wrong with its schema.
    pub problem: String,
}

impl SchemaError {
    /// A schema that cannot be used.
    pub fn new(tool: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { tool: tool.into(), problem: problem.into() }
    }
}

/// Makes validators.
///
/// # Contract
/// - `prepare` is cheap: a structural check. Compiling happens at the first `check`.
/// - A schema that turns out to be broken at the first check fails closed: every input is refused.
pub trait InputValidator: Debug + Send + Sync {
    /// The validator of a tool's input.
    ///
    /// # Errors
    /// When the schema is visibly none.
    fn prepare(&self, definition: &ToolDefinition) -> Result<Arc<dyn ToolSchema>, SchemaError>;
}

const _: fn(&dyn InputValidator) = |_| ();
