//! Read (C-T-07 to C-T-10).

use crate::harness::Session;
use pegboard_tool_core::Tool as _;
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
    session.write("Dangling.md", "x");
    std::os::unix::fs::symlink("nowhere", session.root.join("dangling.txt")).unwrap();
    for (path, says) in [
        (".", "is a directory"),
        ("/", "is a directory"),
        ("gone", "does not exist"),
        ("notes.md", "did you mean Notes.md?"),
        ("dangling.txt", "dangling.txt is a link to what does not exist; did you mean Dangling.md?"),
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
    assert!(refused.is_error && refused.text.contains("read the lines to change first"), "{}", refused.text);
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

#[cfg(not(any(feature = "images", feature = "pdf")))]
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
}

#[tokio::test]
async fn pages_are_for_pdf_documents() {
    let session = Session::new();
    session.write("t", "x");
    let answer = session.call("Read", json!({"file_path": "t", "pages": "1"})).await;
    assert!(answer.is_error && answer.text.contains("`pages` is for PDF"), "{}", answer.text);
}

#[tokio::test]
async fn legacy_encodings_survive_an_edit() {
    let session = Session::new();
    // "吾輩は猫である。\n名前はまだ無い。\n" in Shift-JIS.
    let bytes = b"\x8c\xe1\x94y\x82\xcd\x94L\x82\xc5\x82\xa0\x82\xe9\x81B\n\x96\xbc\x91O\x82\xcd\x82\xdc\x82\xbe\x96\xb3\x82\xa2\x81B\n";
    session.write("cat.txt", bytes);
    let answer = session.call("Read", json!({"file_path": "cat.txt"})).await;
    assert_eq!(answer.text, "     1\t吾輩は猫である。\n     2\t名前はまだ無い。\n[encoding: Shift_JIS]");
    let edit = |new: &str| json!({"file_path": "cat.txt", "old_string": "猫", "new_string": new});
    let refused = session.call("Edit", edit("🐈")).await;
    assert!(refused.is_error && refused.text.contains("Shift_JIS, which has no `🐈`"), "{}", refused.text);
    assert_eq!(session.bytes("cat.txt"), bytes);
    assert!(!session.call("Edit", edit("犬")).await.is_error);
    let mut expected = bytes.to_vec();
    expected.splice(6..8, *b"\x8c\xa2");
    assert_eq!(session.bytes("cat.txt"), expected);
}

#[tokio::test]
async fn stray_bytes_in_utf_8_survive_an_edit() {
    let session = Session::new();
    session.write("f", b"caf\xc3\xa9 \xc3\xbcn\xc3\xaf\nbad \xff\n");
    let answer = session.call("Read", json!({"file_path": "f"})).await;
    let told = "[encoding: UTF-8 with 1 invalid bytes, shown as U+10FE80 to U+10FEFF (U+10FE00 + byte)]";
    assert_eq!(answer.text, format!("     1\tcafé ünï\n     2\tbad \u{10feff}\n{told}"));
    for (old, new) in [("café", "thé"), ("bad \u{10feff}", "bäd \u{10feff}!")] {
        let edit = json!({"file_path": "f", "old_string": old, "new_string": new});
        let answer = session.call("Edit", edit).await;
        assert!(!answer.is_error, "{}", answer.text);
    }
    assert_eq!(session.bytes("f"), b"th\xc3\xa9 \xc3\xbcn\xc3\xaf\nb\xc3\xa4d \xff!\n");
}

#[tokio::test]
async fn the_same_lines_again_are_said_to_be_unchanged_once() {
    let session = Session::new();
    let long = "a line that is long enough to matter\n".repeat(100);
    session.write("long", &long);
    session.write("short", "a\n");
    let read = |input: serde_json::Value| session.call("Read", input);
    for name in ["long", "short"] {
        assert_eq!(read(json!({"file_path": name})).await.data["type"], json!("text"));
    }
    assert_eq!(read(json!({"file_path": "short"})).await.data["type"], json!("text"));
    let again = read(json!({"file_path": "long"})).await;
    assert_eq!(
        again.data,
        json!({"type": "file_unchanged", "file": {"filePath": session.root.join("long")}})
    );
    assert!(again.text.contains("unchanged") && !again.is_error, "{}", again.text);
    // Who insists has lost the earlier result.
    assert_eq!(read(json!({"file_path": "long"})).await.data["type"], json!("text"));
    // Other lines, or other content, are shown.
    assert_eq!(read(json!({"file_path": "long", "limit": 90})).await.data["type"], json!("text"));
    session.write("long", format!("{long}more\n"));
    assert_eq!(read(json!({"file_path": "long"})).await.data["type"], json!("text"));
    // A file that was said to be unchanged still counts as read.
    assert_eq!(read(json!({"file_path": "long"})).await.data["type"], json!("file_unchanged"));
    assert!(!session.call("Write", json!({"file_path": "long", "content": "x"})).await.is_error);
}

