//! Our cases for anybody's implementation of a port. Each suite panics at the first case that fails and
//! says which. A suite makes the layer anew where a case needs a fresh one.
//!
//! Run them inside a tokio runtime with time; paused time is fine.

mod approver;
mod gate;
mod hooks;
mod invoker;
mod lookup;
mod store;

pub use approver::approver_conformance;
pub use gate::gate_conformance;
pub use hooks::hook_runner_conformance;
pub use invoker::invoker_conformance;
pub use lookup::lookup_conformance;
pub use store::store_conformance;

use pegboard_tool_core::{ContextSnapshot, ToolContext};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Guards against layers that never answer. It is no limit of speed.
const HANGS_AFTER: Duration = Duration::from_secs(60);

fn context() -> ToolContext {
    ToolContext::new(Arc::new(ContextSnapshot::new("/w", "conformance")))
}

/// Inputs that no layer expects and every layer gets one day.
fn odd_inputs() -> Vec<Value> {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    vec![
        json!({}),
        json!(null),
        json!([]),
        json!("text"),
        json!({ "file_path": "a\0b", "command": "\0" }),
        json!({ "file_path": 3, "command": [], "url": {} }),
        json!({ "command": "x".repeat(100_000) }),
        json!({ "deep": deep }),
        json!({ "": "", "file_path": "../../../../etc/passwd", "url": "https://" }),
    ]
}

async fn answers<T>(what: &str, work: impl Future<Output = T>) -> T {
    let answer = tokio::time::timeout(HANGS_AFTER, work).await;
    assert!(answer.is_ok(), "{what} never answers");
    match answer {
        Ok(answer) => answer,
        Err(_) => std::future::pending().await,
    }
}
