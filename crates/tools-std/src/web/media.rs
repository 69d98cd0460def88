//! What a body is: a page, text, or something that is not shown.

use super::charset;
use crate::file::kind;

/// What is done with a body.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Media {
    /// Becomes Markdown.
    Html,
    /// Is shown as it is; a file of it ends with this.
    Text(&'static str),
    /// Is kept as a file.
    File {
        /// Its kind, such as `image/png`; one that we do not know is no name of it.
        media: String,
        /// A file of it ends with this.
        extension: &'static str,
    },
}

/// Kinds that are kept, and how files of them end.
const FILES: [(&str, &str); 47] = [
    ("application/pdf", "pdf"),
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/avif", "avif"),
    ("image/bmp", "bmp"),
    ("image/tiff", "tiff"),
    ("image/x-icon", "ico"),
    ("application/zip", "zip"),
    ("application/gzip", "gz"),
    ("application/x-gzip", "gz"),
    ("application/x-tar", "tar"),
    ("application/x-xz", "xz"),
    ("application/zstd", "zst"),
    ("application/x-bzip2", "bz2"),
    ("application/x-7z-compressed", "7z"),
    ("application/wasm", "wasm"),
    ("application/vnd.sqlite3", "sqlite"),
    ("audio/mpeg", "mp3"),
    ("audio/ogg", "ogg"),
    ("video/mp4", "mp4"),
    ("video/webm", "webm"),
    ("font/woff2", "woff2"),
    ("font/woff", "woff"),
    ("font/ttf", "ttf"),
    ("font/otf", "otf"),
    ("image/heic", "heic"),
    ("audio/wav", "wav"),
    ("audio/flac", "flac"),
    ("audio/mp4", "m4a"),
    ("video/quicktime", "mov"),
    ("video/x-matroska", "mkv"),
    ("application/epub+zip", "epub"),
    ("application/java-archive", "jar"),
    ("application/msword", "doc"),
    ("application/rtf", "rtf"),
    ("application/vnd.ms-excel", "xls"),
    ("application/vnd.ms-powerpoint", "ppt"),
    ("application/vnd.oasis.opendocument.presentation", "odp"),
    ("application/vnd.oasis.opendocument.spreadsheet", "ods"),
    ("application/vnd.oasis.opendocument.text", "odt"),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ("application/vnd.rar", "rar"),
    ("application/octet-stream", "bin"),
];

/// Kinds by the first bytes, where they count more than what the server says.
const SURE: [(&[u8], &str); 8] = [
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"\0asm", "application/wasm"),
];

/// What `body` is, by what the server says and by what it holds.
pub(crate) fn of(content_type: Option<&str>, body: &[u8]) -> Media {
    let essence = content_type.and_then(|text| text.split(';').next()).unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    let said = match essence.as_str() {
        "text/html" | "application/xhtml+xml" => Some(Media::Html),
        "text/markdown" | "text/x-markdown" => Some(Media::Text("md")),
        "application/json" | "application/x-ndjson" | "application/jsonl" => Some(Media::Text("json")),
        "application/xml" | "text/xml" | "image/svg+xml" => Some(Media::Text("xml")),
        "text/css" => Some(Media::Text("css")),
        "text/csv" => Some(Media::Text("csv")),
        "application/javascript"
        | "application/x-javascript"
        | "application/ecmascript"
        | "text/javascript" => Some(Media::Text("js")),
        "application/yaml"
        | "application/x-yaml"
        | "application/toml"
        | "application/sql"
        | "application/graphql"
        | "application/x-sh"
        | "application/x-www-form-urlencoded"
        | "application/x-httpd-php"
        | "application/typescript"
        | "application/x-tex"
        | "message/rfc822" => Some(Media::Text("txt")),
        other if other.ends_with("+json") => Some(Media::Text("json")),
        other if other.ends_with("+xml") => Some(Media::Text("xml")),
        other if other.starts_with("text/") => Some(Media::Text("txt")),
        _ => None,
    };
    let is_known = kind::by_magic(body).is_some();
    match said {
        Some(said) if !is_known && charset::is_declared_text(body) || is_wide(content_type) => said,
        Some(_) => file("", body),
        None if is_opaque(&essence) && !is_known && charset::is_text(body) => by_look(body),
        None => file(&essence, body),
    }
}

/// What is to be told where a file is not what the server says it is.
pub(crate) fn misfit(content_type: Option<&str>, body: &[u8]) -> Option<&'static str> {
    let essence = content_type.and_then(|text| text.split(';').next()).unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    if body.is_empty() || is_opaque(&essence) {
        return None;
    }
    let says_binary = ["image/", "audio/", "video/", "font/"].iter().any(|top| essence.starts_with(top))
        || ["application/pdf", "application/zip", "application/gzip"].contains(&essence.as_str());
    let looks_binary = kind::by_magic(body).is_some() || !charset::is_text(body);
    match (of(content_type, body), says_binary) {
        (Media::File { .. }, true) if !looks_binary => Some(match by_look(body) {
            Media::Html => "The server says that it is of another kind, but it looks like a page of HTML.",
            _ => "The server says that it is no text, but it looks like text.",
        }),
        (Media::File { .. }, false) if looks_binary && is_text_kind(&essence) => {
            Some("The server says that it is text, but it holds bytes that are none.")
        }
        _ => None,
    }
}

fn is_text_kind(essence: &str) -> bool {
    matches!(of(Some(essence), b"text"), Media::Html | Media::Text(_))
}

