//! Lines of a file that is too large to be held: read chunk by chunk, in constant memory. A file
//! within the limit of Edit and Write is read to its end, for its hash and the number of its lines;
//! a larger one only as far as it is shown.

use super::page::{Filling, Page, Rest, Room, Wanted};
use crate::file::encoding::Encoding;
use crate::file::ledger::ContentHash;
use crate::file::lines::{MAX_LINE_CHARS, cut_line};
use crate::file::version::MAX_BYTES;
use pegboard_tool_core::CancellationToken;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read as _};

/// Bytes read at once. Even, so that no unit of UTF-16 is cut.
const CHUNK_BYTES: usize = 256 * 1024;
/// Bytes kept of a line: more than its shown characters can have.
const KEPT_BYTES: usize = 4 * MAX_LINE_CHARS + 8;
/// Bytes of one shown line that are looked through for its end.
const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// Why there is no page.
#[derive(Debug)]
pub(super) enum NoPage {
    /// The file cannot be read.
    Io(io::Error),
    /// The call was cancelled.
    Cancelled,
    /// It holds NUL bytes from this line on.
    Binary(usize),
    /// It is not in the encoding that its beginning is in.
    OtherEncoding,
    /// The range asked for is too much.
    TooMuch(String),
}

/// A page, and what is known of the whole file.
#[derive(Debug)]
pub(super) struct Streamed {
    /// The page.
    pub page: Page,
    /// Hash of the content, when all of it was read and Edit could hold it.
    pub hash: Option<ContentHash>,
}

/// What is read.
#[derive(Debug)]
pub(super) struct Source<'a> {
    /// Its beginning, which was read already.
    pub head: &'a [u8],
    /// The rest.
    pub file: &'a mut File,
    /// Encoding of its beginning.
    pub encoding: Encoding,
    /// Length of its byte order mark.
    pub mark: usize,
    /// Bytes that it claims to have.
    pub claims: u64,
}

/// Reads the page that is wanted.
///
/// # Errors
/// See [`NoPage`].
pub(super) fn read(
    source: Source<'_>,
    wanted: &Wanted,
    cancel: &CancellationToken,
) -> Result<Streamed, NoPage> {
    let Source { head, file, encoding, mark, claims } = source;
    let mut scan = Scan::new(wanted, encoding, claims <= MAX_BYTES);
    let mut position = 0;
    let mut chunk = vec![0; CHUNK_BYTES];
    for part in head.chunks(CHUNK_BYTES) {
        let text = if position == 0 { part.get(mark..).unwrap_or_default() } else { part };
        position += part.len() as u64;
        scan.check(part);
        if scan.take(text)? == Flow::Enough {
            return scan.finish(Rest::More);
        }
    }
    loop {
        if cancel.is_cancelled() {
            return Err(NoPage::Cancelled);
        }
        let read = fill(file, &mut chunk).map_err(NoPage::Io)?;
        let part = chunk.get(..read).unwrap_or_default();
        if part.is_empty() {
            return scan.finish_at_end();
        }
        let text = if position == 0 { part.get(mark..).unwrap_or_default() } else { part };
        position += read as u64;
        if position > MAX_BYTES {
            scan.exact = None;
        }
        scan.check(part);
        if scan.take(text)? == Flow::Enough {
            return scan.finish(Rest::More);
        }
        if scan.skips_holes() && part.iter().all(|byte| *byte == 0) {
            scan.seen_bytes(skip_hole(file, position).map_err(NoPage::Io)?, &mut position);
        }
    }
}

/// Whether to read on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Flow {
    On,
    Enough,
}

/// How a line ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum LineEnd {
    Newline,
    EndOfFile,
    /// Nobody looked so far.
    Unknown,
}

/// What is found out about the content as a whole.
#[derive(Debug)]
struct Exact {
    hash: Sha256,
    utf8: Utf8Check,
}

#[derive(Debug)]
struct Scan {
    encoding: Encoding,
    /// Present as long as the whole is to be read.
    exact: Option<Exact>,
    filling: Option<Filling>,
    start: usize,
    /// Number of the line that is being read, from 1.
    line: usize,
    /// Its first bytes, when it is wanted, and how many it has.
    kept: Vec<u8>,
    line_bytes: u64,
    holds_nul: bool,
    page: Option<Filling>,
}

