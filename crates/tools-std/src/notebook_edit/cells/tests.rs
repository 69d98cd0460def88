//! Cells are changed and nothing else is.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write as _;

fn wanted<'w>(mode: EditMode, cell: Option<&'w str>, kind: Option<CellType>, source: &'w str) -> Wanted<'w> {
    Wanted { mode, cell, kind, source }
}

fn replaced(text: &str, cell: &str, kind: Option<CellType>, source: &str) -> String {
    change(text, &wanted(EditMode::Replace, Some(cell), kind, source)).unwrap().text
}

/// As Jupyter writes it, with what a parser and printer would lose.
const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "m",
   "metadata": {"x": 1.0, "x": 1e5},
   "source": [
    "# Übung \u00e9\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "c",
   "metadata": {},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["1\n"]}
   ],
   "source": "print(1)"
  }
 ],
 "metadata": {"language_info": {"name": "julia"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

#[test]
fn a_replaced_source_keeps_its_form_and_code_loses_its_outputs() {
    let text = replaced(NOTEBOOK, "m", None, "# Neu ü\n\nmore\n");
    let expected = NOTEBOOK.replace(
        "    \"# Übung \\u00e9\\n\",\n    \"text\"\n",
        "    \"# Neu ü\\n\",\n    \"\\n\",\n    \"more\\n\"\n",
    );
    assert_eq!(text, expected);
    let text = replaced(NOTEBOOK, "c", None, "print(2)\nx");
    let expected = NOTEBOOK
        .replace("\"print(1)\"", "\"print(2)\\nx\"")
        .replace("\"execution_count\": 3", "\"execution_count\": null");
    let outputs =
        expected.find("[\n    {\"name\"").unwrap()..expected.find(",\n   \"source\": \"print").unwrap();
    let mut expected = expected;
    expected.replace_range(outputs, "[]");
    assert_eq!(text, expected);
}

#[test]
fn another_type_has_the_fields_of_that_type() {
    let cell =
        |text: &str, index: usize| serde_json::from_str::<Value>(text).unwrap()["cells"][index].clone();
    let text = replaced(NOTEBOOK, "c", Some(CellType::Markdown), "# now text");
    let expected = json!({"cell_type": "markdown", "id": "c", "metadata": {}, "source": "# now text"});
    assert_eq!(cell(&text, 1), expected);
    let text = replaced(NOTEBOOK, "m", Some(CellType::Code), "1");
    insta::assert_snapshot!(text[..text.find("\"c\"").unwrap()], @r###"
    {
     "cells": [
      {
       "cell_type": "code",
       "execution_count": null,
       "id": "m",
       "metadata": {"x": 1.0, "x": 1e5},
       "outputs": [],
       "source": [
        "1"
       ]
      },
      {
       "cell_type": "code",
       "execution_count": 3,
       "id":
    "###);
    let with_attachment =
        NOTEBOOK.replace("\"id\": \"m\"", "\"attachments\": {\"a.png\": {}}, \"id\": \"m\"");
    let text = replaced(&with_attachment, "m", Some(CellType::Code), "1");
    assert!(cell(&text, 0).get("attachments").is_none(), "{text}");
    // The first and the last field go too.
    let odd = r#"{"nbformat":4,"nbformat_minor":4,"cells":[{"outputs":[],"execution_count":1,"cell_type":"code","source":[],"outputs":[1]}]}"#;
    let text = replaced(odd, "cell-0", Some(CellType::Markdown), "a\nb");
    assert_eq!(
        text,
        r#"{"nbformat":4,"nbformat_minor":4,"cells":[{"cell_type":"markdown","source":["a\n","b"]}]}"#
    );
}

#[test]
fn new_cells_look_like_the_others() {
    let insert = |text: &str, after, kind, source| {
        change(text, &wanted(EditMode::Insert, after, Some(kind), source)).unwrap()
    };
    let first = insert(NOTEBOOK, None, CellType::Code, "a\nb");
    let added = first.text.len() - NOTEBOOK.len();
    let at = NOTEBOOK.find("{\n   \"cell_type\": \"markdown\"").unwrap();
    insta::assert_snapshot!(first.text[at..at + added].replace(&first.cell, "ID"), @r###"
    {
       "cell_type": "code",
       "execution_count": null,
       "id": "ID",
       "metadata": {},
       "outputs": [],
       "source": [
        "a\n",
        "b"
       ]
      },
    "###);
    let last = insert(NOTEBOOK, Some("c"), CellType::Markdown, "");
    let at = NOTEBOOK.find("\n ],\n \"metadata\"").unwrap();
    insta::assert_snapshot!(last.text[at..at + last.text.len() - NOTEBOOK.len()].replace(&last.cell, "ID"), @r###"
    ,
      {
       "cell_type": "markdown",
       "id": "ID",
       "metadata": {},
       "source": []
      }
    "###);
    let ids: Value = serde_json::from_str(&last.text).unwrap();
    let ids: Vec<&str> =
        ids["cells"].as_array().unwrap().iter().filter_map(|cell| cell["id"].as_str()).collect();
    assert_eq!(ids[2].len(), 8);
    assert!(ids[2].bytes().all(|byte| byte.is_ascii_hexdigit()));
    // Before 4.5 cells have no ids.
    let old = NOTEBOOK.replace("\"nbformat_minor\": 5", "\"nbformat_minor\": 4");
    let changed = insert(&old, None, CellType::Code, "");
    assert_eq!(changed.cell, "cell-0");
    assert_eq!(changed.text.matches("\"id\"").count(), 2);
    // Into a notebook without cells, laid out or not.
    let empty = "{\n  \"cells\": [],\n  \"nbformat\": 4,\n  \"nbformat_minor\": 2\n}";
    insta::assert_snapshot!(insert(empty, None, CellType::Markdown, "x").text, @r###"
    {
      "cells": [
        {
          "cell_type": "markdown",
          "metadata": {},
          "source": [
            "x"
          ]
        }
      ],
      "nbformat": 4,
      "nbformat_minor": 2
    }
    "###);
    let compact = r#"{"cells":[],"nbformat":4,"nbformat_minor":2}"#;
    insta::assert_snapshot!(insert(compact, None, CellType::Code, "x\ny").text, @r###"{"cells":[{"cell_type":"code","execution_count":null,"metadata":{},"outputs":[],"source":["x\n","y"]}],"nbformat":4,"nbformat_minor":2}"###);
}

#[test]
fn what_is_no_notebook_or_has_not_the_cell_is_refused() {
    let refused = |text: &str, cell: &str| {
        change(text, &wanted(EditMode::Replace, Some(cell), None, "x")).unwrap_err().to_string()
    };
    let mut said = String::new();
    for (text, cell) in [
        ("", "a"),
        ("[]", "a"),
        ("{\"cells\": []}", "a"),
        ("{\"nbformat\": 4}", "a"),
        ("{\"nbformat\": 4, \"cells\": {}}", "a"),
        ("{\"nbformat\": 4, \"cells\": [1]}", "a"),
        ("{\"nbformat\": 4, \"cells\": [{}]}", "a"),
        ("{\"nbformat\": 3, \"worksheets\": []}", "a"),
        ("{\"nbformat\": 4, \"cells\": []} x", "a"),
        ("{\"nbformat\": 4, \"cells\": []}", "cell-0"),
        (NOTEBOOK, "cell-2"),
        (NOTEBOOK, "M"),
        (&NOTEBOOK.replace("\"id\": \"c\"", "\"id\": \"m\""), "m"),
        (&NOTEBOOK.replace("\"print(1)\"", "\"x\""), "c"),
    ] {
        writeln!(said, "{}", refused(text, cell)).unwrap();
    }
    insta::assert_snapshot!(said, @r###"
    is broken, so it was not changed: it is no JSON: EOF while parsing a value at line 1 column 0
    is broken, so it was not changed: it is no JSON object
    is broken, so it was not changed: it has no `nbformat` number
    is broken, so it was not changed: it has no `cells`
    is broken, so it was not changed: its `cells` are no list
    is broken, so it was not changed: cell 0 is no JSON object
    is broken, so it was not changed: cell 0 has no `cell_type`
    has notebook format 3; only format 4 can be edited by cells
    is broken, so it was not changed: it is no JSON: trailing characters at line 1 column 30
    has no cell `cell-0`; it has no cells
    has no cell `cell-2`; its 2 cells are m, c
    has no cell `M`; its 2 cells are m, c
    has several cells with the id `m` (cell-0, cell-1); name one of them by its place
    has this source in cell `c` already: nothing would change
    "###);
    assert!(refused(&"[".repeat(100_000), "a").contains("broken"));
}

/// A notebook in one of the layouts that programs write.
fn notebook() -> impl Strategy<Value = (String, usize)> {
    let source = prop_oneof![
        "[aé\"\n]{0,8}".prop_map(Value::from),
        proptest::collection::vec("[bü\\\\]{0,3}\n?", 0..4).prop_map(Value::from),
    ];
    let cell = (source, any::<bool>(), proptest::option::of("[a-z]{3}"), any::<bool>());
    let cell = cell.prop_map(|(source, is_code, id, is_first)| {
        let mut cell = serde_json::Map::new();
        let mut put = |name: &str, value: Value| drop(cell.insert(name.to_owned(), value));
        if is_first {
            put("source", source.clone());
        }
        put("cell_type", json!(if is_code { "code" } else { "markdown" }));
        if is_code {
            put("execution_count", json!(7));
            put("outputs", json!([{"text": ["é]}\""]}]));
        }
        if let Some(id) = id {
            put("id", json!(id));
        }
        put("metadata", json!({}));
        if !is_first {
            put("source", source);
        }
        Value::Object(cell)
    });
    (proptest::collection::vec(cell, 1..5), 0usize..5, 4u8..6, any::<bool>()).prop_map(
        |(cells, layout, minor, ends)| {
            let count = cells.len();
            let value = json!({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": minor});
            let text = match layout {
                0 => value.to_string(),
                1 => serde_json::to_string_pretty(&value).unwrap(),
                2 => serde_json::to_string_pretty(&value).unwrap().replace('\n', "\r\n"),
                _ => {
                    use serde::Serialize as _;
                    let indent: &[u8] = if layout == 3 { b" " } else { b"\t" };
                    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent);
                    let mut out = Vec::new();
                    value
                        .serialize(&mut serde_json::Serializer::with_formatter(&mut out, formatter))
                        .unwrap();
                    String::from_utf8(out).unwrap()
                }
            };
            (text + if ends { "\n" } else { "" }, count)
        },
    )
}

proptest! {
    #[test]
    fn everything_outside_of_a_replaced_cell_stays(
        (text, count) in notebook(), index in 0usize..5, source in "[xé\"\n]{0,9}", kind in 0usize..3,
    ) {
        let index = index % count;
        let kind = [None, Some(CellType::Code), Some(CellType::Markdown)][kind];
        let name = format!("cell-{index}");
        let parsed = Notebook::read(&text).unwrap();
        let place = parsed.cells[index].place.clone();
        match change(&text, &wanted(EditMode::Replace, Some(&name), kind, &source)) {
            Err(NotebookError::NoChange(_)) => {}
            Err(other) => prop_assert!(false, "{other}"),
            Ok(changed) => {
                prop_assert!(changed.text.starts_with(&text[..place.start]));
                prop_assert!(changed.text.ends_with(&text[place.end..]));
                let (before, after): (Value, Value) =
                    (serde_json::from_str(&text).unwrap(), serde_json::from_str(&changed.text).unwrap());
                let (old, new) = (&before["cells"][index], &after["cells"][index]);
                // The form of the source stays, the text is the new one.
                prop_assert_eq!(new["source"].is_array(), old["source"].is_array());
                let again = Notebook::read(&changed.text).unwrap();
                prop_assert_eq!(again.cells[index].source(&changed.text), Some(source));
                let is_code = new["cell_type"] == "code";
                let empty = json!([]);
                prop_assert_eq!(new.get("outputs"), is_code.then_some(&empty));
                prop_assert_eq!(new.get("execution_count"), is_code.then_some(&Value::Null));
                prop_assert_eq!(new.get("id"), old.get("id"));
                prop_assert_eq!(new.get("metadata"), old.get("metadata"));
            }
        }
    }

    #[test]
    fn what_was_inserted_and_deleted_leaves_no_byte(
        (text, count) in notebook(), after in proptest::option::of(0usize..5), source in "[xé\n]{0,6}", is_code in any::<bool>(),
    ) {
        let after = after.map(|after| after % count);
        let name = after.map(|after| format!("cell-{after}"));
        let kind = if is_code { CellType::Code } else { CellType::Markdown };
        let inserted =
            change(&text, &wanted(EditMode::Insert, name.as_deref(), Some(kind), &source)).unwrap();
        let index = after.map_or(0, |after| after + 1);
        let parsed: Value = serde_json::from_str(&inserted.text).unwrap();
        prop_assert_eq!(parsed["cells"].as_array().unwrap().len(), count + 1);
        prop_assert_eq!(parsed["cells"][index].get("id").is_some(), parsed["nbformat_minor"] == 5);
        let ids: Vec<&Value> = parsed["cells"].as_array().unwrap().iter().filter_map(|cell| cell.get("id")).collect();
        let new = parsed["cells"][index].get("id");
        prop_assert!(new.is_none() || ids.iter().filter(|id| **id == new.unwrap()).count() == 1);
        let name = format!("cell-{index}");
        let deleted = change(&inserted.text, &wanted(EditMode::Delete, Some(&name), None, "")).unwrap();
        prop_assert_eq!(deleted.text, text);
    }

    #[test]
    fn damaged_notebooks_never_panic(at in 0usize..700, with in "[\\[\\]{}\",:0a\\\\]{0,2}", length in 0usize..4) {
        let mut bytes = NOTEBOOK.as_bytes().to_vec();
        let at = at.min(bytes.len());
        let end = (at + length).min(bytes.len());
        bytes.splice(at..end, with.into_bytes());
        if let Ok(text) = String::from_utf8(bytes) {
            for mode in [EditMode::Replace, EditMode::Insert, EditMode::Delete] {
                if let Ok(changed) = change(&text, &wanted(mode, Some("c"), Some(CellType::Code), "x")) {
                    prop_assert!(crate::file::python_json::check(&changed.text).is_ok(), "{}", changed.text);
                }
            }
        }
    }
}
