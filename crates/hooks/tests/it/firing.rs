//! Every event can be fired, and its answers mean what the documents say.

use crate::support::{Place, commands, hooks};
use pegboard_hooks::events::{Event, SessionStart, StartSource};
use pegboard_hooks::{EventOutcome, HookConfig, HookFrom, HookOptions, HookSource, Hooks};
use pegboard_tool_core::ports::{HookCall, HookEvent, HookRunner as _};
use pegboard_tool_core::{ContextSnapshot, Origin, SettingSource, ToolContext};
use serde_json::{Value, json};
use std::sync::Arc;

/// An input for each event.
fn inputs() -> Value {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    let with = |more: Value| {
        let mut all = call.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    json!({
        "SessionStart": {"source": "startup"},
        "Setup": {"trigger": "init"},
        "InstructionsLoaded": {"file_path": "/w/A.md", "memory_type": "project", "load_reason": "session_start"},
        "UserPromptSubmit": {"prompt": "p"},
        "UserPromptExpansion": {"expansion_type": "slash_command", "command_name": "c", "command_args": "", "prompt": "/c"},
        "MessageDisplay": {"turn_id": "1", "message_id": "m", "index": 0, "final": true, "delta": "d"},
        "PreToolUse": call,
        "PermissionRequest": {"tool_name": "Bash", "tool_input": {"command": "ls"}},
        "PermissionDenied": with(json!({"reason": "r"})),
        "PostToolUse": with(json!({"tool_response": {"stdout": ""}})),
        "PostToolUseFailure": with(json!({"error": "Exit code 1"})),
        "PostToolBatch": {"tool_calls": [call]},
        "Notification": {"message": "m", "notification_type": "idle_prompt"},
        "SubagentStart": {"agent_id": "a", "agent_type": "explore"},
        "SubagentStop": {"stop_hook_active": false, "agent_id": "a", "agent_type": "explore", "agent_transcript_path": "/t"},
        "TaskCreated": {"task_id": "1", "task_subject": "s"},
        "TaskCompleted": {"task_id": "1", "task_subject": "s"},
        "Stop": {"stop_hook_active": false},
        "StopFailure": {"error": "rate_limit"},
        "TeammateIdle": {"teammate_name": "n"},
        "ConfigChange": {"source": "project_settings"},
        "CwdChanged": {"old_cwd": "/a", "new_cwd": "/b"},
        "DirectoryAdded": {"directory": "/d", "source": "command"},
        "FileChanged": {"file_path": "/w/.env", "event": "change"},
        "WorktreeCreate": {"name": "w"},
        "WorktreeRemove": {"worktree_path": "/w/t"},
        "PreCompact": {"trigger": "auto"},
        "PostCompact": {"trigger": "auto", "compact_summary": "s"},
        "SessionEnd": {"reason": "other"},
        "Elicitation": {"mcp_server_name": "srv", "message": "m"},
        "ElicitationResult": {"mcp_server_name": "srv", "action": "accept"},
    })
}

async fn fire(event: &str, script: &str) -> EventOutcome {
    let place = Place::new();
    let hooks = hooks(commands(event, "", &[script]));
    hooks.fire_json(event, inputs()[event].clone(), &[], &place.ctx()).await.unwrap()
}

/// What is left of an outcome without its reports.
fn said(outcome: &EventOutcome) -> Value {
    let mut json = outcome.to_json();
    json.as_object_mut().unwrap().remove("handlers");
    json
}

#[tokio::test]
async fn every_event_fires_with_its_common_fields() {
    let inputs = inputs();
    assert_eq!(inputs.as_object().unwrap().len(), Event::names().count());
    for event in Event::names() {
        let place = Place::new();
        let out = place.path("out");
        let hooks = hooks(commands(event, "", &[&format!("cat > {}", out.display())]));
        let outcome = hooks.fire_json(event, inputs[event].clone(), &[], &place.ctx()).await.unwrap();
        assert_eq!(outcome.reports.len(), 1, "{event}");
        let seen: Value = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
        assert_eq!(seen["hook_event_name"], event);
        for field in ["session_id", "transcript_path", "cwd"] {
            assert!(seen[field].is_string(), "{event} {field}");
        }
        for (field, value) in inputs[event].as_object().unwrap() {
            assert_eq!(&seen[field], value, "{event} {field}");
        }
        let without_mode = [
            "SessionStart",
            "SessionEnd",
            "Setup",
            "InstructionsLoaded",
            "SubagentStart",
            "StopFailure",
            "MessageDisplay",
            "Notification",
            "ConfigChange",
            "CwdChanged",
            "DirectoryAdded",
            "FileChanged",
            "WorktreeCreate",
            "WorktreeRemove",
            "PreCompact",
            "PostCompact",
            "Elicitation",
            "ElicitationResult",
        ];
        assert_eq!(seen.get("permission_mode").is_none(), without_mode.contains(&event), "{event}");
    }
}

#[tokio::test]
async fn exit_2_means_for_each_event_what_the_documents_say() {
    let mut lines = Vec::new();
    for event in Event::names() {
        lines.push(format!("{event}: {}", said(&fire(event, "echo why >&2; exit 2").await)));
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    SessionStart: {"systemMessages":["why"]}
    Setup: {"systemMessages":["why"]}
    InstructionsLoaded: {}
    UserPromptSubmit: {"blocked":"why"}
    UserPromptExpansion: {"blocked":"why"}
    MessageDisplay: {}
    PreToolUse: {"decision":"deny","reason":"why"}
    PermissionRequest: {}
    PermissionDenied: {}
    PostToolUse: {"additionalContext":["why"]}
    PostToolUseFailure: {"additionalContext":["why"]}
    PostToolBatch: {"stop":"why"}
    Notification: {}
    SubagentStart: {"systemMessages":["why"]}
    SubagentStop: {"blocked":"why","additionalContext":["why"]}
    TaskCreated: {"blocked":"why","additionalContext":["why"]}
    TaskCompleted: {"blocked":"why","additionalContext":["why"]}
    Stop: {"blocked":"why","additionalContext":["why"]}
    StopFailure: {}
    TeammateIdle: {"blocked":"why","additionalContext":["why"]}
    ConfigChange: {"blocked":"why"}
    CwdChanged: {"systemMessages":["why"]}
    DirectoryAdded: {}
    FileChanged: {"systemMessages":["why"]}
    WorktreeCreate: {"blocked":"why"}
    WorktreeRemove: {}
    PreCompact: {"blocked":"why"}
    PostCompact: {"systemMessages":["why"]}
    SessionEnd: {"systemMessages":["why"]}
    Elicitation: {"blocked":"why","action":"decline"}
    ElicitationResult: {"blocked":"why","action":"decline"}
    "#);
}

#[tokio::test]
async fn answers_of_single_events_are_read() {
    let own = |event: &str, fields: Value| {
        let mut output = fields;
        output["hookEventName"] = json!(event);
        format!("echo '{}'", json!({"hookSpecificOutput": output}))
    };
    let mut lines = Vec::new();
    for (event, script) in [
        (
            "SessionStart",
            own(
                "SessionStart",
                json!({"additionalContext": "c", "initialUserMessage": "go", "sessionTitle": "t", "watchPaths": ["/a"], "reloadSkills": true}),
            ),
        ),
        ("SessionStart", "echo plain".to_owned()),
        ("Setup", own("Setup", json!({"additionalContext": "c"}))),
        (
            "UserPromptSubmit",
            own("UserPromptSubmit", json!({"sessionTitle": "t", "suppressOriginalPrompt": true})),
        ),
        ("UserPromptSubmit", r#"echo '{"decision":"block","reason":"no"}'"#.to_owned()),
        ("MessageDisplay", own("MessageDisplay", json!({"displayContent": "shown"}))),
        ("PermissionDenied", own("PermissionDenied", json!({"retry": true}))),
        (
            "PostToolUse",
            own("PostToolUse", json!({"updatedToolOutput": {"stdout": "x"}, "classifierContext": "k"})),
        ),
        ("CwdChanged", own("CwdChanged", json!({"watchPaths": ["/b", "/a", "/b"]}))),
        ("CwdChanged", r#"echo '{"continue":false}'"#.to_owned()),
        ("TaskCreated", r#"echo '{"continue":false}'"#.to_owned()),
        ("TeammateIdle", r#"echo '{"continue":false,"stopReason":"enough"}'"#.to_owned()),
        ("Notification", r#"echo '{"continue":false,"systemMessage":"dropped"}'"#.to_owned()),
        ("PreCompact", r#"echo '{"decision":"block","reason":"not now"}'"#.to_owned()),
        ("WorktreeCreate", "echo log; echo; echo /w/tree; echo".to_owned()),
        ("WorktreeCreate", own("WorktreeCreate", json!({"worktreePath": "/w/other"}))),
        ("WorktreeCreate", "echo /w/tree; echo disk full >&2; exit 1".to_owned()),
        ("Elicitation", own("Elicitation", json!({"action": "accept", "content": {"name": "n"}}))),
        ("ElicitationResult", own("ElicitationResult", json!({"action": "cancel"}))),
        ("Elicitation", format!("{}; exit 2", own("Elicitation", json!({"action": "accept"})))),
        ("Stop", r#"printf '{"terminalSequence":"\\u0007"}'"#.to_owned()),
        ("Stop", r#"printf '{"terminalSequence":"\\u001b[2J"}'"#.to_owned()),
        ("PostToolUse", own("PostToolUse", json!({"additionalContext": 3}))),
        ("SessionStart", own("SessionStart", json!({"watchPaths": "/a"}))),
    ] {
        lines.push(format!("{event}: {}", said(&fire(event, &script).await)));
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    SessionStart: {"additionalContext":["c"],"initialUserMessage":"go","sessionTitle":"t","watchPaths":["/a"],"reloadSkills":true}
    SessionStart: {"additionalContext":["plain"]}
    Setup: {"additionalContext":["c"]}
    UserPromptSubmit: {"sessionTitle":"t","suppressOriginalPrompt":true}
    UserPromptSubmit: {"blocked":"no"}
    MessageDisplay: {"displayContent":"shown"}
    PermissionDenied: {"retry":true}
    PostToolUse: {"updatedToolOutput":{"stdout":"x"},"classifierContext":"k"}
    CwdChanged: {"watchPaths":["/a","/b"]}
    CwdChanged: {}
    TaskCreated: {}
    TeammateIdle: {"stop":"enough"}
    Notification: {}
    PreCompact: {"blocked":"not now"}
    WorktreeCreate: {"worktreePath":"/w/tree"}
    WorktreeCreate: {"worktreePath":"/w/other"}
    WorktreeCreate: {"blocked":"disk full"}
    Elicitation: {"action":"accept","content":{"name":"n"}}
    ElicitationResult: {"action":"cancel"}
    Elicitation: {"blocked":"blocked by a hook, which gave no reason","action":"decline"}
    Stop: {"terminalSequence":"\u0007"}
    Stop: {}
    PostToolUse: {}
    SessionStart: {}
    "#);
}

#[tokio::test]
async fn an_event_that_cannot_be_fired_runs_nothing_and_is_no_consent() {
    let place = Place::new();
    let hooks = hooks(commands("Stop", "", &[&format!("touch {}", place.path("ran").display())]));
    let ctx = place.ctx();
    assert!(hooks.fire_json("Stopp", json!({}), &[], &ctx).await.is_err());
    assert!(hooks.fire_json("Stop", json!({"stop_hook_active": 1}), &[], &ctx).await.is_err());
    let said = hooks.fire("Stop", json!({}), &ctx).await;
    assert!(said.blocked.unwrap().contains("missing field `stop_hook_active`"));
    assert!(!place.path("ran").exists());
}

#[tokio::test]
async fn a_typed_event_fires_and_the_host_can_say_more() {
    let place = Place::new();
    let mut snapshot = place.snapshot();
    let known =
        json!({"prompt_id": "p-1", "agent_type": "main", "effort": "high", "transcript_path": "/t.jsonl"});
    snapshot.extensions.insert(pegboard_hooks::CONTEXT_EXTENSION.to_owned(), known);
    snapshot.agent_id = Some("a-1".into());
    let ctx = ToolContext::new(Arc::new(snapshot));
    let out = place.path("out");
    let hooks = hooks(commands(
        "PreToolUse",
        "",
        &[&format!("cat > {0}; echo >> {0}; echo $CLAUDE_EFFORT >> {0}", out.display())],
    ));
    let event = Event::PreToolUse(pegboard_hooks::events::PreToolUse::new("Bash", json!({}), "t"));
    hooks.fire_event(&event, &[], &ctx).await;
    let text = std::fs::read_to_string(&out).unwrap().replace(place.dir.path().to_str().unwrap(), "/w");
    insta::assert_snapshot!(text, @r#"
    {"session_id":"session-1","transcript_path":"/t.jsonl","cwd":"/w","prompt_id":"p-1","permission_mode":"default","hook_event_name":"PreToolUse","effort":{"level":"high"},"agent_id":"a-1","agent_type":"main","tool_name":"Bash","tool_input":{},"tool_use_id":"t"}
    high
    "#);
    let event = Event::SessionStart(SessionStart::new(StartSource::Resume));
    assert_eq!(hooks.fire_event(&event, &[], &ctx).await.reports.len(), 0);
}

#[tokio::test]
async fn matchers_look_at_the_field_of_the_event() {
    let ctx = Place::new().ctx();
    for (event, matcher, input, fires) in [
        ("FileChanged", ".env|b.txt", json!({"file_path": "/w/sub/.env", "event": "change"}), true),
        ("FileChanged", "sub", json!({"file_path": "/w/sub/.env", "event": "change"}), false),
        ("SessionStart", "resume|clear", json!({"source": "clear"}), true),
        ("SessionEnd", "logout", json!({"reason": "other"}), false),
        ("PreCompact", "manual", json!({"trigger": "manual"}), true),
        ("Notification", "idle_prompt", json!({"message": "m", "notification_type": "idle_prompt"}), true),
        ("StopFailure", "rate_limit", json!({"error": "rate_limit"}), true),
        ("Elicitation", "srv", json!({"mcp_server_name": "other", "message": "m"}), false),
        ("Stop", "whatever (", json!({"stop_hook_active": false}), true),
    ] {
        let said = hooks(commands(event, matcher, &["exit 0"])).fire(event, input, &ctx).await;
        assert_eq!(said.reports.len(), usize::from(fires), "{event} {matcher}");
    }
    let layers = vec![(Origin::of(SettingSource::User), commands("FileChanged", ".env|b.txt", &["exit 0"]))];
    let (config, _) = HookConfig::from_layers(layers, &HookOptions::new());
    assert_eq!(config.watched_files().into_iter().collect::<Vec<_>>(), [".env", "b.txt"]);
}

#[tokio::test]
async fn handlers_of_an_end_share_a_time() {
    let place = Place::new();
    let end = |timeout: Option<f64>| {
        let mut handler = json!({"type": "command", "command": "exec sleep 300"});
        if let Some(timeout) = timeout {
            handler["timeout"] = json!(timeout);
        }
        handler
    };
    let ctx = place.ctx();
    let config = |handlers: Vec<Value>| json!({"SessionEnd": [{"hooks": handlers}]});
    let layers = |value| vec![(Origin::of(SettingSource::User), value)];
    for (handlers, seconds) in
        [(vec![end(None)], 1.5), (vec![end(Some(5.0)), end(None)], 5.0), (vec![end(Some(500.0))], 60.0)]
    {
        let (config, _) = HookConfig::from_layers(layers(config(handlers)), &HookOptions::new());
        let listed = config.list(Some("SessionEnd"), None, &ctx);
        assert!(listed.iter().all(|one| one.time_limit.as_secs_f64() == seconds), "{listed:?}");
    }
    let mut snapshot = place.snapshot();
    let variable = ("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS".to_owned(), "150".to_owned());
    Arc::make_mut(&mut snapshot.env).extend([variable]);
    let ctx = ToolContext::new(Arc::new(snapshot));
    let said =
        hooks(config(vec![end(Some(60.0))])).fire("SessionEnd", json!({"reason": "other"}), &ctx).await;
    assert!(said.reports[0].notice.as_deref().unwrap().contains("0.15 s"), "{:?}", said.reports);
}

#[tokio::test]
async fn hooks_of_an_agent_run_in_that_agent_and_mean_its_stop() {
    let place = Place::new();
    let from = HookFrom::Agent { name: "reviewer".to_owned(), agent_id: "a-7".into() };
    let stop = commands("Stop", "", &["echo more >&2; exit 2"]);
    let source = HookSource::new(Origin::of(SettingSource::Agent), stop).with_from(from);
    let (config, problems) = HookConfig::from_sources(vec![source], &HookOptions::new());
    assert_eq!(problems, []);
    let hooks = Hooks::new(config);
    let input = json!({"stop_hook_active": false, "agent_id": "a-7", "agent_type": "reviewer"});
    for (agent, blocked) in [(Some("a-7"), Some("more")), (Some("a-8"), None), (None, None)] {
        let mut snapshot = ContextSnapshot::new(place.dir.path(), "s");
        snapshot.agent_id = agent.map(Into::into);
        snapshot.env = Arc::clone(&place.snapshot().env);
        let ctx = ToolContext::new(Arc::new(snapshot));
        let said = hooks.fire("SubagentStop", input.clone(), &ctx).await;
        assert_eq!(said.blocked.as_deref(), blocked, "{agent:?}");
        let said = hooks.fire("Stop", json!({"stop_hook_active": false}), &ctx).await;
        assert!(said.reports.is_empty());
    }
}

#[tokio::test]
async fn a_plugin_has_its_places_and_options() {
    let place = Place::new();
    let plugin = pegboard_hooks::PluginPlace::new("p", "/plugins/p", "/data/p").with_option("KEY", "value");
    let from = HookFrom::Plugin(Arc::new(plugin));
    let read = |handler: Value| {
        let hooks = json!({"UserPromptSubmit": [{"hooks": [handler]}]});
        let source = HookSource::new(Origin::of(SettingSource::Command), hooks).with_from(from.clone());
        HookConfig::from_sources(vec![source], &HookOptions::new())
    };
    let prompt = json!({"prompt": "p"});
    let shell = json!({"type": "command", "command": "echo ${CLAUDE_PLUGIN_ROOT} $CLAUDE_PLUGIN_DATA $CLAUDE_PLUGIN_OPTION_KEY"});
    let exec = json!({"type": "command", "command": "echo", "args": ["${CLAUDE_PLUGIN_DATA}", "${user_config.KEY}"]});
    for (handler, expected) in [(shell, "/plugins/p /data/p value"), (exec, "/data/p value")] {
        let (config, problems) = read(handler);
        assert_eq!(problems, []);
        let said = Hooks::new(config).fire("UserPromptSubmit", prompt.clone(), &place.ctx()).await;
        assert_eq!(said.additional_context, [expected]);
    }
    let (_, problems) = read(json!({"type": "command", "command": "echo ${user_config.KEY}"}));
    assert!(problems[0].text.contains("CLAUDE_PLUGIN_OPTION_KEY"), "{problems:?}");
}

#[tokio::test]
async fn a_worktree_that_no_hook_made_is_none_and_the_policy_is_not_blocked() {
    let place = Place::new();
    let ctx = place.ctx();
    let slow = json!({"WorktreeCreate": [{"hooks": [{"type": "command", "command": "exec sleep 300", "timeout": 0.2}]}]});
    let late = hooks(slow).fire_json("WorktreeCreate", json!({"name": "w"}), &[], &ctx).await.unwrap();
    assert!(late.blocked.unwrap().contains("time limit"));
    let silent = hooks(commands("WorktreeCreate", "", &["true"]));
    let silent = silent.fire_json("WorktreeCreate", json!({"name": "w"}), &[], &ctx).await.unwrap();
    assert_eq!(silent.blocked.as_deref(), Some("no hook gave the path of the worktree"));

    let no = hooks(commands("ConfigChange", "", &["echo no >&2; exit 2"]));
    for (source, blocked) in [("user_settings", true), ("policy_settings", false)] {
        let said = no.fire_json("ConfigChange", json!({"source": source}), &[], &ctx).await.unwrap();
        assert_eq!(said.blocked.is_some(), blocked, "{source}");
    }
}

#[tokio::test]
async fn other_spellings_of_a_name_are_not_the_name() {
    let place = Place::new();
    let (input, ctx) = (json!({}), place.ctx());
    let aliases = ["edit", "MultiEdit"].map(|name| pegboard_tool_core::ToolName::new(name).unwrap());
    let call = HookCall::new("Edit", &aliases, "t", &input, &ctx);
    for (matcher, fires) in [("Edit", 1), ("MultiEdit", 1), ("edit", 0), ("^edit$", 0)] {
        let hooks = hooks(commands("PreToolUse", matcher, &["true"]));
        assert_eq!(hooks.pre(&call).await.reports.len(), fires, "{matcher}");
        assert_eq!(hooks.interested(HookEvent::PreToolUse, "Edit", &aliases), fires == 1, "{matcher}");
    }
}

#[tokio::test]
async fn texts_that_stop_or_refuse_are_bounded() {
    let place = Place::new();
    let (input, ctx) = (json!({}), place.ctx());
    let call = HookCall::new("Bash", &[], "t", &input, &ctx);
    let stop =
        "printf '{\"continue\":false,\"stopReason\":\"'; head -c 20000 /dev/zero | tr '\\0' a; printf '\"}'";
    let said = hooks(commands("PreToolUse", "", &[stop])).pre(&call).await.stop.unwrap();
    assert!(said.len() < 3_000, "{}", said.len());
    let deny = "printf '{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":{\"behavior\":\"deny\",\"message\":\"'; head -c 20000 /dev/zero | tr '\\0' a; printf '\"}}}'";
    match hooks(commands("PermissionRequest", "", &[deny])).permission_request(&call, &[]).await {
        Some(pegboard_tool_core::ports::PermissionAnswer::Deny { message: Some(text), .. }) => {
            assert!(text.len() < 3_000, "{}", text.len());
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_shell_called_bash_is_bash() {
    let place = Place::new();
    let (input, ctx) = (json!({}), place.ctx());
    let call = HookCall::new("Bash", &[], "t", &input, &ctx);
    let handler = json!({"type": "command", "shell": "bash", "command": "[[ a == a ]] && echo $BASH_VERSION | grep -q . && { echo bash >&2; exit 2; }"});
    let said = hooks(json!({"PreToolUse": [{"hooks": [handler]}]})).pre(&call).await;
    assert_eq!(said.reason.as_deref(), Some("bash"));
}
