//! From settings to layers: what stops the host, what is only told, and what "always" writes.

use crate::place::Place;
use pegboard::hooks::Hooks;
use pegboard::ports::{GateCall, HookCall, HookDecision, HookRunner as _, PermissionGate as _, Verdict};
use pegboard::settings::load;
use pegboard::{
    Accesses, ContextSnapshot, Effects, LoadError, RuleEffect, ToolContext, ToolDefinition, hooks_of,
};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;

const BAD_RULE: &str = "Bash(ls";

fn ctx(place: &Place) -> ToolContext {
    ToolContext::new(Arc::new(ContextSnapshot::new(place.work(), "s")))
}

#[test]
fn a_bad_rule_of_a_policy_stops_the_host() {
    let place = Place::new();
    for effect in ["allow", "ask", "deny"] {
        place.policy(&json!({"permissions": {effect: [BAD_RULE]}}));
        let LoadError::Policy { problem } = place.layers().unwrap_err() else {
            panic!("another error for {effect}")
        };
        assert!(problem.contains(BAD_RULE) && problem.contains("managed-settings.json"), "{problem}");
    }
    place.policy(&json!({"permissions": {"deny": ["Bash(ls)"]}}));
    assert_eq!(place.layers().unwrap().problems, [""; 0]);
}

#[test]
fn a_bad_hook_of_a_policy_stops_the_host() {
    let place = Place::new();
    place.policy(&json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}}));
    assert!(matches!(place.layers(), Err(LoadError::Policy { .. })));
}

#[test]
fn a_bad_rule_of_an_argument_stops_the_host() {
    for effect in [RuleEffect::Allow, RuleEffect::Ask, RuleEffect::Deny] {
        let mut place = Place::new();
        let options = &mut place.request.command_line;
        match effect {
            RuleEffect::Allow => options.allow.push(BAD_RULE.to_owned()),
            RuleEffect::Ask => options.ask.push(BAD_RULE.to_owned()),
            RuleEffect::Deny => options.deny.push(BAD_RULE.to_owned()),
        }
        let LoadError::Argument { problem } = place.layers().unwrap_err() else {
            panic!("another error for {effect}")
        };
        assert!(problem.contains(BAD_RULE), "{problem}");
    }
}

#[tokio::test]
async fn a_bad_rule_of_a_project_is_a_problem_and_the_others_hold() {
    let place = Place::new();
    place.project(&json!({"permissions": {"deny": [BAD_RULE, "Bash(rm *)"]}}));
    let loaded = place.layers().unwrap();
    assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
    assert!(loaded.problems[0].contains(BAD_RULE), "{:?}", loaded.problems);
    let bash = ToolDefinition::new("Bash", "Runs.", json!({"type": "object"})).unwrap();
    let (input, ctx) = (json!({"command": "rm x"}), ctx(&place));
    let call = GateCall::new(&bash, &input, Effects::Destructive, &Accesses::Everything, &ctx);
    assert_eq!(loaded.engine.decide(&call).await.verdict, Verdict::Deny);
}

/// What a hook that crashes leads to, under these settings.
#[cfg(unix)]
async fn after_a_crash(place: &Place) -> Option<HookDecision> {
    let loaded = place.layers().unwrap();
    assert!(
        loaded.problems.iter().all(|problem| problem.contains("hooksOnFailure")),
        "{:?}",
        loaded.problems
    );
    let (config, _) = hooks_of(&loaded.settings, &loaded.engine);
    let (input, ctx) = (json!({}), ctx(place));
    let call = HookCall::new("Read", &[], "t", &input, &ctx);
    let outcome = loaded.hooks.pre(&call).await;
    assert_eq!(outcome.reports.len(), 1);
    assert_eq!(Hooks::new(config).pre(&call).await.decision, outcome.decision);
    outcome.decision
}

