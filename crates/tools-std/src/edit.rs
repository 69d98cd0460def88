//! Edit: exact replacement in a file. The model may expect that the text must match literally and
//! once (or `replace_all`), that line ends, encoding, byte order mark, mode bits and everything
//! outside the replaced part survive, and that a file which changed since it was read is not touched.

use crate::blocking::blocking;
use crate::change::{Knowledge, knowledge};
use crate::file::edit_engine::{self, EditProblem, Occurrences, Replacement};
use crate::file::encoding::{self, TextFile};
use crate::file::error::FileError;
use crate::file::judged::judged;
use crate::file::ledger::{self, Extent, ReadLedger, Seen};
use crate::file::lines::{line_at, region};
use crate::file::near_miss;
use crate::file::patch::{Hunk, structured_patch, unified};
use crate::file::place::Place;
use crate::file::version::Version;
use crate::history;
use crate::input::{check_text, make_absolute, with_alias};
use crate::services::Services;
use pegboard_tool_core::{
    AccessMode, Accesses, Concurrency, Effects, ErrorKind, Grant, InvalidInput, Progress, ResultContent,
    Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use std::sync::PoisonError;

/// The tool.
#[derive(Clone, Debug)]
pub struct Edit {
    services: Services,
}

/// Input of [`Edit`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EditInput {
    /// File to change; an absolute path is best.
    pub file_path: String,
    /// Text to replace, exactly as it is in the file. Empty: create the file.
    pub old_string: String,
    /// Text to put there.
    pub new_string: String,
    /// Replace every occurrence instead of the only one.
    #[serde(default)]
    pub replace_all: bool,
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
    }

    fn backfills(&self) -> bool {
        true
    }

    async fn validate(&self, input: &EditInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        check_text("file_path", &input.file_path)
    }

    fn describe(&self, input: &EditInput) -> String {
        format!("Edit {}", input.file_path)
    }

    fn render_use(&self, input: &EditInput, ctx: &ToolContext) -> Option<String> {
        let before = crate::write::text_for_people(&ctx.absolute(&input.file_path));
        let after = before.as_ref().and_then(|text| edit_engine::apply(text, &[replacement(input)]).ok());
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
        blocking(move || edit(input, &grant, &ctx, &services)).await.map(ToolOutput::new)
    }

    fn to_result(&self, output: &EditOutput) -> Vec<ResultContent> {
        let verb = if output.original_file.is_some() { "Edited" } else { "Created" };
        let mut text = format!("{verb} {}", output.file_path);
        for hunk in output.structured_patch.iter().take(MAX_SHOWN_HUNKS) {
            text.push_str(if text.ends_with('\n') { "  ...\n" } else { ". It now has:\n" });
            text.push_str(&now(hunk));
            text.push('\n');
        }
        if output.structured_patch.len() > MAX_SHOWN_HUNKS {
            text.push_str(&format!(
                "  ... and {} more places",
                output.structured_patch.len() - MAX_SHOWN_HUNKS
            ));
        }
        vec![ResultContent::Text(text.trim_end().to_owned())]
    }
}

const MAX_SHOWN_HUNKS: usize = 5;
const MAX_SHOWN_LINES: usize = 40;

/// The lines of a hunk as they are now, numbered.
fn now(hunk: &Hunk) -> String {
    let lines: String = hunk
        .lines
        .iter()
        .filter_map(|line| line.strip_prefix([' ', '+']))
        .map(|line| format!("{line}\n"))
        .collect();
    let shown = region(&lines, 1, MAX_SHOWN_LINES);
    let total = hunk.new_lines;
    // The region is numbered from 1; the hunk starts elsewhere.
    let shown = shown.lines().filter_map(|line| line.split_once('\t')).map(|(_, text)| text);
    let shown = crate::file::lines::numbered(hunk.new_start.max(1), shown);
    if total > MAX_SHOWN_LINES {
        format!("{shown}\n  ... {} more lines", total - MAX_SHOWN_LINES)
    } else {
        shown
    }
}

fn replacement(input: &EditInput) -> Replacement<'_> {
    let occurrences = if input.replace_all { Occurrences::All } else { Occurrences::Unique };
    Replacement { old: &input.old_string, new: &input.new_string, occurrences }
}

