//! Handlers that nobody waits for.

use crate::support::{Place, hooks, lives, read_fifo};
use pegboard_hooks::{HookConfig, HookFrom, HookOptions, HookSource, Hooks};
use pegboard_tool_core::ports::{HookCall, HookDecision, HookEvent, HookReportOutcome, HookRunner as _};
use pegboard_tool_core::{Origin, SettingSource};
use serde_json::{Value, json};

fn one(event: &str, handler: Value) -> Value {
    json!({event: [{"hooks": [handler]}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn c_h_35_nobody_waits_and_the_texts_come_later() {
    let place = Place::new();
    let go = place.fifo("go");
    let answer = json!({
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "additionalContext": "late"},
        "systemMessage": "also late",
    });
    let command = format!("read -r word < {}; echo '{answer}'", go.display());
    let hooks = hooks(one("PreToolUse", json!({"type": "command", "command": command, "async": true})));
    let (input, ctx) = (json!({}), place.ctx());
    let call = HookCall::new("Bash", &[], "t", &input, &ctx);
    // It waits for a word that only comes after this.
    let said = hooks.pre(&call).await;
    assert_eq!((said.decision, said.reports.len()), (None, 1));
    assert!(!hooks.interested(HookEvent::PostToolBatch, "", &[]));
    tokio::task::spawn_blocking(move || std::fs::write(go, "go\n").unwrap()).await.unwrap();
    hooks.settle_background().await;
    assert!(hooks.interested(HookEvent::PostToolBatch, "", &[]));
    let said = hooks.batch(&[], &ctx).await;
    assert_eq!(said.additional_context, ["late", "also late"]);
    assert_eq!((said.stop, said.blocked), (None, None));
    assert_eq!(hooks.batch(&[], &ctx).await.additional_context, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_the_call_leaves_them_and_the_end_does_not() {
    let place = Place::new();
    let fifo = place.fifo("ids");
    let command = format!("sleep 300 & echo $! $$ > {}; wait", fifo.display());
    let hooks = hooks(one("PostToolUse", json!({"type": "command", "command": command, "async": true})));
    let (input, ctx) = (json!({}), place.ctx());
    let call = HookCall::new("Bash", &[], "t", &input, &ctx);
    hooks.post(&call, &json!({}), std::time::Duration::ZERO).await;
    let ids = read_fifo(fifo).await;
    ctx.cancel.cancel();
    assert!(ids.split_whitespace().all(lives), "{ids}");
    assert_eq!(hooks.end_background().await, 1);
    assert!(!ids.split_whitespace().any(lives), "{ids}");
    let late = hooks.take_late();
    assert_eq!(late.reports[0].outcome, HookReportOutcome::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_of_one_that_may_wake_wakes_the_model_at_once() {
    let place = Place::new();
    let rewake = json!({"type": "command", "command": "echo look >&2; exit 2", "asyncRewake": true});
    let hooks = hooks(one("PostToolUse", rewake));
    let (input, ctx) = (json!({}), place.ctx());
    let call = HookCall::new("Bash", &[], "t", &input, &ctx);
    let said = hooks.post(&call, &json!({}), std::time::Duration::ZERO).await;
    assert!(said.additional_context.is_empty() && said.blocked.is_none());
    assert_eq!(hooks.woken().await, "look");
    assert_eq!(hooks.batch(&[], &ctx).await.additional_context, [""; 0]);
    // Where nobody can be woken, the text comes with the late ones, once.
    hooks.post(&call, &json!({}), std::time::Duration::ZERO).await;
    hooks.settle_background().await;
    assert!(hooks.interested(HookEvent::PostToolBatch, "", &[]));
    assert_eq!(hooks.batch(&[], &ctx).await.additional_context, ["look"]);
    assert_eq!(hooks.batch(&[], &ctx).await.additional_context, [""; 0]);
}

#[tokio::test]
async fn what_fails_there_is_told_and_blocks_nothing() {
    let place = Place::new();
    let handler = json!({"type": "command", "command": "/nope.sh", "async": true, "onFailure": "block"});
    let hooks = hooks(one("PreToolUse", handler));
    let (input, ctx) = (json!({}), place.ctx());
    assert_eq!(hooks.pre(&HookCall::new("Bash", &[], "t", &input, &ctx)).await.decision, None);
    hooks.settle_background().await;
    let late = hooks.take_late();
    assert_eq!(late.reports[0].outcome, HookReportOutcome::CouldNotStart);
    let notice = late.reports[0].notice.as_deref().unwrap();
    assert!(notice.ends_with("(it was started for PreToolUse)"), "{notice}");
}

#[tokio::test(flavor = "multi_thread")]
async fn once_is_once_and_a_failure_does_not_count() {
    let place = Place::new();
    let (log, ready) = (place.path("log"), place.path("ready"));
    // Fails until the file is there.
    let command = format!("test -f {} || exit 1; echo x >> {}; exit 2", ready.display(), log.display());
    let handler = json!({"type": "command", "command": command, "once": true});
    let source = HookSource::new(Origin::of(SettingSource::Command), one("PreToolUse", handler.clone()))
        .with_from(HookFrom::Skill("s".to_owned()));
    let (config, problems) = HookConfig::from_sources(vec![source], &HookOptions::new());
    assert_eq!(problems, []);
    let hooks = Hooks::new(config);
    let (input, ctx) = (json!({}), place.ctx());
    let call = HookCall::new("Bash", &[], "t", &input, &ctx);
    assert_eq!(hooks.pre(&call).await.reports[0].outcome, HookReportOutcome::Crashed);
    std::fs::write(ready, "").unwrap();
    assert_eq!(hooks.pre(&call).await.decision, Some(HookDecision::Deny));
    assert_eq!(hooks.pre(&call).await.reports.len(), 0);
    assert_eq!(std::fs::read_to_string(log).unwrap(), "x\n");
    // In settings it has no meaning, and the reader says so.
    let layers = vec![(Origin::of(SettingSource::User), one("PreToolUse", handler))];
    let (_, problems) = HookConfig::from_layers(layers, &HookOptions::new());
    assert!(problems[0].text.contains("`once`"), "{problems:?}");
}
