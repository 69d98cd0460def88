//! From an answer to a page: unpacked, decoded, turned into Markdown. All of it is computed at once, on the
//! blocking pool, within bounds of size and time.

use super::charset;
use super::failure::FetchError;
use super::fetch::Answer;
use super::markdown::html_to_markdown;
use super::media::{self, Media};
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use reqwest::StatusCode;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the conversion of a page may take.
const CONVERSION: Duration = Duration::from_secs(15);

/// A page as it is kept and shown.
#[derive(Debug)]
pub(crate) struct Page {
    /// Where it was found in the end.
    pub url: String,
    /// Status of the answer.
    pub status: StatusCode,
    /// When to come again: seconds, or a date of HTTP.
    pub retry_after: Option<String>,
    /// Size of what came, in bytes.
    pub bytes: usize,
    /// What it is.
    pub body: Body,
    /// Whether its end is missing.
    pub is_cut: bool,
    /// Whether the server lets it be kept in memory.
    pub may_be_kept: bool,
    /// The address that a page of HTML goes to by itself.
    pub leads_to: Option<String>,
    /// Whether a page of HTML holds scripts.
    pub has_scripts: bool,
    /// What is to be told where it is not what the server says it is.
    pub misfit: Option<&'static str>,
}

/// What a page is.
#[derive(Debug)]
pub(crate) enum Body {
    /// Text.
    Text {
        /// Title of a page of HTML.
        title: Option<String>,
        /// The text; Markdown for a page of HTML.
        text: String,
        /// What it was, for people and models.
        form: &'static str,
        /// How a file of the text ends.
        extension: &'static str,
    },
    /// Something that is kept as a file.
    File {
        /// The bytes.
        content: Arc<[u8]>,
        /// Its kind, such as `image/png`.
        media: String,
        /// How a file of it ends.
        extension: &'static str,
    },
}

impl Page {
    /// Reads an answer. `is_over` says whether nobody waits any more.
    ///
    /// # Errors
    /// When it cannot be unpacked, or nobody waits.
    pub(crate) fn read(
        answer: Answer,
        max_bytes: usize,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Self, FetchError> {
        let Answer { location, status, content_type, coding, retry_after, may_be_kept, body, is_cut } =
            answer;
        let bytes = body.len();
        let (body, is_cut) = match unpack(body, &coding, is_cut, max_bytes) {
            Some(unpacked) => unpacked,
            // The status says enough.
            None if !status.is_success() => (Vec::new(), is_cut),
            None => return Err(FetchError::Packed { host: location.host().to_owned(), coding }),
        };
        let mut page = Self {
            url: location.as_str().to_owned(),
            status,
            retry_after,
            bytes,
            is_cut,
            may_be_kept,
            body: Body::none(),
            leads_to: None,
            has_scripts: false,
            misfit: media::misfit(content_type.as_deref(), &body),
        };
        let charset = content_type.as_deref().and_then(charset::charset_of);
        page.body = match media::of(content_type.as_deref(), &body) {
            Media::File { media, extension } => Body::File { content: body.into(), media, extension },
            Media::Text(extension) => {
                let text = charset::decode(&body, charset);
                Body::Text { title: None, text, form: "text", extension }
            }
            Media::Html => {
                let text = charset::decode(&body, charset);
                let until = Instant::now() + CONVERSION;
                let stop = || is_over() || Instant::now() >= until;
                let markdown = html_to_markdown(&text, location.as_str(), max_bytes, &stop);
                page.is_cut |= markdown.is_cut;
                page.leads_to = markdown.leads_to.filter(|to| *to != page.url);
                page.has_scripts = markdown.has_scripts;
                let (title, text) = (markdown.title, markdown.text);
                Body::Text { title, text, form: "HTML as Markdown", extension: "md" }
            }
        };
        if is_over() { Err(FetchError::Cancelled) } else { Ok(page) }
    }

    /// One that came without trouble.
    #[cfg(test)]
    pub(crate) fn for_tests(url: &str, body: Body) -> Self {
        Self {
            url: url.to_owned(),
            status: StatusCode::OK,
            retry_after: None,
            bytes: 0,
            body,
            is_cut: false,
            may_be_kept: true,
            leads_to: None,
            has_scripts: false,
            misfit: None,
        }
    }

    /// How much memory it takes, about.
    pub(crate) fn size(&self) -> usize {
        match &self.body {
            Body::Text { text, .. } => text.len(),
            Body::File { content, .. } => content.len(),
        }
    }
}

impl Body {
    /// Nothing.
    pub(crate) fn none() -> Self {
        Self::File { content: Arc::default(), media: String::new(), extension: "bin" }
    }
}

/// Unpacks at most `max_bytes`; says whether the end is missing. `None` when it cannot be unpacked.
fn unpack(body: Vec<u8>, coding: &str, is_cut: bool, max_bytes: usize) -> Option<(Vec<u8>, bool)> {
    let mut reader: Box<dyn Read + '_> = match coding.trim() {
        "" | "identity" => return Some((body, is_cut)),
        "gzip" | "x-gzip" => Box::new(MultiGzDecoder::new(body.as_slice())),
        // Some servers leave the header of the format out.
        "deflate" if body.first().is_some_and(|byte| byte & 0xf == 8) => {
            Box::new(ZlibDecoder::new(body.as_slice()))
        }
        "deflate" => Box::new(DeflateDecoder::new(body.as_slice())),
        _ => return None,
    };
    let mut unpacked = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Some((unpacked, is_cut)),
            Ok(count) => {
                let room = max_bytes.saturating_sub(unpacked.len());
                unpacked.extend_from_slice(buffer.get(..count.min(room))?);
                if count > room {
                    return Some((unpacked, true));
                }
            }
            // What was cut ends in the midst of it.
            Err(_) if is_cut => return Some((unpacked, true)),
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use std::io::Write;

