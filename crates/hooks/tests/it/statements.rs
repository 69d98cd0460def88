//! The statements of the public conventions about hooks, by their numbers, each with a real script.

use crate::support::{Place, commands, hooks};
use pegboard_hooks::{HookConfig, HookFrom, HookOptions, HookSource, Hooks, PluginPlace};
use pegboard_tool_core::ports::{
    HookCall, HookDecision, HookReportOutcome, HookRunner as _, PermissionAnswer, PostOutcome, PreOutcome,
};
use pegboard_tool_core::{ContextChange, Origin, SettingSource, ToolContext};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const ALLOW: &str =
    r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;

async fn pre(config: Value, tool: &str, ctx: &ToolContext) -> PreOutcome {
    let input = json!({"command": "npm test"});
    hooks(config).pre(&HookCall::new(tool, &[], "toolu_1", &input, ctx)).await
}

async fn bash(script: &str) -> PreOutcome {
    pre(commands("PreToolUse", "Bash", &[script]), "Bash", &Place::new().ctx()).await
}

fn notice(outcome: &PreOutcome) -> &str {
    outcome.reports[0].notice.as_deref().unwrap_or_default()
}

async fn prompt(script: &str) -> PostOutcome {
    let config = commands("UserPromptSubmit", "", &[script]);
    hooks(config).fire("UserPromptSubmit", json!({"prompt": "hello"}), &Place::new().ctx()).await
}

#[tokio::test]
async fn c_h_01_exit_2_blocks() {
    let said = bash("echo no >&2; exit 2").await;
    assert_eq!((said.decision, said.reason.as_deref()), (Some(HookDecision::Deny), Some("no")));
}

#[tokio::test]
async fn c_h_02_exit_1_does_not_block() {
    let said = bash("echo no >&2; exit 1").await;
    assert_eq!((said.decision, said.stop.as_deref()), (None, None));
    assert!(notice(&said).contains("no"));
}

#[tokio::test]
async fn c_h_03_exit_2_holds_against_an_allow() {
    let said = bash(&format!("{ALLOW}; echo x >&2; exit 2")).await;
    assert_eq!((said.decision, said.reason.as_deref()), (Some(HookDecision::Deny), Some("x")));
}

#[tokio::test]
async fn c_h_04_exit_2_takes_its_reason_from_a_refusal_in_json() {
    let deny = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}'; echo x >&2; exit 2"#;
    assert_eq!(bash(deny).await.reason.as_deref(), Some("r"));
}

#[tokio::test]
async fn c_h_05_another_code_gives_way_to_json() {
    let deny =
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}'; exit 3"#;
    assert_eq!(bash(deny).await.decision, Some(HookDecision::Deny));
    assert_eq!(bash(&format!("{ALLOW}; exit 3")).await.decision, Some(HookDecision::Allow));
}

#[tokio::test]
async fn c_h_06_a_missing_script_is_told() {
    let said = bash("/nope.sh").await;
    assert_eq!((said.decision, said.reports[0].outcome), (None, HookReportOutcome::CouldNotStart));
    assert!(notice(&said).contains("/nope.sh"), "{}", notice(&said));
}

#[tokio::test]
async fn c_h_07_a_time_limit_ends_without_a_decision() {
    let handler = json!({"type": "command", "command": format!("{ALLOW}; exec sleep 300"), "timeout": 0.3});
    let said = pre(json!({"PreToolUse": [{"hooks": [handler]}]}), "Bash", &Place::new().ctx()).await;
    assert_eq!((said.decision, said.reports[0].outcome), (None, HookReportOutcome::TimedOut));
    assert!(notice(&said).contains("time limit of 0.3 s"), "{}", notice(&said));
}

