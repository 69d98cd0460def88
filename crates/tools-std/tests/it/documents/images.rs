//! Images are shown by their content.

use crate::harness::Session;
use serde_json::json;
use std::process::Command;

/// 2 by 1 pixels.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP8z8DAwMAAAAYIAQHLR3Z1AAAAAElFTkSuQmCC";

fn decoded(session: &Session, base64: &str, name: &str) {
    let line = format!("printf %s {base64} | base64 -d > {name}");
    assert!(Command::new("sh").arg("-c").arg(line).current_dir(&session.root).status().unwrap().success());
}

#[tokio::test]
async fn an_image_is_a_picture_and_data() {
    let session = Session::new();
    decoded(&session, PNG, "pic.txt");
    let answer = session.call("Read", json!({"file_path": "pic.txt"})).await;
    assert_eq!(answer.text, "<image/png>");
    assert_eq!(
        answer.data,
        json!({"type": "image", "file": {
            "filePath": session.root.join("pic.txt"), "base64": PNG, "type": "image/png", "originalSize": 72,
            "dimensions": {"originalWidth": 2, "originalHeight": 1, "displayWidth": 2, "displayHeight": 1},
        }})
    );
}

#[tokio::test]
async fn a_broken_image_is_an_error_and_never_a_picture() {
    let session = Session::new();
    session.write("half.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    session.write("text.webp", b"RIFF\x10\0\0\0WEBPVP8 ");
    for name in ["half.png", "text.webp"] {
        let answer = session.call("Read", json!({"file_path": name})).await;
        assert!(answer.is_error && answer.text.contains("cannot be decoded"), "{}", answer.text);
        assert!(answer.images().is_empty());
    }
}

#[tokio::test]
async fn what_is_named_like_an_image_and_is_text_is_text() {
    let session = Session::new();
    session.write("logo.svg", "<svg/>");
    session.write("not.png", "words");
    session.write("empty.png", "");
    for (name, text) in
        [("logo.svg", "     1\t<svg/>"), ("not.png", "     1\twords"), ("empty.png", "[the file is empty]")]
    {
        let answer = session.call("Read", json!({"file_path": name})).await;
        assert_eq!((answer.text.as_str(), answer.images().len()), (text, 0));
    }
}

#[tokio::test]
async fn an_image_is_not_edited_as_text() {
    let session = Session::new();
    decoded(&session, PNG, "pic.png");
    session.call("Read", json!({"file_path": "pic.png"})).await;
    let before = session.bytes("pic.png");
    let answer = session.call("Write", json!({"file_path": "pic.png", "content": "x"})).await;
    assert!(answer.is_error, "{}", answer.text);
    assert_eq!(session.bytes("pic.png"), before);
}
