//! Modes and settings beyond the table: who answers for a person, what is suspended, what a sandbox lets run.

use crate::world::{World, parse};
use async_trait::async_trait;
use futures::executor::block_on;
use pegboard_permissions::{Bypass, Classifier, Engine};
use pegboard_tool_core::PermissionMode;
use pegboard_tool_core::ports::Verdict::{self, Allow, Ask, Deny};
use pegboard_tool_core::ports::{GateCall, HookAdvice, PermissionGate};
use serde_json::json;
use std::sync::Arc;

#[derive(Debug)]
struct Says(bool);

#[async_trait]
impl Classifier for Says {
    async fn classify(&self, _call: &GateCall<'_>) -> Option<bool> {
        Some(self.0)
    }
}

fn classified(world: &World, engine: &Engine) -> Option<bool> {
    world.with_call("Bash", &json!({"command": "make"}), |call| block_on(engine.classify(call)))
}

fn decided(world: &World, engine: &Engine, call: &str) -> Verdict {
    let (tool, input) = parse(call);
    world.with_call(&tool, &input, |call| block_on(engine.decide(call)).verdict)
}

#[test]
fn three_blocks_in_a_row_bring_a_person_back_until_an_action_is_allowed() {
    let world = World::new().mode(PermissionMode::Auto);
    let mut config = world.config();
    config.classifier = Some(Arc::new(Says(false)));
    let (engine, _) = Engine::new(config);
    for _ in 0..3 {
        assert_eq!(classified(&world, &engine), Some(false));
    }
    assert_eq!(classified(&world, &engine), None);
    assert_eq!(decided(&world, &engine, "Bash: make"), Ask);
    assert_eq!(classified(&world, &engine), None, "an ask ends no run");
    assert_eq!(decided(&world, &engine, "Bash: ls"), Allow);
    assert_eq!(classified(&world, &engine), Some(false), "an allowed action does");
}

#[test]
fn twenty_blocks_in_all_bring_a_person_back_for_good() {
    let world = World::new().mode(PermissionMode::Auto);
    let mut config = world.config();
    config.classifier = Some(Arc::new(Says(false)));
    let (engine, _) = Engine::new(config);
    for _ in 0..20 {
        assert_eq!(classified(&world, &engine), Some(false));
        assert_eq!(decided(&world, &engine, "Bash: ls"), Allow);
    }
    assert_eq!(classified(&world, &engine), None);
}

#[test]
fn in_auto_mode_rules_that_mean_anything_are_suspended() {
    for (rule, call, expected) in [
        ("Bash", "Bash: make", Ask),
        ("Bash(make)", "Bash: make", Allow),
        ("Bash(python3 *)", "Bash: python3 x.py", Ask),
        ("Bash(python3 x.py)", "Bash: python3 x.py", Allow),
        ("Bash(bash -c *)", "Bash: bash -c make", Ask),
        ("Bash(npm run *)", "Bash: npm run x", Ask),
        ("Bash(npx *)", "Bash: npx x", Ask),
        ("Bash(npm test *)", "Bash: npm test x", Allow),
        ("Agent", "Agent: {}", Ask),
        ("Agent(x)", "Agent: {\"subagent_type\":\"x\"}", Ask),
        ("Monitor", "Monitor: {\"command\":\"make\"}", Ask),
        ("Bash(make)", "Monitor: {\"command\":\"make\"}", Ask),
    ] {
        let world = World::new().rules(&[&format!("allow {rule}")]).mode(PermissionMode::Auto);
        assert_eq!(world.verdict(call), expected, "{rule} {call}");
        if !call.starts_with("Monitor") {
            assert_eq!(world.mode(PermissionMode::Default).verdict(call), Allow, "{rule} {call}");
        }
    }
    let world = World::new().rules(&["allow Bash(make)"]).mode(PermissionMode::Auto);
    let mut config = world.config();
    config.classify_all_shell = true;
    let (engine, _) = Engine::new(config);
    assert_eq!(decided(&world, &engine, "Bash: make"), Ask);
    assert_eq!(decided(&world, &engine, "Bash: ls"), Allow);
}

#[test]
fn plan_holds_nothing_back_where_bypass_is_available() {
    let world = World::new().rules(&["ask Bash(git push *)"]).mode(PermissionMode::Plan);
    let mut config = world.config();
    config.bypass = Bypass::Available;
    let (engine, _) = Engine::new(config);
    for (call, expected) in [
        ("Edit: /w/a", Allow),
        ("Bash: make", Allow),
        ("Bash: git push", Ask),
        ("Bash: rm -rf /usr", Ask),
        ("Edit: /w/.git/config", Ask),
    ] {
        assert_eq!(decided(&world, &engine, call), expected, "{call}");
    }
}