#[tokio::test]
async fn c_h_08_to_10_matchers() {
    let place = Place::new();
    for (matcher, tool, fires) in [
        ("Edit", "Edit", true),
        ("Edit", "NotebookEdit", false),
        ("Edit.*", "Edit", true),
        ("Edit.*", "NotebookEdit", true),
        ("Edit|Write", "Write", true),
        ("Edit, Write", "Edit", true),
        ("Edit, Write", "Write", true),
        ("edit", "Edit", false),
        ("mcp__memory", "mcp__memory__create", false),
        ("mcp__memory__.*", "mcp__memory__create", true),
        ("mcp__.*__write.*", "mcp__fs__write_file", true),
        ("", "Anything", true),
        ("*", "Anything", true),
    ] {
        let said = pre(commands("PreToolUse", matcher, &["exit 2"]), tool, &place.ctx()).await;
        assert_eq!(said.decision.is_some(), fires, "{matcher} on {tool}");
    }
    let absent = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]});
    assert!(pre(absent, "Anything", &place.ctx()).await.decision.is_some());
}

#[tokio::test]
async fn c_h_11_a_hyphen_is_part_of_a_name() {
    let place = Place::new();
    for (agent, fires) in [("code-reviewer", true), ("senior-code-reviewer", false)] {
        let hooks = hooks(commands("SubagentStart", "code-reviewer", &["exit 0"]));
        let said =
            hooks.fire("SubagentStart", json!({"agent_id": "a", "agent_type": agent}), &place.ctx()).await;
        assert_eq!(said.reports.len(), usize::from(fires), "{agent}");
    }
}

#[tokio::test]
async fn c_h_14_an_if_on_other_events_never_runs() {
    let handler = json!({"type": "command", "command": "exit 2", "if": "Bash(git *)"});
    let layers = vec![(Origin::of(SettingSource::User), json!({"Stop": [{"hooks": [handler]}]}))];
    let (config, problems) = HookConfig::from_layers(layers, &HookOptions::new());
    assert_eq!(problems.len(), 1);
    let said = Hooks::new(config).fire("Stop", json!({"stop_hook_active": false}), &Place::new().ctx()).await;
    assert!(said.reports.is_empty() && said.blocked.is_none());
}

#[tokio::test]
async fn c_h_16_all_start_and_the_strictest_wins() {
    let place = Place::new();
    let says = |decision: &str| {
        let json =
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision}});
        format!("echo {decision} >> {}; echo '{json}'", place.path("log").display())
    };
    let all: Vec<String> = ["allow", "ask", "deny"].map(says).into();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    for (count, decision) in [(3, HookDecision::Deny), (2, HookDecision::Ask)] {
        std::fs::write(place.path("log"), "").unwrap();
        let said = pre(commands("PreToolUse", "", &all[..count]), "Bash", &place.ctx()).await;
        assert_eq!(said.decision, Some(decision));
        assert_eq!(std::fs::read_to_string(place.path("log")).unwrap().lines().count(), count);
    }
}

