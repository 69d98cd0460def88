//! TestingPermission: does nothing, and asks each time. For tests of the way from a call to a person.

use pegboard_tool_core::{
    Accesses, Availability, Concurrency, Effects, Progress, Tool, ToolCheck, ToolContext, ToolDefinition,
    ToolEnv, ToolError, ToolOutput,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// Asks before it does nothing.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TestingPermission {}

/// Input of [`TestingPermission`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TestingPermissionInput {
    /// What the person who is asked reads. Default: that it is a test.
    #[serde(default)]
    pub message: Option<String>,
}

impl TestingPermission {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Tool for TestingPermission {
    type Input = TestingPermissionInput;
    type Output = String;
    type Progress = ();

    fn name(&self) -> &str {
        "TestingPermission"
    }

    fn description(&self) -> String {
        "For tests: always asks for permission, and does nothing when it is given.".to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.effects = Effects::ReadOnly;
        definition.examples = vec![serde_json::json!({})];
        definition
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        if env.vars.get("PEGBOARD_ENV").is_some_and(|value| value == "test") {
            return Availability::Here;
        }
        Availability::Absent("it is for tests: it needs PEGBOARD_ENV=test in the environment".to_owned())
    }

    fn concurrency(&self, _input: &TestingPermissionInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Exclusive
    }

    fn effects(&self, _input: &TestingPermissionInput, _ctx: &ToolContext) -> Effects {
        Effects::ReadOnly
    }

    fn accesses(&self, _input: &TestingPermissionInput, _ctx: &ToolContext) -> Accesses {
        Accesses::nothing()
    }

    fn changes_context(&self, _input: &TestingPermissionInput, _ctx: &ToolContext) -> bool {
        false
    }

    async fn check_permissions(&self, input: &TestingPermissionInput, _ctx: &ToolContext) -> ToolCheck {
        let message = input.message.as_deref().map(str::trim).filter(|message| !message.is_empty());
        ToolCheck::Ask(message.unwrap_or("a test of the permission path").to_owned())
    }

    async fn call(
        &self,
        _input: TestingPermissionInput,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<String>, ToolError> {
        if ctx.cancel.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        Ok(ToolOutput::new("The permission was given.".to_owned()))
    }
}
