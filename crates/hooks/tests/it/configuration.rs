//! What a configuration means: order, copies, switches, and what is wrong with it.

use crate::support::{Place, commands, quoted};
use pegboard_hooks::{HookConfig, HookOptions, Hooks};
use pegboard_tool_core::ports::{
    CompiledRule, GateCall, HookCall, HookDecision, HookRunner as _, PreOutcome, RuleCompiler, RuleError,
};
use pegboard_tool_core::{Origin, SettingSource};
use serde_json::{Value, json};
use std::sync::Arc;

async fn pre(config: HookConfig, place: &Place, command: &str) -> PreOutcome {
    let (input, ctx) = (json!({"command": command}), place.ctx());
    Hooks::new(config).pre(&HookCall::new("Bash", &[], "t", &input, &ctx)).await
}

fn layers(layers: &[(SettingSource, Value)]) -> Vec<(Origin, Value)> {
    layers.iter().map(|(source, hooks)| (Origin::of(*source), hooks.clone())).collect()
}

fn replaces(with: &str) -> Value {
    let json =
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": with}}});
    commands("PreToolUse", "Bash", &[&format!("echo {}", quoted(&json.to_string()))])
}

#[tokio::test]
async fn the_policys_replacement_is_last() {
    use SettingSource::{Flag, Local, Policy, Project, User};
    let place = Place::new();
    let all = [Policy, Local, User, Flag, Project].map(|source| (source, replaces(source.as_str())));
    let (config, problems) = HookConfig::from_layers(layers(&all), &HookOptions::new());
    assert_eq!(problems, []);
    let outcome = pre(config, &place, "ls").await;
    assert_eq!(*outcome.updated_input.unwrap(), json!({"command": "policy"}));
    let order: Vec<&str> = outcome
        .reports
        .iter()
        .filter_map(|report| report.handler.rsplit_once('('))
        .map(|(_, source)| source)
        .collect();
    assert_eq!(order, ["user)", "project)", "local)", "flag)", "policy)"]);
}

#[tokio::test]
async fn a_copy_runs_once() {
    let place = Place::new();
    let log = quoted(place.path("log").to_str().unwrap());
    let append = commands("PreToolUse", "Bash", &[&format!("echo x >> {log}")]);
    let copies = layers(&[(SettingSource::User, append.clone()), (SettingSource::Project, append)]);
    let (config, _) = HookConfig::from_layers(copies, &HookOptions::new());
    assert_eq!(pre(config, &place, "ls").await.reports.len(), 1);
    assert_eq!(std::fs::read_to_string(place.path("log")).unwrap(), "x\n");
}

#[tokio::test]
async fn switches_spare_the_policy() {
    use SettingSource::{Flag, Policy, User};
    let place = Place::new();
    let both = [
        (User, commands("PreToolUse", "", &["exit 0 # user"])),
        (Policy, commands("PreToolUse", "", &["exit 0"])),
    ];
    for (options, expected) in [
        (HookOptions::new(), 2),
        (HookOptions::new().with_disabled_by(Flag), 1),
        (HookOptions::new().with_disabled_by(Policy), 0),
        (HookOptions::new().with_only_policy(), 1),
    ] {
        let (config, _) = HookConfig::from_layers(layers(&both), &options);
        assert_eq!(pre(config, &place, "ls").await.reports.len(), expected, "{options:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_blocks_where_it_could_have_blocked() {
    let place = Place::new();
    let handler = json!({"type": "command", "command": "true"});
    for (hooks, blocks) in [
        (json!({"PreToolUse": [{"matcher": "Bash(", "hooks": [handler]}]}), true),
        (json!({"PreToolUse": [{"matcher": 3, "hooks": [handler]}]}), true),
        (json!({"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command"}]}]}), true),
        (json!({"PreToolUse": [{"matcher": "Read", "hooks": [{"type": "command"}]}]}), false),
        (json!({"PreToolUse": [{"matcher": "Bash", "hooks": "x"}]}), true),
        (json!({"PreToolUse": "x"}), true),
        (json!({"PreToolUse": [{"hooks": [{"type": "commnad", "command": "x"}]}]}), true),
        #[cfg(not(feature = "http-hooks"))]
        (json!({"PreToolUse": [{"hooks": [{"type": "http", "url": "https://x"}]}]}), false),
        #[cfg(not(feature = "http-hooks"))]
        (
            json!({"PreToolUse": [{"hooks": [{"type": "http", "url": "https://x", "onFailure": "block"}]}]}),
            true,
        ),
        (json!({"PostToolUse": [{"matcher": "Bash(", "hooks": [handler]}]}), false),
        (json!({"PreToolUze": [{"hooks": [handler]}]}), false),
    ] {
        let (config, problems) =
            HookConfig::from_layers(layers(&[(SettingSource::User, hooks.clone())]), &HookOptions::new());
        assert_eq!(problems.len(), 1, "{hooks}: {problems:?}");
        let decision = pre(config, &place, "ls").await.decision;
        assert_eq!(decision, blocks.then_some(HookDecision::Deny), "{hooks}");
    }
}

