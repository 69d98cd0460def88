//! Handlers that are no commands: tools of servers, models, code of the host.

use crate::support::Place;
use async_trait::async_trait;
use pegboard_hooks::{
    Answer, HandlerEnd, HookConfig, HookHandler, HookInput, HookOptions, Hooks, InvokerCaller, OnFailure,
    ToolCallError, ToolCaller,
};
use pegboard_tool_core::ports::{
    Ask, AskError, Finished, HookCall, HookDecision, HookReportOutcome, HookRunner as _, Outcome,
    PostOutcome, PreOutcome, Prepared, Ready, Step, ToolInvoker,
};
use pegboard_tool_core::{
    Accesses, Caller, Concurrency, Origin, SettingSource, ToolContext, ToolResult, ToolUse,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn read(event: &str, handler: Value, options: &HookOptions) -> (Hooks, Vec<String>) {
    let layers = vec![(Origin::of(SettingSource::User), json!({event: [{"hooks": [handler]}]}))];
    let (config, problems) = HookConfig::from_layers(layers, options);
    (Hooks::new(config), problems.iter().map(|problem| problem.text.clone()).collect())
}

async fn pre(hooks: &Hooks, ctx: &ToolContext) -> PreOutcome {
    let input = json!({"file_path": "/w/a.txt"});
    hooks.pre(&HookCall::new("Edit", &[], "t", &input, ctx)).await
}

/// Answers with a value, or not at all.
#[derive(Debug, Default)]
struct Model {
    answer: Option<Value>,
    asked: Mutex<Vec<(Option<String>, String)>>,
}

#[async_trait]
impl Ask for Model {
    async fn ask(&self, prompt: &str, schema: &Value) -> Result<Value, AskError> {
        self.ask_of(None, prompt, schema).await
    }

    async fn ask_of(&self, model: Option<&str>, prompt: &str, schema: &Value) -> Result<Value, AskError> {
        assert_eq!(schema["required"], json!(["ok"]));
        self.asked.lock().unwrap().push((model.map(str::to_owned), prompt.to_owned()));
        match &self.answer {
            Some(Value::String(text)) if text == "hang" => std::future::pending().await,
            Some(answer) => Ok(answer.clone()),
            None => Err(AskError::new("it is out of credit")),
        }
    }
}

fn model(answer: Value) -> HookOptions {
    HookOptions::new().with_ask(Arc::new(Model { answer: Some(answer), ..Model::default() }))
}

/// What an outcome says, in a line.
fn line(said: &PostOutcome) -> String {
    format!("blocked {:?}, stop {:?}, context {:?}", said.blocked, said.stop, said.additional_context)
}

#[tokio::test]
async fn a_models_no_means_for_each_event_what_the_documents_say() {
    let place = Place::new();
    let ctx = place.ctx();
    let no = json!({"ok": false, "reason": "r"});
    let prompt = json!({"type": "prompt", "prompt": "Is it?"});
    let going_on = json!({"type": "prompt", "prompt": "Is it?", "continueOnBlock": true});
    let agent = json!({"type": "agent", "prompt": "Is it?"});
    let inputs = [
        ("Stop", json!({"stop_hook_active": false})),
        ("PostToolBatch", json!({"tool_calls": []})),
        ("UserPromptSubmit", json!({"prompt": "p"})),
        (
            "PostToolUse",
            json!({"tool_name": "Edit", "tool_input": {}, "tool_response": {}, "tool_use_id": "t"}),
        ),
        (
            "PostToolUseFailure",
            json!({"tool_name": "Edit", "tool_input": {}, "error": "e", "tool_use_id": "t"}),
        ),
        ("TaskCreated", json!({"task_id": "1", "task_subject": "s"})),
        ("TeammateIdle", json!({"teammate_name": "n"})),
        (
            "PermissionDenied",
            json!({"tool_name": "Edit", "tool_input": {}, "reason": "x", "tool_use_id": "t"}),
        ),
    ];
    let mut lines = Vec::new();
    for (name, handler) in [("prompt", &prompt), ("going on", &going_on), ("agent", &agent)] {
        for (event, input) in &inputs {
            let (hooks, problems) = read(event, handler.clone(), &model(no.clone()));
            assert_eq!(problems, [""; 0]);
            lines.push(format!("{name} {event}: {}", line(&hooks.fire(event, input.clone(), &ctx).await)));
        }
        let said = pre(&read("PreToolUse", handler.clone(), &model(no.clone())).0, &ctx).await;
        lines.push(format!("{name} PreToolUse: {:?} {:?}, stop {:?}", said.decision, said.reason, said.stop));
    }
    let impossible = json!({"ok": false, "reason": "r", "impossible": true});
    for handler in [prompt, agent] {
        let (hooks, _) = read("Stop", handler.clone(), &model(impossible.clone()));
        let said = hooks.fire("Stop", json!({"stop_hook_active": false}), &ctx).await;
        lines.push(format!("impossible for {}: {}", handler["type"], line(&said)));
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    prompt Stop: blocked Some("r"), stop None, context ["r"]
    prompt PostToolBatch: blocked None, stop Some("r"), context []
    prompt UserPromptSubmit: blocked Some("r"), stop None, context []
    prompt PostToolUse: blocked None, stop Some("r"), context ["r"]
    prompt PostToolUseFailure: blocked None, stop None, context ["r"]
    prompt TaskCreated: blocked Some("r"), stop None, context ["r"]
    prompt TeammateIdle: blocked None, stop Some("r"), context []
    prompt PermissionDenied: blocked None, stop None, context []
    prompt PreToolUse: Some(Deny) Some("r"), stop Some("r")
    going on Stop: blocked Some("r"), stop None, context ["r"]
    going on PostToolBatch: blocked None, stop Some("r"), context []
    going on UserPromptSubmit: blocked Some("r"), stop None, context []
    going on PostToolUse: blocked None, stop None, context ["r"]
    going on PostToolUseFailure: blocked None, stop None, context ["r"]
    going on TaskCreated: blocked Some("r"), stop None, context ["r"]
    going on TeammateIdle: blocked Some("r"), stop None, context ["r"]
    going on PermissionDenied: blocked None, stop None, context []
    going on PreToolUse: Some(Deny) Some("r"), stop None
    agent Stop: blocked Some("r"), stop None, context ["r"]
    agent PostToolBatch: blocked None, stop Some("r"), context []
    agent UserPromptSubmit: blocked Some("r"), stop None, context []
    agent PostToolUse: blocked None, stop None, context ["r"]
    agent PostToolUseFailure: blocked None, stop None, context ["r"]
    agent TaskCreated: blocked Some("r"), stop None, context ["r"]
    agent TeammateIdle: blocked Some("r"), stop None, context ["r"]
    agent PermissionDenied: blocked None, stop None, context []
    agent PreToolUse: Some(Deny) Some("r"), stop None
    impossible for "prompt": blocked None, stop None, context []
    impossible for "agent": blocked Some("r"), stop None, context ["r"]
    "#);
}

#[tokio::test]
async fn a_models_failure_is_no_answer() {
    let ctx = Place::new().ctx();
    let cases = [
        (Some(json!({"ok": true})), HookReportOutcome::Answered),
        (Some(json!({"ok": "yes"})), HookReportOutcome::WrongSchema),
        (Some(json!([])), HookReportOutcome::WrongSchema),
        (None, HookReportOutcome::Crashed),
        (Some(json!("hang")), HookReportOutcome::TimedOut),
    ];
    for (answer, outcome) in cases {
        for on_failure in ["continue", "block"] {
            let handler =
                json!({"type": "prompt", "prompt": "Is it?", "timeout": 0.2, "onFailure": on_failure});
            let ask = Arc::new(Model { answer: answer.clone(), ..Model::default() });
            let (hooks, _) = read("PreToolUse", handler, &HookOptions::new().with_ask(ask));
            let said = pre(&hooks, &ctx).await;
            assert_eq!(said.reports[0].outcome, outcome, "{answer:?}");
            let blocks = on_failure == "block" && outcome != HookReportOutcome::Answered;
            assert_eq!(said.decision, blocks.then_some(HookDecision::Deny), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn the_question_holds_the_event_and_names_the_model() {
    let ctx = Place::new().ctx();
    let ask = Arc::new(Model { answer: Some(json!({"ok": true})), ..Model::default() });
    let handler = json!({"type": "prompt", "prompt": "Look: $ARGUMENTS", "model": "small"});
    let (hooks, _) =
        read("PreToolUse", handler, &HookOptions::new().with_ask(Arc::clone(&ask) as Arc<dyn Ask>));
    pre(&hooks, &ctx).await;
    let asked = ask.asked.lock().unwrap();
    assert_eq!(asked[0].0.as_deref(), Some("small"));
    let event: Value = serde_json::from_str(asked[0].1.strip_prefix("Look: ").unwrap()).unwrap();
    assert_eq!(event["tool_input"], json!({"file_path": "/w/a.txt"}));
}

#[tokio::test]
async fn what_a_program_lacks_could_not_start_and_is_told_once() {
    let ctx = Place::new().ctx();
    for handler in [
        json!({"type": "prompt", "prompt": "p"}),
        json!({"type": "agent", "prompt": "p"}),
        json!({"type": "mcp_tool", "server": "s", "tool": "t"}),
    ] {
        let (hooks, problems) = read("PreToolUse", handler.clone(), &HookOptions::new());
        assert_eq!(problems.len(), 1, "{handler}");
        let first = pre(&hooks, &ctx).await;
        assert_eq!((first.decision, first.reports[0].outcome), (None, HookReportOutcome::CouldNotStart));
        // The problem told it when the configuration was read.
        assert_eq!(first.reports[0].notice, None);
        let second = pre(&hooks, &ctx).await;
        assert_eq!(
            (second.reports[0].outcome, &second.reports[0].notice),
            (HookReportOutcome::CouldNotStart, &None)
        );
        let mut strict = handler;
        strict["onFailure"] = json!("block");
        let (hooks, _) = read("PreToolUse", strict, &HookOptions::new());
        for _ in 0..2 {
            let said = pre(&hooks, &ctx).await;
            assert_eq!(said.decision, Some(HookDecision::Deny));
            assert!(said.reason.unwrap().contains("could not start"));
        }
    }
}

#[test]
fn a_kind_that_has_no_place_on_an_event_is_skipped_and_told() {
    let options = model(json!({"ok": true}));
    for (event, handler) in [
        ("SessionStart", json!({"type": "http", "url": "http://x"})),
        ("SessionStart", json!({"type": "prompt", "prompt": "p"})),
        ("Notification", json!({"type": "agent", "prompt": "p"})),
        ("PreCompact", json!({"type": "prompt", "prompt": "p"})),
    ] {
        let (hooks, problems) = read(event, handler, &options);
        assert!(
            problems[0].contains("cannot be attached to") && problems[0].contains("skipped"),
            "{problems:?}"
        );
        assert!(hooks.config().is_empty(), "{event}");
    }
}

/// Answers by the tool's name.
#[derive(Debug, Default)]
struct Server {
    calls: Mutex<Vec<(String, String, Value)>>,
}

#[async_trait]
impl ToolCaller for Server {
    async fn call(
        &self,
        server: &str,
        tool: &str,
        input: Value,
        ctx: &ToolContext,
    ) -> Result<String, ToolCallError> {
        self.calls.lock().unwrap().push((server.to_owned(), tool.to_owned(), input));
        match tool {
            "refuses" => Ok(r#"{"decision":"block","reason":"says the server"}"#.to_owned()),
            "fails" => Err(ToolCallError::Failed { text: "it is down".to_owned() }),
            "gone" => Err(ToolCallError::NotThere { text: "not connected".to_owned() }),
            "hangs" => {
                ctx.cancel.cancelled().await;
                Ok(r#"{"decision":"approve"}"#.to_owned())
            }
            _ => Ok("fine".to_owned()),
        }
    }
}

#[tokio::test]
async fn a_tool_of_a_server_answers_like_a_command() {
    let ctx = Place::new().ctx();
    let server = Arc::new(Server::default());
    let options = HookOptions::new().with_caller(Arc::clone(&server) as Arc<dyn ToolCaller>);
    for (tool, outcome, decision) in [
        ("refuses", HookReportOutcome::Answered, Some(HookDecision::Deny)),
        ("fine", HookReportOutcome::Answered, None),
        ("fails", HookReportOutcome::Crashed, None),
        ("gone", HookReportOutcome::CouldNotStart, None),
        ("hangs", HookReportOutcome::TimedOut, None),
    ] {
        let handler = json!({
            "type": "mcp_tool", "server": "scan", "tool": tool, "timeout": 0.3,
            "input": {"path": "${tool_input.file_path}", "why": "for ${tool_name}"},
        });
        let (hooks, problems) = read("PreToolUse", handler, &options);
        assert_eq!(problems, [""; 0]);
        let said = pre(&hooks, &ctx).await;
        assert_eq!((said.reports[0].outcome, said.decision), (outcome, decision), "{tool}");
    }
    let calls = server.calls.lock().unwrap();
    let expected = json!({"path": "/w/a.txt", "why": "for Edit"});
    assert_eq!(calls[0], ("scan".to_owned(), "refuses".to_owned(), expected));
}

/// A pipeline that has one tool.
#[derive(Debug, Default)]
struct Pipeline {
    seen: Mutex<Vec<(String, Caller)>>,
}

#[async_trait]
impl ToolInvoker for Pipeline {
    fn validate(&self, call: ToolUse, _ctx: &ToolContext) -> Step<Prepared> {
        self.seen.lock().unwrap().push((call.name.to_string(), call.caller.clone()));
        if &*call.name != "mcp__plugin_p_scan__check" {
            return Step::Done(Box::new(Finished::not_run(&call, Outcome::Invalid, "there is no such tool")));
        }
        let prepared = Prepared::new(
            Arc::clone(&call.id),
            Arc::clone(&call.name),
            Concurrency::Shared,
            Accesses::Everything,
            false,
            Box::new(call),
        );
        Step::Next(prepared)
    }

    async fn decide(&self, call: Prepared, _ctx: &ToolContext) -> Step<Ready> {
        Step::Next(Ready::new(call, 0, 0))
    }

    async fn execute(&self, call: Ready, _ctx: ToolContext) -> Finished {
        let result =
            ToolResult::text(Arc::clone(&call.prepared.id), r#"{"decision":"block","reason":"scanned"}"#);
        Finished::new(result, Arc::clone(&call.prepared.tool), Arc::new(json!({})), Outcome::Succeeded)
    }
}

#[tokio::test]
async fn a_tool_is_called_through_the_pipeline_by_its_name_in_the_pool() {
    let ctx = Place::new().ctx();
    let caller = Arc::new(InvokerCaller::new());
    let options = HookOptions::new().with_caller(Arc::clone(&caller) as Arc<dyn ToolCaller>);
    let handler = |tool: &str| json!({"type": "mcp_tool", "server": "plugin:p:scan", "tool": tool});
    let (hooks, _) = read("PreToolUse", handler("check"), &options);
    assert_eq!(pre(&hooks, &ctx).await.reports[0].outcome, HookReportOutcome::CouldNotStart);
    let pipeline = Arc::new(Pipeline::default());
    let invoker: Arc<dyn ToolInvoker> = Arc::clone(&pipeline) as Arc<dyn ToolInvoker>;
    caller.bind(&invoker);
    let said = pre(&hooks, &ctx).await;
    assert_eq!(said.reason.as_deref(), Some("scanned"));
    assert_eq!(pipeline.seen.lock().unwrap()[0], ("mcp__plugin_p_scan__check".to_owned(), Caller::Hook));
    let (hooks, _) = read("PreToolUse", handler("nope"), &options);
    assert_eq!(pre(&hooks, &ctx).await.reports[0].outcome, HookReportOutcome::CouldNotStart);
}

/// Code of the host.
#[derive(Debug)]
enum Callback {
    Refuses,
    Panics,
    Hangs,
}

#[async_trait]
impl HookHandler for Callback {
    fn label(&self) -> String {
        format!("{self:?}")
    }

    async fn handle(&self, _input: &HookInput) -> HandlerEnd {
        match self {
            Self::Refuses => HandlerEnd::answered(Answer::decided(HookDecision::Deny, "by code")),
            Self::Panics => panic!("in a handler"),
            Self::Hangs => std::future::pending().await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn code_of_the_host_is_held_to_its_limit() {
    let ctx = Place::new().ctx();
    for (callback, on_failure, outcome, decision) in [
        (Callback::Refuses, OnFailure::Continue, HookReportOutcome::Answered, Some(HookDecision::Deny)),
        (Callback::Panics, OnFailure::Continue, HookReportOutcome::Crashed, None),
        (Callback::Panics, OnFailure::Block, HookReportOutcome::Crashed, Some(HookDecision::Deny)),
        // A callback that is late blocks on this event.
        (Callback::Hangs, OnFailure::Continue, HookReportOutcome::TimedOut, Some(HookDecision::Deny)),
    ] {
        let config = HookConfig::default();
        let limit = Duration::from_secs(1);
        let config =
            config.with_handler("PreToolUse", Some("Edit"), limit, on_failure, Arc::new(callback)).unwrap();
        let said = pre(&Hooks::new(config), &ctx).await;
        assert_eq!((said.reports[0].outcome, said.decision), (outcome, decision));
    }
}
