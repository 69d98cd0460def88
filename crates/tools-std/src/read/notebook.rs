//! Jupyter notebooks as their cells: sources, and outputs as far as they are text or pictures. Reads
//! nbformat 4 and 3. What is left out is said.

mod output;

use super::output::{NotebookCell, NotebookView};
use crate::file::ledger::Extent;
use crate::file::python_json;
use output::Outputs;
use serde_json::Value;
use std::path::Path;
use std::time::Instant;

/// A notebook and how much of it is shown.
#[derive(Debug)]
pub(super) struct Notebook {
    /// What is shown.
    pub view: NotebookView,
    /// How much of it that is.
    pub extent: Extent,
}

/// Reads a notebook.
///
/// # Errors
/// What is wrong with it, after its name.
pub(super) fn read(named: &Path, text: &str, max_tokens: usize) -> Result<Notebook, String> {
    let raw = "read its text with offset 1 to see what is there";
    let (document, cut) = document(text)
        .map_err(|error| format!("is named like a notebook, but it is not valid JSON ({error}); {raw}"))?;
    let cells =
        cells(&document).ok_or_else(|| format!("is JSON, but no notebook: it has no list `cells`; {raw}"))?;
    let language = language(&document);
    let mut outputs = Outputs::new(Instant::now);
    let (mut shown, mut tokens) = (Vec::new(), 0);
    for (index, cell) in cells.iter().enumerate() {
        let cell = read_cell(cell, index, language.as_deref(), &mut outputs);
        tokens += estimate(&cell);
        if tokens > max_tokens && !shown.is_empty() {
            break;
        }
        shown.push(cell);
    }
    let mut notices = Vec::new();
    if cells.is_empty() {
        notices.push("[the notebook has no cells]".to_owned());
    }
    let complete = shown.len() == cells.len();
    if !complete {
        notices.push(format!(
            "[PARTIAL view: {} of {} cells; read the other ones as text, with offset and limit, or find the part \
             with Grep]",
            shown.len(),
            cells.len()
        ));
    }
    notices.extend(outputs.notice());
    let extent = match (complete, cut || outputs.left_out()) {
        (false, _) => Extent::Partial,
        (true, true) => Extent::Range,
        (true, false) => Extent::Whole,
    };
    let view = NotebookView {
        file_path: named.to_string_lossy().into_owned(),
        cells: shown,
        total_cells: cells.len(),
        notices,
    };
    Ok(Notebook { view, extent })
}

/// The value that the text is, and whether a part of it that is nested too deeply was left out.
fn document(text: &str) -> Result<(Value, bool), serde_json::Error> {
    if let Ok(document) = serde_json::from_str(text) {
        return Ok((document, false));
    }
    let readable = python_json::readable(text)?;
    Ok((serde_json::from_str(&readable.text)?, readable.cut))
}

/// The cells: a list, or (nbformat 3) lists in worksheets.
fn cells(document: &Value) -> Option<Vec<&Value>> {
    if let Some(cells) = document.get("cells") {
        return cells.as_array().map(|cells| cells.iter().collect());
    }
    let sheets = document.get("worksheets")?.as_array()?;
    Some(sheets.iter().filter_map(|sheet| sheet.get("cells")?.as_array()).flatten().collect())
}

fn language(document: &Value) -> Option<String> {
    let metadata = document.get("metadata")?;
    let named = metadata
        .pointer("/language_info/name")
        .or_else(|| metadata.pointer("/kernelspec/language"))
        .and_then(Value::as_str)?;
    Some(named.chars().take(40).collect())
}

