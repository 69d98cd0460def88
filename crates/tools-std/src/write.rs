//! Write: creates or replaces a file, whole or not at all. The model may expect that folders are made,
//! that links are followed to their target, and that a replaced file keeps its mode bits, encoding,
//! byte order mark and CRLF line ends. Hard links part: the other name keeps the old content.

use crate::blocking::blocking;
use crate::change::{Knowledge, knowledge};
use crate::file::encoding::{self, TextFile};
use crate::file::error::FileError;
use crate::file::judged::judged;
use crate::file::ledger::{Extent, ReadLedger};
use crate::file::patch::{Hunk, structured_patch, unified};
use crate::file::place::{self, Place};
use crate::file::version::Version;
use crate::history;
use crate::input::{check_text, make_absolute, with_alias};
use crate::services::Services;
use pegboard_tool_core::{
    AccessMode, Accesses, Concurrency, Effects, ErrorKind, Grant, InvalidInput, Progress, ResultContent,
    Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, resolve_links,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use std::sync::PoisonError;

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
         CRLF line ends."
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
        check_text("file_path", &input.file_path)
    }

    fn describe(&self, input: &WriteInput) -> String {
        format!("Write {}", input.file_path)
    }

    fn render_use(&self, input: &WriteInput, ctx: &ToolContext) -> Option<String> {
        let before = text_for_people(&ctx.absolute(&input.file_path)).unwrap_or_default();
        Some(unified(&structured_patch(&before, &input.content)))
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
        blocking(move || write(input, &grant, &ctx, &services)).await.map(ToolOutput::new)
    }

    fn to_result(&self, output: &WriteOutput) -> Vec<ResultContent> {
        let lines = output.content.lines().count();
        let text = match output.kind {
            WriteKind::Create => format!("Created {} ({lines} lines)", output.file_path),
            WriteKind::Update if output.structured_patch.is_empty() => {
                format!("{} already had this content", output.file_path)
            }
            WriteKind::Update => format!("Replaced {} ({lines} lines)", output.file_path),
        };
        vec![ResultContent::Text(text)]
    }
}

/// Largest file whose change is shown to people as a whole.
const MAX_SHOWN_BYTES: u64 = 4 * 1024 * 1024;

/// The text of a file for a person who is asked about a change of it; nothing when it is none.
pub(crate) fn text_for_people(named: &Path) -> Option<String> {
    std::fs::metadata(named).ok().filter(|meta| meta.len() <= MAX_SHOWN_BYTES)?;
    let version = place::read(&resolve_links(named).ok()?).ok()?;
    encoding::decode(version.bytes).ok().map(|file| file.text)
}

/// The whole write, under the file's lock; runs to its end once it began.
fn write(
    input: WriteInput,
    grant: &Grant,
    ctx: &ToolContext,
    services: &Services,
) -> Result<WriteOutput, ToolError> {
    let shown = input.file_path.as_str();
    let named = ctx.absolute(shown);
    let ledger = ctx.session.of::<ReadLedger>();
    let lock = ledger.lock_of(&judged(&named, AccessMode::Write, grant, shown)?);
    let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
    if ctx.cancel.is_cancelled() {
        return Err(ToolError::cancelled());
    }
    // Somebody may have moved it while we waited.
    let canonical = judged(&named, AccessMode::Write, grant, shown)?;
    let file_path = named.to_string_lossy().into_owned();
    let version = match place::read(&canonical) {
        Err(FileError::Missing) => {
            let bytes = input.content.as_bytes();
            history::keep(services, ctx, &canonical)?;
            Place::make(&canonical)
                .and_then(|place| place.create(bytes))
                .map_err(|error| error.about(shown))?;
            history::changed(services, ctx, &canonical);
            ledger.note_whole(&canonical, bytes);
            return Ok(WriteOutput {
                kind: WriteKind::Create,
                file_path,
                content: input.content,
                structured_patch: Vec::new(),
                original_file: None,
            });
        }
        other => other.map_err(|error| error.about(shown))?,
    };
    let original = replace(&input, &canonical, version, &ledger, (services, ctx))?;
    Ok(WriteOutput {
        kind: WriteKind::Update,
        file_path,
        structured_patch: structured_patch(&original, &input.content),
        content: input.content,
        original_file: Some(original),
    })
}

fn replace(
    input: &WriteInput,
    canonical: &Path,
    version: Version,
    ledger: &ReadLedger,
    (services, ctx): (&Services, &ToolContext),
) -> Result<String, ToolError> {
    let shown = input.file_path.as_str();
    let about = |error: FileError| error.about(shown);
    let habit = services.read_before_edit;
    if knowledge(ledger, canonical, &version, Extent::Whole, habit, shown)? == Knowledge::Stale {
        let text = format!("{shown} changed since it was read, so nothing was written; read it again");
        return Err(ToolError::new(ErrorKind::Conflict, text));
    }
    let Version { bytes: before, hash: _, meta } = version;
    let file = encoding::decode(before.clone()).map_err(about)?;
    let bytes = file.encode(&in_the_style_of(&file, &input.content)).map_err(about)?;
    if bytes != before {
        history::keep(services, ctx, canonical)?;
        Place::find(canonical).and_then(|place| place.replace(&bytes, &meta)).map_err(about)?;
        history::changed(services, ctx, canonical);
    }
    ledger.note_whole(canonical, &bytes);
    Ok(file.text)
}

/// `content` with the line ends of a file that has only CRLF, and without a mark of its own.
fn in_the_style_of(file: &TextFile, content: &str) -> String {
    let content = if file.bom { content.strip_prefix('\u{feff}').unwrap_or(content) } else { content };
    let crlf = file.text.matches("\r\n").count();
    let only_crlf = crlf > 0 && crlf == file.text.matches('\n').count();
    if only_crlf && !content.contains("\r\n") { content.replace('\n', "\r\n") } else { content.to_owned() }
}
