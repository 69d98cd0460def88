//! One test for each row of the decision list, and for what the rows do to each other.

use crate::world::World;
use pegboard_tool_core::ports::{DecisionStep, HookAdvice, Verdict};
use pegboard_tool_core::{PermissionMode, ToolCheck};
use serde_json::json;

fn check(world: &World, command: &str, verdict: Verdict, step: DecisionStep) {
    let decision = world.decide("Bash", &json!({"command": command}));
    assert_eq!((decision.verdict, decision.step), (verdict, step), "{command}: {decision:?}");
    let steps: Vec<DecisionStep> = decision.trail.unwrap().iter().map(|entry| entry.step).collect();
    use DecisionStep::{AllowRule, AskRule, Default, DenyRule, HookAllow, HookAsk, Mode, Safety, Tool};
    assert_eq!(steps, [DenyRule, AskRule, Tool, Safety, HookAsk, HookAllow, Mode, AllowRule, Default]);
}

#[test]
fn row_1_a_deny_rule_denies_over_everything() {
    let mut world =
        World::new().rules(&["deny Bash(make *)", "ask Bash(make *)", "allow Bash(make *)", "allow Bash"]);
    world.hook = HookAdvice::Allow;
    world.check = ToolCheck::Allow;
    for mode in PermissionMode::ALL {
        check(&world.clone().mode(mode), "make x", Verdict::Deny, DecisionStep::DenyRule);
    }
}

#[test]
fn row_2_an_ask_rule_or_a_tool_that_needs_a_person_asks() {
    let mut world = World::new().rules(&["ask Bash(make *)", "allow Bash(make *)"]).hook(HookAdvice::Allow);
    check(&world, "make x", Verdict::Ask, DecisionStep::AskRule);
    check(
        &world.clone().mode(PermissionMode::BypassPermissions),
        "make x",
        Verdict::Ask,
        DecisionStep::AskRule,
    );
    check(&world.clone().mode(PermissionMode::DontAsk), "make x", Verdict::Deny, DecisionStep::AskRule);
    assert!(world.decide("Bash", &json!({"command": "make x"})).by_rule);
    world.rules.clear();
    world.needs_person = true;
    check(&world, "make x", Verdict::Ask, DecisionStep::AskRule);
}

#[test]
fn row_2_an_opaque_line_asks_while_a_pattern_could_name_it() {
    let world = World::new().rules(&["allow Bash", "deny Bash(rm *)"]);
    for mode in [PermissionMode::Default, PermissionMode::BypassPermissions] {
        check(&world.clone().mode(mode), "$X y", Verdict::Ask, DecisionStep::AskRule);
    }
    check(&World::new().rules(&["allow Bash"]), "$X y", Verdict::Allow, DecisionStep::AllowRule);
}

#[test]
fn row_3_the_tools_own_word_is_not_lifted() {
    let world =
        World::new().rules(&["allow Bash"]).hook(HookAdvice::Allow).mode(PermissionMode::BypassPermissions);
    let asks = world.clone().check(ToolCheck::Ask("odd".into()));
    check(&asks, "make", Verdict::Ask, DecisionStep::Tool);
    assert!(asks.decide("Bash", &json!({"command": "make"})).by_rule);
    check(&world.clone().check(ToolCheck::Deny("no".into())), "make", Verdict::Deny, DecisionStep::Tool);
    let asked_by_rule = world.rules(&["ask Bash(make)"]).check(ToolCheck::Deny("no".into()));
    check(&asked_by_rule, "make", Verdict::Deny, DecisionStep::Tool);
}

#[test]
fn row_4_safety_asks_in_every_mode_and_over_every_allow() {
    let world = World::new()
        .rules(&["allow Bash", "allow Bash(rm *)"])
        .hook(HookAdvice::Allow)
        .check(ToolCheck::Allow);
    for mode in PermissionMode::ALL {
        let verdict = if mode == PermissionMode::DontAsk { Verdict::Deny } else { Verdict::Ask };
        for command in ["rm -rf /usr", "cp x .git/config", "echo \"$(rm -rf ~)\"", "echo $X > .bashrc"] {
            let world = world.clone().mode(mode);
            check(&world, command, verdict, DecisionStep::Safety);
            assert!(world.decide("Bash", &json!({"command": command})).safety);
        }
    }
}

#[test]
fn row_5_a_hook_may_ask() {
    let world = World::new().rules(&["allow Bash"]).hook(HookAdvice::Ask);
    check(&world, "ls", Verdict::Ask, DecisionStep::HookAsk);
    check(&world.mode(PermissionMode::BypassPermissions), "ls", Verdict::Ask, DecisionStep::HookAsk);
}

#[test]
fn row_6_a_hook_may_allow_what_nothing_holds_back() {
    let world = World::new().hook(HookAdvice::Allow);
    check(&world, "make", Verdict::Allow, DecisionStep::HookAllow);
    check(&world.mode(PermissionMode::DontAsk), "make", Verdict::Allow, DecisionStep::HookAllow);
}

#[test]
fn row_7_the_mode_decides_before_allow_rules() {
    let world = World::new().rules(&["allow Bash(make *)"]);
    check(&world, "ls", Verdict::Allow, DecisionStep::Mode);
    check(&world.clone().mode(PermissionMode::BypassPermissions), "make", Verdict::Allow, DecisionStep::Mode);
    check(&world.mode(PermissionMode::Plan), "make > x", Verdict::Ask, DecisionStep::Mode);
}

#[test]
fn row_8_an_allow_rule_or_the_tool_allows() {
    check(&World::new().rules(&["allow Bash(make *)"]), "make x", Verdict::Allow, DecisionStep::AllowRule);
    check(&World::new().check(ToolCheck::Allow), "make x", Verdict::Allow, DecisionStep::AllowRule);
}

#[test]
fn row_9_otherwise_it_asks() {
    check(&World::new(), "make x", Verdict::Ask, DecisionStep::Default);
    check(&World::new().mode(PermissionMode::DontAsk), "make x", Verdict::Deny, DecisionStep::Default);
    let decision = World::new().decide("Bash", &json!({"command": "make x"}));
    assert!(!decision.by_rule && !decision.safety);
}

#[test]
fn a_decision_names_the_rule_of_the_highest_source_with_its_line() {
    use pegboard_tool_core::{RuleEffect, SettingSource};
    let world = World::new().rule(RuleEffect::Deny, "Bash(make *)", SettingSource::User).rule(
        RuleEffect::Deny,
        "Bash(make x)",
        SettingSource::Policy,
    );
    let decision = world.decide("Bash", &json!({"command": "make x"}));
    insta::assert_snapshot!(decision.reason, @"the policy rule `Bash(make x)` names this command");
    insta::assert_snapshot!(decision.rule.unwrap(), @"deny Bash(make x) (policy settings.json:2)");
}
