//! NotebookEdit: replaces, inserts or deletes one cell of a Jupyter notebook. The model may expect that
//! everything else in the file stays byte for byte, that a notebook which changed since it was read is not
//! touched, and that a replaced code cell loses its outputs, which are no longer its own.

mod cells;
mod json;
mod layout;
mod notebook;
mod run;

use crate::blocking::blocking;
use crate::change::text_for_people;
use crate::file::patch::{Hunk, structured_patch, unified};
use crate::input::{check_text, make_absolute, with_alias};
use crate::services::Services;
use cells::Wanted;
use pegboard_tool_core::{
    Accesses, Concurrency, Effects, Grant, InvalidInput, Progress, ResultContent, Tool, ToolContext,
    ToolDefinition, ToolError, ToolOutput, Violation,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The tool.
#[derive(Clone, Debug)]
pub struct NotebookEdit {
    services: Services,
}

/// Type of a cell.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[expect(clippy::exhaustive_enums, reason = "the types that can be asked for")]
pub enum CellType {
    /// Runs.
    Code,
    /// Is read.
    Markdown,
}

impl CellType {
    /// As it stands in notebooks.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
        }
    }
}

/// What to do with a cell.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[expect(clippy::exhaustive_enums, reason = "what can be asked for")]
pub enum EditMode {
    /// Give it another source.
    #[default]
    Replace,
    /// Put a new one after it.
    Insert,
    /// Take it out.
    Delete,
}

/// Input of [`NotebookEdit`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NotebookEditInput {
    /// Notebook to change, a `.ipynb` file; an absolute path is best.
    pub notebook_path: String,
    /// Cell to change: its id, or `cell-N` by its place, counted from 0. With insert: the cell that the new one
    /// comes after; without it the new one is the first.
    #[serde(default)]
    pub cell_id: Option<String>,
    /// The whole new source of the cell. Not used by delete.
    pub new_source: String,
    /// Type of the cell. Insert needs it; replace keeps the type without it.
    #[serde(default)]
    pub cell_type: Option<CellType>,
    /// What to do; replace when left out.
    #[serde(default)]
    pub edit_mode: EditMode,
}

/// Output of [`NotebookEdit`].
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NotebookEditOutput {
    /// Absolute path.
    pub notebook_path: String,
    /// The cell: its id, or `cell-N` where it has none.
    pub cell_id: String,
    /// Its type.
    pub cell_type: String,
    /// Language of the notebook's code cells.
    pub language: String,
    /// What was done.
    pub edit_mode: EditMode,
    /// As given; empty for delete.
    pub new_source: String,
    /// The source before; empty for insert.
    pub old_source: String,
    /// The change of the source.
    pub structured_patch: Vec<Hunk>,
    /// Whether outputs or attachments of the cell were removed.
    pub cleared: bool,
}

impl NotebookEdit {
    /// The tool with its services.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl NotebookEditInput {
    fn wanted(&self) -> Wanted<'_> {
        Wanted {
            mode: self.edit_mode,
            cell: self.cell_id.as_deref(),
            kind: self.cell_type,
            source: &self.new_source,
        }
    }
}