fn read_cell(cell: &Value, index: usize, language: Option<&str>, outputs: &mut Outputs) -> NotebookCell {
    let text_of = |name: &str| cell.get(name).and_then(Value::as_str);
    let cell_type = text_of("cell_type").unwrap_or("unknown").to_owned();
    let code = cell_type == "code";
    let own = text_of("id").or_else(|| cell.pointer("/metadata/id").and_then(Value::as_str));
    let source = cell.get("source").or_else(|| cell.get("input"));
    let mut source = source.and_then(output::joined).unwrap_or_default();
    if cell_type == "heading" {
        let level = cell.get("level").and_then(Value::as_u64).unwrap_or(1).clamp(1, 6);
        source = format!("{} {source}", "#".repeat(usize::try_from(level).unwrap_or(1)));
    }
    let all = cell.get("outputs").and_then(Value::as_array).filter(|_| code);
    NotebookCell {
        id: own.map_or_else(|| format!("cell-{index}"), str::to_owned),
        language: language.filter(|_| code).map(str::to_owned),
        execution_count: cell
            .get("execution_count")
            .or_else(|| cell.get("prompt_number"))
            .and_then(Value::as_i64),
        source,
        outputs: all.into_iter().flatten().map(|output| outputs.read(output)).collect(),
        cell_type,
    }
}