    #[test]
    fn packed_bodies_are_unpacked_within_bounds() {
        let text = b"some text ".repeat(100);
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&text).unwrap();
        let gzip = gzip.finish().unwrap();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
        zlib.write_all(&text).unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::best());
        raw.write_all(&text).unwrap();
        for (body, coding) in [
            (gzip.clone(), "gzip"),
            (zlib.finish().unwrap(), "deflate"),
            (raw.finish().unwrap(), "deflate"),
            (text.clone(), "identity"),
            (text.clone(), ""),
        ] {
            assert_eq!(unpack(body, coding, false, 10_000), Some((text.clone(), false)), "{coding}");
        }
        let two = [gzip.as_slice(), &gzip].concat();
        assert_eq!(unpack(two, "gzip", false, 10_000), Some(([text.as_slice(), &text].concat(), false)));
        assert_eq!(unpack(gzip.clone(), "gzip", false, 15), Some((text[..15].to_vec(), true)));
        assert_eq!(unpack(gzip[..gzip.len() - 9].to_vec(), "gzip", false, 10_000), None);
        assert!(
            unpack(gzip[..gzip.len() - 9].to_vec(), "gzip", true, 10_000).is_some_and(|(_, is_cut)| is_cut)
        );
        assert_eq!(unpack(text.clone(), "gzip", false, 10_000), None);
        assert_eq!(unpack(text, "br", false, 10_000), None);
    }

    #[test]
    fn a_bomb_stays_small() {
        let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
        for _ in 0..64 {
            bomb.write_all(&[0; 1 << 16]).unwrap();
        }
        let bomb = bomb.finish().unwrap();
        assert!(bomb.len() < 10_000);
        let (unpacked, is_cut) = unpack(bomb, "gzip", false, 100_000).unwrap();
        assert_eq!((unpacked.len(), is_cut), (100_000, true));
    }
}