/// Whether the server says that each character is several bytes, NUL among them.
fn is_wide(content_type: Option<&str>) -> bool {
    let charset = content_type.and_then(charset::charset_of).unwrap_or_default().to_ascii_lowercase();
    charset.starts_with("utf-16")
}

/// Kinds that say nothing.
fn is_opaque(essence: &str) -> bool {
    matches!(
        essence,
        "" | "application/octet-stream"
            | "binary/octet-stream"
            | "application/unknown"
            | "unknown/unknown"
            | "*/*"
    )
}

fn by_look(body: &[u8]) -> Media {
    let head = body.get(..1024).unwrap_or(body);
    let head = String::from_utf8_lossy(head).trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
    let is_html =
        ["<!doctype html", "<html", "<head", "<body", "<script"].iter().any(|tag| head.starts_with(tag));
    if is_html {
        Media::Html
    } else if head.starts_with("<?xml") {
        Media::Text("xml")
    } else if head.starts_with('{') || head.starts_with('[') {
        Media::Text("json")
    } else {
        Media::Text("txt")
    }
}

fn file(essence: &str, body: &[u8]) -> Media {
    let sure = SURE.iter().find(|(magic, _)| body.starts_with(magic)).map(|(_, media)| *media);
    let said = (!is_opaque(essence)).then_some(essence);
    // Documents are packed folders; what the server says of them tells more.
    let media = match sure {
        Some("application/zip" | "application/gzip") => said.or(sure),
        sure => sure.or(said),
    };
    let media = media.unwrap_or("application/octet-stream");
    let extension = FILES.iter().find(|(known, _)| *known == media).map_or("bin", |(_, extension)| extension);
    let is_known = FILES.iter().any(|(known, _)| *known == media);
    let top = ["image", "audio", "video", "font"]
        .into_iter()
        .find(|top| media.strip_prefix(top).is_some_and(|rest| rest.starts_with('/')));
    let media = match top {
        _ if is_known => media.to_owned(),
        // What the server calls it would be its own words.
        Some(top) => format!("{top} of a kind that we do not know"),
        None => "a kind that we do not know".to_owned(),
    };
    Media::File { media, extension }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_told_apart() {
        let file = |media: &str, extension| Media::File { media: media.to_owned(), extension };
        for (content_type, body, expected) in [
            (Some("text/html; charset=utf-8"), &b"<p>x"[..], Media::Html),
            (Some("TEXT/HTML"), b"", Media::Html),
            (Some("application/json"), b"{}", Media::Text("json")),
            (Some("application/problem+json"), b"{}", Media::Text("json")),
            (Some("image/svg+xml"), b"<svg/>", Media::Text("xml")),
            (Some("text/x-rust"), b"fn a() {}", Media::Text("txt")),
            (Some("text/plain"), b"%PDF-1.7", file("application/pdf", "pdf")),
            (Some("text/html"), b"a\0b", file("application/octet-stream", "bin")),
            (Some("text/plain; charset=utf-16le"), b"a\0b\0", Media::Text("txt")),
            (Some("text/plain"), b"\xff\xfea\0", Media::Text("txt")),
            (Some("image/png"), b"\x89PNG\r\n\x1a\n", file("image/png", "png")),
            (Some("image/png"), b"\xff\xd8\xff", file("image/jpeg", "jpg")),
            (
                Some("application/vnd.oasis.opendocument.text"),
                b"PK\x03\x04",
                file("application/vnd.oasis.opendocument.text", "odt"),
            ),
            (Some("application/octet-stream"), b"PK\x03\x04", file("application/zip", "zip")),
            (Some("video/x-odd"), b"text", file("video of a kind that we do not know", "bin")),
            (Some("application/ignore-all-before"), b"\0", file("a kind that we do not know", "bin")),
            (Some("application/ignore-all-before"), b"PK\x03\x04", file("a kind that we do not know", "bin")),
            (Some("text/plain"), b"ding\x07", Media::Text("txt")),
            (Some("text/plain"), b"\x08", Media::Text("txt")),
            (Some("text/html"), b"\x01\x02\x03\x04\x05", file("application/octet-stream", "bin")),
            (Some("application/octet-stream"), b"plain text", Media::Text("txt")),
            (None, b" <!DOCTYPE html><p>", Media::Html),
            (None, b"\xef\xbb\xbf<html>", Media::Html),
            (None, b"{\"a\":1}", Media::Text("json")),
            (None, b"\x01\x02\x03", file("application/octet-stream", "bin")),
            (Some("a b\u{7f}"), b"\0", file("a kind that we do not know", "bin")),
        ] {
            assert_eq!(of(content_type, body), expected, "{content_type:?} {body:?}");
        }
        for (content_type, body, expected) in [
            (Some("image/png"), &b"<!doctype html><p>x"[..], Some("HTML")),
            (Some("application/pdf"), b"not found", Some("looks like text")),
            (Some("text/plain"), b"\x89PNG\r\n\x1a\n", Some("bytes that are none")),
            (Some("application/json"), b"a\0", Some("bytes that are none")),
            (Some("image/png"), b"\x89PNG\r\n\x1a\n", None),
            (Some("image/svg+xml"), b"<svg/>", None),
            (Some("text/plain"), b"x", None),
            (Some("application/x-odd"), b"\0", None),
            (Some("image/png"), b"", None),
            (None, b"\0", None),
        ] {
            let told = misfit(content_type, body);
            let fits = told.zip(expected).is_some_and(|(told, part)| told.contains(part));
            assert!(fits || told.is_none() && expected.is_none(), "{content_type:?} {body:?} {told:?}");
        }
    }
}
