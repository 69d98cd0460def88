//! NotebookEdit: no panic on any file, and a notebook that was changed is JSON still, with only the one cell changed.
#![no_main]

mod changing;

use libfuzzer_sys::fuzz_target;
use pegboard_tool_core::{DynTool, dyn_tool};
use pegboard_tools_std::Services;
use pegboard_tools_std::notebook_edit::NotebookEdit;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

static TOOL: LazyLock<Arc<dyn DynTool>> =
    LazyLock::new(|| dyn_tool(NotebookEdit::new(Services::new())).unwrap());

fuzz_target!(|bytes: &[u8]| {
    for (mode, kind, grows) in
        [("replace", "code", 0), ("replace", "markdown", 0), ("insert", "code", 1), ("delete", "code", -1)]
    {
        let input = json!({
            "notebook_path": "n.ipynb", "cell_id": "cell-0", "edit_mode": mode, "cell_type": kind, "new_source": "a\nb",
        });
        if changing::call(&TOOL, "n.ipynb", bytes, input).is_err() {
            continue;
        }
        let after = std::fs::read(changing::path("n.ipynb")).unwrap();
        let strip = |bytes: &[u8]| -> Value {
            serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).expect("JSON")
        };
        // What our parser of values does not take (such as lone halves of characters) is kept all the same.
        let Ok(before) = serde_json::from_slice::<Value>(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)) else {
            continue;
        };
        let after = strip(&after);
        let count = |value: &Value| value["cells"].as_array().map_or(0, Vec::len) as i64;
        assert_eq!(count(&after), count(&before) + grows, "{mode}");
        assert_eq!(after.get("metadata"), before.get("metadata"));
    }
});
