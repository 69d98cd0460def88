//! The whole edit, under the file's lock; it runs to its end once it began.

use super::words;
use super::{EditInput, EditOutput};
use crate::change::{self, Change, Knowledge};
use crate::file::edit_engine;
use crate::file::encoding;
use crate::file::error::FileError;
use crate::file::ledger::{self, Extent, Seen};
use crate::file::patch::structured_patch;
use crate::file::place::{Place, Put};
use crate::history;
use crate::services::Services;
use pegboard_tool_core::{ErrorKind, Grant, ToolContext, ToolError};

/// What became of a file.
struct Done {
    before: Option<String>,
    after: String,
    put: Put,
}

pub(super) fn edit(
    input: EditInput,
    grant: &Grant,
    ctx: &ToolContext,
    services: &Services,
) -> Result<EditOutput, ToolError> {
    let named = ctx.absolute(&input.file_path);
    let Done { before, after, put } =
        change::under_lock(&input.file_path, grant, ctx, services, |change| match input.creates() {
            true => create(&input, change),
            false => replace(&input, change),
        })?;
    Ok(EditOutput {
        structured_patch: structured_patch(before.as_deref().unwrap_or_default(), &after),
        file_path: named.to_string_lossy().into_owned(),
        original_file: before,
        old_string: input.old_string,
        new_string: input.new_string,
        user_modified: false,
        replace_all: input.replace_all,
        linked_names: change::linked_names(put),
    })
}

fn create(input: &EditInput, change: &Change<'_>) -> Result<Done, ToolError> {
    if std::fs::symlink_metadata(&change.canonical).is_ok() {
        let shown = change.shown;
        let text = format!(
            "the text to replace is empty, which creates a file, but {shown} exists; give the text that is there now"
        );
        return Err(ToolError::new(ErrorKind::InvalidInput, text));
    }
    change.create(input.new_string.as_bytes())?;
    Ok(Done { before: None, after: input.new_string.clone(), put: Put::Replaced })
}

fn replace(input: &EditInput, change: &Change<'_>) -> Result<Done, ToolError> {
    let shown = change.shown;
    let about = |error: FileError| change.about(error);
    if change.is_notebook() {
        let text = format!(
            "{shown} is a notebook, whose cells are not what is in the file; change them with NotebookEdit, or \
             replace all of it with Write"
        );
        return Err(ToolError::new(ErrorKind::InvalidInput, text));
    }
    let place = Place::find(&change.canonical).map_err(about)?;
    let mut held = place.hold(&|| change.ctx.cancel.is_cancelled()).map_err(about)?;
    change.refuse_binary(&held.version.bytes)?;
    let known = change.knowledge(&held.version, Extent::Range, change.services.read_before_edit)?;
    let file = encoding::decode(std::mem::take(&mut held.version.bytes)).map_err(about)?;
    if known == Knowledge::Stale {
        // The model sees the fresh region, so it may edit there next.
        change.ledger.note(&change.canonical, Seen::of(held.version.hash, Extent::Range));
        return Err(words::stale(input, &file.text));
    }
    let edited = edit_engine::apply(&file.text, &input.replacements())
        .map_err(|problem| words::problem(input, &file.text, &problem))?;
    change::refuse_omissions(&input.new_string, &file.text, &input.old_string, shown)?;
    let bytes = file.encode(&edited.text).map_err(about)?;
    history::keep(change.services, change.ctx, &change.canonical)?;
    let put = place.replace(&bytes, &held).map_err(about)?;
    history::changed(change.services, change.ctx, &change.canonical);
    change.ledger.note_edit(&change.canonical, (&file.text, &edited.text), ledger::hash(&bytes));
    Ok(Done { before: Some(file.text), after: edited.text, put })
}
