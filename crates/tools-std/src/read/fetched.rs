//! Images and PDF documents that came from elsewhere, shown as Read shows files: the same limits, the same care.
//! What the build cannot show, and what is neither, is nothing here.

#[cfg(feature = "images")]
use super::output::ImageView;
#[cfg(feature = "images")]
use crate::file::kind::Image;
use pegboard_tool_core::{ToolContext, ToolError};
use std::path::Path;
use std::sync::Arc;

/// What is shown of a file.
#[derive(Debug)]
pub(crate) enum Shown {
    /// A picture.
    #[cfg(feature = "images")]
    Image(ImageView),
    /// Pages of a document, as text.
    #[cfg(feature = "pdf")]
    Pages {
        /// The text of the pages, each below its number; empty when none has any.
        text: String,
        /// What the reader must know beside it.
        notices: Vec<String>,
    },
    /// It should be one of these and is not; why, after its name.
    #[cfg(any(feature = "images", feature = "pdf"))]
    Broken(String),
}

/// What is shown of `bytes`, which are kept at `path`, in at most `max_tokens` of text.
///
/// # Errors
/// When nobody waits any more.
pub(crate) async fn shown(
    bytes: Arc<[u8]>,
    path: &Path,
    max_tokens: usize,
    ctx: &ToolContext,
) -> Result<Option<Shown>, ToolError> {
    #[cfg(feature = "images")]
    if let Some(format) = Image::by_magic(&bytes) {
        return image(format, bytes, path, ctx).await.map(Some);
    }
    #[cfg(feature = "pdf")]
    if bytes.starts_with(b"%PDF-") {
        return pages(bytes, path, max_tokens, ctx).await.map(Some);
    }
    let _of_no_use = (bytes, path, max_tokens, ctx);
    Ok(None)
}

#[cfg(feature = "images")]
async fn image(format: Image, bytes: Arc<[u8]>, path: &Path, ctx: &ToolContext) -> Result<Shown, ToolError> {
    use super::look::MAX_IMAGE_BYTES;
    if bytes.len() as u64 > MAX_IMAGE_BYTES {
        let most = super::output::size(MAX_IMAGE_BYTES);
        return Ok(Shown::Broken(format!(
            "is larger than {most} and not shown; shrink it with another tool"
        )));
    }
    let path = path.to_owned();
    let work = crate::blocking::blocking(move || Ok(super::image::view(&path, format, bytes.to_vec())));
    let view = tokio::select! {
        biased;
        () = ctx.cancel.cancelled() => return Err(ToolError::cancelled()),
        view = work => view?,
    };
    Ok(view.map_or_else(Shown::Broken, Shown::Image))
}

/// The first pages; the notices say what is missing and how to go on.
#[cfg(feature = "pdf")]
async fn pages(
    bytes: Arc<[u8]>,
    path: &Path,
    max_tokens: usize,
    ctx: &ToolContext,
) -> Result<Shown, ToolError> {
    use super::pages::Pages;
    use std::fmt::Write as _;
    let max_tokens = max_tokens.min(super::look::max_tokens(ctx));
    let view = match super::pdf::text(Some(Pages::Beginning), path, bytes, max_tokens, ctx).await? {
        Ok(view) => view,
        Err(problem) => return Ok(Shown::Broken(problem.to_string())),
    };
    let (mut text, mut notices, total) = (String::new(), view.notices, view.total_pages);
    if view.pages.iter().any(|page| !page.text.is_empty()) {
        for page in &view.pages {
            let said =
                if page.text.is_empty() { "[no text was read from this page]" } else { page.text.as_str() };
            let _written = writeln!(text, "[page {} of {total}]\n{said}\n", page.number);
        }
    }
    let last = view.pages.last().map_or(0, |page| page.number);
    if last < total {
        notices.push(format!("[pages {}-{total} of {total} are not shown here]", last + 1));
    }
    Ok(Shown::Pages { text, notices })
}
