//! What the tools that change files share: the file's lock, whether the model knows the file that it is
//! about to change, and what must not be written into one.

use crate::file::encoding;
use crate::file::error::FileError;
use crate::file::judged::judged;
use crate::file::kind;
use crate::file::ledger::{Extent, ReadLedger, Seen};
use crate::file::lines::{MAX_LINE_CHARS, cut_line, lines};
use crate::file::omission;
use crate::file::place::{self, Place, Put};
use crate::file::version::Version;
use crate::history;
use crate::services::{ReadBeforeEdit, Services};
use pegboard_tool_core::{AccessMode, ErrorKind, Grant, ToolContext, ToolError, resolve_links};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

const LOST: &str =
    " [what this session read in earlier runs is not known: `reads.jsonl` in its folder cannot be read]";

/// Bytes that tell whether a file is text.
const HEAD_BYTES: usize = 64 * 1024;

/// How often a new file is tried again when its folder is gone.
const TRIES: u32 = 64;

/// Whether what the model saw is what is there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Knowledge {
    /// It is.
    Fresh,
    /// The file changed since.
    Stale,
}

/// A change of one file that is under way, while its lock is held.
pub(crate) struct Change<'c> {
    /// The path as the model named it.
    pub shown: &'c str,
    /// Where it leads, as it was judged.
    pub canonical: PathBuf,
    pub ledger: Arc<ReadLedger>,
    pub services: &'c Services,
    pub ctx: &'c ToolContext,
}

/// Does `work` on the file that `shown` names, alone among the tools of this session.
///
/// # Errors
/// When the file was not judged, may not be read, or leads elsewhere by now; or what `work` gives.
pub(crate) fn under_lock<T>(
    shown: &str,
    grant: &Grant,
    ctx: &ToolContext,
    services: &Services,
    work: impl FnOnce(&Change<'_>) -> Result<T, ToolError>,
) -> Result<T, ToolError> {
    let named = ctx.absolute(shown);
    let ledger = ReadLedger::of(ctx);
    let lock = ledger.lock_of(&judged(&named, AccessMode::Write, grant, shown)?);
    let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
    if ctx.cancel.is_cancelled() {
        return Err(ToolError::cancelled());
    }
    // Somebody may have moved it while we waited.
    let canonical = judged(&named, AccessMode::Write, grant, shown)?;
    if services.denies_reading(&canonical, ctx) {
        let text = format!("{shown} may not be read, so it cannot be changed");
        return Err(ToolError::new(ErrorKind::Forbidden, text));
    }
    let change = Change { shown, canonical, ledger, services, ctx };
    change.sweep();
    work(&change)
}

impl Change<'_> {
    /// Whether the file is a notebook by its name.
    pub(crate) fn is_notebook(&self) -> bool {
        self.canonical.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb"))
    }

    /// Makes the file, with its folders, and notes that the model knows it.
    ///
    /// # Errors
    /// When it cannot be made, or is there already.
    pub(crate) fn create(&self, bytes: &[u8]) -> Result<(), ToolError> {
        history::keep(self.services, self.ctx, &self.canonical)?;
        self.make(bytes).map_err(|error| error.about(self.shown))?;
        history::changed(self.services, self.ctx, &self.canonical);
        self.ledger.note_whole(&self.canonical, bytes);
        Ok(())
    }

    fn make(&self, bytes: &[u8]) -> Result<(), FileError> {
        let mut tries = 0;
        loop {
            let made = Place::make(&self.canonical).and_then(|place| {
                place.create(bytes)?;
                place.keep_folders();
                Ok(())
            });
            match made {
                // Another write that failed took the folder that it had made with it.
                Err(FileError::Moved) if tries < TRIES => tries += 1,
                other => return other,
            }
        }
    }

    /// Compares what the model saw of the file with what is there.
    ///
    /// # Errors
    /// When it has not seen enough of it.
    pub(crate) fn knowledge(
        &self,
        version: &Version,
        least: Extent,
        habit: ReadBeforeEdit,
    ) -> Result<Knowledge, ToolError> {
        knowledge(&self.ledger, &self.canonical, version, least, habit, self.shown)
    }

    /// Refuses a file that is no text. Read shows pictures and documents, too, but no reading makes text of them.
    ///
    /// # Errors
    /// When it is none, with what it is and what can be done.
    pub(crate) fn refuse_binary(&self, bytes: &[u8]) -> Result<(), ToolError> {
        let size = bytes.len();
        if kind::pdf_start(bytes, kind::is_named(&self.canonical, "pdf")).is_some() {
            return Err(self.about(FileError::Binary { kind: kind::PDF, size }));
        }
        match encoding::recognise(bytes.get(..HEAD_BYTES).unwrap_or(bytes)) {
            Err(FileError::Binary { kind, .. }) => Err(self.about(FileError::Binary { kind, size })),
            _ => Ok(()),
        }
    }

    /// A failure as the answer to the call. Of a file that is no text it says what can be done instead.
    pub(crate) fn about(&self, error: FileError) -> ToolError {
        let FileError::Binary { kind, size } = error else { return error.about(self.shown) };
        let what = if kind.starts_with("it ") || kind.starts_with("of ") {
            format!("a binary file ({kind}, {size} bytes)")
        } else {
            format!("{kind} ({size} bytes)")
        };
        let text = format!(
            "{} is {what}, and this tool changes text only; nothing was changed. {}",
            self.shown,
            kind::way_to_change(kind)
        );
        ToolError::new(ErrorKind::Failed, text)
    }

    /// Removes what killed programs left in the folder, once a session.
    fn sweep(&self) {
        if let Some(folder) = self.canonical.parent()
            && self.ledger.is_first_change_in(folder)
            && let Ok(place) = Place::find(&self.canonical)
        {
            place.sweep();
        }
    }
}

