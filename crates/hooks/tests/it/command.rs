//! The process: its surroundings, its limits, and that nothing of it stays.

use crate::support::{Place, commands, hooks, lives, quoted, read_fifo};
use pegboard_tool_core::ports::{
    HookCall, HookDecision, HookEvent, HookReportOutcome, HookRunner as _, PreOutcome,
};
use pegboard_tool_core::{CancellationToken, ToolContext, ToolName};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

async fn pre(config: Value, ctx: &ToolContext) -> PreOutcome {
    let input = json!({"command": "npm test"});
    hooks(config).pre(&HookCall::new("Bash", &[], "toolu_1", &input, ctx)).await
}

fn one(handler: Value) -> Value {
    json!({"PreToolUse": [{"hooks": [handler]}]})
}

/// What a command prints, through a file.
async fn printed(place: &Place, ctx: &ToolContext, command: &str) -> String {
    let out = place.path("out");
    let outcome = pre(
        commands("PreToolUse", "", &[&format!("{{ {command}\n}} > {} 2>&1", quoted(out.to_str().unwrap()))]),
        ctx,
    )
    .await;
    assert_eq!(outcome.decision, None);
    std::fs::read_to_string(out).unwrap()
}

#[tokio::test]
async fn the_input_arrives_whole_and_ends() {
    let place = Place::new();
    let text = printed(&place, &place.ctx(), "cat").await;
    let mut json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["cwd"].take(), place.dir.path().to_str().unwrap());
    insta::assert_snapshot!(json, @r#"{"session_id":"session-1","transcript_path":"","cwd":null,"permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"npm test"},"tool_use_id":"toolu_1"}"#);
}

