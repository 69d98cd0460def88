//! What the targets of the changing tools share: a file with the given content that was read, and one call on it.

use pegboard_tool_core::{
    ContextSnapshot, DynTool, ErrorKind, Grant, RawOutput, ToolContext, ToolError,
};
use pegboard_tools_std::ReadLedger;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Builder::new_current_thread().enable_all().build().unwrap());
// Removed by the system; one folder for all runs saves most of their time.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

/// Where the file is.
pub fn path(name: &str) -> PathBuf {
    FOLDER.path().canonicalize().unwrap().join(name)
}

/// Calls `tool` on the file `name` of `bytes`, as if the model had read it. What it answers is no defect of ours, and a
/// file that it did not change is as it was.
pub fn call(tool: &Arc<dyn DynTool>, name: &str, bytes: &[u8], input: Value) -> Result<RawOutput, ToolError> {
    let path = path(name);
    std::fs::write(&path, bytes).unwrap();
    let snapshot = ContextSnapshot::new(path.parent().unwrap(), "fuzz");
    snapshot.session.of::<ReadLedger>().note_whole(&path, bytes);
    let ctx = ToolContext::new(Arc::new(snapshot));
    let call = tool.prepare(Arc::new(input), &ctx).unwrap();
    // Shown to people before it is made.
    drop(call.render_use());
    let grant = Grant::of(call.accesses());
    let outcome = RUNTIME.block_on(call.call(grant, ctx, Arc::new(())));
    if let Err(error) = &outcome {
        assert_ne!(error.kind, ErrorKind::Bug, "{}", error.model_text);
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{}", error.model_text);
    }
    outcome
}