/// Refuses a text with a line that stands for text which was left out. `new` comes in the place of `replaced`, a part
/// of the file `before` or all of it.
///
/// # Errors
/// When there is such a line, and the file does not have it already.
pub(crate) fn refuse_omissions(
    new: &str,
    before: &str,
    replaced: &str,
    shown: &str,
) -> Result<(), ToolError> {
    let Some(line) = omission::marker(new, before, replaced) else { return Ok(()) };
    let text = format!(
        "`{line}` stands for text that was left out; writing it to {shown} would lose that text, so nothing was \
         written. Give the whole text, or use Edit for the part that changes"
    );
    Err(ToolError::new(ErrorKind::InvalidInput, text))
}

/// The names that a change showed up under, when it was made in the file itself and there are several.
pub(crate) fn linked_names(put: Put) -> Option<u64> {
    match put {
        Put::InPlace { names } if names > 1 => Some(names),
        Put::InPlace { .. } | Put::Replaced => None,
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

/// Compares what the model saw of a file with what is there.
///
/// # Errors
/// When it has not seen enough of it.
fn knowledge(
    ledger: &ReadLedger,
    canonical: &Path,
    version: &Version,
    least: Extent,
    habit: ReadBeforeEdit,
    shown: &str,
) -> Result<Knowledge, ToolError> {
    let seen = ledger.seen(canonical);
    if habit == ReadBeforeEdit::Strict {
        let problem = match &seen {
            None => {
                let lost = if ledger.is_damaged() { LOST } else { "" };
                Some(format!("exists but has not been read in this conversation; read it first{lost}"))
            }
            Some(seen) if seen.extent >= least => None,
            Some(seen) if least == Extent::Whole => Some(in_parts(seen, version, canonical)),
            Some(_) => Some(
                "was only seen as a PARTIAL view; read the lines to change first, with offset and limit"
                    .to_owned(),
            ),
        };
        if let Some(problem) = problem {
            return Err(ToolError::new(ErrorKind::Conflict, format!("{shown} {problem}")));
        }
    }
    Ok(match seen {
        Some(seen) if seen.hash != version.hash => Knowledge::Stale,
        _ => Knowledge::Fresh,
    })
}

/// Ranges of lines that are named at once.
const NAMED_RANGES: usize = 5;

/// What is missing of a file that was read in parts, and how it can be had.
fn in_parts(seen: &Seen, version: &Version, canonical: &Path) -> String {
    let read = match seen.extent {
        Extent::Partial => "was only seen as a PARTIAL view",
        Extent::Range | Extent::Whole => "was only read in parts, or with its long lines cut",
    };
    let edit = if kind::is_named(canonical, "ipynb") { "NotebookEdit" } else { "Edit" };
    if seen.hash != version.hash {
        return format!(
            "{read}, and changed since; read all of it, in as many parts as it takes, or use {edit}"
        );
    }
    let Ok(file) = encoding::decode(version.bytes.clone()) else {
        return format!("{read}; read all of it, in as many parts as it takes, or use {edit}");
    };
    let missing = seen.lines.missing(lines(&file.text).count());
    let is_missing = |line: usize| missing.iter().any(|(first, last)| (*first..=*last).contains(&line));
    let mut long = (1..).zip(lines(&file.text)).filter(|(_, text)| text.len() > MAX_LINE_CHARS);
    let long = long.find(|(line, text)| cut_line(text, MAX_LINE_CHARS).1 && is_missing(*line));
    if let Some((line, _)) = long {
        return format!(
            "{read}: line {line} is longer than the {MAX_LINE_CHARS} characters that Read shows of one. Change it with \
             {edit}, which keeps what was cut"
        );
    }
    let name = |(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    let names: Vec<String> = missing.iter().take(NAMED_RANGES).map(name).collect();
    let more = missing.len().saturating_sub(NAMED_RANGES);
    let more = if more > 0 { format!(" and {more} more ranges") } else { String::new() };
    format!(
        "{read}: not seen so far are the lines {}{more}. Read those too, with offset and limit, in as many calls as it \
         takes, or change it with {edit}",
        names.join(", ")
    )
}
