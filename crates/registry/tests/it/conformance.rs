//! The pool passes the suite for lookups.

use crate::tool::{Required, definition, mcp, plain, tool};
use pegboard_registry::{Offer, assemble};
use pegboard_test_support::conformance::lookup_conformance;
use pegboard_tool_core::ToolName;

#[test]
fn the_pool_keeps_the_contract() {
    let make = || {
        let mut aliased = definition("Bash", &["command"]);
        aliased.aliases = vec![ToolName::new("Shell").unwrap()];
        let built_in = vec![Offer::new(plain("Read")), Offer::new(tool(aliased))];
        let assembled = assemble(built_in, vec![mcp("s", "x", "mcp__s__x")], &Required::default());
        assert!(assembled.dropped.is_empty());
        assembled.pool
    };
    lookup_conformance(make, &["Read", "Bash", "Shell", "mcp__s__x"]);
}
