//! Opens the file that was judged, sees what it is, and reads it as that. Everything but PDF
//! documents is read here; those are read by steps that take their time.

use super::missing::missing;
use super::output::{ReadOutput, TextView, UnchangedView};
use super::page::{self, Page, Wanted};
use super::stream::{self, NoPage, Source};
use super::unchanged::ShownReads;
use super::{ReadInput, notebook};
use crate::file::encoding::{self, Encoding};
use crate::file::error::FileError;
use crate::file::judged::judged;
use crate::file::kind::{self, Image};
use crate::file::ledger::{self, ContentHash, ReadLedger, Seen};
use crate::file::place::Place;
use crate::file::version::MAX_BYTES;
use crate::services::Services;
use crate::settings::number;
use pegboard_tool_core::{AccessMode, ErrorKind, Grant, ToolContext, ToolError};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

/// Bytes of a file that are read at once; a text that is larger is read chunk by chunk.
const HEAD_BYTES: u64 = 8 * 1024 * 1024;
/// Largest notebook.
const MAX_NOTEBOOK_BYTES: u64 = 100 * 1000 * 1000;
/// Largest image.
#[cfg(feature = "images")]
pub(super) const MAX_IMAGE_BYTES: u64 = 64 * 1024 * 1024;
/// Largest PDF document.
#[cfg(feature = "pdf")]
const MAX_PDF_BYTES: u64 = 100 * 1024 * 1024;

/// What came of it.
#[derive(Debug)]
pub(super) enum Looked {
    /// It is read.
    Done(ReadOutput),
    /// It is a PDF document, with these bytes.
    #[cfg(feature = "pdf")]
    Pdf {
        /// Absolute path.
        named: PathBuf,
        /// Content.
        bytes: Vec<u8>,
    },
}

/// One call.
#[derive(Debug)]
struct Look<'a> {
    input: &'a ReadInput,
    ctx: &'a ToolContext,
    named: PathBuf,
    canonical: PathBuf,
    ledger: &'a ReadLedger,
}

/// An open file and its beginning.
#[derive(Debug)]
struct Opened {
    file: File,
    /// Its first bytes, all of them when it has no more than [`HEAD_BYTES`].
    head: Vec<u8>,
    complete: bool,
    /// Bytes that it claims to have.
    claims: u64,
}

/// Reads what `input` names, under the file's lock.
///
/// # Errors
/// When it cannot be read, in words for the model.
pub(super) fn look(
    input: &ReadInput,
    grant: &Grant,
    ctx: &ToolContext,
    services: &Services,
) -> Result<Looked, ToolError> {
    let shown = input.file_path.as_str();
    let named = ctx.absolute(shown);
    let ledger = ReadLedger::of(ctx);
    let canonical = judged(&named, AccessMode::Read, grant, shown)?;
    let lock = ledger.lock_of(&canonical);
    let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
    if ctx.cancel.is_cancelled() {
        return Err(ToolError::cancelled());
    }
    let opened = match Opened::open(&canonical) {
        Err(FileError::Missing) => return Err(missing(shown, &named, ctx, services)),
        other => other.map_err(|error| error.about(shown))?,
    };
    Look { input, ctx, named, canonical, ledger: &ledger }.at(opened)
}

