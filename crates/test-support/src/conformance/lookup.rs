//! What everything that finds tools keeps.

use super::odd_inputs;
use pegboard_tool_core::ports::ToolLookup;
use serde_json::json;
use std::sync::Arc;

/// Runs the cases against the lookup that `make` makes, which knows a tool under each of `known`.
///
/// # Panics
/// At the first case that the lookup fails.
pub fn lookup_conformance<L: ToolLookup>(make: impl Fn() -> L, known: &[&str]) {
    let lookup = make();
    let generation = lookup.generation();
    for input in odd_inputs().into_iter().map(Arc::new) {
        for name in ["", "No Such Tool", "a\0b", &"x".repeat(100_000), "mcp__no__such"] {
            assert!(lookup.find(name, &input).is_none(), "`{name:.40}` is no tool");
            let near = lookup.near(name);
            assert!(near.len() <= 10, "near names are a handful");
            for near in near {
                assert!(lookup.find(&near, &input).is_some(), "`{near}` was named as near, and is a tool");
            }
        }
        for name in known {
            assert!(lookup.find(name, &input).is_some(), "`{name}` is a tool");
        }
    }
    let input = Arc::new(json!({}));
    for found in known.iter().filter_map(|name| lookup.find(name, &input)) {
        let name = found.tool.definition().name.clone();
        let again = lookup.find(name.as_str(), &input);
        let same = again.is_some_and(|again| again.tool.definition().name == name);
        assert!(same, "`{name}` is found under its canonical name");
    }
    assert_eq!(generation, lookup.generation(), "looking up changes nothing");
}
