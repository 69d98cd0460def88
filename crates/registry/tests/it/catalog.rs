//! From catalog to what is available here.

use crate::tool::{Plain, Required, definition, plain};
use insta::assert_snapshot;
use pegboard_registry::{
    Catalog, Entry, Gate, Made, Offer, Selection, Services, SharedEntry, assemble, available,
};
use pegboard_tool_core::{ToolEnv, ToolName};
use std::sync::Arc;

fn name(name: &str) -> ToolName {
    ToolName::new(name).unwrap()
}

fn report(selection: &Selection) -> String {
    let tools = selection.tools.iter().map(|offer| offer.definition().name.to_string());
    tools.chain(selection.dropped.iter().map(|dropped| format!("- {dropped}"))).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_tool_is_made_or_reported() {
    let never = |_: &Services, _: &ToolEnv| -> Made {
        Made::NotHere("it was asked although its gate is closed".to_owned())
    };
    let catalog = Catalog::new()
        .with(Entry::of(plain("Read")))
        .with(Entry::new(name("Closed"), never).gate(Gate::Flag("closed".to_owned())))
        .with(Entry::new(name("Fetch"), |services: &Services, _: &ToolEnv| match services.find::<u8>() {
            Some(_) => Made::Tool(plain("Fetch")),
            None => Made::NotHere("no http client was injected".to_owned()),
        }))
        .with(Entry::new(name("Liar"), |_: &Services, _: &ToolEnv| Made::Tool(plain("Bash"))))
        .with(Entry::of(plain("ToolSearch")).gate(Gate::PoolLargerThan(4)))
        .with_shared(SharedEntry::new(name("read_file"), name("Read")))
        .with_shared(SharedEntry::new(name("web_fetch"), name("Fetch")));
    let env = ToolEnv::new();
    assert_snapshot!(report(&catalog.base_tools(&env, &Services::new(), 3)), @r###"
    Read
    read_file
    - Closed: flag `closed` is off
    - Fetch: no http client was injected
    - Liar: cannot be offered: its factory made `Bash`
    - ToolSearch: there are 4 tools, not more than 4
    - web_fetch: stands for Fetch, which is not there
    "###);
    assert_snapshot!(report(&catalog.base_tools(&env, &Services::new().with(1_u8), 3)), @r###"
    Read
    Fetch
    ToolSearch
    read_file
    web_fetch
    - Closed: flag `closed` is off
    - Liar: cannot be offered: its factory made `Bash`
    "###);
}

#[test]
fn denied_and_absent_tools_are_left_out_with_their_second_names() {
    let absent = Plain { definition: definition("LSP", &[]), absent: Some("no server".to_owned()) };
    let write = plain("Write");
    let shared = pegboard_registry::SharedTool::new(name("write_to_file"), Arc::clone(&write));
    let offers = vec![
        Offer::new(plain("Read")),
        Offer::new(write),
        Offer::shared(shared.clone()),
        Offer::new(Arc::new(absent)),
    ];
    let denied = |name: &'static str| {
        move |definition: &pegboard_tool_core::ToolDefinition| {
            (definition.name.as_str() == name).then(|| format!("deny {name} (user)"))
        }
    };
    let env = ToolEnv::new();
    assert_snapshot!(report(&available(offers.clone(), &env, &denied("Write"))), @r###"
    Read
    - Write: denied as a whole by deny Write (user)
    - write_to_file: denied as a whole by deny Write (user)
    - LSP: no server
    "###);
    assert_snapshot!(report(&available(offers, &env, &denied("write_to_file"))), @r###"
    Read
    Write
    - write_to_file: denied as a whole by deny write_to_file (user)
    - LSP: no server
    "###);
}

#[test]
fn clines_names_stand_for_tools_that_are_there() {
    use pegboard_registry::aliases;
    use pegboard_tool_core::ports::ToolLookup;
    let write = crate::tool::tool(definition("Write", &["file_path", "content"]));
    let catalog = Catalog::new().with(Entry::of(Arc::clone(&write)));
    let input = Arc::new(serde_json::json!({"path": "a", "content": "b"}));

    let offered = aliases::offer(catalog, aliases::CLINE).unwrap();
    let base = offered.base_tools(&ToolEnv::new(), &Services::new(), 0);
    let pool = assemble(base.tools, Vec::new(), &Required::default()).pool;
    let names: Vec<_> = pool.offered().map(|entry| entry.definition().name.to_string()).collect();
    assert_eq!(names, ["Write", "new_rule", "write_to_file"]);

    let accepted = aliases::accept(vec![Offer::new(Arc::clone(&write))], aliases::CLINE).unwrap();
    let accepted = assemble(accepted, Vec::new(), &Required::default()).pool;
    assert_eq!(accepted.offered().len(), 1);
    for pool in [&pool, &accepted] {
        for name in ["write_to_file", "new_rule"] {
            let found = pool.find(name, &input).unwrap();
            assert!(Arc::ptr_eq(&found.tool, &write), "the same instance runs");
            let adapted = found.adapted.unwrap();
            assert_eq!(adapted["file_path"], "a");
            assert!(found.schema.check(&adapted).is_ok());
        }
        assert_eq!(pool.canonical("new_rule").unwrap().as_str(), "Write");
        assert!(pool.entry("read_file").is_none());
    }
    // What the model is told is about the schema that it was shown.
    let found = pool.find("write_to_file", &Arc::new(serde_json::json!({"content": "b"}))).unwrap();
    assert_eq!(found.schema.check(&serde_json::json!({})).unwrap_err().text, "path is missing");
}

#[test]
fn every_shipped_name_is_a_tool_name() {
    use pegboard_registry::aliases;
    for spec in aliases::CLINE.iter().chain(aliases::SNAKE_CASE) {
        for name in [spec.name, spec.tool] {
            assert!(ToolName::new(name).is_ok() && name.len() <= 64, "{name}");
        }
    }
}
