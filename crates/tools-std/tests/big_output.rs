//! A gigabyte of output costs little memory. A binary of its own, so that nothing else is measured.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use pegboard_tool_core::{ContextSnapshot, Grant, ToolContext, dyn_tool};
use pegboard_tools_std::Services;
use pegboard_tools_std::bash::Bash;
use pegboard_tools_std::shell::Tasks;
use serde_json::json;
use std::sync::Arc;

/// Most memory that the process ever had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Bytes of the output; fewer than a gigabyte where nobody asks for more, which takes the same memory.
fn size() -> u64 {
    let named = std::env::var("PEGBOARD_BIG_OUTPUT_BYTES").ok();
    named.map_or(200_000_000, |text| text.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_is_constant_in_the_foreground_and_in_the_background() {
    let dir = tempfile::tempdir().unwrap();
    let mut snapshot = ContextSnapshot::new(dir.path(), "session");
    Arc::make_mut(&mut snapshot.env).insert("PATH".into(), std::env::var("PATH").unwrap());
    snapshot.session_dir = Some(dir.path().join("session"));
    let ctx = ToolContext::new(Arc::new(snapshot));
    let tool = dyn_tool(Bash::new(Services::new())).unwrap();
    let call = |input: serde_json::Value| {
        let invocation = tool.prepare(Arc::new(input), &ctx).unwrap();
        invocation.call(Grant::default(), ctx.clone(), Arc::new(()))
    };
    call(json!({"command": "echo warm"})).await.unwrap();
    let command = format!("head -c {} /dev/zero | tr '\\0' x", size());
    for in_background in [false, true] {
        let (before, began) = (peak(), std::time::Instant::now());
        let output =
            call(json!({"command": command, "timeout": 600_000, "run_in_background": in_background}));
        let output = output.await.unwrap();
        if in_background {
            let id = output.data["backgroundTaskId"].as_str().unwrap();
            ctx.session.of::<Tasks>().wait(id).await.unwrap();
        }
        let path = output.data["persistedOutputPath"].as_str().unwrap();
        assert_eq!(std::fs::metadata(path).unwrap().len(), size());
        std::fs::remove_file(path).unwrap();
        let extra = peak() - before;
        eprintln!(
            "{} bytes, background {in_background}: {extra} KiB more at the peak, {:?}",
            size(),
            began.elapsed()
        );
        assert!(extra <= 32 * 1024, "{extra} KiB");
    }
}