/// The whole edit, under the file's lock; runs to its end once it began.
fn edit(
    input: EditInput,
    grant: &Grant,
    ctx: &ToolContext,
    services: &Services,
) -> Result<EditOutput, ToolError> {
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
    if services.denies_reading(&canonical, ctx) {
        return Err(ToolError::new(
            ErrorKind::Forbidden,
            format!("{shown} may not be read, so it cannot be edited"),
        ));
    }
    let (original, text) = if input.old_string.is_empty() {
        create(&input, &canonical, &ledger, (services, ctx))?;
        (None, input.new_string.clone())
    } else {
        let (before, after) = replace(&input, &canonical, &ledger, (services, ctx))?;
        (Some(before), after)
    };
    Ok(EditOutput {
        structured_patch: structured_patch(original.as_deref().unwrap_or_default(), &text),
        file_path: named.to_string_lossy().into_owned(),
        original_file: original,
        old_string: input.old_string,
        new_string: input.new_string,
        user_modified: false,
        replace_all: input.replace_all,
    })
}

fn create(
    input: &EditInput,
    canonical: &Path,
    ledger: &ReadLedger,
    (services, ctx): (&Services, &ToolContext),
) -> Result<(), ToolError> {
    let shown = input.file_path.as_str();
    let about = |error: FileError| error.about(shown);
    if std::fs::symlink_metadata(canonical).is_ok() {
        let text = format!(
            "old_string is empty, which creates a file, but {shown} exists; give the text to replace"
        );
        return Err(ToolError::new(ErrorKind::InvalidInput, text));
    }
    let bytes = input.new_string.as_bytes();
    history::keep(services, ctx, canonical)?;
    Place::make(canonical).and_then(|place| place.create(bytes)).map_err(about)?;
    history::changed(services, ctx, canonical);
    ledger.note_whole(canonical, bytes);
    Ok(())
}

fn replace(
    input: &EditInput,
    canonical: &Path,
    ledger: &ReadLedger,
    (services, ctx): (&Services, &ToolContext),
) -> Result<(String, String), ToolError> {
    let shown = input.file_path.as_str();
    let about = |error: FileError| error.about(shown);
    let place = Place::find(canonical).map_err(about)?;
    let version = place.open().and_then(|file| Version::read(&file)).map_err(about)?;
    let known = knowledge(ledger, canonical, &version, Extent::Range, services.read_before_edit, shown)?;
    let Version { bytes, hash, meta } = version;
    let file = encoding::decode(bytes).map_err(about)?;
    if known == Knowledge::Stale {
        // The model sees the fresh region, so it may edit there next.
        ledger.note(canonical, Seen { hash, extent: Extent::Range });
        return Err(stale(shown, &file.text, &input.old_string));
    }
    let after = edited(input, &file)?;
    let bytes = file.encode(&after).map_err(about)?;
    history::keep(services, ctx, canonical)?;
    place.replace(&bytes, &meta).map_err(about)?;
    history::changed(services, ctx, canonical);
    let extent = ledger.seen(canonical).map_or(Extent::Range, |seen| seen.extent);
    ledger.note(canonical, Seen { hash: ledger::hash(&bytes), extent });
    Ok((file.text, after))
}

fn edited(input: &EditInput, file: &TextFile) -> Result<String, ToolError> {
    let shown = &input.file_path;
    let problem = match edit_engine::apply(&file.text, &[replacement(input)]) {
        Ok(edited) => return Ok(edited.text),
        Err(problem) => problem,
    };
    let (kind, text) = match problem {
        EditProblem::EmptyOld { .. } => (ErrorKind::InvalidInput, "old_string is empty".to_owned()),
        EditProblem::NoChange { .. } => (
            ErrorKind::InvalidInput,
            format!("old_string and new_string are the same: nothing would change in {shown}"),
        ),
        EditProblem::NotFound { text, .. } => {
            let help = near_miss::explain(&text, &input.old_string);
            (ErrorKind::NotFound, format!("old_string was not found in {shown}: {help}"))
        }
        EditProblem::Ambiguous { lines, .. } => {
            let (count, listed) = (lines.len(), lines.iter().take(20).map(ToString::to_string));
            let listed = listed.collect::<Vec<_>>().join(", ");
            let text = format!(
                "old_string has {count} matches in {shown} (lines {listed}); add text around it so that it matches \
                 once, or set replace_all"
            );
            (ErrorKind::InvalidInput, text)
        }
    };
    Err(ToolError::new(kind, text))
}

fn stale(shown: &str, text: &str, old: &str) -> ToolError {
    let around = match edit_engine::places(text, old).first() {
        Some(place) => {
            let (from, to) = (line_at(text, place.start), line_at(text, place.end));
            format!("the text is now at:\n{}", region(text, from.saturating_sub(5), to + 5))
        }
        None if text.lines().count() <= MAX_SHOWN_LINES => {
            format!("it is now:\n{}", near_miss::beginning(text, MAX_SHOWN_LINES))
        }
        None => format!("old_string is no longer in it: {}", near_miss::explain(text, old)),
    };
    let text = format!(
        "{shown} changed since it was read, so nothing was written; {around}\nIf the edit is still right, make it again."
    );
    ToolError::new(ErrorKind::Conflict, text)
}
