//! Tools that are made on first use.

use crate::tool::{Required, plain};
use pegboard_registry::{DynamicProvider, DynamicTools, Made, Offer, assemble, assemble_after};
use pegboard_tool_core::ToolEnv;
use pegboard_tool_core::ports::ToolLookup;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Debug, Default)]
struct Agents {
    versions: Mutex<BTreeMap<String, u64>>,
    made: AtomicUsize,
}

impl Agents {
    fn define(&self, name: &str, version: u64) {
        self.versions.lock().unwrap().insert(name.to_owned(), version);
    }
}

impl DynamicProvider for Agents {
    fn version(&self, name: &str) -> Option<u64> {
        self.versions.lock().unwrap().get(name).copied()
    }

    fn make(&self, name: &str) -> Made {
        self.made.fetch_add(1, Ordering::Relaxed);
        match name {
            "agent_liar" => Made::Tool(plain("Bash")),
            "agent_gone" => Made::NotHere("no model".to_owned()),
            name => Made::Tool(plain(name)),
        }
    }

    fn names(&self) -> Vec<String> {
        self.versions.lock().unwrap().keys().cloned().collect()
    }
}

#[test]
fn a_dynamic_tool_is_made_once_for_each_version_and_goes_with_its_definition() {
    let agents = Arc::new(Agents::default());
    let dynamic = DynamicTools::new(vec![agents.clone()], Arc::new(Required::default()), ToolEnv::new());
    let dynamic = Arc::new(dynamic);
    let pool = assemble(vec![Offer::new(plain("Read"))], Vec::new(), &Required::default()).pool;
    let pool = pool.with_dynamic(Arc::clone(&dynamic));
    let input = Arc::new(json!({}));
    let find = |name: &str| pool.find(name, &input).map(|found| found.tool);
    assert!(find("agent_a").is_none());

    agents.define("agent_a", 1);
    let first = find("agent_a").unwrap();
    assert!(Arc::ptr_eq(&first, &find("agent_a").unwrap()));
    assert_eq!((agents.made.load(Ordering::Relaxed), dynamic.cached()), (1, 1));
    assert_eq!(pool.near("agent_b"), ["agent_a"]);

    agents.define("agent_a", 2);
    assert!(!Arc::ptr_eq(&first, &find("agent_a").unwrap()));

    let next = assemble_after(&pool, Vec::new(), Vec::new(), &Required::default()).pool;
    assert!(next.find("agent_a", &input).is_some(), "the next generation has them too");

    agents.versions.lock().unwrap().clear();
    dynamic.evict();
    assert_eq!(dynamic.cached(), 0);
    assert!(find("agent_a").is_none());
}

#[test]
fn what_is_no_good_tool_is_not_found_and_built_ins_are_not_shadowed() {
    let agents = Arc::new(Agents::default());
    let long = "a".repeat(65);
    for name in ["agent_liar", "agent_gone", "Read", &long] {
        agents.define(name, 1);
    }
    let dynamic = DynamicTools::new(vec![agents.clone()], Arc::new(Required::default()), ToolEnv::new());
    let read = plain("Read");
    let pool = assemble(vec![Offer::new(Arc::clone(&read))], Vec::new(), &Required::default()).pool;
    let pool = pool.with_dynamic(Arc::new(dynamic));
    let input = Arc::new(json!({}));
    for name in ["agent_liar", "agent_gone", &long] {
        assert!(pool.find(name, &input).is_none(), "{name}");
    }
    assert!(Arc::ptr_eq(&pool.find("Read", &input).unwrap().tool, &read));
}