/// Tokens of a cell's text: four bytes each.
fn estimate(cell: &NotebookCell) -> usize {
    let outputs = cell.outputs.iter().map(|output| output.text.as_ref().map_or(0, String::len) + 24);
    (cell.source.len() + outputs.sum::<usize>() + 40).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn view(document: &Value) -> Notebook {
        read(Path::new("/n.ipynb"), &document.to_string(), 25_000).unwrap()
    }

    fn said(document: &Value) -> String {
        let output = super::super::ReadOutput::Notebook { file: view(document).view };
        let texts = output.blocks().into_iter().map(|block| match block {
            pegboard_tool_core::ResultContent::Text(text) => text,
            pegboard_tool_core::ResultContent::Image { media_type, .. } => format!("<{media_type}>"),
            pegboard_tool_core::ResultContent::Other(other) => other.to_string(),
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    fn sample() -> Value {
        json!({
            "nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}},
            "cells": [
                {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Title\n", "text"]},
                {"cell_type": "code", "id": "c1", "metadata": {}, "execution_count": 3, "source": "print(1)\n1/0", "outputs": [
                    {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
                    {"output_type": "execute_result", "execution_count": 3, "metadata": {},
                     "data": {"text/plain": "<Table>", "text/html": "<table><tr></tr></table>"}},
                    {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero",
                     "traceback": ["\u{1b}[0;31m-----\u{1b}[0m", "\u{1b}[0;31mZeroDivisionError\u{1b}[0m: division by zero"]},
                ]},
                {"cell_type": "raw", "metadata": {}, "source": "raw"},
            ],
        })
    }

    #[test]
    fn cells_are_shown_with_their_outputs() {
        insta::assert_snapshot!(said(&sample()), @r"
        [cell intro: markdown]
        # Title
        text

        [cell c1: code, python, run 3]
        print(1)
        1/0
        [output: stream]
        1
        [output: execute_result]
        <Table>
        [output: error]
        ZeroDivisionError: division by zero
        -----
        ZeroDivisionError: division by zero

        [cell cell-2: raw]
        raw
        ");
        assert_eq!(view(&sample()).extent, Extent::Whole);
    }

    #[test]
    fn what_is_no_text_is_summarised() {
        let document = json!({"cells": [{"cell_type": "code", "source": [], "outputs": [
            {"output_type": "display_data", "data": {"text/html": "<b>x</b>"}},
            {"output_type": "display_data", "data": {"image/svg+xml": ["<svg>", "</svg>"], "application/pdf": "AAAA"}},
            {"output_type": "display_data", "data": {"application/json": {"a": [1, 2]}}},
            {"output_type": "display_data", "data": {"application/vnd.widget": {"id": 1}}},
            {"output_type": "unheard of"},
            7,
        ]}]});
        insta::assert_snapshot!(said(&document), @r#"
        [cell cell-0: code]

        [output: display_data]
        [text/html, 8 characters, not shown]
        [output: display_data]
        [image/svg+xml, 11 characters, not shown]
        [application/pdf, 4 characters, not shown]
        [output: display_data]
        {"a":[1,2]}
        [output: display_data]
        [application/vnd.widget, 8 characters, not shown]
        [output: unheard of]
        [output: unknown]
        "#);
    }

    #[test]
    fn what_python_writes_and_json_has_not_is_shown() {
        let text = r#"{"cells": [{"cell_type": "code", "source": "x", "outputs": [
            {"output_type": "display_data", "data": {"application/json": {"a": [NaN, -Infinity, "NaN"]}}}
        ]}]}"#;
        let notebook = read(Path::new("/n.ipynb"), text, 10_000).unwrap();
        let shown = format!("{:?}", notebook.view);
        assert!(shown.contains("-Infinity") && notebook.extent == Extent::Whole, "{shown}");
        let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
        let notebook =
            read(Path::new("/n.ipynb"), &text.replace("NaN, ", &format!("{deep}, ")), 10_000).unwrap();
        let shown = format!("{:?}", notebook.view);
        assert!(shown.contains("nested more than 100 levels deep"), "{shown}");
        assert_eq!(notebook.extent, Extent::Range);
    }

    #[test]
    fn format_3_is_read_too() {
        let document = json!({"nbformat": 3, "worksheets": [{"cells": [
            {"cell_type": "heading", "level": 2, "source": "Part"},
            {"cell_type": "code", "input": ["1+1"], "prompt_number": 1, "outputs": [
                {"output_type": "pyout", "text": ["2"]},
                {"output_type": "pyerr", "ename": "E", "evalue": "e", "traceback": ["t"]},
            ]},
        ]}]});
        insta::assert_snapshot!(said(&document), @r"
        [cell cell-0: heading]
        ## Part

        [cell cell-1: code, run 1]
        1+1
        [output: pyout]
        2
        [output: pyerr]
        E: e
        t
        ");
    }

    #[test]
    fn long_outputs_are_cut_and_say_so() {
        let document = json!({"cells": [{"cell_type": "code", "source": "x", "outputs": [
            {"output_type": "stream", "text": "é".repeat(20_000)},
        ]}]});
        let text = said(&document);
        assert!(text.contains("[10000 of 20000 characters of this output are left out]"), "{}", text.len());
        assert!(text.ends_with("read its text with offset and limit]"), "{}", &text[text.len() - 100..]);
        assert_eq!(view(&document).extent, Extent::Range);
    }

    #[test]
    fn too_many_cells_are_a_partial_view() {
        let cell = json!({"cell_type": "markdown", "source": "x".repeat(400)});
        let document = json!({"cells": vec![cell; 30]});
        let notebook = read(Path::new("/n.ipynb"), &document.to_string(), 1_000).unwrap();
        assert_eq!((notebook.view.cells.len(), notebook.extent), (9, Extent::Partial));
        assert!(notebook.view.notices[0].starts_with("[PARTIAL view: 9 of 30 cells;"));
    }

    #[test]
    fn what_is_no_notebook_is_an_error_that_says_how_to_read_it() {
        for (text, says) in [
            ("{\"cells\": [", "not valid JSON (EOF while parsing"),
            ("[]", "it has no list `cells`"),
            ("{\"cells\": 1}", "it has no list `cells`"),
            ("7", "it has no list `cells`"),
        ] {
            let problem = read(Path::new("/n.ipynb"), text, 10).unwrap_err();
            assert!(
                problem.contains(says) && problem.ends_with("with offset 1 to see what is there"),
                "{problem}"
            );
        }
        assert!(read(Path::new("/n.ipynb"), &"[".repeat(100_000), 10).is_err());
    }

    proptest! {
        #[test]
        fn no_shape_of_json_is_a_crash(source in ".{0,9}", key in "cell_type|source|outputs|data|text|metadata", value in ".{0,5}") {
            for odd in [json!(value), json!([value, 1, null]), json!({"text/plain": [1], "image/png": value}), json!(null)] {
                let document = json!({"cells": [{"cell_type": "code", "source": source, "outputs": [{key.clone(): odd.clone(), "data": odd}], key.clone(): odd}]});
                drop(read(Path::new("/n.ipynb"), &document.to_string(), 100));
            }
        }
    }
}