impl Scan {
    fn new(wanted: &Wanted, encoding: Encoding, to_the_end: bool) -> Self {
        let filling = Filling::new(wanted);
        Self {
            encoding,
            exact: to_the_end.then(|| Exact { hash: Sha256::new(), utf8: Utf8Check::default() }),
            start: filling.start(),
            filling: Some(filling),
            line: 1,
            kept: Vec::new(),
            line_bytes: 0,
            holds_nul: false,
            page: None,
        }
    }

    /// Takes note of a chunk as it is.
    fn check(&mut self, chunk: &[u8]) {
        if let Some(exact) = &mut self.exact {
            exact.hash.update(chunk);
            exact.utf8.take(chunk);
            self.holds_nul |= memchr::memchr(0, chunk).is_some();
        }
    }

    fn wants(&self) -> bool {
        self.filling.is_some() && self.line >= self.start
    }

    /// A hole has no line ends; it may be skipped when nobody needs its bytes.
    fn skips_holes(&self) -> bool {
        self.exact.is_none() && !self.wants() && self.encoding.newline().len() == 1
    }

    fn seen_bytes(&mut self, count: u64, position: &mut u64) {
        self.line_bytes += count;
        *position += count;
    }

    /// Takes the next bytes of the text.
    fn take(&mut self, mut bytes: &[u8]) -> Result<Flow, NoPage> {
        if let Some(exact) = &self.exact
            && (exact.utf8.broken || self.holds_nul)
        {
            return if self.holds_nul { Err(NoPage::Binary(self.line)) } else { Err(NoPage::OtherEncoding) };
        }
        loop {
            if !self.wants() {
                // Only the ends of lines matter up to the first one that is shown, and after the last.
                let most = if self.filling.is_some() { self.start - self.line } else { usize::MAX };
                let (lines, after) = self.skip(bytes, most);
                self.line += lines;
                bytes = bytes.get(after..).unwrap_or_default();
                if lines > 0 {
                    self.line_bytes = 0;
                }
                if !self.wants() {
                    self.line_bytes += bytes.len() as u64;
                    let done = self.page.is_some() && self.exact.is_none();
                    return Ok(if done && self.line_bytes > 0 { Flow::Enough } else { Flow::On });
                }
            }
            let Some((end, next)) = self.next_newline(bytes) else {
                let flow = self.keep(bytes)?;
                if self.exact.is_none() && self.line_bytes > MAX_LINE_BYTES {
                    self.end_line(LineEnd::Unknown);
                    self.close();
                    return Ok(Flow::Enough);
                }
                return Ok(flow);
            };
            if self.keep(bytes.get(..end).unwrap_or_default())? == Flow::Enough {
                return Ok(Flow::Enough);
            }
            self.end_line(LineEnd::Newline);
            bytes = bytes.get(next..).unwrap_or_default();
            if self.page.is_some() && self.exact.is_none() && !bytes.is_empty() {
                return Ok(Flow::Enough);
            }
        }
    }

    /// Skips up to `most` lines: how many ended, and where the next one begins (at the last line's
    /// beginning when there are fewer).
    fn skip(&self, bytes: &[u8], most: usize) -> (usize, usize) {
        if most == usize::MAX && self.encoding.newline().len() == 1 {
            let count = memchr::memchr_iter(b'\n', bytes).count();
            return (count, memchr::memrchr(b'\n', bytes).map_or(0, |last| last + 1));
        }
        let (mut lines, mut at) = (0, 0);
        while lines < most
            && let Some((_, next)) = self.next_newline(bytes.get(at..).unwrap_or_default())
        {
            lines += 1;
            at += next;
        }
        (lines, at)
    }

    /// Where the line ends and the next begins.
    fn next_newline(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        let newline = self.encoding.newline();
        if newline.len() == 1 {
            return memchr::memchr(b'\n', bytes).map(|at| (at, at + 1));
        }
        // Chunks and lines begin at whole units.
        let low = newline.iter().position(|byte| *byte == b'\n').unwrap_or(0);
        memchr::memchr_iter(b'\n', bytes)
            .filter_map(|at| at.checked_sub(low))
            .find(|at| at % 2 == 0 && bytes.get(*at..*at + 2) == Some(newline))
            .map(|at| (at, at + 2))
    }

