//! The input of Grep, and what it amounts to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Entries of a page when the call does not say.
const HEAD_LIMIT: u64 = 250;

/// Lines of context at most: they are held in memory while a file streams.
pub(super) const MAX_CONTEXT: usize = 5_000;

/// What a search answers with.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the modes are those of the public tool")]
pub enum OutputMode {
    /// Matching lines.
    Content,
    /// Names of files with a match.
    #[default]
    FilesWithMatches,
    /// How many lines match in each file.
    Count,
}

/// Input of [`super::Grep`].
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GrepInput {
    /// Regular expression in ripgrep's syntax.
    pub pattern: String,
    /// File or folder to search in; without it the working directory.
    #[serde(default)]
    pub path: Option<String>,
    /// Glob for files, such as `*.{ts,tsx}`; with `!` in front for those to leave out.
    #[serde(default)]
    pub glob: Option<String>,
    /// Type of file, such as `rust`, `js`, `py`.
    #[serde(rename = "type", default)]
    pub file_type: Option<String>,
    /// What to answer with; default `files_with_matches`.
    #[serde(default)]
    pub output_mode: Option<OutputMode>,
    /// Ignore letter case.
    #[serde(rename = "-i", default)]
    pub ignore_case: Option<bool>,
    /// Show line numbers (content only); default true.
    #[serde(rename = "-n", default)]
    pub line_numbers: Option<bool>,
    /// Show only the matching part of a line (content only).
    #[serde(rename = "-o", default)]
    pub only_matching: Option<bool>,
    /// Lines to show after each match (content only), at most 5000.
    #[serde(rename = "-A", default)]
    pub after: Option<u64>,
    /// Lines to show before each match (content only), at most 5000.
    #[serde(rename = "-B", default)]
    pub before: Option<u64>,
    /// Lines to show around each match (content only), at most 5000.
    #[serde(rename = "-C", default)]
    pub around: Option<u64>,
    /// The same as `-C`.
    #[serde(default)]
    pub context: Option<u64>,
    /// Entries (lines or files) to show at most; default 250, 0 for all.
    #[serde(default)]
    pub head_limit: Option<u64>,
    /// Entries to leave out first.
    #[serde(default)]
    pub offset: Option<u64>,
    /// Let patterns span lines, and `.` match line ends.
    #[serde(default)]
    pub multiline: Option<bool>,
}

/// The options of a search, defaults applied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub mode: OutputMode,
    pub line_numbers: bool,
    pub only_matching: bool,
    pub before: usize,
    pub after: usize,
    /// The most lines of context that the call asks for.
    pub asked_context: usize,
    pub multiline: bool,
    /// Whether the pattern names letters that each encoding writes its own way.
    pub beyond_ascii: bool,
    pub offset: usize,
    /// Entries of a page; `usize::MAX` for all.
    pub limit: usize,
}

impl Options {
    /// What `input` amounts to.
    pub(super) fn of(input: &GrepInput) -> Self {
        let mode = input.output_mode.unwrap_or_default();
        let only_matching = input.only_matching.unwrap_or(false);
        let around = input.around.or(input.context);
        let lines = |own: Option<u64>| match mode {
            OutputMode::Content if !only_matching => count(own.or(around).unwrap_or(0)).min(MAX_CONTEXT),
            _ => 0,
        };
        let limit = count(input.head_limit.unwrap_or(HEAD_LIMIT));
        Self {
            mode,
            line_numbers: input.line_numbers.unwrap_or(true),
            only_matching,
            before: lines(input.before),
            after: lines(input.after),
            asked_context: [input.before, input.after, input.around, input.context]
                .into_iter()
                .flatten()
                .max()
                .map_or(0, count),
            multiline: input.multiline.unwrap_or(false),
            beyond_ascii: super::encoded::names_letters_beyond_ascii(&input.pattern),
            offset: count(input.offset.unwrap_or(0)),
            limit: if limit == 0 { usize::MAX } else { limit },
        }
    }

    /// Lines of one file that a page can show at most.
    pub(super) fn most_lines(&self) -> usize {
        self.offset.saturating_add(self.limit)
    }
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
