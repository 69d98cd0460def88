//! What the builder refuses.

use pegboard::{BuildError, DynTool, Pegboard, ToolBuilder, ToolOutput};
use std::sync::Arc;

fn named(name: &str) -> Arc<dyn DynTool> {
    let builder = ToolBuilder::new(name, "Answers.");
    builder.build(|(): (), _ctx| async { Ok(ToolOutput::new("pong".to_owned())) }).unwrap()
}

#[test]
fn a_second_tool_of_the_same_name_is_an_error() {
    let twice = Pegboard::builder().dangerously_allow_all().tool(named("Ping")).tool(named("Ping")).build();
    let BuildError::Dropped { name, reason } = twice.unwrap_err() else { panic!("another error") };
    assert_eq!(name, "Ping");
    assert!(!reason.is_empty());
    let different = Pegboard::builder().dangerously_allow_all().tools([named("Ping"), named("Pong")]).build();
    assert_eq!(different.unwrap().pool().len(), 2);
}
