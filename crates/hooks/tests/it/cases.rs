//! Failures of other systems, with the judged answer: `data/hooks.jsonl`, run with real scripts.
//! `data/expected.jsonl` says what of the answer is this crate's part, and whose the rest is.

use crate::support::{Place, commands, hooks, quoted, read_fifo};
use pegboard_tool_core::ports::{HookCall, HookDecision, HookReport, HookReportOutcome, HookRunner as _};
use pegboard_tool_core::{CancellationToken, ToolContext};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are for readers, and for the gate")]
struct Case {
    id: String,
    event: String,
    matcher: String,
    #[serde(default)]
    call: Value,
    hook: OneOrMany,
    #[serde(default)]
    settings: Value,
    #[serde(default)]
    mode: Option<String>,
    #[serde(default)]
    setup: Option<String>,
    expect: String,
    why: String,
    seen: Vec<String>,
    #[serde(default)]
    debatable: bool,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(Script),
    Many(Vec<Script>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "notes are for readers")]
struct Script {
    stdout: String,
    stderr: String,
    exit: i32,
    #[serde(default)]
    note: Option<String>,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
struct Expected {
    id: String,
    ran: Option<usize>,
    decision: Option<HookDecision>,
    reason: Option<String>,
    updated_input: Option<Value>,
    context: Vec<String>,
    stop: Option<String>,
    blocked: Option<String>,
    outcome: Option<String>,
    notice: Option<String>,
    log: Option<usize>,
    rest: Option<String>,
}

/// Part of a call that is the same for all events.
struct Seen {
    decision: Option<HookDecision>,
    reason: Option<String>,
    updated_input: Option<Value>,
    context: Vec<String>,
    stop: Option<String>,
    blocked: Option<String>,
    reports: Vec<HookReport>,
}

fn lines<T: for<'a> Deserialize<'a>>(text: &str) -> Vec<T> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// What a script does beside its output, where a case describes it in words.
fn behaviour(id: &str, place: &Place) -> String {
    let log = quoted(place.path("log").to_str().unwrap());
    match id {
        // The hook is slow: it goes on when the test lets it.
        "H041" => format!("read line < {}", quoted(place.fifo("go").to_str().unwrap())),
        "H044" => format!("echo started > {}; sleep 300", quoted(place.fifo("started").to_str().unwrap())),
        "H047" => "sleep 300 &".to_owned(),
        "H053" => format!("cat >/dev/null; echo line >> {log}"),
        "H054" => format!("cat >/dev/null; sleep 0.1; echo line >> {log}"),
        "H045" => "exec <&-".to_owned(),
        _ => "cat >/dev/null".to_owned(),
    }
}

async fn run(case: &Case) -> (Seen, usize) {
    let place = Place::new();
    let scripts = match &case.hook {
        OneOrMany::One(script) => std::slice::from_ref(script),
        OneOrMany::Many(scripts) => scripts,
    };
    let script = |(index, script): (usize, &Script)| {
        let behaviour =
            if index == 0 || case.id == "H054" { behaviour(&case.id, &place) } else { String::new() };
        let Script { stdout, stderr, exit, .. } = script;
        // The numbers keep handlers apart that are alike.
        format!(
            "{behaviour}\nprintf %s {}; printf %s {} >&2; exit {exit} #{index}",
            quoted(stdout),
            quoted(stderr)
        )
    };
    let scripts: Vec<String> = scripts.iter().enumerate().map(script).collect();
    let scripts: Vec<&str> = scripts.iter().map(String::as_str).collect();
    let hooks = hooks(commands(&case.event, &case.matcher, &scripts));
    let cancel = CancellationToken::new();
    let ctx = place.ctx().with_cancel(cancel.clone());
    let meanwhile = async {
        match case.id.as_str() {
            "H041" => {
                let go = place.path("go");
                tokio::task::spawn_blocking(move || std::fs::write(go, "go\n").unwrap()).await.unwrap();
            }
            "H044" => {
                assert_eq!(read_fifo(place.path("started")).await, "started\n");
                cancel.cancel();
            }
            _ => {}
        }
    };
    let (seen, ()) = tokio::join!(fire(&hooks, case, &ctx), meanwhile);
    let log = std::fs::read_to_string(place.path("log")).unwrap_or_default().lines().count();
    (seen, log)
}

async fn fire(hooks: &pegboard_hooks::Hooks, case: &Case, ctx: &ToolContext) -> Seen {
    let tool = case.call["tool"].as_str().unwrap_or_default();
    let mut input = case.call["input"].clone();
    if input["content"] == "(2 MB of text)" {
        input["content"] = Value::from("x".repeat(2_000_000));
    }
    let call = HookCall::new(tool, &[], "toolu_1", &input, ctx);
    if case.event == "PreToolUse" {
        let outcome = hooks.pre(&call).await;
        return Seen {
            decision: outcome.decision,
            reason: outcome.reason,
            updated_input: outcome.updated_input.map(|input| (*input).clone()),
            context: outcome.additional_context,
            stop: outcome.stop,
            blocked: None,
            reports: outcome.reports,
        };
    }
    let outcome = match case.event.as_str() {
        "PostToolUse" => hooks.post(&call, &json!({"stdout": ""}), Duration::ZERO).await,
        other => {
            let given = match other {
                "SessionStart" => json!({"source": "startup"}),
                "SubagentStart" => json!({"agent_type": "general-purpose"}),
                "UserPromptSubmit" => json!({"prompt": case.call["prompt"]}),
                "Stop" => json!({"stop_hook_active": false}),
                _ => panic!("no way to fire {other}"),
            };
            hooks.fire(other, given, ctx).await
        }
    };
    Seen {
        decision: None,
        reason: None,
        updated_input: None,
        context: outcome.additional_context,
        stop: outcome.stop,
        blocked: outcome.blocked,
        reports: outcome.reports,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_gets_its_judged_answer() {
    let cases: Vec<Case> = lines(include_str!("../data/hooks.jsonl"));
    let mut expected: BTreeMap<String, Expected> = lines::<Expected>(include_str!("../data/expected.jsonl"))
        .into_iter()
        .map(|expected| (expected.id.clone(), expected))
        .collect();
    assert!(!cases.is_empty());
    for case in &cases {
        let id = &case.id;
        let expected = expected.remove(id).unwrap_or_else(|| panic!("{id} has no expectation"));
        let (seen, log) = run(case).await;
        assert_eq!(seen.reports.len(), expected.ran.unwrap_or(1), "{id}: {:?}", seen.reports);
        assert_eq!(seen.decision, expected.decision, "{id}");
        if expected.outcome.as_deref() != Some("cancelled") {
            assert_eq!(seen.reason, expected.reason, "{id}");
        }
        assert_eq!(seen.updated_input, expected.updated_input, "{id}");
        assert_eq!(seen.context, expected.context, "{id}");
        assert_eq!(seen.stop, expected.stop, "{id}");
        assert_eq!(seen.blocked, expected.blocked, "{id}");
        let outcomes: Vec<Value> = seen.reports.iter().map(|report| json!(report.outcome)).collect();
        let outcome = expected.outcome.unwrap_or_else(|| "answered".to_owned());
        assert!(outcomes.iter().all(|seen| *seen == json!(outcome)), "{id}: {outcomes:?}");
        let failed = seen.reports.iter().find(|report| report.outcome != HookReportOutcome::Answered);
        if let Some(words) = expected.notice {
            let notice = failed.and_then(|report| report.notice.clone()).unwrap_or_default();
            assert!(notice.contains(&words), "{id}: {notice}");
        }
        assert_eq!(log, expected.log.unwrap_or(0), "{id}");
        let refused = ["does not run", "is not started", "is blocked", "refused", "is asked"];
        if refused.iter().any(|words| case.expect.contains(words))
            && expected.rest.is_none()
            && expected.ran != Some(0)
        {
            assert!(
                seen.decision.is_some_and(|decision| decision > HookDecision::Allow),
                "{id}: {}",
                case.expect
            );
        }
    }
    assert!(expected.is_empty(), "expectations without a case: {expected:?}");
}
