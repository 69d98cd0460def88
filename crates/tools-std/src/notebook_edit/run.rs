//! The whole change, under the file's lock; it runs to its end once it began.

use super::cells::{self, Changed};
use super::notebook::NotebookError;
use super::{EditMode, NotebookEditInput, NotebookEditOutput};
use crate::change::{self, Change, Knowledge};
use crate::file::encoding::{self, Encoding};
use crate::file::error::FileError;
use crate::file::ledger::{self, Extent};
use crate::file::patch::structured_patch;
use crate::file::place::Place;
use crate::history;
use crate::services::{ReadBeforeEdit, Services};
use pegboard_tool_core::{ErrorKind, Grant, ToolContext, ToolError};

/// Largest notebook, in bytes.
const MAX_BYTES: u64 = 100 * 1024 * 1024;

pub(super) fn edit(
    input: NotebookEditInput,
    grant: &Grant,
    ctx: &ToolContext,
    services: &Services,
) -> Result<NotebookEditOutput, ToolError> {
    let named = ctx.absolute(&input.notebook_path);
    let changed =
        change::under_lock(&input.notebook_path, grant, ctx, services, |change| change_file(&input, change))?;
    let new_source = if input.edit_mode == EditMode::Delete { String::new() } else { input.new_source };
    Ok(NotebookEditOutput {
        notebook_path: named.to_string_lossy().into_owned(),
        structured_patch: structured_patch(&changed.old_source, &new_source),
        cell_id: changed.cell,
        cell_type: changed.kind,
        language: changed.language,
        edit_mode: input.edit_mode,
        new_source,
        old_source: changed.old_source,
        cleared: changed.cleared,
    })
}

fn change_file(input: &NotebookEditInput, change: &Change<'_>) -> Result<Changed, ToolError> {
    let shown = change.shown;
    let about = |error: FileError| error.about(shown);
    let place = Place::find(&change.canonical).map_err(about)?;
    let mut held = place.hold(&|| change.ctx.cancel.is_cancelled()).map_err(about)?;
    // Cells are named by what Read showed, so a notebook is always read first.
    let known = change.knowledge(&held.version, Extent::Range, ReadBeforeEdit::Strict)?;
    if known == Knowledge::Stale {
        let text = format!("{shown} changed since it was read, so nothing was written; read it again");
        return Err(ToolError::new(ErrorKind::Conflict, text));
    }
    let bytes = std::mem::take(&mut held.version.bytes);
    if bytes.len() as u64 > MAX_BYTES {
        return Err(about(FileError::TooLarge(MAX_BYTES)));
    }
    let file = encoding::decode(bytes).map_err(about)?;
    if file.encoding != Encoding::Utf8 {
        let text =
            format!("{shown} is in {}; notebooks are UTF-8, so it was not changed", file.encoding.name());
        return Err(ToolError::failed(text));
    }
    let changed = cells::change(&file.text, &input.wanted()).map_err(|error| wrong(shown, &error))?;
    let bytes = file.encode(&changed.text).map_err(about)?;
    history::keep(change.services, change.ctx, &change.canonical)?;
    place.replace(&bytes, &held).map_err(about)?;
    history::changed(change.services, change.ctx, &change.canonical);
    change.ledger.note_edit(&change.canonical, (&file.text, &changed.text), ledger::hash(&bytes));
    Ok(changed)
}

fn wrong(shown: &str, error: &NotebookError) -> ToolError {
    let kind = match error {
        NotebookError::Broken(_) | NotebookError::Format(_) => ErrorKind::Failed,
        NotebookError::NoCell { .. } => ErrorKind::NotFound,
        NotebookError::SameId { .. } | NotebookError::NoChange(_) => ErrorKind::InvalidInput,
    };
    ToolError::new(kind, format!("{shown} {error}"))
}
