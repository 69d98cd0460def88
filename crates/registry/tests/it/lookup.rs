//! What a name means, and which names are near to one that means nothing.

use crate::tool::{Required, definition, mcp, plain, tool};
use insta::assert_snapshot;
use pegboard_registry::{Alias, InputAdapter, Offer, ToolPool, assemble};
use pegboard_tool_core::ports::{FoundTool, ToolLookup};
use pegboard_tool_core::{InvalidInput, ToolName};
use serde_json::{Value, json};
use std::sync::Arc;

fn find(pool: &ToolPool, name: &str, input: Value) -> Option<FoundTool> {
    pool.find(name, &Arc::new(input))
}

fn called(found: Option<FoundTool>) -> Option<String> {
    found.map(|found| found.tool.definition().name.to_string())
}

#[test]
fn an_exact_name_beats_an_alias_and_the_first_of_two_aliases_stands() {
    let alias = |name: &str| Alias::new(ToolName::new(name).unwrap());
    let offers = vec![
        Offer::new(plain("Zed")).with_alias(alias("Read")).with_alias(alias("both")),
        Offer::new(plain("Read")),
        Offer::new(plain("Edit")).with_alias(alias("both")),
    ];
    let server = mcp("s", "t", "mcp__s__t").with_alias(alias("both"));
    let assembled = assemble(offers, vec![server], &Required::default());
    assert_eq!(called(find(&assembled.pool, "Read", json!({}))).as_deref(), Some("Read"));
    assert_eq!(called(find(&assembled.pool, "both", json!({}))).as_deref(), Some("Edit"));
    let report: Vec<_> = assembled.dropped.iter().map(ToString::to_string).collect();
    assert_snapshot!(report.join("\n"), @r###"
    Read: no alias of Zed, because the name means Read
    both: no alias of Zed, because the name means Edit
    both: no alias of mcp__s__t, because the name means Edit
    "###);
}

#[test]
fn mcp_tools_are_found_by_the_map_and_not_by_splitting() {
    let short = mcp("ser__ver", "to__ol", "mcp__shortened_ab12");
    let pool = assemble(Vec::new(), vec![short, mcp("a", "b", "mcp__a__b")], &Required::default()).pool;
    assert_eq!(
        called(find(&pool, "mcp__ser__ver__to__ol", json!({}))).as_deref(),
        Some("mcp__shortened_ab12")
    );
    assert_eq!(
        pool.mcp_entry("ser__ver", "to__ol").unwrap().definition().name.as_str(),
        "mcp__shortened_ab12"
    );
    assert!(pool.mcp_entry("ser", "ver__to__ol").is_none());
    for stranger in ["mcp__a__b__c", "mcp__a", "b", "MCP__A__B", "", "mcp__a__b\0"] {
        assert!(find(&pool, stranger, json!({})).is_none(), "{stranger:?}");
    }

    let call = json!({"server_name": "a", "tool_name": "b", "arguments": "{\"x\": 1}"});
    let found = find(&pool, "use_mcp_tool", call).unwrap();
    assert_eq!(found.tool.definition().name.as_str(), "mcp__a__b");
    assert_eq!(*found.adapted.unwrap(), json!({"x": 1}));
    assert!(find(&pool, "use_mcp_tool", json!({"server_name": "a", "tool_name": "z"})).is_none());
}

#[test]
fn an_input_that_cannot_be_adapted_is_refused_and_never_runs() {
    let refusing = InputAdapter::new(|_| Err(InvalidInput::new("one replacement a call")));
    let alias = Alias::adapted(ToolName::new("replace").unwrap(), refusing);
    let offer = Offer::new(tool(definition("Edit", &[]))).with_alias(alias);
    let pool = assemble(vec![offer], Vec::new(), &Required::default()).pool;
    let found = find(&pool, "replace", json!({})).unwrap();
    assert!(found.adapted.is_none());
    for input in [json!({}), json!({"file_path": "a"})] {
        assert_eq!(found.schema.check(&input).unwrap_err().text, "one replacement a call");
    }
    assert!(find(&pool, "Edit", json!({})).unwrap().schema.check(&json!({})).is_ok());
}

#[test]
fn near_names_are_a_handful() {
    let offers = ["Read", "Write", "WebFetch", "WebSearch"].map(|name| Offer::new(plain(name)));
    let pool = assemble(offers.into(), vec![mcp("git", "log", "mcp__git__log")], &Required::default()).pool;
    assert_eq!(pool.near("web_serach"), ["WebSearch", "WebFetch"]);
    assert_eq!(pool.near("git__log"), ["mcp__git__log"]);
    assert!(pool.near("\0".repeat(1_000_000).as_str()).is_empty());
}
