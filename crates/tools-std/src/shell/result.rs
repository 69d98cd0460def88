//! What a command gives back: the structured output, and the text in it that is bounded.

use super::output::{Glance, Output, Stored, store_finished};
use super::output_file::Place;
use super::text::{Shown, shown};
use pegboard_tool_core::ResultContent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Characters of a successful command's output that stay inline.
pub(crate) const VALID_CHARS: usize = 30_000;
/// Characters of a failed command's output that stay inline.
pub(crate) const FAILURE_CHARS: usize = 10_000;
/// Characters of each end of a long valid output that are shown.
pub(crate) const VALID_END_CHARS: usize = 4_000;
/// Characters of each end of a long failure that are shown.
pub(crate) const FAILURE_END_CHARS: usize = FAILURE_CHARS / 2 - 200;

/// Output of the tools that run command lines.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CommandOutput {
    /// Standard output and standard error, in their true order; its two ends when it is long.
    pub stdout: String,
    /// Notices of the tool.
    #[serde(default)]
    pub stderr: String,
    /// Whether the command was interrupted.
    #[serde(default)]
    pub interrupted: bool,
    /// What the exit code means where it is neither success nor failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_code_interpretation: Option<String>,
    /// File that holds the whole output, and of a command in the background goes on growing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persisted_output_path: Option<String>,
    /// Size of that file in bytes, once it is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persisted_output_size: Option<u64>,
    /// Id of the task when the command runs on in the background.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background_task_id: Option<String>,
    /// Time limit in milliseconds after which it was moved there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed_out_after_ms: Option<u64>,
    /// What is said about a `cd` that cannot carry over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background_cwd_hint: Option<String>,
}

impl CommandOutput {
    /// What the model reads.
    pub(crate) fn content(&self) -> Vec<ResultContent> {
        let meaning = self.return_code_interpretation.as_ref().map(|meaning| format!("[{meaning}]"));
        let text = Some(self.stdout.trim_end_matches('\n').to_owned());
        let notices = Some(self.stderr.clone());
        // Of what runs on, the state comes first.
        let parts = if self.background_task_id.is_some() {
            [notices, text, meaning]
        } else {
            [text, meaning, notices]
        };
        let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { Vec::new() } else { vec![ResultContent::Text(parts.join("\n"))] }
    }
}

impl CommandOutput {
    /// What people see: the last lines, and what the tool has to say.
    pub(crate) fn for_people(&self) -> String {
        let meaning = self.return_code_interpretation.as_ref().map(|meaning| format!("[{meaning}]"));
        let parts = [Some(tail_for_people(&self.stdout)), meaning, Some(self.stderr.clone())];
        let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { "(no output)".to_owned() } else { parts.join("\n") }
    }
}

/// Lines that people see of an output.
const PEOPLE_LINES: usize = 20;

/// The last lines of a text, and how many are before them.
pub(crate) fn tail_for_people(text: &str) -> String {
    let text = text.trim_end_matches('\n');
    let count = text.lines().count();
    let above = count.saturating_sub(PEOPLE_LINES);
    let tail: Vec<String> = text.lines().skip(above).map(|line| line.chars().take(500).collect()).collect();
    let tail = tail.join("\n");
    if above > 0 { format!("... {above} lines above ...\n{tail}") } else { tail }
}

/// What of an output is shown.
#[derive(Debug)]
pub(crate) struct Kept {
    /// The text, or its two ends.
    pub(crate) text: String,
    /// File that holds all of it.
    pub(crate) path: Option<PathBuf>,
    pub(crate) bytes: u64,
    /// Where the rest is and what was left out, for the model.
    pub(crate) notices: Vec<String>,
}

/// The text of a finished output when it has at most `most` characters; else the file and about `end`
/// characters of each end.
pub(crate) async fn keep(output: &Arc<Output>, most: usize, end: usize, place: Place) -> Kept {
    let mut glance = output.glance();
    if matches!(glance.stored, Stored::Memory) {
        let all = shown(&glance.head);
        let is_short = all.text.chars().count() <= most;
        if is_short && all.overwritten == 0 {
            return Kept { text: all.text, path: None, bytes: glance.bytes, notices: Vec::new() };
        }
        // What was overwritten is nowhere else.
        store_finished(output, place).await;
        glance.stored = output.stored();
        if is_short {
            return whole(all, &glance);
        }
    }
    ends(&glance, end)
}

/// All of an output, with what is to be said about it.
fn whole(all: Shown, glance: &Glance) -> Kept {
    let mut notices: Vec<String> = overwritten_notice(all.overwritten).into_iter().collect();
    let path = where_it_is(glance, 0, &mut notices);
    Kept { text: all.text, path, bytes: glance.bytes, notices }
}

