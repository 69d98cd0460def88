//! A tool of your own: an input type, a closure, and what it does to the world.

#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use pegboard::{Accesses, Concurrency, ContextSnapshot, Effects, Pegboard, ToolBuilder, ToolOutput, ToolUse};
use serde::Deserialize;
use std::sync::Arc;

/// Two numbers.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Add {
    /// First number.
    a: i64,
    /// Second number.
    b: i64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let add = ToolBuilder::new("Add", "Adds two numbers.")
        .concurrency(Concurrency::Shared)
        .effects(Effects::ReadOnly)
        .accesses(Accesses::nothing())
        .build(|input: Add, _ctx| async move { Ok(ToolOutput::new(input.a + input.b)) })?;
    let pegboard = Pegboard::builder().tool(add).dangerously_allow_all().build()?;

    let calls = vec![
        ToolUse::new("t1", "Add", serde_json::json!({"a": 2, "b": 3})),
        ToolUse::new("t2", "Add", serde_json::json!({"a": 2, "c": 3})),
    ];
    let context = ContextSnapshot::new(std::env::current_dir()?, "example");
    let outcome = pegboard.run(calls, Arc::new(context)).await;
    assert_eq!(outcome.calls[0].result.joined_text(), "5");
    assert!(outcome.calls[1].result.is_error);
    for call in outcome.calls {
        println!("{}: {}", call.result.tool_use_id, call.result.joined_text());
    }
    Ok(())
}
