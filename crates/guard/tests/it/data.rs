//! Recorded events, one a line. `$W` stands for the working directory. A line that does not parse fails the test.

use serde_json::Value;
use std::path::Path;

/// One line of a file in `tests/data`.
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) expect: String,
    pub(crate) calls: Option<Vec<String>>,
    pub(crate) args: Vec<String>,
    /// What the host sends.
    pub(crate) event: String,
}

pub(crate) fn rows() -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let names = ["claude", "gemini", "codex", "broken"];
    let rows = names.map(|name| rows_of(&folder.join(format!("{name}.jsonl"))));
    rows.into_iter().flatten().collect()
}

fn rows_of(file: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(file).unwrap();
    let rows: Vec<Row> = text.lines().map(row).collect();
    assert!(rows.len() > 20, "{}", file.display());
    rows
}

fn row(line: &str) -> Row {
    const KNOWN: [&str; 8] = ["id", "expect", "calls", "args", "event", "raw", "says", "user"];
    let row: Value = serde_json::from_str(line).unwrap();
    for key in row.as_object().unwrap().keys() {
        assert!(KNOWN.contains(&key.as_str()), "{key} in {line}");
    }
    let texts = |name: &str| -> Option<Vec<String>> {
        let list = row.get(name)?.as_array().unwrap();
        Some(list.iter().map(|text| text.as_str().unwrap().to_owned()).collect())
    };
    let event = match (row.get("event"), row.get("raw")) {
        (Some(event), None) => event.to_string(),
        (None, Some(raw)) => raw.as_str().unwrap().to_owned(),
        _ => panic!("either `event` or `raw`: {line}"),
    };
    Row {
        id: row["id"].as_str().unwrap().to_owned(),
        expect: row["expect"].as_str().unwrap().to_owned(),
        calls: texts("calls"),
        args: texts("args").unwrap_or_default(),
        event: event.replace("$W", "/w"),
    }
}
