//! What Edit and Write share: whether the model knows the file that it is about to change.

use crate::file::ledger::{Extent, ReadLedger};
use crate::file::version::Version;
use crate::services::ReadBeforeEdit;
use pegboard_tool_core::{ErrorKind, ToolError};
use std::path::Path;

/// Whether what the model saw is what is there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Knowledge {
    /// It is.
    Fresh,
    /// The file changed since.
    Stale,
}

/// Compares what the model saw of a file with what is there.
///
/// # Errors
/// When it has not seen enough of it.
pub(crate) fn knowledge(
    ledger: &ReadLedger,
    canonical: &Path,
    version: &Version,
    least: Extent,
    habit: ReadBeforeEdit,
    shown: &str,
) -> Result<Knowledge, ToolError> {
    let seen = ledger.seen(canonical);
    if habit == ReadBeforeEdit::Strict {
        let problem = match seen.map(|seen| seen.extent) {
            None => "exists but has not been read in this conversation; read it first",
            Some(Extent::Partial) => {
                "was only seen as a PARTIAL view; read it first, with offset and limit if it is long"
            }
            Some(extent) if extent < least => {
                "was only read in parts; read the whole of it first, or use Edit"
            }
            Some(_) => "",
        };
        if !problem.is_empty() {
            return Err(ToolError::new(ErrorKind::Conflict, format!("{shown} {problem}")));
        }
    }
    Ok(match seen {
        Some(seen) if seen.hash != version.hash => Knowledge::Stale,
        _ => Knowledge::Fresh,
    })
}