#[test]
fn problems_say_where_and_what_becomes_of_it() {
    let hooks = json!({
        "PreToolUze": [],
        "PreToolUse": [{"matcher": "(", "hooks": []}, {"hooks": [{"type": "prompt", "prompt": "x"}]}],
        "PostToolUse": [{"hooks": [{"type": "command", "command": "true", "timeout": "5", "if": "Bash(git *)"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 600000, "if": "Bash", "async": true}]}],
    });
    let origin = Origin::new(
        SettingSource::Project,
        Some(Arc::from(std::path::Path::new("/w/settings.json"))),
        Some(3),
    );
    let (_, problems) = HookConfig::from_layers(vec![(origin, hooks)], &HookOptions::new());
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    project /w/settings.json:3: hooks.PreToolUze: is not an event of this version; it is skipped
    project /w/settings.json:3: hooks.PreToolUse.0: has a matcher that cannot be used: Parsing error at position 1: Opening parenthesis without closing parenthesis; calls that it could be for are blocked
    project /w/settings.json:3: hooks.PreToolUse.1.hooks.0: there is no model here to ask, so it cannot start
    project /w/settings.json:3: hooks.PostToolUse.0.hooks.0: `if`: nothing here understands permission rules; the handler runs always
    project /w/settings.json:3: hooks.PostToolUse.0.hooks.0: `timeout` must be a number of seconds, more than 0; 600 is used
    project /w/settings.json:3: hooks.Stop.0.hooks.0: `if` has no meaning on Stop: the handler never runs
    project /w/settings.json:3: hooks.Stop.0.hooks.0: `timeout` is in seconds, and this looks like milliseconds; it is used as written
    ");
}

/// Rules that match when the command starts with their text.
#[derive(Debug)]
struct Prefix(String);

impl CompiledRule for Prefix {
    fn could_match(&self, call: &GateCall<'_>) -> bool {
        call.input["command"].as_str().is_some_and(|command| command.starts_with(&self.0))
    }
}

#[derive(Debug)]
struct Prefixes;

impl RuleCompiler for Prefixes {
    fn compile(&self, rule: &str) -> Result<Arc<dyn CompiledRule>, RuleError> {
        let inner = rule.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(" *)"));
        let inner = inner.ok_or_else(|| RuleError::new(rule, "write Bash(x *)"))?;
        Ok(Arc::new(Prefix(inner.to_owned())))
    }
}

#[tokio::test]
async fn an_if_goes_through_the_rules_and_leans_towards_running() {
    let place = Place::new();
    let config = |condition: &str| {
        let hooks =
            json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2", "if": condition}]}]});
        HookConfig::from_layers(
            layers(&[(SettingSource::User, hooks)]),
            &HookOptions::new().with_rules(Arc::new(Prefixes)),
        )
    };
    for (condition, command, runs) in [
        ("Bash(git *)", "git push", true),
        ("Bash(git *)", "npm test", false),
        ("nonsense", "npm test", true),
    ] {
        let (config, problems) = config(condition);
        assert_eq!(problems.len(), usize::from(condition == "nonsense"));
        assert_eq!(
            pre(config, &place, command).await.reports.len(),
            usize::from(runs),
            "{condition} {command}"
        );
    }
}
