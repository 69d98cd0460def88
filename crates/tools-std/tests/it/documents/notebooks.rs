//! Notebooks are shown as cells, and count as read as far as they were shown.

use crate::harness::{Answer, Session};
use serde_json::{Value, json};

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP8z8DAwMAAAAYIAQHLR3Z1AAAAAElFTkSuQmCC";

fn notebook(outputs: &Value) -> String {
    json!({
        "nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}},
        "cells": [{
            "cell_type": "code", "id": "a1", "metadata": {}, "execution_count": 2, "source": ["plot()\n"],
            "outputs": outputs,
        }],
    })
    .to_string()
}

async fn read(session: &Session, name: &str) -> Answer {
    session.call("Read", json!({"file_path": name})).await
}

#[tokio::test]
async fn cells_and_their_pictures_are_shown() {
    let session = Session::new();
    let plot = json!([{"output_type": "display_data", "metadata": {}, "data": {"image/png": PNG, "text/plain": "<Figure>"}}]);
    session.write("n.ipynb", notebook(&plot));
    let answer = read(&session, "n.ipynb").await;
    assert_eq!(answer.images(), ["image/png"]);
    insta::assert_snapshot!(answer.text, @r"
    [cell a1: code, python, run 2]
    plot()
    [output: display_data]
    <Figure>
    <image/png>
    ");
    assert_eq!(answer.data["type"], json!("notebook"));
    let cell = &answer.data["file"]["cells"][0];
    assert_eq!((&cell["cell_id"], &cell["source"]), (&json!("a1"), &json!("plot()\n")));
    assert_eq!(cell["outputs"][0]["image"], json!({"base64": PNG, "type": "image/png"}));
}

#[tokio::test]
async fn a_notebook_that_was_seen_whole_counts_as_read() {
    let session = Session::new();
    session.write("n.ipynb", notebook(&json!([])));
    let edit = json!({"file_path": "n.ipynb", "old_string": "plot", "new_string": "draw"});
    read(&session, "n.ipynb").await;
    let answer = session.call("Edit", edit).await;
    // Edit may send notebooks to NotebookEdit, but not because they were not read.
    assert!(!answer.text.contains("read"), "{}", answer.text);
}

#[tokio::test]
async fn its_text_is_read_by_lines() {
    let session = Session::new();
    session.write("n.ipynb", "{\n \"cells\": [\n");
    let answer = read(&session, "n.ipynb").await;
    assert!(answer.is_error && answer.text.contains("not valid JSON"), "{}", answer.text);
    let answer = session.call("Read", json!({"file_path": "n.ipynb", "offset": 1})).await;
    assert_eq!(answer.text, "     1\t{\n     2\t \"cells\": [");
    session.write("empty.ipynb", "");
    assert_eq!(read(&session, "empty.ipynb").await.text, "[the file is empty]");
}

#[tokio::test]
async fn a_huge_notebook_is_refused_with_advice() {
    let session = Session::new();
    std::fs::File::create(session.root.join("n.ipynb")).unwrap().set_len(101_000_000).unwrap();
    let answer = read(&session, "n.ipynb").await;
    assert!(answer.is_error, "{}", answer.text);
    insta::assert_snapshot!(answer.text, @"n.ipynb is a notebook of 101.0 MB, and at most 100.0 MB are read; read parts of its JSON with offset and limit, or clear its outputs first");
}