impl Tool for NotebookEdit {
    type Input = NotebookEditInput;
    type Output = NotebookEditOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "NotebookEdit"
    }

    fn description(&self) -> String {
        "Changes one cell of a Jupyter notebook (.ipynb): replaces its source, inserts a new cell after it, or \
         deletes it. Read the notebook first. The outputs of a replaced code cell are removed; everything else in \
         the file stays as it is."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.concurrency = Concurrency::Exclusive;
        definition.effects = Effects::Writes;
        definition.examples = vec![serde_json::json!({
            "notebook_path": "/project/a.ipynb", "cell_id": "cell-2", "new_source": "print(2)\n"
        })];
        with_alias(definition, "notebook_edit")
    }

    fn concurrency(&self, _input: &NotebookEditInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Exclusive
    }

    fn effects(&self, _input: &NotebookEditInput, _ctx: &ToolContext) -> Effects {
        Effects::Writes
    }

    fn accesses(&self, input: &NotebookEditInput, ctx: &ToolContext) -> Accesses {
        Accesses::write_file(ctx.absolute(&input.notebook_path))
    }

    fn changes_context(&self, _input: &NotebookEditInput, _ctx: &ToolContext) -> bool {
        false
    }

    fn backfill(&self, input: &mut Value, ctx: &ToolContext) {
        make_absolute("notebook_path", input, ctx);
    }

    fn backfills(&self) -> bool {
        true
    }

    async fn validate(&self, input: &NotebookEditInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        check_text("notebook_path", &input.notebook_path)?;
        let wrong = |field: &str, text: &str| {
            Err(InvalidInput::with_violations(text, vec![Violation::new(format!("/{field}"), text)]))
        };
        if !input.notebook_path.to_lowercase().ends_with(".ipynb") {
            return wrong("notebook_path", "`notebook_path` is no .ipynb file; use Edit for other files");
        }
        match (input.edit_mode, &input.cell_id, input.cell_type) {
            (EditMode::Insert, _, None) => wrong("cell_type", "`cell_type` must be given to insert a cell"),
            (EditMode::Replace | EditMode::Delete, None, _) => {
                wrong("cell_id", "`cell_id` must be given to replace or delete a cell")
            }
            _ => Ok(()),
        }
    }

    fn describe(&self, input: &NotebookEditInput) -> String {
        let cell = input.cell_id.as_deref();
        let path = &input.notebook_path;
        match (input.edit_mode, cell) {
            (EditMode::Replace, cell) => format!("Replace cell {} of {path}", cell.unwrap_or("?")),
            (EditMode::Delete, cell) => format!("Delete cell {} of {path}", cell.unwrap_or("?")),
            (EditMode::Insert, Some(cell)) => format!("Insert a cell after {cell} in {path}"),
            (EditMode::Insert, None) => format!("Insert a cell at the start of {path}"),
        }
    }

    fn render_use(&self, input: &NotebookEditInput, ctx: &ToolContext) -> Option<String> {
        let text = text_for_people(&ctx.absolute(&input.notebook_path));
        let changed = text.and_then(|text| cells::change(&text, &input.wanted()).ok());
        let old = changed.map(|changed| changed.old_source).unwrap_or_default();
        let new = if input.edit_mode == EditMode::Delete { "" } else { input.new_source.as_str() };
        Some(unified(&structured_patch(&old, new)))
    }

    async fn call(
        &self,
        input: NotebookEditInput,
        ctx: ToolContext,
        progress: Progress<()>,
    ) -> Result<ToolOutput<NotebookEditOutput>, ToolError> {
        let grant = Grant::of(&self.accesses(&input, &ctx));
        self.call_granted(input, grant, ctx, progress).await
    }

    async fn call_granted(
        &self,
        input: NotebookEditInput,
        grant: Grant,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<NotebookEditOutput>, ToolError> {
        let services = self.services.clone();
        blocking(move || run::edit(input, &grant, &ctx, &services)).await.map(ToolOutput::new)
    }

    fn to_result(&self, output: &NotebookEditOutput) -> Vec<ResultContent> {
        let NotebookEditOutput { notebook_path, cell_id, cell_type, edit_mode, cleared, .. } = output;
        let text = match edit_mode {
            EditMode::Replace if *cleared => {
                format!("Replaced {cell_type} cell {cell_id} of {notebook_path}; what it showed was removed")
            }
            EditMode::Replace => format!("Replaced {cell_type} cell {cell_id} of {notebook_path}"),
            EditMode::Insert => format!("Inserted {cell_type} cell {cell_id} into {notebook_path}"),
            EditMode::Delete => format!("Deleted {cell_type} cell {cell_id} of {notebook_path}"),
        };
        vec![ResultContent::Text(text)]
    }

    fn render_result(&self, output: &NotebookEditOutput) -> Option<String> {
        Some(unified(&output.structured_patch))
    }
}
