//! Edit: no panic, and exactly the asked bytes change. The input is a file, the old and the new text, parted by `\x01`.
#![no_main]

mod changing;

use libfuzzer_sys::fuzz_target;
use pegboard_tool_core::{DynTool, dyn_tool};
use pegboard_tools_std::Services;
use pegboard_tools_std::edit::Edit;
use serde_json::json;
use std::sync::{Arc, LazyLock};

static TOOL: LazyLock<Arc<dyn DynTool>> = LazyLock::new(|| dyn_tool(Edit::new(Services::new())).unwrap());

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(3, |byte| *byte == 1);
    let (Some(file), Some(old), Some(new)) = (parts.next(), parts.next(), parts.next()) else { return };
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else { return };
    if old.is_empty() {
        return;
    }
    let input = json!({"file_path": "f", "old_string": old, "new_string": new});
    let outcome = changing::call(&TOOL, "f", file, input);
    let (Ok(_), Ok(before)) = (outcome, std::str::from_utf8(file)) else { return };
    // Line ends apart, it is what replacing the one place gives.
    let lf = |text: &str| text.replace("\r\n", "\n");
    let (before, old) = (lf(before), lf(old));
    let (head, tail) = before.split_once(&*old).expect("the text is there");
    let after = String::from_utf8(std::fs::read(changing::path("f")).unwrap()).unwrap();
    assert_eq!(bare(after), bare(format!("{head}{new}{tail}")));
});

/// Without any carriage return before a newline: the new text may bring some, or stand behind one.
fn bare(mut text: String) -> String {
    while text.contains("\r\n") {
        text = text.replace("\r\n", "\n");
    }
    text
}