impl Look<'_> {
    fn at(&self, opened: Opened) -> Result<Looked, ToolError> {
        let pdf = kind::pdf_start(&opened.head, self.is_named("pdf"));
        if pdf.is_none() && self.input.pages.is_some() {
            let text =
                format!("`pages` is for PDF documents, which {} is not; use offset and limit", self.shown());
            return Err(ToolError::new(ErrorKind::InvalidInput, text));
        }
        if let Some(start) = pdf {
            return self.pdf(opened, start);
        }
        if self.is_named("pdf") && !opened.head.is_empty() {
            return Err(self.about(FileError::NotPdf));
        }
        let ranged = self.input.offset.is_some() || self.input.limit.is_some();
        let output = if let Some(format) = Image::by_magic(&opened.head) {
            self.image(format, opened)
        } else if self.is_named("ipynb") && !ranged && !opened.head.is_empty() {
            self.notebook(opened)
        } else {
            self.text(opened)
        };
        output.map(Looked::Done)
    }

    #[cfg(feature = "pdf")]
    fn pdf(&self, opened: Opened, start: usize) -> Result<Looked, ToolError> {
        if self.input.offset.is_some() || self.input.limit.is_some() {
            let text = format!(
                "{} is a PDF document; choose its pages with `pages`, not offset and limit",
                self.shown()
            );
            return Err(ToolError::new(ErrorKind::InvalidInput, text));
        }
        let mut bytes = self.all(
            opened,
            MAX_PDF_BYTES,
            "a PDF document",
            "extract the pages that you need with a tool such as qpdf",
        )?;
        // Places within a document count from its own beginning.
        bytes.drain(..start.min(bytes.len()));
        Ok(Looked::Pdf { named: self.named.clone(), bytes })
    }

    #[cfg(not(feature = "pdf"))]
    fn pdf(&self, opened: Opened, _start: usize) -> Result<Looked, ToolError> {
        Err(self.binary(kind::PDF, &opened))
    }

    #[cfg(feature = "images")]
    fn image(&self, format: Image, opened: Opened) -> Result<ReadOutput, ToolError> {
        let bytes = self.all(opened, MAX_IMAGE_BYTES, "an image", "shrink it with another tool first")?;
        let file = super::image::view(&self.named, format, bytes).map_err(|problem| self.failed(&problem))?;
        Ok(ReadOutput::Image { file })
    }

    #[cfg(not(feature = "images"))]
    fn image(&self, format: Image, opened: Opened) -> Result<ReadOutput, ToolError> {
        Err(self.binary(format.name(), &opened))
    }

    fn notebook(&self, opened: Opened) -> Result<ReadOutput, ToolError> {
        let advice = "read parts of its JSON with offset and limit, or clear its outputs first";
        let bytes = self.all(opened, MAX_NOTEBOOK_BYTES, "a notebook", advice)?;
        let hash = ledger::hash(&bytes);
        let text = encoding::decode(bytes).map_err(|error| self.about(error))?;
        let read = notebook::read(&self.named, &text.text, max_tokens(self.ctx))
            .map_err(|problem| self.failed(&problem))?;
        self.ledger.note(&self.canonical, Seen::of(hash, read.extent));
        Ok(ReadOutput::Notebook { file: read.view })
    }

    fn text(&self, mut opened: Opened) -> Result<ReadOutput, ToolError> {
        let (encoding, mark) = match opened.complete {
            true => return self.whole_text(opened.head),
            false => encoding::recognise(&opened.head)
                .map_err(|error| self.about(of_size(error, opened.claims)))?,
        };
        let held = opened.claims <= MAX_BYTES;
        if held && encoding != Encoding::Utf8 {
            return self.whole_text(opened.all(MAX_BYTES).map_err(|error| self.about(error))?);
        }
        let source =
            Source { head: &opened.head, file: &mut opened.file, encoding, mark, claims: opened.claims };
        match stream::read(source, &self.wanted(), &self.ctx.cancel) {
            Ok(streamed) => Ok(self.shown_text(streamed.page, encoding.notice(), streamed.hash)),
            Err(NoPage::OtherEncoding) => {
                // Its beginning is UTF-8 and the rest is not: what it is in takes all of it to say.
                let bytes = Opened::open(&self.canonical).and_then(|again| again.all(MAX_BYTES));
                self.whole_text(bytes.map_err(|error| self.about(error))?)
            }
            Err(NoPage::Cancelled) => Err(ToolError::cancelled()),
            Err(NoPage::Io(error)) => Err(self.about(error.into())),
            Err(NoPage::TooMuch(problem)) => Err(self.too_much(&problem)),
            Err(NoPage::Binary(line)) => {
                let size = super::output::size(opened.claims);
                let text = format!("is a binary file ({size}): it holds NUL bytes from line {line} on");
                Err(self.failed(&text))
            }
        }
    }

    fn whole_text(&self, bytes: Vec<u8>) -> Result<ReadOutput, ToolError> {
        let hash = ledger::hash(&bytes);
        let text = encoding::decode(bytes).map_err(|error| self.about(error))?;
        let page = Page::of(&text.text, &self.wanted()).map_err(|problem| self.too_much(&problem))?;
        Ok(self.shown_text(page, text.notice(), Some(hash)))
    }

    /// A page as the answer, unless it was given before.
    fn shown_text(&self, page: Page, encoding: Option<String>, hash: Option<ContentHash>) -> ReadOutput {
        let content = page.lines.join("\n");
        let file_path = self.named.to_string_lossy().into_owned();
        if let Some(hash) = hash {
            let seen = Seen::lines(hash, page.extent, page.in_full, page.total);
            self.ledger.note_of(&self.canonical, seen, page.total);
            let shown = self.ctx.session.of::<ShownReads>();
            let range = (self.input.offset, self.input.limit, max_tokens(self.ctx));
            if shown.take(&self.canonical, self.ctx, range, hash) {
                return ReadOutput::FileUnchanged { file: UnchangedView { file_path } };
            }
            shown.note(&self.canonical, self.ctx, range, hash, &content);
        }
        let mut notices = page.notices;
        notices.extend(encoding);
        let file = TextView {
            file_path,
            num_lines: page.lines.len(),
            content,
            start_line: page.start,
            total_lines: page.total,
            truncated_by_token_cap: page.cut_by_us.then_some(true),
            notices,
        };
        ReadOutput::Text { file }
    }

    fn wanted(&self) -> Wanted {
        Wanted { offset: self.input.offset, limit: self.input.limit, max_tokens: max_tokens(self.ctx) }
    }

    /// The whole content of what is too large otherwise.
    fn all(&self, opened: Opened, most: u64, what: &str, advice: &str) -> Result<Vec<u8>, ToolError> {
        let size = opened.claims;
        opened.all(most).map_err(|error| match error {
            FileError::TooLarge(_) => {
                let (size, most) = (super::output::size(size), super::output::size(most));
                self.failed(&format!("is {what} of {size}, and at most {most} are read; {advice}"))
            }
            other => self.about(other),
        })
    }

    fn is_named(&self, extension: &str) -> bool {
        kind::is_named(&self.named, extension)
    }

    fn shown(&self) -> &str {
        &self.input.file_path
    }

    fn about(&self, error: FileError) -> ToolError {
        error.about(self.shown())
    }

    fn failed(&self, problem: &str) -> ToolError {
        ToolError::new(ErrorKind::Failed, format!("{} {problem}", self.shown()))
    }

    fn too_much(&self, problem: &str) -> ToolError {
        ToolError::new(ErrorKind::InvalidInput, format!("{}: {problem}", self.shown()))
    }

    #[cfg(not(all(feature = "images", feature = "pdf")))]
    fn binary(&self, kind: &'static str, opened: &Opened) -> ToolError {
        self.about(of_size(FileError::Binary { kind, size: 0 }, opened.claims))
    }
}