/// The two ends of an output, or all of it where they meet, and where the rest is.
pub(crate) fn ends(glance: &Glance, end: usize) -> Kept {
    let Glance { head, tail, bytes, .. } = glance;
    let (text, left_out, overwritten) = if tail.is_empty() && shown(head).text.chars().count() <= 2 * end {
        let all = shown(head);
        (all.text, 0, all.overwritten)
    } else {
        let first = shown(head);
        // With everything in the head, the end is the end of the head.
        let last = if tail.len() < 4 * end {
            let from = head.len().saturating_sub(4 * end - tail.len());
            shown(&[head.get(from..).unwrap_or_default(), tail].concat())
        } else {
            shown(tail)
        };
        let head = whole_lines_start(&first.text, end);
        let tail = whole_lines_end(&last.text, end).trim_start_matches(char::REPLACEMENT_CHARACTER);
        let left_out = bytes.saturating_sub((head.len() + tail.len()) as u64);
        let gap = format!("... [about {left_out} bytes left out here] ...");
        let break_before = if head.ends_with('\n') { "" } else { "\n" };
        (format!("{head}{break_before}{gap}\n{tail}"), left_out, first.overwritten + last.overwritten)
    };
    let mut notices: Vec<String> = overwritten_notice(overwritten).into_iter().collect();
    let path = where_it_is(glance, left_out, &mut notices);
    Kept { text, path, bytes: *bytes, notices }
}

/// The file that holds all of an output of which `left_out` bytes are not shown, and words about it.
fn where_it_is(glance: &Glance, left_out: u64, notices: &mut Vec<String>) -> Option<PathBuf> {
    let Glance { bytes, stored, .. } = glance;
    match stored {
        Stored::File(path) => {
            notices.push(format!("[all {bytes} bytes of output are in {}]", path.display()));
            Some(path.clone())
        }
        Stored::Memory => None,
        Stored::Lost { path: Some(path), kept, problem } => {
            notices.push(format!(
                "[the output could not be stored ({problem}): {} holds the first {kept} of {bytes} bytes, \
                 what is neither there nor here is lost]",
                path.display()
            ));
            None
        }
        Stored::Lost { path: None, problem, .. } if left_out > 0 => {
            notices.push(format!("[the output could not be stored ({problem}): what is left out is lost]"));
            None
        }
        Stored::Lost { path: None, problem, .. } => {
            notices.push(format!("[the output could not be stored ({problem})]"));
            None
        }
    }
}

pub(crate) fn overwritten_notice(overwritten: usize) -> Option<String> {
    (overwritten > 0).then(|| {
        format!("[{overwritten} pieces of lines were overwritten by what came after a carriage return]")
    })
}

/// The first `most` characters, back to the last full line where that costs less than half.
pub(crate) fn whole_lines_start(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    let start = text.get(..end).unwrap_or_default();
    match start.rfind('\n') {
        Some(at) if end < text.len() && at >= end / 2 => start.get(..=at).unwrap_or_default(),
        _ => start,
    }
}

/// The last `most` characters, on to the next full line where that costs less than half.
pub(crate) fn whole_lines_end(text: &str, most: usize) -> &str {
    let from = match most.checked_sub(1) {
        Some(before) => text.char_indices().rev().nth(before).map_or(0, |(at, _)| at),
        None => text.len(),
    };
    let end = text.get(from..).unwrap_or_default();
    match end.find('\n') {
        Some(at) if from > 0 && at < end.len() / 2 => end.get(at + 1..).unwrap_or_default(),
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_cut_at_lines_and_between_letters() {
        let text = "first line\nsecond line\nthird line\n";
        assert_eq!(whole_lines_start(text, 15), "first line\n");
        assert_eq!(whole_lines_start(text, 21), "first line\n");
        assert_eq!(whole_lines_start(text, 5), "first");
        assert_eq!(whole_lines_start(text, 99), text);
        assert_eq!(whole_lines_end(text, 15), "third line\n");
        assert_eq!(whole_lines_end(text, 99), text);
        assert_eq!(whole_lines_end(text, 0), "");
        assert_eq!(whole_lines_start("中中中", 2), "中中");
        assert_eq!(whole_lines_end("中中中", 2), "中中");
    }

    #[test]
    fn a_disk_that_failed_is_told() {
        let lost = |path: Option<&str>| Glance {
            head: b"short".to_vec(),
            tail: Vec::new(),
            bytes: 5,
            stored: Stored::Lost { path: path.map(PathBuf::from), kept: 3, problem: "no space".into() },
        };
        let told = |glance: Glance| ends(&glance, 100).notices.join("\n");
        assert_eq!(told(lost(None)), "[the output could not be stored (no space)]");
        assert!(told(lost(Some("/x"))).contains("/x holds the first 3 of 5 bytes"));
    }
}