#[cfg(unix)]
#[tokio::test]
async fn hooks_on_failure_only_tightens() {
    let crash = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 7"}]}]});
    let with = |on: Option<&str>| -> Value {
        let mut settings = json!({"hooks": crash});
        if let Some(on) = on {
            settings["hooksOnFailure"] = json!(on);
        }
        settings
    };
    let only = |on: &str| json!({"hooksOnFailure": on});
    let place = Place::new();
    assert_eq!(after_a_crash(place.user(&with(None))).await, None);
    assert_eq!(after_a_crash(place.user(&with(Some("continue")))).await, None);
    assert_eq!(after_a_crash(place.user(&with(Some("block")))).await, Some(HookDecision::Deny));
    // A value that says nothing known counts as the stricter.
    assert_eq!(after_a_crash(place.user(&with(Some("deny")))).await, Some(HookDecision::Deny));
    let told =
        place.layers().unwrap().problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(told.contains("`hooksOnFailure` must be"), "{told}");
    place.user(&with(Some("block")));
    // Whoever comes later, also with more weight, does not loosen it.
    assert_eq!(after_a_crash(place.policy(&only("continue"))).await, Some(HookDecision::Deny));
    place.user(&with(None)).policy(&only("block"));
    assert_eq!(after_a_crash(&place).await, Some(HookDecision::Deny));
    place.user(&with(Some("continue")));
    assert_eq!(after_a_crash(&place).await, Some(HookDecision::Deny));
}

#[tokio::test]
async fn always_is_written_to_the_local_file_and_holds_from_then_on() {
    let place = Place::new();
    let loaded = place.layers().unwrap();
    let bash = ToolDefinition::new("Bash", "Runs.", json!({"type": "object"})).unwrap();
    let (input, ctx) = (json!({"command": "npm test"}), ctx(&place));
    let call = GateCall::new(&bash, &input, Effects::Destructive, &Accesses::Everything, &ctx);
    let asked = loaded.engine.decide(&call).await;
    assert_eq!(asked.verdict, Verdict::Ask);
    let offers = loaded.engine.offers(&call, &asked).await;
    let offer = offers.iter().find(|offer| offer.permanent).unwrap();
    assert!(!place.local_file().exists(), "an offer alone writes nothing");

    loaded.engine.remember(offer, &ctx).await.unwrap();
    let written: Value = serde_json::from_str(&fs::read_to_string(place.local_file()).unwrap()).unwrap();
    assert_eq!(written, json!({"permissions": {"allow": offer.rules}}));
    assert_eq!(loaded.engine.decide(&call).await.verdict, Verdict::Allow);
    assert!(load(&place.request).unwrap().trust.is_trusted(), "what a person accepted is trusted");
    assert_eq!(place.layers().unwrap().engine.decide(&call).await.verdict, Verdict::Allow);
}

#[tokio::test]
async fn always_that_cannot_be_written_says_so_and_holds_for_the_session() {
    let place = Place::new();
    let loaded = place.layers().unwrap();
    place.file("w/.pegboard/settings.local.json", "{");
    let bash = ToolDefinition::new("Bash", "Runs.", json!({"type": "object"})).unwrap();
    let (input, ctx) = (json!({"command": "npm test"}), ctx(&place));
    let call = GateCall::new(&bash, &input, Effects::Destructive, &Accesses::Everything, &ctx);
    let asked = loaded.engine.decide(&call).await;
    let offers = loaded.engine.offers(&call, &asked).await;
    let offer = offers.iter().find(|offer| offer.permanent).unwrap();
    let error = loaded.engine.remember(offer, &ctx).await.unwrap_err();
    assert!(error.reason.contains("settings.local.json"), "{error}");
    assert_eq!(fs::read_to_string(place.local_file()).unwrap(), "{");
    assert_eq!(loaded.engine.decide(&call).await.verdict, Verdict::Allow);
}

#[test]
fn switches_of_settings_reach_the_engine() {
    let place = Place::new();
    let before = place.layers().unwrap().engine.switches();
    assert!(!before.asks_before_reads_outside && !before.classify_all_shell && !before.auto_is_off);
    place.user(&json!({
        "permissions": {"blockReadsOutsideWorkingDirectories": true, "disableAutoMode": "disable"},
        "autoMode": {"classifyAllShell": true},
    }));
    let after = place.layers().unwrap().engine.switches();
    assert!(after.asks_before_reads_outside && after.classify_all_shell && after.auto_is_off);
}
