//! A PDF document: opened with bounds, its pages counted, their text taken out.

use super::content::{Stop, Walker};
use super::tree;
use crate::read::pages::{self as wanted_pages, Pages};
use lopdf::{DecompressError, Document, Error, LoadOptions};
use pegboard_tool_core::{ErrorKind, ToolError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Bytes that one of the streams that describe the document may have.
const MAX_STREAM_BYTES: usize = 16 * 1024 * 1024;

/// Why a document is not shown.
#[derive(Debug, thiserror::Error)]
pub(in crate::read) enum PdfProblem {
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
    /// Whether pages were not read to their end: they hold too much.
    pub was_cut: bool,
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
    let pages = tree::pages(&document);
    let total = u32::try_from(pages.len()).unwrap_or(u32::MAX);
    if total == 0 {
        return Err(PdfProblem::Damaged("it has no pages".to_owned()));
    }
    let range = wanted_pages::of(wanted, total).map_err(PdfProblem::Range)?;
    let mut text = Text { total, pages: Vec::new(), notices: Vec::new(), was_cut: false };
    let (mut cut, mut unknown, mut late) = (Vec::new(), Vec::new(), Vec::new());
    for (number, id) in (1u32..).zip(&pages).filter(|(number, _)| range.contains(number)) {
        let mut walker = Walker::new(&document, until);
        match walker.page(*id) {
            Some(Stop::Time) => late.push(number),
            Some(Stop::Size) => cut.push(number),
            None => {}
        }
        let (page, without_unicode) = walker.finish();
        if without_unicode {
            unknown.push(number);
        }
        text.pages.push(PageText { number, text: page });
    }
    text.was_cut = !cut.is_empty() || !late.is_empty();
    // Of a page that was not read to its end, or whose fonts say nothing, nobody knows that it is empty.
    let is_known = |number: &u32| ![&late, &cut, &unknown].iter().any(|pages| pages.contains(number));
    let empty = text.pages.iter().filter(|page| page.text.is_empty()).map(|page| page.number);
    let empty: Vec<u32> = empty.filter(is_known).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use lopdf::{Dictionary, Object, Stream, dictionary};
    use proptest::prelude::*;
    use std::time::Duration;

    /// A page whose resources have these forms, and its content.
    fn page(content: Vec<u8>, forms: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let pages = document.new_object_id();
        let font = document
            .add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier" });
        let resources = document.new_object_id();
        let mut named = Dictionary::new();
        for (name, content) in forms {
            let entries = dictionary! { "Type" => "XObject", "Subtype" => "Form", "Resources" => resources };
            let form = Stream::new(entries, content.clone());
            named.set(*name, document.add_object(form));
        }
        document.objects.insert(
            resources,
            Object::Dictionary(dictionary! { "Font" => dictionary! { "F1" => font }, "XObject" => named }),
        );
        let mut content = Stream::new(Dictionary::new(), content);
        content.compress().unwrap();
        let content = document.add_object(content);
        let page = document.add_object(
            dictionary! { "Type" => "Page", "Parent" => pages, "Resources" => resources, "Contents" => content },
        );
        let entries = dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 };
        document.objects.insert(pages, Object::Dictionary(entries));
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
    }

    fn within(bytes: &[u8], time: Duration) -> Result<Text, PdfProblem> {
        read(bytes, None, Instant::now() + time)
    }

    #[test]
    fn forms_are_part_of_the_page() {
        let form = b"q 1 0 0 1 0 50 cm BT /F1 10 Tf (inside) Tj ET Q".to_vec();
        let bytes = page(
            b"BT /F1 10 Tf 0 90 Td (before) Tj ET /A Do BT /F1 10 Tf (after) Tj ET".to_vec(),
            &[("A", form)],
        );
        let text = within(&bytes, Duration::from_secs(60)).unwrap();
        assert_eq!(text.pages[0].text, "before\n\ninside\n\nafter");
    }

    #[test]
    fn forms_within_forms_end() {
        // Each draws the next ones ten times over, and itself.
        let draw = |next: &str| format!("/{next} Do ").repeat(10).into_bytes();
        let names = ["A", "B", "C", "D", "E", "F", "G", "H"];
        let forms: Vec<(&str, Vec<u8>)> =
            names.iter().zip(names.iter().cycle().skip(1)).map(|(own, next)| (*own, draw(next))).collect();
        let text = within(&page(b"/A Do".to_vec(), &forms), Duration::from_millis(300)).unwrap();
        assert!(text.notices[0].contains("was not read to the end"), "{:?}", text.notices);
    }

    #[test]
    fn a_page_that_unpacks_to_too_much_is_cut_off() {
        let text = within(&page(vec![b' '; 70 << 20], &[]), Duration::from_secs(60)).unwrap();
        assert_eq!(text.notices, ["[the text of page 1 was not read to the end, there is too much of it]"]);
        assert!(text.was_cut);
    }

    #[test]
    fn deep_content_is_no_overflow() {
        for deep in ["[".repeat(300_000), "<<".repeat(300_000), "(".repeat(300_000), "q ".repeat(300_000)] {
            let bytes = page(format!("BT /F1 9 Tf (x) Tj ET {deep}").into_bytes(), &[]);
            assert!(within(&bytes, Duration::from_secs(60)).is_ok());
        }
    }

    #[test]
    fn no_time_is_no_text_and_a_notice() {
        let content = "BT /F1 9 Tf (x) Tj ET\n".repeat(1_000).into_bytes();
        let text = within(&page(content, &[]), Duration::ZERO).unwrap();
        assert_eq!(text.notices, ["[the text of page 1 was not read to the end, it takes too long]"]);
        assert!(text.was_cut);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn no_damage_is_a_crash(
            damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
            cut in proptest::option::of(any::<prop::sample::Index>()),
            which in 0usize..3,
        ) {
            let mut bytes = match which {
                0 => page(b"BT /F1 10 Tf [(a) 9 (b)] TJ ET /A Do".to_vec(), &[("A", b"(x) Tj".to_vec())]),
                1 => include_bytes!("../../../tests/data/encrypted.pdf").to_vec(),
                _ => include_bytes!("../../../tests/data/owner-password.pdf").to_vec(),
            };
            for (at, byte) in &damage {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            drop(within(&bytes, Duration::from_secs(5)));
        }
    }
}