#[tokio::test]
async fn c_h_18_and_19_plain_text_is_context_of_a_prompt_only() {
    let said = bash("echo hello").await;
    assert!(said.additional_context.is_empty() && said.decision.is_none() && notice(&said).is_empty());
    for (script, expected) in
        [("echo hello", "hello"), (r#"echo '["x"]'"#, r#"["x"]"#), ("echo '{broken'", "{broken")]
    {
        assert_eq!(prompt(script).await.additional_context, [expected], "{script}");
    }
}

#[tokio::test]
async fn c_h_20_what_breaks_the_schema_is_told_and_not_used() {
    let said = bash(r#"echo '{"continue":"no"}'"#).await;
    assert_eq!((said.decision, said.stop.as_deref()), (None, None));
    assert_eq!(said.reports[0].outcome, HookReportOutcome::WrongSchema);
    assert!(notice(&said).contains("`continue` must be true or false"), "{}", notice(&said));
    let said = bash(r#"echo '{"continue":"no"}'; echo e >&2; exit 2"#).await;
    assert_eq!((said.decision, said.reason.as_deref()), (Some(HookDecision::Deny), Some("e")));
}

#[tokio::test]
async fn c_h_21_a_refusal_without_the_events_name_is_honoured_and_told() {
    let said = bash(r#"echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'"#).await;
    assert_eq!(said.decision, Some(HookDecision::Deny));
    assert!(notice(&said).contains("`hookEventName` is missing"), "{}", notice(&said));
    let said = bash(r#"echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'"#).await;
    assert_eq!(said.decision, None);
}

#[tokio::test]
async fn c_h_22_and_23_after_a_call() {
    let place = Place::new();
    let (input, ctx) = (json!({"command": "ls"}), place.ctx());
    let call = HookCall::new("Bash", &[], "t", &input, &ctx);
    let stop = r#"echo '{"continue":false,"stopReason":"s"}'"#;
    let said = hooks(commands("PostToolUse", "", &[stop])).post(&call, &json!({}), Duration::ZERO).await;
    assert_eq!(said.stop.as_deref(), Some("s"));
    let fix = "echo fix >&2; exit 2";
    let said = hooks(commands("PostToolUse", "", &[fix])).post(&call, &json!({}), Duration::ZERO).await;
    assert_eq!((said.additional_context, said.stop), (vec!["fix".to_owned()], None));
}

#[tokio::test]
async fn c_h_27_a_request_is_answered_in_json_only() {
    let place = Place::new();
    let (input, ctx) = (json!({"command": "ls"}), place.ctx());
    let call = HookCall::new("Bash", &[], "t", &input, &ctx);
    let allow =
        r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;
    let checks = format!("grep -q tool_use_id && exit 1; echo '{allow}'");
    let said = hooks(commands("PermissionRequest", "", &[&checks])).permission_request(&call, &[]).await;
    assert!(matches!(said, Some(PermissionAnswer::Allow { .. })), "{said:?}");
    assert!(
        hooks(commands("PermissionRequest", "", &["exit 2"])).permission_request(&call, &[]).await.is_none()
    );
}

#[tokio::test]
async fn c_h_29_and_30_a_stop_hook_keeps_the_agent_going_with_a_reason() {
    let ctx = Place::new().ctx();
    let go = hooks(commands("Stop", "", &[r#"echo '{"decision":"block","reason":"go"}'"#]));
    for active in [false, true] {
        let said = go.fire("Stop", json!({"stop_hook_active": active}), &ctx).await;
        assert_eq!(said.blocked.as_deref(), Some("go"));
        assert_eq!(said.additional_context, ["go"]);
    }
    let bare = hooks(commands("Stop", "", &[r#"echo '{"decision":"block"}'"#]));
    let said = bare.fire("Stop", json!({"stop_hook_active": false}), &ctx).await;
    assert_eq!((said.blocked, said.reports[0].outcome), (None, HookReportOutcome::WrongSchema));
    let feedback =
        r#"echo '{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"tests are red"}}'"#;
    let said =
        hooks(commands("Stop", "", &[feedback])).fire("Stop", json!({"stop_hook_active": false}), &ctx).await;
    assert_eq!(said.blocked.as_deref(), Some("tests are red"));
}

#[tokio::test]
async fn c_h_31_copies_in_settings_are_one_and_a_plugins_is_another() {
    let place = Place::new();
    let log = place.path("log");
    let hooks = commands("PreToolUse", "Bash", &[&format!("echo x >> {}", log.display())]);
    let user = HookSource::new(Origin::of(SettingSource::User), hooks.clone());
    let project = HookSource::new(Origin::of(SettingSource::Project), hooks.clone());
    let plugin = Arc::new(PluginPlace::new("p", place.dir.path(), place.dir.path()));
    let plugin =
        HookSource::new(Origin::of(SettingSource::Command), hooks).with_from(HookFrom::Plugin(plugin));
    for (sources, expected) in [(vec![user.clone(), project.clone()], 1), (vec![user, project, plugin], 2)] {
        std::fs::write(&log, "").unwrap();
        let (config, problems) = HookConfig::from_sources(sources, &HookOptions::new());
        assert_eq!(problems, []);
        let (input, ctx) = (json!({}), place.ctx());
        Hooks::new(config).pre(&HookCall::new("Bash", &[], "t", &input, &ctx)).await;
        assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), expected);
    }
}

#[tokio::test]
async fn c_h_32_the_exec_form_expands_nothing() {
    let ctx = Place::new().ctx();
    let exec = json!({"type": "command", "command": "printf", "args": ["%s", "$HOME"]});
    let config = json!({"UserPromptSubmit": [{"hooks": [exec]}]});
    let said = hooks(config).fire("UserPromptSubmit", json!({"prompt": "p"}), &ctx).await;
    assert_eq!(said.additional_context, ["$HOME"]);
    assert_eq!(prompt("printf %s \"$KEEP\"").await.additional_context, ["kept"]);
}

#[tokio::test]
async fn c_h_33_variables_are_left_in_a_file() {
    let place = Place::new();
    let mut snapshot = place.snapshot();
    snapshot.session_dir = Some(place.path("session"));
    let ctx = ToolContext::new(Arc::new(snapshot));
    let asks = commands(
        "PreToolUse",
        "",
        &["test -z \"$CLAUDE_ENV_FILE\" && test -n \"$CLAUDE_PROJECT_DIR\" || exit 2"],
    );
    assert_eq!(pre(asks, "Bash", &ctx).await.decision, None);
    let leaves = [
        "echo 'export A=1' >> \"$CLAUDE_ENV_FILE\"",
        "echo 'export B=\"$KEEP it\"' >> \"$CLAUDE_ENV_FILE\"; test -w \"$CLAUDE_ENV_FILE\" || exit 2",
    ];
    let said = hooks(commands("SessionStart", "startup", &leaves))
        .fire("SessionStart", json!({"source": "startup"}), &ctx)
        .await;
    assert_eq!(said.system_messages, [""; 0]);
    let Some(ContextChange::Env(mut variables)) = said.context_change else { panic!("no variables") };
    variables.sort();
    let expected =
        [("A", "1"), ("B", "kept it")].map(|(name, value)| (name.to_owned(), Some(value.to_owned())));
    assert_eq!(variables, expected);
    assert_eq!(std::fs::read_dir(place.path("session/hook-env")).unwrap().count(), 0);
}

#[tokio::test]
async fn c_h_37_a_long_text_is_in_a_file() {
    let place = Place::new();
    let mut snapshot = place.snapshot();
    snapshot.session_dir = Some(place.path("session"));
    let ctx = ToolContext::new(Arc::new(snapshot));
    for (count, is_kept) in [(10_000, true), (10_001, false)] {
        let script = format!("head -c {count} /dev/zero | tr '\\0' a");
        let said = hooks(commands("UserPromptSubmit", "", &[&script]))
            .fire("UserPromptSubmit", json!({"prompt": "p"}), &ctx)
            .await;
        let text = &said.additional_context[0];
        assert_eq!(*text == "a".repeat(count), is_kept);
        if !is_kept {
            let (_, path) = text.rsplit_once(" in ").unwrap();
            assert_eq!(std::fs::read_to_string(path.trim_end_matches(']')).unwrap(), "a".repeat(count));
        }
    }
}

#[tokio::test]
async fn c_h_38_the_older_words_decide_too() {
    let said = bash(r#"echo '{"decision":"block","reason":"r"}'"#).await;
    assert_eq!((said.decision, said.reason.as_deref()), (Some(HookDecision::Deny), Some("r")));
    assert_eq!(bash(r#"echo '{"decision":"approve"}'"#).await.decision, Some(HookDecision::Allow));
}