impl Opened {
    fn open(canonical: &Path) -> Result<Self, FileError> {
        let mut file = Place::find(canonical)?.open()?;
        let claims = file.metadata()?.len();
        let mut head = Vec::with_capacity(usize::try_from(claims.min(HEAD_BYTES)).unwrap_or(0));
        // Read to the end whatever size it claims: some files claim to be empty, others grow.
        (&mut file).take(HEAD_BYTES).read_to_end(&mut head)?;
        let complete = (head.len() as u64) < HEAD_BYTES;
        Ok(Self { claims: claims.max(head.len() as u64), file, head, complete })
    }

    /// All bytes, when there are no more than `most`.
    fn all(mut self, most: u64) -> Result<Vec<u8>, FileError> {
        if self.complete && self.head.len() as u64 <= most {
            return Ok(self.head);
        }
        if self.claims > most {
            return Err(FileError::TooLarge(most));
        }
        let left = (most + 1).saturating_sub(self.head.len() as u64);
        (&mut self.file).take(left).read_to_end(&mut self.head)?;
        if self.head.len() as u64 > most { Err(FileError::TooLarge(most)) } else { Ok(self.head) }
    }
}

/// The same failure with the size of the whole file.
fn of_size(error: FileError, size: u64) -> FileError {
    match error {
        FileError::Binary { kind, size: part } => {
            FileError::Binary { kind, size: usize::try_from(size).unwrap_or(usize::MAX).max(part) }
        }
        other => other,
    }
}

/// Estimated tokens that a call may give.
pub(super) fn max_tokens(ctx: &ToolContext) -> usize {
    usize::try_from(number::READ_TOKENS.read(&ctx.env)).unwrap_or(page::MAX_TOKENS)
}
