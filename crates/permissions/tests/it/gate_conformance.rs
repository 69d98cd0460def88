//! The engine passes the suite for gates, whatever its rules.

use crate::world::World;
use pegboard_permissions::{Bypass, Engine, RuleScope};
use pegboard_test_support::conformance::gate_conformance;

#[tokio::test]
async fn the_engine_keeps_the_contract_without_rules() {
    gate_conformance(|| World::new().engine().0).await;
}

#[tokio::test]
async fn the_engine_keeps_the_contract_with_rules_of_each_effect() {
    let allow = ["allow Fake", "allow Bash(x*)", "allow Edit(/**)", "allow mcp__server"];
    let hold = ["ask Fake", "ask Read(/**/passwd)", "deny Bash(x*)", "deny mcp__server__tool"];
    gate_conformance(|| World::new().rules(&allow).engine().0).await;
    gate_conformance(|| World::new().rules(&hold).engine().0).await;
    gate_conformance(|| World::new().rules(&allow).rules(&hold).engine().0).await;
}

#[tokio::test]
async fn the_engine_keeps_the_contract_where_bypass_is_there_or_only_the_policy_counts() {
    gate_conformance(|| {
        let mut config = World::new().rules(&["allow Fake", "allow Bash"]).config();
        config.bypass = Bypass::Available;
        Engine::new(config).0
    })
    .await;
    gate_conformance(|| {
        let mut config = World::new().rules(&["allow Fake", "deny Read"]).config();
        config.scope = RuleScope::PolicyOnly;
        Engine::new(config).0
    })
    .await;
}
