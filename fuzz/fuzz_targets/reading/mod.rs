//! What the targets of Read share: one call of the tool on a file with the given bytes.

use pegboard_tool_core::{
    ContextSnapshot, ErrorKind, Grant, RawOutput, ResultContent, ToolContext, ToolError, dyn_tool,
};
use pegboard_tools_std::Services;
use pegboard_tools_std::read::Read;
use std::sync::{Arc, LazyLock};
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Builder::new_current_thread().enable_all().build().unwrap());

/// Reads `bytes` as the file `name`. Whatever they are, it is an answer or an error that is not a defect.
pub fn read(name: &str, bytes: &[u8]) -> Result<RawOutput, ToolError> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join(name), bytes).unwrap();
    let ctx = ToolContext::new(Arc::new(ContextSnapshot::new(&root, "fuzz")));
    let tool = dyn_tool(Read::new(Services::new())).unwrap();
    let call = tool.prepare(Arc::new(serde_json::json!({"file_path": name})), &ctx).unwrap();
    let grant = Grant::of(call.accesses());
    let outcome = RUNTIME.block_on(call.call(grant, ctx, Arc::new(())));
    match &outcome {
        Ok(output) => output.content.iter().for_each(check),
        Err(error) => assert_ne!(error.kind, ErrorKind::Bug, "{}", error.model_text),
    }
    outcome
}

fn check(block: &ResultContent) {
    match block {
        ResultContent::Text(text) => assert!(text.len() < 4_000_000, "{} bytes of text", text.len()),
        ResultContent::Image { data, .. } => assert!(data.len() <= 5 * 1024 * 1024, "{} bytes of picture", data.len()),
        ResultContent::Other(other) => panic!("{other}"),
    }
}
