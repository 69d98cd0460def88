//! One file through the engine.

use super::encoded;
use super::hits::Line;
use super::input::{GrepInput, Options, OutputMode};
use crate::file::encoding::Encoding;
use crate::search::stop::{Stop, Stoppable};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Encoding as Encoded, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};
use pegboard_tool_core::InvalidInput;
use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Seek as _};
use std::ops::Range;

/// Memory that one file may take: a longer line, or a larger file that is searched across lines, is
/// reported as not searched.
const MAX_HEAP: usize = 64 * 1024 * 1024;
/// Bytes of lines that are kept of one file.
const MAX_KEPT_BYTES: usize = 8 * 1024 * 1024;
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
    /// Some of these.
    pub lines: Vec<Line>,
    /// Whether a NUL was met.
    pub is_binary: bool,
}

/// Whether a file was met on the way or asked for by name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Named {
    /// On the way: a binary one is left at its first NUL.
    OnTheWay,
    /// By name: searched to its end, whatever it is.
    ByName,
}

/// Which lines of output are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keep {
    /// The first one, from 0.
    pub from: usize,
    /// How many at most.
    pub lines: usize,
}

/// The engine of one thread, which searches many files.
#[derive(Debug)]
pub(super) struct FileSearch<'a> {
    matcher: &'a RegexMatcher,
    options: &'a Options,
    stop: &'a Stop,
    named: Named,
    searcher: Searcher,
}

impl<'a> FileSearch<'a> {
    /// An engine for files that are asked for as `named` says.
    pub(super) fn new(matcher: &'a RegexMatcher, options: &'a Options, stop: &'a Stop, named: Named) -> Self {
        Self { matcher, options, stop, named, searcher: searcher(options, named, None) }
    }

    /// Searches a file, keeping some lines of output. What was found before the search was stopped counts.
    ///
    /// # Errors
    /// When it cannot be read or holds a line that is too long.
    pub(super) fn search(&mut self, mut file: &File, keep: Keep) -> io::Result<Findings> {
        if self.options.beyond_ascii
            && let Some(label) = encoded::encoding_of(file).and_then(encoded::label)
        {
            return self.run(file, keep, Some(label));
        }
        let findings = self.run(file, keep, None)?;
        if findings.is_binary
            && let Some(encoding @ (Encoding::Utf16Le | Encoding::Utf16Be)) = encoded::encoding_of(file)
        {
            // Few bytes can look like it by chance; then what was found stands.
            file.rewind()?;
            let read = self.run(file, keep, encoded::label(encoding))?;
            return Ok(if read.matches > 0 { read } else { findings });
        }
        Ok(findings)
    }

    fn run(&mut self, file: &File, keep: Keep, label: Option<&str>) -> io::Result<Findings> {
        let findings = Findings::default();
        let mut sink = FileSink {
            matcher: self.matcher,
            options: self.options,
            keep,
            file,
            // What the engine was told to decode comes out as UTF-8.
            encoding: if label.is_some() { OnceCell::from(None) } else { OnceCell::new() },
            kept_bytes: 0,
            findings,
        };
        let reader = Stoppable { inner: file, stop: self.stop };
        let outcome = match label.map(Encoded::new) {
            Some(Ok(encoded)) => {
                let mut searcher = searcher(self.options, self.named, Some(encoded));
                searcher.search_reader(self.matcher, reader, &mut sink)
            }
            _ => self.searcher.search_reader(self.matcher, reader, &mut sink),
        };
        match outcome {
            Err(error) if !self.stop.happened() => Err(error),
            _ => Ok(sink.findings),
        }
    }
}

fn searcher(options: &Options, named: Named, encoding: Option<Encoded>) -> Searcher {
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
        .encoding(encoding)
        .heap_limit(Some(MAX_HEAP))
        .build()
}

struct FileSink<'a> {
    matcher: &'a RegexMatcher,
    options: &'a Options,
    keep: Keep,
    file: &'a File,
    /// What lines that are no UTF-8 are shown in.
    encoding: OnceCell<Option<Encoding>>,
    kept_bytes: usize,
    findings: Findings,
}

