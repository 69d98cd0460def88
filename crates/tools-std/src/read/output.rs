//! Output of Read: what it is for programs, what the model reads of it, what people see.

use crate::file::lines::numbered;
use pegboard_tool_core::ResultContent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Output of [`super::Read`].
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReadOutput {
    /// A text.
    Text {
        /// What was read of it.
        file: TextView,
    },
    /// An image.
    Image {
        /// The image as it is shown.
        file: ImageView,
    },
    /// A Jupyter notebook.
    Notebook {
        /// Its cells.
        file: NotebookView,
    },
    /// Pages of a PDF document.
    Pdf {
        /// The pages.
        file: PdfView,
    },
    /// A text that was shown before and has not changed since.
    FileUnchanged {
        /// Which one.
        file: UnchangedView,
    },
}

/// A part of a text file.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextView {
    /// Absolute path.
    pub file_path: String,
    /// The lines, without numbers, joined by newlines.
    pub content: String,
    /// How many lines `content` has.
    pub num_lines: usize,
    /// Number of the first one, from 1.
    pub start_line: usize,
    /// Lines of the whole file; absent when it is so large that they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<usize>,
    /// Whether our own limits cut it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated_by_token_cap: Option<bool>,
    /// What the reader must know beside the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// A picture that the model sees.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Picture {
    /// Its bytes in base64.
    pub base64: String,
    /// Its media type, such as `image/png`.
    #[serde(rename = "type")]
    pub media_type: String,
}

/// An image file.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ImageView {
    /// Absolute path.
    pub file_path: String,
    /// What is shown.
    #[serde(flatten)]
    pub picture: Picture,
    /// Bytes of the file.
    pub original_size: u64,
    /// Width and height.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<Dimensions>,
    /// What the reader must know beside the picture.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// Width and height of an image, in pixels, upright.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Dimensions {
    /// Width in the file.
    pub original_width: u32,
    /// Height in the file.
    pub original_height: u32,
    /// Width as it is shown.
    pub display_width: u32,
    /// Height as it is shown.
    pub display_height: u32,
}

/// A notebook.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NotebookView {
    /// Absolute path.
    pub file_path: String,
    /// Cells that are shown, in order.
    pub cells: Vec<NotebookCell>,
    /// Cells of the whole notebook.
    pub total_cells: usize,
    /// What the reader must know beside the cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// A cell of a notebook.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NotebookCell {
    /// Its id; `cell-N`, counted from 0, when the notebook gives it none.
    #[serde(rename = "cell_id")]
    pub id: String,
    /// `code`, `markdown` or `raw`.
    pub cell_type: String,
    /// Language of its code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Number of its last run.
    #[serde(default, rename = "execution_count", skip_serializing_if = "Option::is_none")]
    pub execution_count: Option<i64>,
    /// Its text.
    pub source: String,
    /// What running it gave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<CellOutput>,
}

/// An output of a cell.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CellOutput {
    /// `stream`, `execute_result`, `display_data` or `error`.
    pub output_type: String,
    /// Its text, long ones cut with a mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Picture>,
}

/// Pages of a PDF document.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PdfView {
    /// Absolute path.
    pub file_path: String,
    /// Bytes of the file.
    pub original_size: u64,
    /// Pages of the whole document.
    pub total_pages: u32,
    /// Pages that are shown, in order.
    pub pages: Vec<PdfPage>,
    /// What the reader must know beside the pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// A page of a PDF document.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PdfPage {
    /// Its number, from 1.
    pub number: u32,
    /// Its text.
    pub text: String,
    /// Its picture, where a renderer is installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Picture>,
}

/// A file that was shown before.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UnchangedView {
    /// Absolute path.
    pub file_path: String,
}

impl Picture {
    pub(crate) fn block(&self) -> ResultContent {
        ResultContent::Image { media_type: self.media_type.clone(), data: self.base64.as_str().into() }
    }
}

impl ReadOutput {
    /// What the model reads.
    pub(super) fn blocks(&self) -> Vec<ResultContent> {
        match self {
            Self::Text { file } => {
                let mut blocks = Vec::new();
                if file.num_lines > 0 {
                    // A line may hold a lone carriage return, so the content is cut at newlines only.
                    blocks.push(ResultContent::Text(numbered(file.start_line, file.content.split('\n'))));
                }
                with_notices(blocks, &file.notices)
            }
            Self::Image { file } => with_notices(vec![file.picture.block()], &file.notices),
            Self::Notebook { file } => with_notices(file.blocks(), &file.notices),
            Self::Pdf { file } => with_notices(file.blocks(), &file.notices),
            Self::FileUnchanged { .. } => vec![ResultContent::Text(
                "[unchanged since these lines were last read in this conversation: that result still holds. If it \
                 is gone, read them once more and they are shown]"
                    .to_owned(),
            )],
        }
    }

