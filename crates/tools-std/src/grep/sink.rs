//! One file through the engine.

use super::hits::Line;
use super::input::{GrepInput, Options, OutputMode};
use crate::file::encoding::lossless;
use crate::search::stop::{Stop, Stoppable};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use pegboard_tool_core::InvalidInput;
use std::fs::File;
use std::io;

/// Memory that one file may take: a longer line, or a larger file that is searched across lines, is
/// reported as not searched.
const MAX_HEAP: usize = 256 * 1024 * 1024;
/// Longest line that is shown whole, in characters.
const MAX_LINE_CHARS: usize = 500;
const BEFORE_MATCH_CHARS: usize = 200;

/// The engine for a pattern.
///
/// # Errors
/// When it is no regular expression; the text is the engine's.
pub(super) fn matcher(input: &GrepInput) -> Result<RegexMatcher, InvalidInput> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(input.ignore_case.unwrap_or(false)).multi_line(true);
    if input.multiline.unwrap_or(false) {
        builder.dot_matches_new_line(true);
    } else {
        // `$` also matches before the `\r` of a line end, and a `\r` may still be searched for.
        builder.crlf(true).line_terminator(Some(b'\n'));
    }
    builder.build(&input.pattern).map_err(|error| InvalidInput::new(error.to_string()))
}

/// What one file gave.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub matches: u64,
    pub total_lines: usize,
    pub lines: Vec<Line>,
}

/// Whether a file was met on the way or asked for by name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Named {
    /// On the way: a binary one is left at its first NUL.
    OnTheWay,
    /// By name: searched to its end, whatever it is.
    ByName,
}

/// A searcher that is used for many files.
pub(super) fn searcher(options: &Options, named: Named) -> Searcher {
    let binary = match named {
        Named::OnTheWay => BinaryDetection::quit(0),
        Named::ByName => BinaryDetection::convert(0),
    };
    SearcherBuilder::new()
        .line_number(options.mode == OutputMode::Content && options.line_numbers)
        .multi_line(options.multiline)
        .before_context(options.before)
        .after_context(options.after)
        .binary_detection(binary)
        .heap_limit(Some(MAX_HEAP))
        .build()
}

/// Searches a file, keeping at most `keep` lines of output.
///
/// # Errors
/// When it cannot be read or holds a line that is too long.
pub(super) fn search(
    file: File,
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    options: &Options,
    keep: usize,
    stop: &Stop,
) -> io::Result<Findings> {
    let mut sink = FileSink { matcher, options, keep, findings: Findings::default(), binary: false };
    searcher.search_reader(matcher, Stoppable { inner: file, stop }, &mut sink)?;
    Ok(sink.findings)
}

struct FileSink<'a> {
    matcher: &'a RegexMatcher,
    options: &'a Options,
    keep: usize,
    findings: Findings,
    binary: bool,
}

impl FileSink<'_> {
    fn put(&mut self, line: impl FnOnce() -> Line) {
        self.findings.total_lines += 1;
        if self.findings.lines.len() < self.keep {
            self.findings.lines.push(line());
        }
    }

    /// The parts of `bytes` that match, or at least one empty one.
    fn parts(&self, bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
        let mut parts = Vec::new();
        // The engine of regular expressions has no errors of its own.
        let _ = self.matcher.find_iter(bytes, |found| {
            parts.push(found.start()..found.end());
            true
        });
        parts
    }
}

impl Sink for FileSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        match self.options.mode {
            OutputMode::FilesWithMatches => {
                self.findings.matches += 1;
                return Ok(false);
            }
            OutputMode::Count if !self.options.multiline => {
                self.findings.matches += 1;
                return Ok(true);
            }
            OutputMode::Count => {
                self.findings.matches += self.parts(found.bytes()).len().max(1) as u64;
                return Ok(true);
            }
            OutputMode::Content => {}
        }
        let first = found.line_number();
        if self.options.only_matching {
            for part in self.parts(found.bytes()) {
                self.findings.matches += 1;
                let before = found.bytes().get(..part.start).unwrap_or_default();
                let number = first.map(|first| first + memchr::memchr_iter(b'\n', before).count() as u64);
                for (index, line) in
                    (0..).zip(found.bytes().get(part).unwrap_or_default().split(|byte| *byte == b'\n'))
                {
                    self.put(|| Line::Match(number.map(|number| number + index), cut(line, 0)));
                }
            }
            return Ok(true);
        }
        let matcher = self.matcher;
        for (index, line) in (0..).zip(found.lines()) {
            self.findings.matches += 1;
            self.put(|| {
                let at = matcher.find(line).ok().flatten().map_or(0, |part| part.start());
                Line::Match(first.map(|first| first + index), cut(line, at))
            });
        }
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.put(|| Line::Context(context.line_number(), cut(context.bytes(), 0)));
        Ok(true)
    }

    fn context_break(&mut self, _searcher: &Searcher) -> io::Result<bool> {
        self.put(|| Line::Break);
        Ok(true)
    }

    fn binary_data(&mut self, _searcher: &Searcher, _offset: u64) -> io::Result<bool> {
        self.binary = true;
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, _finish: &SinkFinish) -> io::Result<()> {
        if self.binary && self.options.mode == OutputMode::Content && self.findings.matches > 0 {
            self.findings.total_lines = 1;
            self.findings.lines = vec![Line::Binary];
        }
        Ok(())
    }
}

/// A line without its end; of a very long one the part around the byte `at`.
fn cut(line: &[u8], at: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = lossless(line);
    if text.len() <= MAX_LINE_CHARS {
        return text.into_owned();
    }
    let total = text.chars().count();
    if total <= MAX_LINE_CHARS {
        return text.into_owned();
    }
    // Characters before the match; for single-byte encodings the two counts agree.
    let before =
        std::str::from_utf8(line.get(..at).unwrap_or_default()).map_or(at, |text| text.chars().count());
    let from = before.saturating_sub(BEFORE_MATCH_CHARS).min(total - MAX_LINE_CHARS);
    let shown: String = text.chars().skip(from).take(MAX_LINE_CHARS).collect();
    format!("{shown} [line cut: characters {} to {} of {total}]", from + 1, from + MAX_LINE_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_its_match() {
        let line = format!("{}hit{}\r\n", "é".repeat(1_000), "x".repeat(1_000));
        let shown = cut(line.as_bytes(), 2_000);
        assert!(shown.contains("hit"), "{shown}");
        assert!(shown.ends_with("[line cut: characters 801 to 1300 of 2003]"), "{shown}");
        assert_eq!(cut(b"caf\xe9\r\n", 0), "café");
    }
}