#[tokio::test]
async fn the_notice_that_nothing_changed_can_be_switched_off() {
    let session = Session::new().env("PEGBOARD_READ_UNCHANGED", "0");
    session.write("long", "a line that is long enough to matter\n".repeat(100));
    for _ in 0..3 {
        let answer = session.call("Read", json!({"file_path": "long"})).await;
        assert_eq!(answer.data["type"], json!("text"));
    }
    let session = Session::new();
    session.write("long", "a line that is long enough to matter\n".repeat(100));
    for _ in 0..3 {
        let answer = session.call("Read", json!({"file_path": "long"})).await;
        assert_eq!(answer.data["type"], json!("text"));
        session.snapshot.session.of::<pegboard_tools_std::read::ShownReads>().forget_all();
    }
}

#[tokio::test]
async fn ranges_piece_together_to_the_whole_file() {
    let session = Session::new();
    let text: String = (0..700).map(|line| format!("line {line} é\r\n")).collect();
    session.write("f", &text);
    let mut pieces = String::new();
    for offset in (1..=700).step_by(70) {
        let answer = session.call("Read", json!({"file_path": "f", "offset": offset, "limit": 70})).await;
        pieces.push_str(answer.data["file"]["content"].as_str().unwrap());
        pieces.push('\n');
    }
    assert_eq!(pieces, text.replace("\r\n", "\n"));
}

#[tokio::test]
async fn devices_sockets_and_broken_links_do_not_hang() {
    let session = Session::new();
    std::os::unix::fs::symlink("nowhere", session.root.join("dangling")).unwrap();
    std::os::unix::fs::symlink("loop", session.root.join("loop")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(session.root.join("socket")).unwrap();
    for (path, says) in [
        ("/dev/zero", "a device"),
        ("/dev/tty", "a device"),
        ("socket", "a socket"),
        ("dangling", "does not exist"),
        ("loop", "loop"),
    ] {
        let call = session.call("Read", json!({"file_path": path}));
        let answer = tokio::time::timeout(std::time::Duration::from_secs(30), call).await.unwrap();
        assert!(answer.is_error && answer.text.contains(says), "{path}: {}", answer.text);
    }
}

#[test]
fn people_see_what_is_read() {
    let tool = pegboard_tools_std::read::Read::new(pegboard_tools_std::Services::new());
    for (input, line) in [
        (json!({"file_path": "f"}), "Read f"),
        (json!({"file_path": "f", "offset": 3}), "Read f from line 3"),
        (json!({"file_path": "f", "limit": 5}), "Read f, lines 1-5"),
        (json!({"file_path": "f", "offset": 3, "limit": 5}), "Read f, lines 3-7"),
        (json!({"file_path": "f", "pages": "2-4"}), "Read f, pages 2-4"),
    ] {
        assert_eq!(tool.describe(&serde_json::from_value(input).unwrap()), line);
    }
}

#[tokio::test]
async fn people_see_how_much_was_read() {
    let session = Session::new();
    session.write("f", "a\nb\nc\n");
    session.write("one", "a");
    session.write("empty", "");
    for (input, line) in [
        (json!({"file_path": "f"}), "Read 3 lines"),
        (json!({"file_path": "one"}), "Read 1 line"),
        (json!({"file_path": "f", "offset": 2, "limit": 1}), "Read 1 line (2-2 of 3)"),
        (json!({"file_path": "empty"}), "the file is empty"),
        (json!({"file_path": "f", "offset": 9}), "offset 9 is past the end: the file has 3 lines"),
    ] {
        let answer = session.call("Read", input).await;
        let shown = session.tool("Read").render_result(&answer.data);
        assert_eq!(shown.as_deref(), Some(line));
    }
}