    /// Keeps bytes of the line that is shown.
    fn keep(&mut self, bytes: &[u8]) -> Result<Flow, NoPage> {
        let nul = self.encoding.newline().len() == 1 && memchr::memchr(0, bytes).is_some();
        if nul && self.exact.is_none() {
            // Lines before it are text and are shown.
            return match &self.filling {
                Some(filling) if !filling.is_empty() => {
                    self.close();
                    self.holds_nul = true;
                    Ok(Flow::Enough)
                }
                _ => Err(NoPage::Binary(self.line)),
            };
        }
        let room = KEPT_BYTES.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        self.line_bytes += bytes.len() as u64;
        Ok(Flow::On)
    }

    /// The line is complete.
    fn end_line(&mut self, end: LineEnd) {
        let (kept, bytes) = (std::mem::take(&mut self.kept), std::mem::take(&mut self.line_bytes));
        if let Some(filling) = &mut self.filling {
            let mut text = self.encoding.show(&kept);
            let (line, was_cut) = if kept.len() as u64 == bytes && end != LineEnd::Unknown {
                if end == LineEnd::Newline && text.ends_with('\r') {
                    text.pop();
                }
                cut_line(&text, MAX_LINE_CHARS)
            } else {
                // What is kept of a long line holds all characters that are shown of it.
                let shown: String = text.chars().take(MAX_LINE_CHARS).collect();
                let more = if end == LineEnd::Unknown { "more than " } else { "" };
                let mark = format!("[line cut: {MAX_LINE_CHARS} characters of {more}{bytes} bytes shown]");
                (format!("{shown} {mark}"), true)
            };
            if filling.push(line, was_cut) == Room::Full {
                self.close();
            }
        }
        self.line += 1;
    }

    /// The page is complete.
    fn close(&mut self) {
        self.page = self.filling.take();
    }

    fn finish_at_end(mut self) -> Result<Streamed, NoPage> {
        if self.exact.as_ref().is_some_and(|exact| exact.utf8.broken || !exact.utf8.rest.is_empty()) {
            return Err(NoPage::OtherEncoding);
        }
        let open = self.line_bytes > 0;
        let lines = self.line - usize::from(!open);
        if open && self.wants() {
            self.end_line(LineEnd::EndOfFile);
        }
        self.finish(Rest::Counted(lines))
    }

    fn finish(mut self, rest: Rest) -> Result<Streamed, NoPage> {
        let filling = self.page.take().or(self.filling.take());
        let Some(filling) = filling else { return Err(NoPage::TooMuch(String::new())) };
        let last = filling.start();
        let mut page = filling.finish(rest).map_err(NoPage::TooMuch)?;
        if self.holds_nul {
            let line = last + page.lines.len();
            page.notices.push(format!("[line {line} holds NUL bytes: from there on the file is no text]"));
        }
        Ok(Streamed { page, hash: self.exact.map(|exact| exact.hash.finalize().into()) })
    }
}

/// Whether bytes that come in chunks are UTF-8.
#[derive(Debug, Default)]
struct Utf8Check {
    /// The beginning of a character that is cut by the end of a chunk.
    rest: Vec<u8>,
    broken: bool,
}

impl Utf8Check {
    fn take(&mut self, mut chunk: &[u8]) {
        while !self.broken && !self.rest.is_empty() {
            let Some((first, after)) = chunk.split_first() else { return };
            self.rest.push(*first);
            chunk = after;
            match std::str::from_utf8(&self.rest) {
                Ok(_) => self.rest.clear(),
                Err(error) => self.broken = error.error_len().is_some(),
            }
        }
        if let Err(error) = std::str::from_utf8(chunk) {
            match error.error_len() {
                Some(_) => self.broken = true,
                None => self.rest = chunk.get(error.valid_up_to()..).unwrap_or_default().to_vec(),
            }
        }
    }
}

