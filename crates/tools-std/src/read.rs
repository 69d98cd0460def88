//! Read: the text of a file with line numbers. The model may expect at most 2,000 lines and 25,000
//! estimated tokens (`CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS`), long lines cut with a mark, and a
//! notice whenever it does not see everything. What it saw is noted for Edit and Write.

mod page;

use crate::blocking::blocking;
use crate::file::encoding::{self, Encoding};
use crate::file::error::FileError;
use crate::file::judged::judged;
use crate::file::ledger::{ReadLedger, Seen};
use crate::file::lines::numbered;
use crate::file::place;
use crate::input::{check_text, make_absolute, with_alias};
use crate::services::Services;
use page::{Page, Wanted};
use pegboard_tool_core::{
    AccessMode, Accesses, Concurrency, Effects, ErrorKind, Grant, InvalidInput, Progress, ResultContent,
    Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

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
    /// Pages of a PDF, such as `3` or `1-5`.
    #[serde(default)]
    pub pages: Option<String>,
}

/// Output of [`Read`].
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReadOutput {
    /// A text.
    Text {
        /// What was read of it.
        file: TextView,
    },
}

/// A part of a text file.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextView {
    /// Absolute path.
    pub file_path: String,
    /// The lines, without numbers, joined by newlines.
    pub content: String,
    /// How many lines `content` has.
    pub num_lines: usize,
    /// Number of the first one, from 1.
    pub start_line: usize,
    /// Lines of the whole file.
    pub total_lines: usize,
    /// Whether our own limits cut it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated_by_token_cap: Option<bool>,
    /// What the reader must know beside the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
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
        "Reads a text file and shows it with line numbers (number, tab, text; the number is not part of the file). \
         Shows up to 2,000 lines from the start; use offset and limit for other parts of a long file. Lines over \
         2,000 characters are cut. A file must be read before Edit or Write may change it. For folders use Glob."
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
        Ok(())
    }

    fn describe(&self, input: &ReadInput) -> String {
        format!("Read {}", input.file_path)
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
        let file = blocking(move || read(&input, &grant, &ctx, &services)).await?;
        Ok(ToolOutput::new(ReadOutput::Text { file }))
    }

    fn to_result(&self, output: &ReadOutput) -> Vec<ResultContent> {
        let ReadOutput::Text { file } = output;
        let mut blocks = Vec::new();
        if file.num_lines > 0 {
            // A line may hold a lone carriage return, so the content is cut at newlines only.
            blocks.push(ResultContent::Text(numbered(file.start_line, file.content.split('\n'))));
        }
        blocks.extend(file.notices.iter().cloned().map(ResultContent::Text));
        blocks
    }
}

fn read(
    input: &ReadInput,
    grant: &Grant,
    ctx: &ToolContext,
    services: &Services,
) -> Result<TextView, ToolError> {
    let shown = input.file_path.as_str();
    let named = ctx.absolute(shown);
    let ledger = ctx.session.of::<ReadLedger>();
    let canonical = judged(&named, AccessMode::Read, grant, shown)?;
    let lock = ledger.lock_of(&canonical);
    let _held = lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let version = match place::read(&canonical) {
        Err(FileError::Missing) => return Err(missing(shown, &named, ctx, services)),
        other => other.map_err(|error| error.about(shown))?,
    };
    let pdf = version.bytes.starts_with(b"%PDF-");
    if !pdf && input.pages.is_some() {
        let text = format!("`pages` is for PDF documents, which {shown} is not; use offset and limit");
        return Err(ToolError::new(ErrorKind::InvalidInput, text));
    }
    let claims_pdf = named.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"));
    if !pdf && claims_pdf && !version.bytes.is_empty() {
        return Err(FileError::NotPdf.about(shown));
    }
    let hash = version.hash;
    let text = encoding::decode(version.bytes).map_err(|error| error.about(shown))?;
    let wanted = Wanted { offset: input.offset, limit: input.limit, max_tokens: max_tokens(ctx) };
    let page = Page::of(&text.text, &wanted)
        .map_err(|problem| ToolError::new(ErrorKind::InvalidInput, format!("{shown}: {problem}")))?;
    ledger.note(&canonical, Seen { hash, extent: page.extent });
    let mut notices = page.notices;
    if text.encoding != Encoding::Utf8 {
        notices.push(format!("[encoding: {}]", text.encoding.name()));
    }
    Ok(TextView {
        file_path: named.to_string_lossy().into_owned(),
        num_lines: page.lines.len(),
        content: page.lines.join("\n"),
        start_line: page.start,
        total_lines: page.total,
        truncated_by_token_cap: page.cut_by_us.then_some(true),
        notices,
    })
}

/// A missing file, with names beside it that differ little, as far as they may be read.
fn missing(shown: &str, named: &Path, ctx: &ToolContext, services: &Services) -> ToolError {
    let near = near_names(named, ctx, services);
    let hint = match near.is_empty() {
        true => format!("; relative paths start at {}", ctx.cwd.display()),
        false => format!("; did you mean {}?", near.join(" or ")),
    };
    ToolError::new(ErrorKind::NotFound, format!("{shown} {}{hint}", FileError::Missing))
}

fn near_names(named: &Path, ctx: &ToolContext, services: &Services) -> Vec<String> {
    let (Some(folder), Some(name)) = (named.parent(), named.file_name().map(|name| name.to_string_lossy()))
    else {
        return Vec::new();
    };
    // Names of other folders are nobody's business in an error.
    let within = |root: &Path| folder.starts_with(root);
    if !(within(&ctx.project_dir) || ctx.directories.iter().any(|root| within(root))) {
        return Vec::new();
    }
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(1_000);
    let mut near: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|other| stem(other) == stem(&name) || other.eq_ignore_ascii_case(&name))
        .filter(|other| !services.denies_reading(&folder.join(other), ctx))
        .collect();
    near.sort();
    near.truncate(3);
    near
}

fn max_tokens(ctx: &ToolContext) -> usize {
    let given = ctx.env.get("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS").and_then(|value| value.parse().ok());
    given.filter(|tokens| *tokens > 0).unwrap_or(page::MAX_TOKENS)
}
