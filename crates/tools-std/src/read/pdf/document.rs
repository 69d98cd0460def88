//! A PDF document: opened with bounds, its pages counted, their text taken out.

use super::content::{Stop, Walker};
use crate::read::pages::{self, Pages};
use lopdf::{DecompressError, Document, Error, LoadOptions};
use pegboard_tool_core::{ErrorKind, ToolError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Bytes that one of the streams that describe the document may have.
const MAX_STREAM_BYTES: usize = 16 * 1024 * 1024;

/// Why a document is not shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum PdfProblem {
    /// It wants a password.
    #[error("is encrypted and wants a password; decrypt it first, for example with qpdf")]
    Encrypted,
    /// It is broken, or not what it says.
    #[error("looks like a PDF document but cannot be read ({0}); it may be damaged or incomplete")]
    Damaged(String),
    /// It inflates to more than we hold.
    #[error("holds a part that is larger than {} MiB when it is unpacked; it is not read", MAX_STREAM_BYTES / (1024 * 1024))]
    TooLarge,
    /// It takes too long.
    #[error("takes too long to read; it was given up")]
    TooSlow,
    /// The pages asked for are not there, or too many.
    #[error("{0}")]
    Range(String),
}

impl PdfProblem {
    /// The answer to a call about `shown`.
    pub(super) fn about(self, shown: &str) -> ToolError {
        let kind = if matches!(self, Self::Range(_)) { ErrorKind::InvalidInput } else { ErrorKind::Failed };
        ToolError::new(kind, format!("{shown} {self}"))
    }
}

/// The text of some pages.
#[derive(Debug)]
pub(super) struct Text {
    /// Pages of the whole document.
    pub total: u32,
    /// The pages, in order.
    pub pages: Vec<PageText>,
    /// What the reader must know.
    pub notices: Vec<String>,
}

/// The text of a page.
#[derive(Debug)]
pub(super) struct PageText {
    /// Its number, from 1.
    pub number: u32,
    /// Its text.
    pub text: String,
}

/// Reads the pages that are wanted; text that is not read `until` then is left out.
///
/// # Errors
/// See [`PdfProblem`].
pub(super) fn read(bytes: &[u8], wanted: Option<Pages>, until: Instant) -> Result<Text, PdfProblem> {
    let read = catch_unwind(AssertUnwindSafe(|| read_pages(bytes, wanted, until)));
    read.unwrap_or_else(|_| Err(PdfProblem::Damaged("the reader crashed".to_owned())))
}

fn read_pages(bytes: &[u8], wanted: Option<Pages>, until: Instant) -> Result<Text, PdfProblem> {
    let document = open(bytes)?;
    let ids = document.get_pages();
    let total = u32::try_from(ids.len()).unwrap_or(u32::MAX);
    if total == 0 {
        return Err(PdfProblem::Damaged("it has no pages".to_owned()));
    }
    let range = pages::of(wanted, total).map_err(PdfProblem::Range)?;
    let mut text = Text { total, pages: Vec::new(), notices: Vec::new() };
    let (mut cut, mut unknown, mut late) = (Vec::new(), Vec::new(), Vec::new());
    for (number, id) in ids.range(range) {
        let mut walker = Walker::new(&document, until);
        match walker.page(*id) {
            Some(Stop::Time) => late.push(*number),
            Some(Stop::Size) => cut.push(*number),
            None => {}
        }
        let (page, without_unicode) = walker.finish();
        if without_unicode {
            unknown.push(*number);
        }
        text.pages.push(PageText { number: *number, text: page });
    }
    let empty: Vec<u32> =
        text.pages.iter().filter(|page| page.text.is_empty()).map(|page| page.number).collect();
    for (pages, what) in [
        (late, "was not read to the end, it takes too long"),
        (cut, "was not read to the end, there is too much of it"),
        (unknown, "is in part in fonts that do not say which characters they draw; that part is missing"),
        (empty, "is empty: a scan or a drawing, perhaps"),
    ] {
        if !pages.is_empty() {
            text.notices.push(format!("[the text of page {} {what}]", listed(&pages)));
        }
    }
    Ok(text)
}

fn open(bytes: &[u8]) -> Result<Document, PdfProblem> {
    let options = LoadOptions { max_decompressed_size: Some(MAX_STREAM_BYTES), ..LoadOptions::default() };
    let document = Document::load_mem_with_options(bytes, options).map_err(|error| match error {
        Error::InvalidPassword | Error::Decryption(_) => PdfProblem::Encrypted,
        Error::Decompress(DecompressError::MemoryLimitExceeded { .. }) => PdfProblem::TooLarge,
        error => PdfProblem::Damaged(error.to_string().chars().take(200).collect()),
    })?;
    // Decrypting takes this entry away.
    if document.trailer.has(b"Encrypt") { Err(PdfProblem::Encrypted) } else { Ok(document) }
}

fn listed(pages: &[u32]) -> String {
    pages.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