#[tokio::test]
async fn the_environment_is_the_hosts_without_what_is_not_the_hooks() {
    let place = Place::new();
    let text =
        printed(&place, &place.ctx(), "env | sort | grep -vE '^(PWD|OLDPWD|SHLVL|_|PEGBOARD_PROCESS_TREE)='")
            .await;
    let text = text.replace(place.dir.path().to_str().unwrap(), "/w");
    insta::assert_snapshot!(text, @r"
    CLAUDECODE=1
    CLAUDE_CODE_CHILD_SESSION=1
    CLAUDE_CODE_SESSION_ID=session-1
    CLAUDE_PROJECT_DIR=/w
    KEEP=kept
    PATH=/usr/bin:/bin
    ");
}

#[tokio::test]
async fn credentials_are_kept_back_where_that_is_asked() {
    let place = Place::new();
    for (asked, expected) in [("1", "no\n"), ("0", "k\n")] {
        let mut snapshot = place.snapshot();
        let env = Arc::make_mut(&mut snapshot.env);
        env.insert("OPENAI_API_KEY".into(), "k".into());
        env.insert("CLAUDE_CODE_SUBPROCESS_ENV_SCRUB".into(), asked.into());
        let ctx = ToolContext::new(Arc::new(snapshot));
        assert_eq!(printed(&place, &ctx, "echo ${OPENAI_API_KEY-no}").await, expected, "{asked}");
    }
}

#[tokio::test]
async fn there_is_no_terminal() {
    let place = Place::new();
    assert_eq!(printed(&place, &place.ctx(), "(: </dev/tty) 2>/dev/null || echo none").await, "none\n");
}

#[tokio::test]
async fn a_working_directory_that_is_gone_is_replaced() {
    let place = Place::new();
    let mut snapshot = place.snapshot();
    snapshot.cwd = place.path("gone");
    let text = printed(&place, &ToolContext::new(Arc::new(snapshot)), "pwd -P").await;
    assert_eq!(text.trim(), place.dir.path().canonicalize().unwrap().to_str().unwrap());
}

#[tokio::test]
async fn the_exec_form_knows_no_shell() {
    let place = Place::new();
    let out = place.path("out").to_str().unwrap().to_owned();
    let script = "printf '%s|' \"$@\" > \"$0\"";
    let args = json!(["-c", script, out, "$HOME", "a b", "${CLAUDE_PROJECT_DIR}/x"]);
    let outcome = pre(one(json!({"type": "command", "command": "sh", "args": args})), &place.ctx()).await;
    assert_eq!(outcome.reports[0].outcome, HookReportOutcome::Answered);
    let expected = format!("$HOME|a b|{}/x|", place.dir.path().display());
    assert_eq!(std::fs::read_to_string(out).unwrap(), expected);
}

#[tokio::test]
async fn the_name_of_the_project_is_never_read_as_code() {
    let place = Place::new();
    let mut snapshot = place.snapshot();
    snapshot.project_dir = place.path("$(touch pwned); touch pwned; #");
    std::fs::create_dir(&snapshot.project_dir).unwrap();
    let ctx = ToolContext::new(Arc::new(snapshot));
    let text =
        printed(&place, &ctx, "printf %s \"${CLAUDE_PROJECT_DIR}\"; printf '|%s' ${CLAUDE_PROJECT_DIR}; ls")
            .await;
    assert!(text.contains("$(touch pwned); touch pwned; #|"), "{text}");
    assert!(!place.path("pwned").exists());
}

#[tokio::test]
async fn what_cannot_start_is_told_apart_from_a_refusal() {
    let place = Place::new();
    for handler in [
        json!({"type": "command", "command": "/nope.sh"}),
        json!({"type": "command", "command": "/nope", "args": []}),
    ] {
        let outcome = pre(one(handler.clone()), &place.ctx()).await;
        assert_eq!((outcome.decision, outcome.reports[0].outcome), (None, HookReportOutcome::CouldNotStart));
        assert!(outcome.reports[0].notice.as_deref().unwrap().starts_with("could not start"));
        let mut strict = handler;
        strict["onFailure"] = json!("block");
        let outcome = pre(one(strict), &place.ctx()).await;
        assert_eq!(outcome.decision, Some(HookDecision::Deny));
        assert!(outcome.reason.unwrap().contains("could not start"));
    }
}

/// A command that says who it is through a fifo and then does not end.
fn hanging(place: &Place, how: &str) -> (String, std::path::PathBuf) {
    let fifo = place.fifo("pids");
    (how.replace("FIFO", &quoted(fifo.to_str().unwrap())), fifo)
}

const STUBBORN: [&str; 3] = [
    "sleep 300 & echo $! $$ > FIFO; wait",
    "trap '' TERM; sh -c \"trap '' TERM; sleep 300\" & echo $! $$ > FIFO; while :; do sleep 1; done",
    "setsid sh -c 'sleep 300' & echo $! $$ > FIFO; sleep 300",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_time_limit_ends_everything_that_a_hook_started() {
    for how in STUBBORN {
        let place = Place::new();
        let (command, fifo) = hanging(&place, how);
        let handler = json!({"type": "command", "command": command, "timeout": 0.4});
        let ctx = place.ctx();
        let (outcome, ids) = tokio::join!(pre(one(handler), &ctx), read_fifo(fifo));
        assert_eq!(
            (outcome.decision, outcome.reports[0].outcome),
            (None, HookReportOutcome::TimedOut),
            "{how}"
        );
        assert!(!ids.split_whitespace().any(lives), "{how}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_ends_everything_that_a_hook_started() {
    for how in STUBBORN {
        let place = Place::new();
        let (command, fifo) = hanging(&place, how);
        let cancel = CancellationToken::new();
        let ctx = place.ctx().with_cancel(cancel.clone());
        let ids = async {
            let ids = read_fifo(fifo).await;
            cancel.cancel();
            ids
        };
        let (outcome, ids) =
            tokio::join!(pre(one(json!({"type": "command", "command": command})), &ctx), ids);
        assert_eq!(outcome.reports[0].outcome, HookReportOutcome::Cancelled, "{how}");
        assert_eq!(outcome.decision, Some(HookDecision::Deny), "{how}");
        assert!(!ids.split_whitespace().any(lives), "{how}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_runner_kills_what_it_started() {
    let place = Place::new();
    let (command, fifo) = hanging(&place, STUBBORN[0]);
    let ctx = place.ctx();
    let ids = tokio::select! {
        _ = pre(one(json!({"type": "command", "command": command})), &ctx) => String::new(),
        ids = read_fifo(fifo) => ids,
    };
    assert!(!ids.is_empty() && !ids.split_whitespace().any(lives));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_that_holds_the_pipes_does_not_hold_the_turn() {
    let place = Place::new();
    let (fifo, up) = (place.fifo("pids"), place.fifo("up"));
    let [pids, up] = [&fifo, &up].map(|path| path.to_str().unwrap());
    let command = format!(
        "setsid sh -c 'echo up > {up}; echo $$ > {pids}; exec sleep 300' & read x < {up}; echo no >&2; exit 2"
    );
    let ctx = place.ctx();
    let (outcome, id) = tokio::join!(pre(commands("PreToolUse", "", &[&command]), &ctx), read_fifo(fifo));
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Some(HookDecision::Deny), Some("no")));
    // It left the group on purpose and the hook was not killed: it stays.
    assert!(lives(&id));
    std::process::Command::new("kill").args(["-9", id.trim()]).status().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn output_of_any_size_is_read_in_bounded_memory() {
    let place = Place::new();
    let deny = r#"{"decision":"block","reason":"late"}"#;
    let allow = r#"{"decision":"approve"}"#;
    let big = "head -c 50000000 /dev/zero | tr '\\0' x";
    for (command, decision) in [
        (format!("{big}; echo; echo '{deny}'"), Some(HookDecision::Deny)),
        (format!("{big}; echo; echo '{allow}'"), None),
        (format!("{big} >&2; echo '{deny}'"), Some(HookDecision::Deny)),
        (format!("{big} >&2; echo '{allow}'"), Some(HookDecision::Allow)),
        (format!("cat | cat; {big}"), None),
    ] {
        assert_eq!(
            pre(commands("PreToolUse", "", &[&command]), &place.ctx()).await.decision,
            decision,
            "{command}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_input_larger_than_the_pipe_and_an_output_larger_than_the_pipe_do_not_wait_for_each_other() {
    let place = Place::new();
    let input = json!({"content": "x".repeat(3_000_000)});
    let ctx = place.ctx();
    for command in
        ["cat", "head -c 1000000 /dev/zero | tr '\\0' y; cat >/dev/null", "exit 0", "exec <&-; exit 0"]
    {
        let hooks = hooks(commands("PreToolUse", "", &[command]));
        let outcome = hooks.pre(&HookCall::new("Write", &[], "t", &input, &ctx)).await;
        let expected =
            if command == "cat" { HookReportOutcome::WrongSchema } else { HookReportOutcome::Answered };
        assert_eq!(outcome.reports[0].outcome, expected, "{command}");
        assert_eq!(outcome.decision, None);
    }
}

#[tokio::test]
async fn all_run_and_the_strictest_wins() {
    let place = Place::new();
    let log = quoted(place.path("log").to_str().unwrap());
    let says = |decision: &str| {
        format!(
            r#"echo {decision} >> {log}; echo '{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}","permissionDecisionReason":"{decision} it"}}}}'"#
        )
    };
    let all: Vec<String> = ["allow", "ask", "deny"].map(says).into();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let outcome = pre(commands("PreToolUse", "Bash", &all), &place.ctx()).await;
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Some(HookDecision::Deny), Some("deny it")));
    assert_eq!(std::fs::read_to_string(place.path("log")).unwrap().lines().count(), 3);
    let outcome = pre(commands("PreToolUse", "Bash", &all[..2]), &place.ctx()).await;
    assert_eq!(outcome.decision, Some(HookDecision::Ask));
}

#[tokio::test]
async fn after_a_call_the_texts_reach_the_model() {
    let place = Place::new();
    let ctx = place.ctx();
    let input = json!({"command": "ls"});
    let call = HookCall::new("Bash", &[], "t", &input, &ctx);
    let replaced = r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"[x]"},"additionalContext":"more"}}"#;
    let config = commands("PostToolUse", "*", &["echo fix >&2; exit 2", &format!("echo '{replaced}'")]);
    let outcome = hooks(config).post(&call, &json!({"stdout": "y"}), Duration::from_millis(3)).await;
    assert_eq!(outcome.additional_context, ["fix", "more"]);
    assert_eq!(outcome.updated_output, Some(json!({"stdout": "[x]"})));
    let stop = commands("PostToolUseFailure", "Bash", &[r#"echo '{"continue":false,"stopReason":"s"}'"#]);
    let outcome = hooks(stop).failure(&call, "Exit code 1", Duration::ZERO).await;
    assert_eq!(outcome.stop.as_deref(), Some("s"));
}

#[tokio::test]
async fn a_request_for_permission_can_be_answered() {
    let place = Place::new();
    let ctx = place.ctx();
    let input = json!({"command": "ls"});
    let call = HookCall::new("Bash", &[], "t", &input, &ctx);
    let says = |decision: &str| {
        format!(
            r#"grep -q tool_use_id && exit 0; echo '{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{decision}}}}}'"#
        )
    };
    let (allow, deny) =
        (says(r#"{"behavior":"allow"}"#), says(r#"{"behavior":"deny","message":"m","interrupt":true}"#));
    let answer = |commands_: &[&str]| hooks(commands("PermissionRequest", "Bash", commands_));
    let one = answer(&[&allow]).permission_request(&call, &[]).await;
    insta::assert_debug_snapshot!(one, @r"
    Some(
        Allow {
            updated_input: None,
            updated_permissions: [],
        },
    )
    ");
    let both = answer(&[&allow, &deny]).permission_request(&call, &[]).await;
    insta::assert_debug_snapshot!(both, @r#"
    Some(
        Deny {
            message: Some(
                "m",
            ),
            interrupt: true,
        },
    )
    "#);
    assert!(answer(&["echo no >&2; exit 2"]).permission_request(&call, &[]).await.is_none());
}

#[tokio::test]
async fn without_handlers_nobody_is_interested() {
    let config =
        json!({"PreToolUse": [{"matcher": "Edit|Task", "hooks": [{"type": "command", "command": "true"}]}]});
    let hooks = hooks(config);
    let alias = [ToolName::new("Task").unwrap()];
    assert!(hooks.interested(HookEvent::PreToolUse, "Edit", &[]));
    assert!(hooks.interested(HookEvent::PreToolUse, "Agent", &alias));
    assert!(!hooks.interested(HookEvent::PreToolUse, "Read", &[]));
    assert!(!hooks.interested(HookEvent::PostToolUse, "Edit", &[]));
    hooks.replace(pegboard_hooks::HookConfig::default());
    assert!(!hooks.interested(HookEvent::PreToolUse, "Edit", &[]));
}

#[tokio::test]
async fn a_long_text_goes_to_the_session_folder() {
    let place = Place::new();
    let mut snapshot = place.snapshot();
    snapshot.session_dir = Some(place.path("session"));
    let ctx = ToolContext::new(Arc::new(snapshot));
    let command = r#"printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"'; head -c 10001 /dev/zero | tr '\0' a; printf '"}}'"#;
    let outcome = pre(commands("PreToolUse", "", &[command]), &ctx).await;
    let (_, path) = outcome.additional_context[0].rsplit_once(" in ").unwrap();
    assert_eq!(std::fs::read_to_string(path.trim_end_matches(']')).unwrap(), "a".repeat(10_001));
}
