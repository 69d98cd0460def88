//! Read (C-T-07 to C-T-10).

use crate::harness::Session;
use serde_json::json;

#[tokio::test]
async fn c_t_07_lines_are_numbered() {
    let session = Session::new();
    session.write("f", "a\nb\n");
    let answer = session.call("Read", json!({"file_path": "f"})).await;
    assert_eq!(answer.text, "     1\ta\n     2\tb");
    let file = &answer.data["file"];
    assert_eq!(
        (&answer.data["type"], &file["content"], &file["numLines"]),
        (&json!("text"), &json!("a\nb"), &json!(2))
    );
    assert_eq!((&file["startLine"], &file["totalLines"]), (&json!(1), &json!(2)));
    assert_eq!(file["filePath"], json!(session.root.join("f")));
    let answer = session.call("Read", json!({"file_path": "f", "offset": 2, "limit": 1})).await;
    assert_eq!(answer.text, "     2\tb");
}

#[tokio::test]
async fn c_t_08_nothing_to_show_is_a_notice() {
    let session = Session::new();
    session.write("empty", "");
    session.write("three", "1\n2\n3\n");
    let answer = session.call("Read", json!({"file_path": "empty"})).await;
    assert_eq!((answer.text.as_str(), answer.is_error), ("[the file is empty]", false));
    let answer = session.call("Read", json!({"file_path": "three", "offset": 99})).await;
    assert!(answer.text.contains("3 lines") && !answer.is_error, "{answer:?}");
}

#[tokio::test]
async fn c_t_09_what_is_no_file_is_an_error() {
    let session = Session::new();
    session.write("Notes.md", "x");
    for (path, says) in [
        (".", "is a directory"),
        ("/", "is a directory"),
        ("gone", "does not exist"),
        ("notes.md", "did you mean Notes.md?"),
        ("Notes.md/x", "something that is not a directory"),
        ("", "`file_path` is empty"),
        ("a\0b", "NUL"),
    ] {
        let answer = session.call("Read", json!({"file_path": path})).await;
        assert!(answer.is_error && answer.text.contains(says), "{path:?}: {}", answer.text);
    }
}

#[tokio::test]
async fn c_t_10_too_much_is_a_partial_view_that_does_not_count_as_read() {
    let session = Session::new();
    session.write("big", "a line of some length, again and again\n".repeat(30_000));
    let answer = session.call("Read", json!({"file_path": "big"})).await;
    assert!(
        answer.text.contains("PARTIAL view: lines 1-2000 of 30000; go on with offset 2001"),
        "{}",
        answer.text.len()
    );
    assert_eq!(answer.data["file"]["truncatedByTokenCap"], json!(true));
    let edit = json!({"file_path": "big", "old_string": "a", "new_string": "b", "replace_all": true});
    let refused = session.call("Edit", edit.clone()).await;
    assert!(refused.is_error && refused.text.contains("read it first"), "{}", refused.text);
    let answer = session.call("Read", json!({"file_path": "big", "limit": 1_000_000})).await;
    assert!(answer.is_error && answer.text.contains("smaller limit"), "{}", answer.text);
    // Lines that were asked for are enough to edit, not to overwrite.
    session.call("Read", json!({"file_path": "big", "offset": 5, "limit": 3})).await;
    let refused = session.call("Write", json!({"file_path": "big", "content": "x"})).await;
    assert!(refused.is_error && refused.text.contains("only read in parts"), "{}", refused.text);
    assert!(!session.call("Edit", edit).await.is_error);
}

#[tokio::test]
async fn the_token_limit_is_configurable() {
    let session = Session::new().env("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", "10");
    session.write("f", "0123456789\n".repeat(9));
    let answer = session.call("Read", json!({"file_path": "f"})).await;
    assert!(answer.text.contains("PARTIAL view: lines 1-2 of 9"), "{}", answer.text);
}

#[tokio::test]
async fn encodings_are_recognised() {
    let session = Session::new();
    let utf16: Vec<u8> = "\u{feff}héllo\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    session.write("utf16", utf16);
    session.write("latin1", b"caf\xe9\n");
    session.write("bom", b"\xef\xbb\xbfx\n");
    for (name, text) in [
        ("utf16", "     1\théllo\n[encoding: UTF-16LE]"),
        ("latin1", "     1\tcafé\n[encoding: Latin-1 (Windows-1252)]"),
        ("bom", "     1\tx"),
    ] {
        assert_eq!(session.call("Read", json!({"file_path": name})).await.text, text);
    }
}

#[tokio::test]
async fn images_and_documents_are_refused_by_what_they_are() {
    let session = Session::new();
    session.write("pic.jpg", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    session.write("pic.webp", b"RIFF\x10\0\0\0WEBPVP8 ");
    session.write("d.pdf", b"%PDF-1.7\n");
    for (name, kind) in
        [("pic.jpg", "a PNG image"), ("pic.webp", "a WebP image"), ("d.pdf", "a PDF document")]
    {
        let answer = session.call("Read", json!({"file_path": name})).await;
        assert!(answer.is_error && answer.text.contains(kind), "{}", answer.text);
    }
    session.write("t", "x");
    let answer = session.call("Read", json!({"file_path": "t", "pages": "1"})).await;
    assert!(answer.is_error && answer.text.contains("`pages` is for PDF"), "{}", answer.text);
}