    /// What people see.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Text { file } => file.line(),
            Self::Image { file } => match &file.dimensions {
                Some(d) if (d.display_width, d.display_height) != (d.original_width, d.original_height) => {
                    format!(
                        "Read image {}x{} (shown at {}x{}, {})",
                        d.original_width,
                        d.original_height,
                        d.display_width,
                        d.display_height,
                        size(file.original_size)
                    )
                }
                Some(d) => {
                    format!(
                        "Read image {}x{} ({})",
                        d.original_width,
                        d.original_height,
                        size(file.original_size)
                    )
                }
                None => format!("Read image ({})", size(file.original_size)),
            },
            Self::Notebook { file } if file.cells.len() == file.total_cells => {
                format!("Read notebook, {} cells", file.total_cells)
            }
            Self::Notebook { file } => {
                format!("Read notebook, {} of {} cells", file.cells.len(), file.total_cells)
            }
            Self::Pdf { file } => file.line(),
            Self::FileUnchanged { .. } => "Unchanged since the last read".to_owned(),
        }
    }
}

fn with_notices(mut blocks: Vec<ResultContent>, notices: &[String]) -> Vec<ResultContent> {
    blocks.extend(notices.iter().cloned().map(ResultContent::Text));
    blocks
}

impl TextView {
    fn line(&self) -> String {
        let (count, first) = (self.num_lines, self.start_line);
        let last = (first + count).saturating_sub(1);
        let lines = if count == 1 { "line" } else { "lines" };
        match self.total_lines {
            _ if count == 0 => {
                self.notices.first().map_or("Read nothing", |text| text.trim_matches(['[', ']'])).to_owned()
            }
            Some(total) if total == count => format!("Read {count} {lines}"),
            Some(total) => format!("Read {count} {lines} ({first}-{last} of {total})"),
            None => format!("Read {count} {lines} ({first}-{last} of a huge file)"),
        }
    }
}

impl NotebookView {
    fn blocks(&self) -> Vec<ResultContent> {
        let (mut blocks, mut text) = (Vec::new(), String::new());
        for cell in &self.cells {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(&cell.head());
            text.push('\n');
            text.push_str(cell.source.trim_end_matches('\n'));
            for output in &cell.outputs {
                text.push_str(&format!("\n[output: {}]", output.output_type));
                if let Some(said) = &output.text {
                    text.push('\n');
                    text.push_str(said.trim_end_matches('\n'));
                }
                if let Some(picture) = &output.image {
                    blocks.push(ResultContent::Text(std::mem::take(&mut text)));
                    blocks.push(picture.block());
                }
            }
        }
        if !text.is_empty() {
            blocks.push(ResultContent::Text(text));
        }
        blocks
    }
}

impl NotebookCell {
    /// The line above the cell.
    fn head(&self) -> String {
        let mut head = format!("[cell {}: {}", self.id, self.cell_type);
        if let Some(language) = &self.language {
            head.push_str(&format!(", {language}"));
        }
        if let Some(count) = self.execution_count {
            head.push_str(&format!(", run {count}"));
        }
        head + "]"
    }
}

impl PdfView {
    fn blocks(&self) -> Vec<ResultContent> {
        let mut blocks = Vec::new();
        for page in &self.pages {
            let text =
                if page.text.is_empty() { "[no text was read from this page]" } else { page.text.as_str() };
            blocks
                .push(ResultContent::Text(format!("[page {} of {}]\n{text}", page.number, self.total_pages)));
            blocks.extend(page.image.as_ref().map(Picture::block));
        }
        blocks
    }

    fn line(&self) -> String {
        let total = self.total_pages;
        match (self.pages.first(), self.pages.last()) {
            (Some(first), Some(last)) if first.number < last.number => {
                format!(
                    "Read pages {}-{} of {total} (PDF, {})",
                    first.number,
                    last.number,
                    size(self.original_size)
                )
            }
            (Some(page), _) => {
                format!("Read page {} of {total} (PDF, {})", page.number, size(self.original_size))
            }
            _ => format!("Read no page of {total} (PDF, {})", size(self.original_size)),
        }
    }
}

/// A number of bytes for people.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
