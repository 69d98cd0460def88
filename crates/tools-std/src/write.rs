//! Write: creates or replaces a file, whole or not at all. The model may expect that folders are made,
//! that links are followed to their target, and that a replaced file keeps its mode bits, owner, encoding,
//! byte order mark and the line ends of lines that stay.

mod run;

use crate::blocking::blocking;
use crate::change::text_for_people;
use crate::file::line_ends;
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
pub struct Write {
    services: Services,
}

/// Input of [`Write`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WriteInput {
    /// File to write; an absolute path is best.
    pub file_path: String,
    /// The whole new content.
    pub content: String,
}

/// What [`Write`] did.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "there was a file or there was none")]
pub enum WriteKind {
    /// Made a new file.
    Create,
    /// Replaced one.
    Update,
}

/// Output of [`Write`].
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WriteOutput {
    /// What was done.
    #[serde(rename = "type")]
    pub kind: WriteKind,
    /// Absolute path.
    pub file_path: String,
    /// As given.
    pub content: String,
    /// What changed; empty for a new file.
    pub structured_patch: Vec<Hunk>,
    /// The text before; null for a new file.
    pub original_file: Option<String>,
    /// Names of the file, when there are several and all of them show the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_names: Option<u64>,
}

impl Write {
    /// The tool with its services.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for Write {
    type Input = WriteInput;
    type Output = WriteOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "Write"
    }

    fn description(&self) -> String {
        "Writes a whole file: creates it, with its folders, or replaces it. An existing file must have been read \
         completely before. To change a part of a file use Edit. A replaced file keeps its encoding, mode bits and \
         CRLF line ends. Give all of the text: a line that stands for omitted text is refused."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.concurrency = Concurrency::Exclusive;
        definition.effects = Effects::Writes;
        definition.examples =
            vec![serde_json::json!({"file_path": "/project/notes.txt", "content": "one line\n"})];
        with_alias(definition, "write")
    }

    fn concurrency(&self, _input: &WriteInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Exclusive
    }

    fn effects(&self, _input: &WriteInput, _ctx: &ToolContext) -> Effects {
        Effects::Writes
    }

    fn accesses(&self, input: &WriteInput, ctx: &ToolContext) -> Accesses {
        Accesses::write_file(ctx.absolute(&input.file_path))
    }

    fn changes_context(&self, _input: &WriteInput, _ctx: &ToolContext) -> bool {
        false
    }

    fn backfill(&self, input: &mut Value, ctx: &ToolContext) {
        make_absolute("file_path", input, ctx);
    }

    fn backfills(&self) -> bool {
        true
    }

    async fn validate(&self, input: &WriteInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        check_file("file_path", &input.file_path)
    }

    fn describe(&self, input: &WriteInput) -> String {
        format!("Write {}", input.file_path)
    }

    fn render_use(&self, input: &WriteInput, ctx: &ToolContext) -> Option<String> {
        let before = text_for_people(&ctx.absolute(&input.file_path)).unwrap_or_default();
        let after = line_ends::like(&before, &input.content);
        Some(unified(&structured_patch(&before, &after)))
    }

    async fn call(
        &self,
        input: WriteInput,
        ctx: ToolContext,
        progress: Progress<()>,
    ) -> Result<ToolOutput<WriteOutput>, ToolError> {
        let grant = Grant::of(&self.accesses(&input, &ctx));
        self.call_granted(input, grant, ctx, progress).await
    }

    async fn call_granted(
        &self,
        input: WriteInput,
        grant: Grant,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<WriteOutput>, ToolError> {
        let services = self.services.clone();
        blocking(move || run::write(input, &grant, &ctx, &services)).await.map(ToolOutput::new)
    }

    fn to_result(&self, output: &WriteOutput) -> Vec<ResultContent> {
        let lines = output.content.lines().count();
        let text = match output.kind {
            WriteKind::Create => format!("Created {} ({lines} lines)", output.file_path),
            WriteKind::Update if output.structured_patch.is_empty() => {
                format!("{} already had this content", output.file_path)
            }
            WriteKind::Update => {
                let names = output.linked_names.map(|names| format!(", {names} names, all of them show it"));
                format!("Replaced {} ({lines} lines{})", output.file_path, names.unwrap_or_default())
            }
        };
        vec![ResultContent::Text(text)]
    }

    fn render_result(&self, output: &WriteOutput) -> Option<String> {
        // A new file was shown when the call was.
        (!output.structured_patch.is_empty()).then(|| unified(&output.structured_patch))
    }
}
