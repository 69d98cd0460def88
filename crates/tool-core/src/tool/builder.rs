//! A tool from a closure, with the same defaults that fail closed.

use super::{DynTool, Progress, Tool, ToolOutput, dyn_tool};
use crate::{
    Accesses, Concurrency, DefinitionError, Effects, ToolContext, ToolDefinition, ToolError, ToolName,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

/// Collects what a closure cannot say about itself.
#[derive(Clone, Debug)]
pub struct ToolBuilder {
    name: String,
    description: String,
    aliases: Vec<String>,
    examples: Vec<Value>,
    concurrency: Concurrency,
    effects: Effects,
    accesses: Accesses,
    time_limit: Option<Duration>,
    max_inline_chars: Option<usize>,
    needs_person: bool,
}

impl ToolBuilder {
    /// A tool with this name and this text for the model.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            aliases: Vec::new(),
            examples: Vec::new(),
            concurrency: Concurrency::Exclusive,
            effects: Effects::Destructive,
            accesses: Accesses::Everything,
            time_limit: None,
            max_inline_chars: Some(ToolDefinition::DEFAULT_INLINE_CHARS),
            needs_person: false,
        }
    }

    /// Another name that is accepted.
    #[must_use]
    pub fn alias(mut self, alias: impl Into<String>) -> Self {
        self.aliases.push(alias.into());
        self
    }

    /// A typical input.
    #[must_use]
    pub fn example(mut self, input: Value) -> Self {
        self.examples.push(input);
        self
    }

    /// Whether calls may run beside others. Default: no.
    #[must_use]
    pub fn concurrency(self, concurrency: Concurrency) -> Self {
        Self { concurrency, ..self }
    }

    /// The worst that a call may do. Default: anything.
    #[must_use]
    pub fn effects(self, effects: Effects) -> Self {
        Self { effects, ..self }
    }

    /// What a call may touch. Default: everything.
    #[must_use]
    pub fn accesses(self, accesses: Accesses) -> Self {
        Self { accesses, ..self }
    }

    /// Time limit of a call. Default: the dispatcher's.
    #[must_use]
    pub fn time_limit(self, limit: Duration) -> Self {
        Self { time_limit: Some(limit), ..self }
    }

    /// Most characters of text inline; `None` is without limit. Default: 50,000.
    #[must_use]
    pub fn max_inline_chars(self, limit: Option<usize>) -> Self {
        Self { max_inline_chars: limit, ..self }
    }

    /// Makes every call ask a person.
    #[must_use]
    pub fn needs_person(self) -> Self {
        Self { needs_person: true, ..self }
    }

    /// Makes the tool.
    ///
    /// # Errors
    /// When the name or an alias is no tool name, or the input type is no object.
    pub fn build<I, O, F, R>(self, call: F) -> Result<Arc<dyn DynTool>, DefinitionError>
    where
        I: DeserializeOwned + JsonSchema + Send + Sync + 'static,
        O: Serialize + DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(I, ToolContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolOutput<O>, ToolError>> + Send + 'static,
    {
        for alias in &self.aliases {
            ToolName::new(alias)?;
        }
        dyn_tool(ClosureTool { about: self, call, types: PhantomData })
    }
}

/// A closure as a [`Tool`]. Made by [`ToolBuilder::build`].
pub struct ClosureTool<I, O, F> {
    about: ToolBuilder,
    call: F,
    types: PhantomData<fn(I) -> O>,
}

impl<I, O, F> fmt::Debug for ClosureTool<I, O, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClosureTool").field("about", &self.about).finish_non_exhaustive()
    }
}

impl<I, O, F, R> Tool for ClosureTool<I, O, F>
where
    I: DeserializeOwned + JsonSchema + Send + Sync + 'static,
    O: Serialize + DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(I, ToolContext) -> R + Send + Sync + 'static,
    R: Future<Output = Result<ToolOutput<O>, ToolError>> + Send + 'static,
{
    type Input = I;
    type Output = O;
    type Progress = ();

    fn name(&self) -> &str {
        &self.about.name
    }

    fn description(&self) -> String {
        self.about.description.clone()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.aliases =
            self.about.aliases.iter().filter_map(|alias| ToolName::new(alias).ok()).collect();
        definition.examples.clone_from(&self.about.examples);
        definition.max_inline_chars = self.about.max_inline_chars;
        definition.needs_person = self.about.needs_person;
        definition.concurrency = self.about.concurrency;
        definition.effects = self.about.effects;
        definition
    }

    fn concurrency(&self, _input: &I, _ctx: &ToolContext) -> Concurrency {
        self.about.concurrency
    }

    fn effects(&self, _input: &I, _ctx: &ToolContext) -> Effects {
        self.about.effects
    }

    fn accesses(&self, _input: &I, _ctx: &ToolContext) -> Accesses {
        self.about.accesses.clone()
    }

    fn time_limit(&self, _input: &I, _ctx: &ToolContext) -> Option<Duration> {
        self.about.time_limit
    }

    fn call(
        &self,
        input: I,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> impl Future<Output = Result<ToolOutput<O>, ToolError>> + Send {
        (self.call)(input, ctx)
    }
}