#[test]
fn in_plan_no_rule_lets_an_edit_run() {
    let world = World::new().rules(&["allow Edit", "allow Bash(touch *)", "allow Bash(npm test)"]);
    let world = world.mode(PermissionMode::Plan);
    for (call, expected) in [
        ("Edit: /w/a", Ask),
        ("Bash: touch a", Ask),
        ("Bash: ls > a", Ask),
        ("Bash: npm test", Allow),
        ("Bash: git log -3 | head", Allow),
    ] {
        assert_eq!(world.verdict(call), expected, "{call}");
    }
}

#[test]
fn a_question_is_answered_by_a_hook_that_gives_the_answers() {
    for tool in ["AskUserQuestion", "ExitPlanMode"] {
        let world = World::new().hook(HookAdvice::Allow);
        assert_eq!(world.verdict(tool), Ask, "{tool}: an allow alone is no answer");
        let (engine, _) = world.engine();
        let input = json!({});
        let answered = world.with_call(tool, &input, |call| engine.decide_now(&call.with_answer(true)));
        assert_eq!(answered.verdict, Allow, "{tool}");
        let silent = World::new().mode(PermissionMode::DontAsk);
        assert_eq!(silent.verdict(tool), Deny, "{tool}");
    }
    let mut world = World::new().hook(HookAdvice::Allow).rules(&["allow mcp__a"]);
    world.needs_person = true;
    let (engine, _) = world.engine();
    let answered =
        world.with_call("mcp__a__b", &json!({}), |call| engine.decide_now(&call.with_answer(true)));
    assert_eq!(answered.verdict, Ask, "a server that wants a person gets one");
    assert_eq!(world.mode(PermissionMode::DontAsk).verdict("mcp__a__b"), Deny);
}

#[test]
fn reads_outside_can_be_put_to_a_person_whatever_rules_say() {
    let world = World::new().rules(&["allow Read", "allow Bash"]);
    let mut config = world.config();
    config.asks_before_reads_outside = true;
    let (engine, _) = Engine::new(config);
    for mode in [PermissionMode::Default, PermissionMode::BypassPermissions] {
        let world = world.clone().mode(mode);
        for (call, expected) in [
            ("Read: /etc/hosts", Ask),
            ("Read: /w/a", Allow),
            ("Bash: cat /etc/hosts", Ask),
            ("Bash: cat a", Allow),
        ] {
            assert_eq!(decided(&world, &engine, call), expected, "{mode} {call}");
        }
    }
}

#[test]
fn in_a_sandbox_commands_run_without_asking_but_for_what_was_named() {
    let world = World::new().rules(&["ask Bash", "ask Bash(git push *)", "deny Bash(curl *)"]);
    let mut config = world.config();
    config.sandbox_allows_shell = true;
    let (engine, _) = Engine::new(config);
    for (call, expected) in [
        ("Bash: make", Allow),
        ("Bash: git push", Ask),
        ("Bash: curl x", Deny),
        ("Bash: rm -rf /usr", Ask),
        ("Bash: eval \"$X\"", Ask),
    ] {
        assert_eq!(decided(&world, &engine, call), expected, "{call}");
    }
    assert_eq!(decided(&world.clone().mode(PermissionMode::Plan), &engine, "Bash: make"), Ask);
    let leaves = json!({"command": "make", "dangerouslyDisableSandbox": true});
    let verdict = world.with_call("Bash", &leaves, |call| engine.decide_now(call).verdict);
    assert_eq!(verdict, Ask);
    assert_eq!(world.verdict("Bash: make"), Ask, "without a sandbox the bare rule asks");
}

#[test]
fn a_conversation_can_always_be_ended() {
    for rule in ["deny EndConversation", "ask EndConversation", "deny End*"] {
        let world = World::new().rules(&[rule]);
        for mode in PermissionMode::ALL {
            assert_eq!(world.clone().mode(mode).verdict("EndConversation"), Allow, "{rule} {mode}");
        }
        let (engine, _) = world.engine();
        let origin = pegboard_tool_core::ToolOrigin::BuiltIn;
        assert!(engine.denied_tool("EndConversation", &origin).is_none(), "{rule}");
    }
}
