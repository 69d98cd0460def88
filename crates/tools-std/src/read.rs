//! Read: a file by what it is. Text with line numbers: at most 2,000 lines and 25,000 estimated
//! tokens (`CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS`), long lines cut with a mark, and a notice
//! whenever the model does not see everything. Images as pictures, notebooks as cells, PDF documents
//! by pages. What it saw of a text is noted for Edit and Write.

#[cfg(feature = "web")]
pub(crate) mod fetched;
#[cfg(feature = "images")]
mod image;
mod look;
mod missing;
mod notebook;
mod output;
mod page;
mod pages;
#[cfg(feature = "pdf")]
mod pdf;
mod stream;
mod unchanged;

pub use output::{
    CellOutput, Dimensions, ImageView, NotebookCell, NotebookView, PdfPage, PdfView, Picture, ReadOutput,
    TextView, UnchangedView,
};
pub use unchanged::ShownReads;

use crate::blocking::blocking;
use crate::input::{check_text, make_absolute, with_alias};
use crate::services::Services;
use look::Looked;
use pegboard_tool_core::{
    Accesses, Concurrency, Effects, Grant, InvalidInput, Progress, ResultContent, Tool, ToolContext,
    ToolDefinition, ToolError, ToolOutput,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The tool.
#[derive(Clone, Debug)]
pub struct Read {
    services: Services,
}

/// Input of [`Read`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReadInput {
    /// File to read; an absolute path is best.
    pub file_path: String,
    /// First line to show, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// How many lines to show.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Pages of a PDF, such as `3` or `1-5`; at most 20 at once. Needed for a PDF of more than 10 pages.
    #[serde(default)]
    pub pages: Option<String>,
}

impl Read {
    /// The tool with its services.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for Read {
    type Input = ReadInput;
    type Output = ReadOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "Read"
    }

    fn description(&self) -> String {
        "Reads a file. Text is shown with line numbers (number, tab, text; the number is not part of the file), up to \
         2,000 lines from the start; use offset and limit for other parts of a long file. Lines over 2,000 \
         characters are cut. Images (PNG, JPEG, GIF, WebP) are shown as pictures, notebooks (.ipynb) as cells with \
         their outputs, PDF documents as the text of their pages and pictures of them where possible; choose pages \
         of a PDF of more than 10 pages with pages. A file must be read before Edit or Write may change it. For \
         folders use Glob."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.concurrency = Concurrency::Shared;
        definition.effects = Effects::ReadOnly;
        definition.max_inline_chars = None;
        definition.examples = vec![serde_json::json!({"file_path": "/project/src/main.rs"})];
        with_alias(definition, "read")
    }

    fn concurrency(&self, _input: &ReadInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Shared
    }

    fn effects(&self, _input: &ReadInput, _ctx: &ToolContext) -> Effects {
        Effects::ReadOnly
    }

    fn accesses(&self, input: &ReadInput, ctx: &ToolContext) -> Accesses {
        Accesses::read_file(ctx.absolute(&input.file_path))
    }

    fn backfill(&self, input: &mut Value, ctx: &ToolContext) {
        make_absolute("file_path", input, ctx);
    }

    fn backfills(&self) -> bool {
        true
    }

    async fn validate(&self, input: &ReadInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        check_text("file_path", &input.file_path)?;
        if input.limit == Some(0) {
            return Err(InvalidInput::new("`limit` is 0; ask for at least one line"));
        }
        if let Some(pages) = &input.pages {
            if input.offset.is_some() || input.limit.is_some() {
                return Err(InvalidInput::new(
                    "`pages` is for PDF documents and offset and limit are for text; give one",
                ));
            }
            pages::parse(pages).map_err(InvalidInput::new)?;
        }
        Ok(())
    }

    fn describe(&self, input: &ReadInput) -> String {
        let path = &input.file_path;
        match (input.offset, input.limit, &input.pages) {
            (_, _, Some(pages)) => format!("Read {path}, pages {pages}"),
            (None, None, None) => format!("Read {path}"),
            (Some(offset), None, None) => format!("Read {path} from line {offset}"),
            (offset, Some(limit), None) => {
                let first = offset.unwrap_or(1).max(1);
                format!("Read {path}, lines {first}-{}", first.saturating_add(limit.saturating_sub(1)))
            }
        }
    }

    async fn call(
        &self,
        input: ReadInput,
        ctx: ToolContext,
        progress: Progress<()>,
    ) -> Result<ToolOutput<ReadOutput>, ToolError> {
        let grant = Grant::of(&self.accesses(&input, &ctx));
        self.call_granted(input, grant, ctx, progress).await
    }

    async fn call_granted(
        &self,
        input: ReadInput,
        grant: Grant,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<ReadOutput>, ToolError> {
        let services = self.services.clone();
        let call = (input.clone(), ctx.clone());
        let looked = blocking(move || look::look(&call.0, &grant, &call.1, &services)).await?;
        match looked {
            Looked::Done(output) => Ok(ToolOutput::new(output)),
            #[cfg(feature = "pdf")]
            Looked::Pdf { named, bytes } => pdf::read(&input, &named, bytes, &ctx).await.map(ToolOutput::new),
        }
    }

    fn to_result(&self, output: &ReadOutput) -> Vec<ResultContent> {
        output.blocks()
    }

    fn render_result(&self, output: &ReadOutput) -> Option<String> {
        Some(output.line())
    }
}
