//! Edit: exact replacement in a file. The model may expect that the text must match literally and
//! once (or `replace_all`), that line ends, encoding, byte order mark, mode bits and everything
//! outside the replaced part survive, and that a file which changed since it was read is not touched.

mod input;
mod run;
mod words;

pub use input::{EditInput, LineEdit};

use crate::blocking::blocking;
use crate::change::text_for_people;
use crate::file::edit_engine;
use crate::file::patch::{Hunk, structured_patch, unified};
use crate::input::{check_file, make_absolute, with_alias};
use crate::services::Services;
use pegboard_tool_core::{
    Accesses, Concurrency, Effects, Grant, InvalidInput, Progress, ResultContent, Tool, ToolContext,
    ToolDefinition, ToolError, ToolOutput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The tool.
#[derive(Clone, Debug)]
pub struct Edit {
    services: Services,
}

/// Output of [`Edit`].
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EditOutput {
    /// Absolute path.
    pub file_path: String,
    /// As given.
    pub old_string: String,
    /// As given.
    pub new_string: String,
    /// The text before; null for a new file.
    pub original_file: Option<String>,
    /// What changed.
    pub structured_patch: Vec<Hunk>,
    /// Whether a person changed the edit before it was done.
    pub user_modified: bool,
    /// As given.
    pub replace_all: bool,
    /// Names of the file, when there are several and all of them show the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_names: Option<u64>,
}

impl Edit {
    /// The tool with its services.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for Edit {
    type Input = EditInput;
    type Output = EditOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "Edit"
    }

    fn description(&self) -> String {
        "Replaces text in a file. old_string must be exactly what is in the file, indentation included and line \
         numbers left out, and occur once; add lines around it until it does, or set replace_all. Read the file \
         first. Write newlines as plain newlines: the file's own line ends are kept. An empty old_string creates a \
         file that does not exist."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.concurrency = Concurrency::Exclusive;
        definition.effects = Effects::Writes;
        definition.examples = vec![serde_json::json!({
            "file_path": "/project/src/main.rs", "old_string": "let n = 1;", "new_string": "let n = 2;"
        })];
        with_alias(definition, "edit")
    }

    fn concurrency(&self, _input: &EditInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Exclusive
    }

    fn effects(&self, _input: &EditInput, _ctx: &ToolContext) -> Effects {
        Effects::Writes
    }

    fn accesses(&self, input: &EditInput, ctx: &ToolContext) -> Accesses {
        Accesses::write_file(ctx.absolute(&input.file_path))
    }

    fn changes_context(&self, _input: &EditInput, _ctx: &ToolContext) -> bool {
        false
    }

    fn backfill(&self, input: &mut Value, ctx: &ToolContext) {
        make_absolute("file_path", input, ctx);
        input::join_texts(input);
    }

    fn backfills(&self) -> bool {
        true
    }

    async fn validate(&self, input: &EditInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        check_file("file_path", &input.file_path)
    }

    fn describe(&self, input: &EditInput) -> String {
        match input.edits.len() {
            0 | 1 => format!("Edit {}", input.file_path),
            blocks => format!("Edit {} ({blocks} places)", input.file_path),
        }
    }

    fn render_use(&self, input: &EditInput, ctx: &ToolContext) -> Option<String> {
        let before = text_for_people(&ctx.absolute(&input.file_path));
        let after = before.as_ref().and_then(|text| edit_engine::apply(text, &input.replacements()).ok());
        let hunks = match (&before, &after) {
            (Some(before), Some(after)) => structured_patch(before, &after.text),
            _ => structured_patch(&input.old_string, &input.new_string),
        };
        Some(unified(&hunks))
    }

    async fn call(
        &self,
        input: EditInput,
        ctx: ToolContext,
        progress: Progress<()>,
    ) -> Result<ToolOutput<EditOutput>, ToolError> {
        let grant = Grant::of(&self.accesses(&input, &ctx));
        self.call_granted(input, grant, ctx, progress).await
    }

    async fn call_granted(
        &self,
        input: EditInput,
        grant: Grant,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<EditOutput>, ToolError> {
        let services = self.services.clone();
        blocking(move || run::edit(input, &grant, &ctx, &services)).await.map(ToolOutput::new)
    }

    fn to_result(&self, output: &EditOutput) -> Vec<ResultContent> {
        vec![ResultContent::Text(words::done(output))]
    }

    fn render_result(&self, output: &EditOutput) -> Option<String> {
        Some(unified(&output.structured_patch))
    }
}
