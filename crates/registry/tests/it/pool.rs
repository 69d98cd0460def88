//! Assembly: order, duplicates, what is refused, what stays in place.

use crate::tool::{Required, definition, mcp, plain, tool};
use insta::assert_snapshot;
use pegboard_registry::{Alias, Assembled, Offer, PoolHandle, ToolPool, assemble, assemble_after};
use pegboard_tool_core::ToolName;
use pegboard_tool_core::ports::ToolLookup;
use proptest::prelude::*;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn built(names: &[&str]) -> Vec<Offer> {
    names.iter().map(|name| Offer::new(plain(name))).collect()
}

fn names(pool: &ToolPool) -> Vec<String> {
    pool.entries().map(|entry| entry.definition().name.to_string()).collect()
}

fn dropped(assembled: &Assembled) -> String {
    assembled.dropped.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn built_ins_come_first_and_both_parts_are_sorted_by_bytes() {
    let assembled = assemble(
        built(&["bash", "Write", "Read"]),
        vec![mcp("b", "x", "mcp__b__x"), mcp("a", "y", "A_first"), mcp("a", "r", "Read")],
        &Required::default(),
    );
    assert_eq!(names(&assembled.pool), ["Read", "Write", "bash", "A_first", "mcp__b__x"]);
    assert_snapshot!(dropped(&assembled), @r###"Read: tool `r` of MCP server `a` is left out, the name belongs to a built-in tool"###);
}

#[test]
fn one_bad_definition_takes_no_other_with_it() {
    let mut example = definition("Example", &["a"]);
    example.examples = vec![json!({"a": 1}), json!({"b": 1})];
    let mut broken = definition("Broken", &[]);
    broken.input_schema = Arc::new(json!({"type": "object", "broken": true}));
    let mut rootless = definition("Rootless", &[]);
    rootless.input_schema = Arc::new(json!({}));
    let long = "x".repeat(65);
    let offers = [example, broken, rootless, definition(&long, &[]), definition("Good", &[])];
    let offers = offers.into_iter().map(|definition| Offer::new(tool(definition))).collect();
    let assembled = assemble(offers, Vec::new(), &Required::default());
    assert_eq!(names(&assembled.pool), ["Good"]);
    assert_snapshot!(dropped(&assembled), @r###"
    Broken: cannot be offered: it is broken
    Example: cannot be offered: example 2 does not fit: a is missing
    Rootless: cannot be offered: the input schema has no `"type": "object"` at its root
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: cannot be offered: the name has 65 characters; model APIs take at most 64
    "###);
}

#[test]
fn definitions_are_an_array_in_a_fixed_form() {
    let mut first = definition("B", &["a"]);
    first.examples = vec![json!({"a": 1})];
    let pool =
        assemble(vec![Offer::new(tool(first)), Offer::new(plain("A"))], Vec::new(), &Required::default())
            .pool;
    assert_snapshot!(pool.definitions_json(), @r###"[{"name":"A","description":"Is A.","input_schema":{"type":"object","required":[]}},{"name":"B","description":"Is B.","input_examples":[{"a":1}],"input_schema":{"type":"object","required":["a"]}}]"###);
    assert!(serde_json::from_str::<serde_json::Value>(pool.definitions_json()).is_ok());
}

#[test]
fn kept_tools_keep_their_places_and_compiled_schemas() {
    let offers = built(&["Read", "Write", "Bash"]);
    let server = mcp("s", "m", "mcp__s__m");
    let validator = Required::default();
    let first = assemble(offers.clone(), vec![server.clone()], &validator).pool;
    let prepared = validator.prepared.load(Ordering::Relaxed);

    // A built-in and an MCP tool are new, `Bash` is gone.
    let mut later = offers[..2].to_vec();
    later.extend(built(&["Agent"]));
    let second = assemble_after(&first, later, vec![mcp("s", "a", "mcp__s__a"), server], &validator).pool;
    assert_eq!(names(&second), ["Read", "Write", "mcp__s__m", "Agent", "mcp__s__a"]);
    assert_eq!(validator.prepared.load(Ordering::Relaxed), prepared + 2, "only new tools are prepared");
    assert_eq!((first.generation(), second.generation()), (1, 2));
}

#[test]
fn adding_one_tool_leaves_the_bytes_before_it_alone() {
    let first =
        assemble(built(&["Read", "Write"]), vec![mcp("s", "m", "mcp__s__m")], &Required::default()).pool;
    let more = vec![mcp("s", "a", "mcp__s__a"), mcp("s", "m", "mcp__s__m")];
    let second = assemble_after(&first, built(&["Read", "Write"]), more, &Required::default()).pool;
    let before = first.definitions_json().strip_suffix(']').unwrap();
    assert!(second.definitions_json().starts_with(before), "{}", second.definitions_json());
}

#[test]
fn deferred_tools_are_sent_once_they_are_loaded() {
    let deferred = |name: &str| {
        let mut definition = definition(name, &[]);
        definition.deferred = true;
        Offer::new(tool(definition))
    };
    let offers = |search: &[&str]| {
        let mut offers = built(search);
        offers.extend([deferred("Aaa"), deferred("Bbb")]);
        offers.extend(built(&["Read"]));
        offers
    };
    let sent = |pool: &ToolPool| -> Vec<String> {
        pool.offered().map(|entry| entry.definition().name.to_string()).collect()
    };
    let validator = Required::default();
    let all = assemble(offers(&[]), Vec::new(), &validator).pool;
    assert_eq!(sent(&all), ["Aaa", "Bbb", "Read"], "what could not be found is offered");

    let pool = assemble(offers(&["ToolSearch"]), Vec::new(), &validator).pool;
    assert_eq!(sent(&pool), ["Read", "ToolSearch"]);
    assert!(pool.find("Bbb", &Arc::new(json!({}))).is_some(), "a deferred tool that is called runs");
    assert!(pool.guidance().contains("ToolSearch"));
    let loaded = pool.with_loaded("Bbb").unwrap();
    assert_eq!(sent(&loaded), ["Read", "ToolSearch", "Bbb"]);
    assert_eq!(loaded.generation(), 2);
    assert!(loaded.with_loaded("Bbb").is_none() && loaded.with_loaded("Zzz").is_none());
    let next = assemble_after(&loaded, offers(&["ToolSearch", "Agent"]), Vec::new(), &validator).pool;
    assert_eq!(sent(&next), ["Read", "ToolSearch", "Bbb", "Agent"]);
}

#[test]
fn generations_of_a_handle_only_grow() {
    let fresh = || assemble(built(&["Read"]), Vec::new(), &Required::default()).pool;
    let handle = PoolHandle::new(fresh());
    let pinned = handle.load();
    let second = assemble(built(&["Write"]), Vec::new(), &Required::default()).pool;
    handle.store(second);
    assert_eq!((pinned.generation(), handle.generation()), (1, 2));
    let input = Arc::new(json!({}));
    assert!(pinned.find("Read", &input).is_some() && handle.find("Read", &input).is_none());
    handle.store(fresh());
    assert_eq!(handle.generation(), 3);
}

#[test]
fn guidance_speaks_of_the_tools_that_are_there() {
    let pool = |names: &[&str]| assemble(built(names), Vec::new(), &Required::default()).pool;
    assert_snapshot!(pool(&["Read", "Bash", "Edit"]).guidance(), @r###"
    - Put calls that do not depend on each other into one message: calls that only read run at the same time.
    - Calls of one message run in order where one of them changes something; put a call that needs another's result into a later message.
    - Join commands that depend on each other in one Bash call with `&&`, instead of one call each.
    - For files use Read, Edit instead of shell commands.
    "###);
    assert!(!pool(&["Read"]).guidance().contains("Bash"));
}

/// Names from few letters, so that tools, aliases and MCP tools collide.
fn any_offer() -> impl Strategy<Value = (bool, Offer)> {
    let name = "[A-C]{1,2}";
    (any::<bool>(), name, "[a-b]", "[a-c]", prop::option::of(name), any::<bool>()).prop_map(
        |(is_mcp, name, server, inner, alias, field)| {
            let mut definition = definition(&name, if field { &["a"] } else { &[] });
            if is_mcp {
                definition.origin =
                    pegboard_tool_core::ToolOrigin::Mcp { server: server.into(), tool: inner.into() };
            }
            let offer = Offer::new(tool(definition));
            let offer = match alias {
                Some(alias) => offer.with_alias(Alias::new(ToolName::new(alias).unwrap())),
                None => offer,
            };
            (is_mcp, offer)
        },
    )
}

fn assembled(offers: &[(bool, Offer)]) -> Assembled {
    let part = |wanted: bool| {
        offers.iter().filter(|(is_mcp, _)| *is_mcp == wanted).map(|(_, offer)| offer.clone()).collect()
    };
    assemble(part(false), part(true), &Required::default())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_pools_bytes_do_not_depend_on_registration_order(
        (offers, shuffled) in prop::collection::vec(any_offer(), 0..20).prop_flat_map(|offers| {
            (Just(offers.clone()), Just(offers).prop_shuffle())
        })
    ) {
        let (one, other) = (assembled(&offers), assembled(&shuffled));
        prop_assert_eq!(one.pool.definitions_json(), other.pool.definitions_json());
        prop_assert_eq!(one.pool.guidance(), other.pool.guidance());
    }

    #[test]
    fn lookup_finds_every_name_and_nothing_is_lost(offers in prop::collection::vec(any_offer(), 0..20)) {
        let Assembled { pool, dropped, .. } = assembled(&offers);
        let input = Arc::new(json!({"a": 1}));
        for (_, offer) in &offers {
            let name = &offer.definition().name;
            let found = pool.find(name.as_str(), &input).unwrap();
            prop_assert_eq!(&found.tool.definition().name, name);
            prop_assert!(found.adapted.is_none());
        }
        let tools = dropped.iter().filter(|one| matches!(one.reason, pegboard_registry::DropReason::Duplicate { .. }));
        prop_assert_eq!(pool.len() + tools.count(), offers.len());
        for entry in pool.entries() {
            for alias in entry.aliases() {
                prop_assert!(pool.find(alias.as_str(), &input).is_some());
            }
        }
    }

    #[test]
    fn the_next_pool_begins_with_the_tools_that_stayed(
        before in prop::collection::vec(any_offer(), 0..12), after in prop::collection::vec(any_offer(), 0..12)
    ) {
        let first = assembled(&before).pool;
        let part = |wanted: bool| after.iter().filter(|(is_mcp, _)| *is_mcp == wanted).map(|(_, offer)| offer.clone()).collect();
        let second = assemble_after(&first, part(false), part(true), &Required::default()).pool;
        let (old, new) = (names(&first), names(&second));
        let stayed: Vec<_> = old.iter().filter(|name| new.contains(name)).cloned().collect();
        prop_assert_eq!(&new[..stayed.len()], &stayed[..]);
    }
}
