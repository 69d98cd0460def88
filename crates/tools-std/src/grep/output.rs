//! The answer of Grep: a page of what was found.

use super::hits::{FileHits, Line};
use super::input::{Options, OutputMode};
use super::sink::Keep;
use crate::search::root::Root;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes of one page, however many entries the call asks for; the notice says where to go on.
const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;

/// Output of [`super::Grep`].
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GrepOutput {
    /// The mode that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<OutputMode>,
    /// Files in this page.
    pub num_files: usize,
    /// Their names; relative to the working directory where they are below it. Empty in other modes
    /// than `files_with_matches`.
    pub filenames: Vec<String>,
    /// Lines of this page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// How many lines `content` has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_lines: Option<usize>,
    /// Matching lines in all files, beyond this page too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_matches: Option<u64>,
    /// Files with a match, beyond this page too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_files: Option<usize>,
    /// Lines of output, beyond this page too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<usize>,
    /// The limit, when it left something out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_limit: Option<usize>,
    /// The offset, when there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_offset: Option<usize>,
    /// What the reader must know beside the results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// Names of the files in this page.
pub(super) fn files(hits: &[FileHits], root: &Root, options: &Options) -> GrepOutput {
    let page = hits.iter().skip(options.offset).take(options.limit);
    let filenames = fitting(page.map(|hits| root.shown(&hits.path)));
    let mut output =
        GrepOutput { num_files: filenames.len(), total_files: Some(hits.len()), ..GrepOutput::default() };
    output.paged(filenames.len(), hits.len(), "files", options);
    GrepOutput { filenames, ..output }
}

/// Numbers of matching lines of the files in this page, and of all.
pub(super) fn counts(hits: &[FileHits], root: &Root, options: &Options) -> GrepOutput {
    let page = hits.iter().skip(options.offset).take(options.limit);
    let lines = fitting(page.map(|hits| format!("{}:{}", root.shown(&hits.path), hits.matches)));
    let matches = hits.iter().map(|hits| hits.matches).sum();
    let mut output = GrepOutput {
        num_files: lines.len(),
        content: Some(lines.join("\n")),
        num_matches: Some(matches),
        total_files: Some(hits.len()),
        ..GrepOutput::default()
    };
    output.paged(lines.len(), hits.len(), "files", options);
    if !hits.is_empty() {
        output.notices.push(format!("[total: {matches} matches in {} files]", hits.len()));
    }
    output
}

/// Lines of this page; `again` searches a file whose lines were not kept.
pub(super) fn content(
    hits: Vec<FileHits>,
    root: &Root,
    options: &Options,
    mut again: impl FnMut(&FileHits, Keep) -> Option<Vec<Line>>,
) -> GrepOutput {
    let apart = options.before + options.after > 0;
    let between = |index: usize| usize::from(apart && index > 0);
    let total: usize = hits.iter().enumerate().map(|(index, hits)| hits.total_lines + between(index)).sum();
    let (mut skip, mut lines, mut num_files, mut bytes) = (options.offset, Vec::new(), 0, 0);
    for (index, file) in hits.iter().enumerate() {
        let all = file.total_lines + between(index);
        if lines.len() >= options.limit {
            break;
        }
        if skip >= all {
            skip -= all;
            continue;
        }
        let shown = root.shown(&file.path);
        let mut room = options.limit - lines.len();
        if between(index) > skip {
            lines.push(Line::Break.show(&shown));
            room -= 1;
        }
        let from = skip.saturating_sub(between(index));
        let wanted = room.min(file.total_lines - from);
        let found = match &file.lines {
            Some(kept) => Some(kept.iter().skip(from).take(wanted).cloned().collect()),
            None => again(file, Keep { from, lines: wanted }),
        };
        (num_files, skip) = (num_files + 1, 0);
        // One that is gone meanwhile has no lines; of one that has more than fits the next page shows the rest.
        let Some(found) = found else { continue };
        let taken = fitting(found.iter().map(|line| line.show(&shown)).take_while(|line| {
            bytes += line.len();
            bytes <= MAX_PAGE_BYTES || lines.is_empty()
        }));
        let is_whole = taken.len() == wanted;
        lines.extend(taken);
        if !is_whole {
            break;
        }
    }
    let mut output = GrepOutput {
        num_files,
        num_lines: Some(lines.len()),
        content: Some(lines.join("\n")),
        num_matches: Some(hits.iter().map(|hits| hits.matches).sum()),
        total_files: Some(hits.len()),
        total_lines: Some(total),
        ..GrepOutput::default()
    };
    output.paged(lines.len(), total, "lines", options);
    output
}

/// The first entries, as many as a page may hold in memory.
fn fitting(entries: impl Iterator<Item = String>) -> Vec<String> {
    let mut bytes = 0;
    let fits = |entry: &String| {
        bytes += entry.len();
        bytes <= MAX_PAGE_BYTES
    };
    entries.take_while(fits).collect()
}

impl GrepOutput {
    fn paged(&mut self, shown: usize, total: usize, what: &str, options: &Options) {
        self.mode = Some(options.mode);
        self.applied_offset = Some(options.offset).filter(|offset| *offset > 0);
        let end = options.offset.saturating_add(shown);
        if total == 0 {
            self.notices.push("No matches found".to_owned());
        } else if shown == 0 {
            self.notices.push(format!("No entries at this offset: there are {total} {what}"));
        } else if end < total {
            self.applied_limit = Some(options.limit.min(shown));
            self.notices.push(format!(
                "[{what} {} to {end} of {total}; go on with offset {end}, or narrow the search]",
                options.offset + 1
            ));
        }
    }
}
