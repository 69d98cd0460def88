//! PDF documents by pages: their text, and pictures of them where a renderer is installed. Documents
//! come from strangers: work is bounded in time and memory, and a crash of the library is an error.

mod cmap;
mod content;
mod dingbats;
mod document;
mod flow;
mod font;
mod matrix;
mod pictures;
mod tree;
mod widths;

use super::ReadInput;
use super::look::max_tokens;
use super::output::{PdfPage, PdfView, ReadOutput};
use super::pages::{self, Pages};
use document::PageText;
pub(super) use document::PdfProblem;
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time for the text of the pages of a call. What is not read by then is left out.
const TEXT_TIME: Duration = Duration::from_secs(20);
/// Time after which a document that cannot even be opened is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads the pages of a document that are asked for.
///
/// # Errors
/// When it cannot be read or the pages are not there, in words for the model.
pub(super) async fn read(
    input: &ReadInput,
    named: &Path,
    bytes: Vec<u8>,
    ctx: &ToolContext,
) -> Result<ReadOutput, ToolError> {
    let shown = input.file_path.as_str();
    let wanted = input.pages.as_deref().map(pages::parse).transpose();
    let wanted = wanted.map_err(|problem| ToolError::new(ErrorKind::InvalidInput, problem))?;
    let bytes: Arc<[u8]> = bytes.into();
    let (mut view, was_cut) = read_text(wanted, named, Arc::clone(&bytes), max_tokens(ctx), ctx)
        .await?
        .map_err(|problem| problem.about(shown))?;
    if was_cut {
        // A renderer would do the same work with less care.
        view.notices.push("[text only: pages that hold too much are not drawn]".to_owned());
        return Ok(ReadOutput::Pdf { file: view });
    }
    match pictures::render(bytes, &view, ctx).await {
        Ok(mut pictures) => {
            let missing = view.pages.iter().filter(|page| !pictures.contains_key(&page.number)).count();
            if missing > 0 {
                view.notices
                    .push(format!("[pictures of {missing} page(s) are missing: they could not be drawn]"));
            }
            for page in &mut view.pages {
                page.image = pictures.remove(&page.number);
            }
        }
        Err(None) if ctx.cancel.is_cancelled() => return Err(ToolError::cancelled()),
        Err(None) => {}
        Err(Some(notice)) => view.notices.push(notice),
    }
    Ok(ReadOutput::Pdf { file: view })
}

/// The text of the pages that are wanted, at most `max_tokens` of it; the inner error is what is wrong with the
/// document.
///
/// # Errors
/// When nobody waits any more.
#[cfg(feature = "web")]
pub(super) async fn text(
    wanted: Option<Pages>,
    named: &Path,
    bytes: Arc<[u8]>,
    max_tokens: usize,
    ctx: &ToolContext,
) -> Result<Result<PdfView, PdfProblem>, ToolError> {
    Ok(read_text(wanted, named, bytes, max_tokens, ctx).await?.map(|(view, _)| view))
}

/// The text, and whether pages were not read to their end.
async fn read_text(
    wanted: Option<Pages>,
    named: &Path,
    bytes: Arc<[u8]>,
    max_tokens: usize,
    ctx: &ToolContext,
) -> Result<Result<(PdfView, bool), PdfProblem>, ToolError> {
    let original_size = bytes.len() as u64;
    let until = Instant::now() + TEXT_TIME;
    let work = tokio::task::spawn_blocking(move || document::read(&bytes, wanted, until));
    let read = tokio::select! {
        () = ctx.cancel.cancelled() => return Err(ToolError::cancelled()),
        read = tokio::time::timeout(PATIENCE, work) => match read {
            Ok(Ok(read)) => read,
            // The thread goes on to its end, but nobody waits for it.
            Err(_) => Err(PdfProblem::TooSlow),
            Ok(Err(_)) => Err(PdfProblem::Damaged("the reader crashed".to_owned())),
        },
    };
    Ok(read.map(|text| {
        let mut view = PdfView {
            file_path: named.to_string_lossy().into_owned(),
            original_size,
            total_pages: text.total,
            pages: Vec::new(),
            notices: text.notices,
        };
        fit(text.pages, max_tokens, &mut view);
        (view, text.was_cut)
    }))
}

/// Takes the pages whose text fits.
fn fit(texts: Vec<PageText>, max_tokens: usize, view: &mut PdfView) {
    let most_bytes = max_tokens.saturating_mul(4);
    let last = texts.last().map_or(0, |page| page.number);
    let mut used = 0;
    for PageText { number, mut text } in texts {
        if used + text.len() > most_bytes {
            if !view.pages.is_empty() {
                view.notices.push(format!(
                    "[PARTIAL view: pages {number}-{last} are left out, their text is more than {max_tokens} tokens; go \
                     on with pages `{number}-{last}`]"
                ));
                break;
            }
            let cut = (0..=most_bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            view.notices.push(format!(
                "[PARTIAL view: {cut} of {} bytes of the text of page {number} are shown, more is over the limit of \
                 {max_tokens} tokens]",
                text.len()
            ));
            text.truncate(cut);
        }
        used += text.len();
        view.pages.push(PdfPage { number, text, image: None });
    }
}
