//! What Edit says to the model: what it did, and why it did nothing.

use super::{EditInput, EditOutput};
use crate::file::edit_engine::{self, EditProblem, MAX_COUNTED};
use crate::file::lines::{line_at, numbered, region};
use crate::file::near_miss::{self, Sought};
use crate::file::patch::Hunk;
use pegboard_tool_core::{ErrorKind, ToolError};

const MAX_SHOWN_HUNKS: usize = 5;
const MAX_SHOWN_LINES: usize = 40;
/// Shorter texts are found by chance.
const LONG_ENOUGH: usize = 12;

/// What was done.
pub(super) fn done(output: &EditOutput) -> String {
    let verb = if output.original_file.is_some() { "Edited" } else { "Created" };
    let mut text = format!("{verb} {}", output.file_path);
    if let Some(names) = output.linked_names {
        text.push_str(&format!(" (the file has {names} names; all of them show the change)"));
    }
    for hunk in output.structured_patch.iter().take(MAX_SHOWN_HUNKS) {
        text.push_str(if text.ends_with('\n') { "  ...\n" } else { ". It now has:\n" });
        text.push_str(&now(hunk));
        text.push('\n');
    }
    if output.structured_patch.len() > MAX_SHOWN_HUNKS {
        text.push_str(&format!("  ... and {} more places", output.structured_patch.len() - MAX_SHOWN_HUNKS));
    }
    text.trim_end().to_owned()
}

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
    let shown = numbered(hunk.new_start.max(1), shown);
    if total > MAX_SHOWN_LINES {
        format!("{shown}\n  ... {} more lines", total - MAX_SHOWN_LINES)
    } else {
        shown
    }
}

/// Why the text of the file was not changed.
pub(super) fn problem(input: &EditInput, text: &str, problem: &EditProblem) -> ToolError {
    let shown = &input.file_path;
    let replacements = input.replacements();
    let name = |index: usize| match input.edits.len() {
        0 => "old_string".to_owned(),
        _ => format!("the text of block {}", index + 1),
    };
    let given = |index: usize| replacements.get(index).map_or(("", ""), |one| (one.old, one.new));
    let nothing = if input.edits.len() > 1 { "; no block was applied" } else { "" };
    let (kind, said) = match problem {
        EditProblem::EmptyOld { index } => (ErrorKind::InvalidInput, format!("{} is empty", name(*index))),
        EditProblem::NoChange { index } => (
            ErrorKind::InvalidInput,
            format!("{} and the new text are the same: nothing would change in {shown}", name(*index)),
        ),
        EditProblem::NotFound { index } => {
            let (old, new) = given(*index);
            let mut help = near_miss::explain(text, old, sought(input));
            if let Some(line) = made_before(text, new) {
                help.push_str(&format!(
                    "\nThe new text is in the file already (line {line}); the edit may have been made before."
                ));
            }
            (ErrorKind::NotFound, format!("{} was not found in {shown}{nothing}: {help}", name(*index)))
        }
        EditProblem::Ambiguous { index, lines } => {
            let listed: Vec<String> = lines.iter().take(20).map(ToString::to_string).collect();
            let more = if lines.len() > listed.len() { ", ..." } else { "" };
            let count = match lines.len() {
                MAX_COUNTED => format!("at least {MAX_COUNTED}"),
                count => count.to_string(),
            };
            let or_all = if input.edits.is_empty() { ", or set replace_all" } else { "" };
            let said = format!(
                "{} has {count} matches in {shown} (lines {}{more}){nothing}; add text around it so that it matches \
                 once{or_all}",
                name(*index),
                listed.join(", ")
            );
            (ErrorKind::InvalidInput, said)
        }
        EditProblem::Overlap { index, other } => (
            ErrorKind::InvalidInput,
            format!(
                "blocks {} and {} change the same lines of {shown}; no block was applied, make one block of them",
                other.min(index) + 1,
                other.max(index) + 1
            ),
        ),
    };
    ToolError::new(kind, said)
}

/// What the texts of a call are.
fn sought(input: &EditInput) -> Sought {
    if input.edits.is_empty() { Sought::Text } else { Sought::Lines }
}

/// The line of a new text that is in the file already.
fn made_before(text: &str, new: &str) -> Option<usize> {
    if new.trim().len() < LONG_ENOUGH {
        return None;
    }
    edit_engine::places(text, new).first().map(|place| line_at(text, place.start))
}

/// What is there now of a file that changed since it was read.
pub(super) fn stale(input: &EditInput, text: &str) -> ToolError {
    let shown = &input.file_path;
    let old = input.replacements().first().map_or("", |one| one.old);
    let around = match edit_engine::places(text, old).first() {
        Some(place) => {
            let (from, to) = (line_at(text, place.start), line_at(text, place.end));
            format!("the text is now at:\n{}", region(text, from.saturating_sub(5), to + 5))
        }
        None if text.lines().count() <= MAX_SHOWN_LINES => {
            format!("it is now:\n{}", near_miss::beginning(text, MAX_SHOWN_LINES))
        }
        None => format!(
            "the text to replace is no longer in it: {}",
            near_miss::explain(text, old, sought(input))
        ),
    };
    let text = format!(
        "{shown} changed since it was read, so nothing was written; {around}\nIf the edit is still right, make it again."
    );
    ToolError::new(ErrorKind::Conflict, text)
}
