//! The whole write, under the file's lock; it runs to its end once it began.

use super::{WriteInput, WriteKind, WriteOutput};
use crate::change::{self, Change, Knowledge};
use crate::file::encoding::{self, TextFile};
use crate::file::error::FileError;
use crate::file::ledger::Extent;
use crate::file::line_ends;
use crate::file::patch::structured_patch;
use crate::file::place::{Held, Place, Put};
use crate::history;
use crate::services::{ReadBeforeEdit, Services};
use pegboard_tool_core::{ErrorKind, Grant, ToolContext, ToolError};

pub(super) fn write(
    input: WriteInput,
    grant: &Grant,
    ctx: &ToolContext,
    services: &Services,
) -> Result<WriteOutput, ToolError> {
    let named = ctx.absolute(&input.file_path);
    let done = change::under_lock(&input.file_path, grant, ctx, services, |change| {
        let held = Place::find(&change.canonical).and_then(|place| {
            let held = place.hold(&|| ctx.cancel.is_cancelled())?;
            Ok((place, held))
        });
        match held {
            Err(FileError::Missing) => change.create(input.content.as_bytes()).map(|()| None),
            Err(error) => Err(error.about(change.shown)),
            Ok((place, held)) => replace(&input, change, &place, held).map(Some),
        }
    })?;
    let file_path = named.to_string_lossy().into_owned();
    Ok(match done {
        None => WriteOutput {
            kind: WriteKind::Create,
            file_path,
            content: input.content,
            structured_patch: Vec::new(),
            original_file: None,
            linked_names: None,
        },
        Some(Done { before, after, put }) => WriteOutput {
            kind: WriteKind::Update,
            file_path,
            content: input.content,
            structured_patch: structured_patch(&before, &after),
            original_file: Some(before),
            linked_names: change::linked_names(put),
        },
    })
}

/// What became of a file that was there.
struct Done {
    before: String,
    after: String,
    put: Put,
}

fn replace(
    input: &WriteInput,
    change: &Change<'_>,
    place: &Place,
    mut held: Held,
) -> Result<Done, ToolError> {
    let shown = change.shown;
    let about = |error: FileError| change.about(error);
    change.refuse_binary(&held.version.bytes)?;
    // What a notebook holds is not what anybody would guess, so it is always read first.
    let habit = if change.is_notebook() { ReadBeforeEdit::Strict } else { change.services.read_before_edit };
    if change.knowledge(&held.version, Extent::Whole, habit)? == Knowledge::Stale {
        let text = format!("{shown} changed since it was read, so nothing was written; read it again");
        return Err(ToolError::new(ErrorKind::Conflict, text));
    }
    let before = std::mem::take(&mut held.version.bytes);
    let file = encoding::decode(before.clone()).map_err(about)?;
    change::refuse_omissions(&input.content, &file.text, &file.text, shown)?;
    let after = in_the_style_of(&file, &input.content);
    let bytes = file.encode(&after).map_err(about)?;
    let mut put = Put::Replaced;
    if bytes != before {
        history::keep(change.services, change.ctx, &change.canonical)?;
        put = place.replace(&bytes, &held).map_err(about)?;
        history::changed(change.services, change.ctx, &change.canonical);
    }
    change.ledger.note_whole(&change.canonical, &bytes);
    Ok(Done { before: file.text, after, put })
}

/// `content` with the line ends of the file, and without a byte order mark of its own.
fn in_the_style_of(file: &TextFile, content: &str) -> String {
    let content = if file.bom { content.strip_prefix('\u{feff}').unwrap_or(content) } else { content };
    line_ends::like(&file.text, content)
}
