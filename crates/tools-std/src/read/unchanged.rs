//! Which lines of which content the conversation has seen, so that reading them again can say that
//! nothing changed. Said once only: who asks for the same lines again has lost them and gets them.

use crate::file::ledger::ContentHash;
use pegboard_tool_core::ToolContext;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Fewer characters are shown again: saying that they did not change would save nothing.
const FEWEST_CHARS: usize = 2_000;
/// Ranges that are remembered of a file.
const RANGES: usize = 64;
/// Files that are remembered.
const FILES: usize = 4_096;
/// Switches it off.
const VARIABLE: &str = "PEGBOARD_READ_UNCHANGED";

/// Lines that were asked for: first, how many, and the token limit.
pub(super) type Range = (Option<u64>, Option<u64>, usize);
/// A file, and the agent that read it: agents do not see each other's results.
type Reader = (PathBuf, Option<Arc<str>>);

/// What Read has shown in this session. A host that drops results from the conversation (by
/// compacting it, say) calls [`ShownReads::forget_all`].
#[derive(Debug, Default)]
pub struct ShownReads {
    shown: Mutex<HashMap<Reader, Vec<(Range, ContentHash)>>>,
}

impl ShownReads {
    /// Forgets everything: what is read next is shown, changed or not.
    pub fn forget_all(&self) {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Whether this was shown already; asking takes it back.
    pub(super) fn take(&self, file: &Path, ctx: &ToolContext, range: Range, hash: ContentHash) -> bool {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(ranges) = shown.get_mut(&reader(file, ctx)) else { return false };
        let before = ranges.len();
        ranges.retain(|known| *known != (range, hash));
        ranges.len() < before
    }

    /// Notes what is being shown.
    pub(super) fn note(&self, file: &Path, ctx: &ToolContext, range: Range, hash: ContentHash, text: &str) {
        let off = ctx.env.get(VARIABLE).is_some_and(|value| matches!(value.as_str(), "0" | "false" | "off"));
        if off || text.len() < FEWEST_CHARS {
            return;
        }
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.len() >= FILES {
            shown.clear();
        }
        let ranges = shown.entry(reader(file, ctx)).or_default();
        // What was seen of another content is of no use any more.
        ranges.retain(|(known, of)| *known != range && *of == hash);
        if ranges.len() >= RANGES {
            ranges.remove(0);
        }
        ranges.push((range, hash));
    }
}

fn reader(file: &Path, ctx: &ToolContext) -> Reader {
    (file.to_path_buf(), ctx.agent_id.clone())
}