/// Fills `chunk` as far as the file goes.
fn fill(file: &mut File, chunk: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(free) = chunk.get_mut(filled..).filter(|free| !free.is_empty()) {
        match file.read(free) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Moves on to the next data after `position`: how many bytes of a hole were skipped.
#[cfg(target_os = "linux")]
fn skip_hole(file: &File, position: u64) -> io::Result<u64> {
    use rustix::fs::{SeekFrom, seek};
    use rustix::io::Errno;
    let next = match seek(file, SeekFrom::Data(position)) {
        // Nothing but a hole up to the end.
        Err(Errno::NXIO) => seek(file, SeekFrom::End(0))?,
        // A file system that does not know holes.
        Err(_) => position,
        Ok(next) => next,
    };
    seek(file, SeekFrom::Start(next.max(position)))?;
    Ok(next.saturating_sub(position))
}

/// Other systems read holes like everything else.
#[cfg(not(target_os = "linux"))]
fn skip_hole(_file: &File, _position: u64) -> io::Result<u64> {
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::encoding;
    use proptest::prelude::*;
    use std::io::{Seek as _, Write as _};

    fn streamed(bytes: &[u8], wanted: &Wanted, head: usize, claims: u64) -> Result<Streamed, NoPage> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let head = &bytes[..head.min(bytes.len())];
        file.seek(io::SeekFrom::Start(head.len() as u64)).unwrap();
        let (encoding, mark) = encoding::recognise(bytes).unwrap();
        let source = Source { head, file: &mut file, encoding, mark, claims };
        read(source, wanted, &CancellationToken::new())
    }

    proptest! {
        #[test]
        fn a_stream_gives_what_the_whole_gives(
            text in "([a-c\u{e9}\r]{0,5}\n){0,30}[a-c\u{10000}\r]{0,3}",
            offset in 1u64..40,
            limit in proptest::option::of(1u64..12),
            head in 0usize..40,
        ) {
            let wanted = Wanted { offset: Some(offset), limit, max_tokens: 40 };
            let whole = Page::of(&text, &wanted);
            let utf16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
            for (bytes, claims) in [(text.as_bytes(), 0), (text.as_bytes(), u64::MAX), (&utf16[..], u64::MAX)] {
                match (&whole, streamed(bytes, &wanted, head & !1, claims)) {
                    (Ok(page), Ok(streamed)) => {
                        prop_assert_eq!(&page.lines, &streamed.page.lines);
                        prop_assert_eq!(page.cut_by_us, streamed.page.cut_by_us);
                        prop_assert_eq!(streamed.hash.is_some(), claims == 0);
                        prop_assert!(streamed.page.total.is_none_or(|total| Some(total) == page.total));
                        if claims == 0 {
                            prop_assert_eq!((page.total, page.extent, &page.notices), (streamed.page.total, streamed.page.extent, &streamed.page.notices));
                            prop_assert_eq!(streamed.hash, Some(crate::file::ledger::hash(bytes)));
                        }
                    }
                    (Err(told), Err(NoPage::TooMuch(said))) => prop_assert_eq!(told, &said),
                    (whole, streamed) => prop_assert!(false, "{whole:?} but {streamed:?}"),
                }
            }
        }

        #[test]
        fn utf_8_is_checked_across_chunks(text in ".{0,12}", bytes in proptest::collection::vec(any::<u8>(), 0..6), size in 1usize..5) {
            for bytes in [text.as_bytes(), &bytes] {
                let mut check = Utf8Check::default();
                bytes.chunks(size).for_each(|chunk| check.take(chunk));
                prop_assert_eq!(!check.broken && check.rest.is_empty(), std::str::from_utf8(bytes).is_ok());
            }
        }
    }

    #[test]
    fn nul_bytes_end_what_is_shown_of_a_huge_file() {
        let wanted = Wanted { offset: None, limit: Some(9), max_tokens: 100 };
        let page = streamed(b"a\nb\n\0\0\0\0", &wanted, 0, u64::MAX).unwrap().page;
        assert_eq!(page.lines, ["a", "b"]);
        assert_eq!(page.notices, ["[line 3 holds NUL bytes: from there on the file is no text]"]);
        let wanted = Wanted { offset: Some(3), ..wanted };
        assert!(matches!(streamed(b"a\nb\n\0\0\0\0", &wanted, 0, u64::MAX), Err(NoPage::Binary(3))));
        let wanted = Wanted { offset: Some(4), ..wanted };
        let page = streamed(b"a\nb\n\0\0\0\0", &wanted, 0, u64::MAX).unwrap().page;
        assert_eq!(page.notices, ["[offset 4 is past the end: the file has 3 lines]"]);
    }
}