impl FileSink<'_> {
    fn put(&mut self, line: impl FnOnce(&Self) -> Line) {
        let at = self.findings.total_lines;
        self.findings.total_lines += 1;
        let is_wanted = at >= self.keep.from && self.findings.lines.len() < self.keep.lines;
        if is_wanted && self.kept_bytes < MAX_KEPT_BYTES {
            let line = line(self);
            self.kept_bytes += line.bytes();
            self.findings.lines.push(line);
        }
    }

    fn cut(&self, line: &[u8], at: usize) -> String {
        cut(line, at, || *self.encoding.get_or_init(|| encoded::encoding_of(self.file)))
    }

    /// The parts that match, as they are found in what is around them. Those of lines do not see the line end; those
    /// that span lines are cut at the end of what was found.
    fn parts(&self, searcher: &Searcher, found: &SinkMatch<'_>) -> Vec<Range<usize>> {
        let (buffer, range) = (found.buffer(), found.bytes_range_in_buffer());
        let spans_lines = searcher.multi_line_with_matcher(self.matcher);
        let end = match buffer.get(range.clone()) {
            Some([.., b'\n']) if !spans_lines => range.end - 1,
            _ => range.end,
        };
        let seen = if spans_lines { buffer } else { buffer.get(..end).unwrap_or_default() };
        let is_at_cr = |at: usize| at == end && at > range.start && buffer.get(at - 1) == Some(&b'\r');
        let mut parts: Vec<Range<usize>> = Vec::new();
        // The engine of regular expressions has no errors of its own.
        let _ = self.matcher.find_iter_at(seen, range.start, |part| {
            if part.start() >= range.end {
                return false;
            }
            // A `$` before the `\r` of a line end is also one behind it.
            if !(part.is_empty() && is_at_cr(part.start())) {
                parts.push(part.start()..part.end().min(range.end));
            }
            true
        });
        parts
    }

    /// Shows the parts that match, each line of them for itself. Nothing is shown of empty lines of a part that spans
    /// lines, as in ripgrep.
    fn put_parts(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) {
        let spans_lines = searcher.multi_line_with_matcher(self.matcher);
        let (buffer, mut at) = (found.buffer(), found.bytes_range_in_buffer().start);
        let mut number = found.line_number();
        for part in self.parts(searcher, found) {
            let between = buffer.get(at..part.start).unwrap_or_default();
            number = number.map(|number| number + memchr::memchr_iter(b'\n', between).count() as u64);
            at = part.start;
            let text = buffer.get(part).unwrap_or_default();
            let mut is_shown = false;
            for (index, line) in (0..).zip(text.split(|byte| *byte == b'\n')) {
                if spans_lines && line.is_empty() {
                    continue;
                }
                is_shown = true;
                self.put(|sink| Line::Match(number.map(|number| number + index), sink.cut(line, 0)));
            }
            self.findings.matches += u64::from(is_shown);
        }
    }
}

impl Sink for FileSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
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
                self.findings.matches += self.parts(searcher, found).len().max(1) as u64;
                return Ok(true);
            }
            OutputMode::Content => {}
        }
        let first = found.line_number();
        if self.options.only_matching {
            self.put_parts(searcher, found);
            return Ok(true);
        }
        let matcher = self.matcher;
        for (index, line) in (0..).zip(found.lines()) {
            self.findings.matches += 1;
            self.put(|sink| {
                let at = matcher.find(line).ok().flatten().map_or(0, |part| part.start());
                Line::Match(first.map(|first| first + index), sink.cut(line, at))
            });
        }
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.put(|sink| Line::Context(context.line_number(), sink.cut(context.bytes(), 0)));
        Ok(true)
    }

    fn context_break(&mut self, _searcher: &Searcher) -> io::Result<bool> {
        self.put(|_| Line::Break);
        Ok(true)
    }

    fn binary_data(&mut self, _searcher: &Searcher, _offset: u64) -> io::Result<bool> {
        self.findings.is_binary = true;
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, _finish: &SinkFinish) -> io::Result<()> {
        if self.findings.is_binary && self.options.mode == OutputMode::Content && self.findings.matches > 0 {
            self.findings.total_lines = 1;
            let is_wanted = self.keep.from == 0 && self.keep.lines > 0;
            self.findings.lines = if is_wanted { vec![Line::Binary] } else { Vec::new() };
        }
        Ok(())
    }
}

/// A line without its end; of a very long one the part around the byte `at`.
fn cut(line: &[u8], at: usize, encoding: impl FnOnce() -> Option<Encoding>) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = encoded::shown(line, encoding);
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
        let shown = cut(line.as_bytes(), 2_000, || None);
        assert!(shown.contains("hit"), "{shown}");
        assert!(shown.ends_with("[line cut: characters 801 to 1300 of 2003]"), "{shown}");
        assert_eq!(cut(b"caf\xe9\r\n", 0, || None), "café");
    }
}
