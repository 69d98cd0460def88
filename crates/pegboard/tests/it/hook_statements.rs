//! Statements of the public conventions about hooks that need rules, tools and the pipeline, by their numbers.

use crate::place::Place;
use pegboard::permissions::Engine;
use pegboard::ports::{HookCall, HookRunner as _, TurnEnd, TurnOutcome};
use pegboard::tools_std::{Services, all};
use pegboard::{
    Accesses, ContextSnapshot, DynTool, Effects, Loaded, Pegboard, ToolBuilder, ToolContext, ToolOutput,
    ToolUse,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

fn one(event: &str, handler: Value) -> Value {
    json!({event: [{"hooks": [handler]}]})
}

fn command(text: &str) -> Value {
    json!({"type": "command", "command": text})
}

/// A command that prints this answer.
fn says(event: &str, mut output: Value) -> Value {
    output["hookEventName"] = json!(event);
    command(&format!("echo '{}'", json!({"hookSpecificOutput": output})))
}

fn context(place: &Place) -> ContextSnapshot {
    let mut context = ContextSnapshot::new(place.work(), "s");
    context.env = Arc::new(BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]));
    context.home = place.request.locations.home.clone();
    context.trusted = true;
    context
}

struct World {
    place: Place,
    loaded: Loaded,
    pegboard: Pegboard,
    context: Arc<ContextSnapshot>,
}

impl World {
    /// The user's hooks and rules, the standard tools and more.
    fn new(hooks: &Value, rules: &Value, more: Vec<Arc<dyn DynTool>>) -> Self {
        Self::at(Place::new(), hooks, rules, more)
    }

    fn at(place: Place, hooks: &Value, rules: &Value, more: Vec<Arc<dyn DynTool>>) -> Self {
        place.user(&json!({"hooks": hooks, "permissions": rules}));
        let loaded = place.layers().unwrap();
        assert_eq!(loaded.problems, [""; 0]);
        let services = Services::new().with_access_policy(Arc::<Engine>::clone(&loaded.engine));
        let pegboard = Pegboard::builder()
            .gate(Arc::<Engine>::clone(&loaded.engine))
            .hooks(Arc::<pegboard::hooks::Hooks>::clone(&loaded.hooks))
            .tools(all(&services).unwrap())
            .tools(more)
            .build()
            .unwrap();
        loaded.hook_caller.bind(pegboard.invoker());
        let context = Arc::new(context(&place));
        Self { place, loaded, pegboard, context }
    }

    async fn run(&self, calls: &[(&str, Value)]) -> TurnOutcome {
        let calls = calls.iter().enumerate();
        let calls =
            calls.map(|(index, (tool, input))| ToolUse::new(format!("t{index}"), *tool, input.clone()));
        self.pegboard.run(calls.collect(), Arc::clone(&self.context)).await
    }

    async fn bash(&self, line: &str) -> TurnOutcome {
        self.run(&[("Bash", json!({"command": line}))]).await
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.work().join(name)
    }

    fn ran(&self) -> bool {
        self.path("ran").exists()
    }
}

fn text(outcome: &TurnOutcome, index: usize) -> String {
    outcome.calls[index].result.joined_text()
}

const ALLOW: &str = "allow";

#[tokio::test]
async fn c_h_12_to_14_an_if_is_a_rule_that_leans_towards_running() {
    let place = Place::new();
    let fires = |condition: &str, line: &str| {
        let mut handler = command("exit 0");
        handler["if"] = json!(condition);
        place.user(&json!({"hooks": one("PreToolUse", handler)}));
        let loaded = place.layers().unwrap();
        let (input, ctx) = (json!({"command": line}), ToolContext::new(Arc::new(context(&place))));
        let call = HookCall::new("Bash", &[], "t", &input, &ctx);
        let listed = loaded.hooks.config().list(Some("PreToolUse"), Some(&call), &ctx);
        listed[0].off.is_none()
    };
    for (condition, line, expected) in [
        ("Bash(git *)", "FOO=1 git push", true),
        ("Bash(git *)", "npm test && git push", true),
        ("Bash(git *)", "npm test", false),
        ("Bash(rm *)", "echo $(rm -rf x)", true),
        ("Bash(rm *)", "echo $(date)", false),
        ("Bash(git push *)", "echo $(date)", true),
        ("Bash(git *)", "echo 'unterminated", true),
    ] {
        assert_eq!(fires(condition, line), expected, "{condition} on {line}");
    }
}

#[tokio::test]
async fn c_h_05_and_15_an_allow_opens_the_door_and_never_the_lock() {
    let allow = one("PreToolUse", says("PreToolUse", json!({"permissionDecision": ALLOW})));
    for (rules, runs) in [
        (json!({}), true),
        (json!({"ask": ["Bash(touch *)"]}), false),
        (json!({"deny": ["Bash(touch *)"]}), false),
    ] {
        let world = World::new(&allow, &rules, Vec::new());
        let outcome = world.bash("touch ran").await;
        assert_eq!((outcome.calls[0].result.is_error, world.ran()), (!runs, runs), "{rules}");
    }
}

#[tokio::test]
async fn c_h_17_a_replaced_input_is_whole_and_judged_again() {
    let answer = json!({"permissionDecision": ALLOW, "updatedInput": {"command": "touch ran instead"}});
    let hooks = one("PreToolUse", says("PreToolUse", answer));
    let world = World::new(&hooks, &json!({}), Vec::new());
    let given = json!({"command": "touch original", "description": "d", "timeout": 5000});
    let outcome = world.run(&[("Bash", given)]).await;
    assert!(!outcome.calls[0].result.is_error, "{}", text(&outcome, 0));
    assert!(world.ran() && world.path("instead").exists() && !world.path("original").exists());
    let denied = World::new(&hooks, &json!({"deny": ["Bash(touch ran *)"]}), Vec::new());
    assert!(denied.bash("touch original").await.calls[0].result.is_error);
    assert!(!denied.ran());
    let wrong = json!({"permissionDecision": ALLOW, "updatedInput": {"commnad": "touch ran"}});
    let world = World::new(&one("PreToolUse", says("PreToolUse", wrong)), &json!({}), Vec::new());
    assert!(world.bash("touch original").await.calls[0].result.is_error);
    assert!(!world.ran() && !world.path("original").exists());
}

#[tokio::test]
async fn c_h_22_a_stop_leaves_every_call_with_its_result() {
    let stop = command(r#"echo '{"continue":false,"stopReason":"s"}'"#);
    let world = World::new(&one("PostToolUse", stop), &json!({"allow": ["Bash"]}), Vec::new());
    let line = |text: &str| ("Bash", json!({"command": text}));
    let outcome = world.run(&[line("touch ran"), line("touch second")]).await;
    assert!(matches!(&outcome.end, TurnEnd::Stopped(why) if why == "s"), "{:?}", outcome.end);
    assert_eq!(outcome.calls.len(), 2);
    assert!(world.ran() && !world.path("second").exists());
    assert!(!outcome.calls[0].result.is_error && outcome.calls[1].result.is_error);
}

#[tokio::test]
async fn c_h_23_and_24_after_a_call() {
    let rules = json!({"allow": ["Bash"]});
    let world = World::new(&one("PostToolUse", command("echo fix >&2; exit 2")), &rules, Vec::new());
    let outcome = world.bash("echo original").await;
    assert!(text(&outcome, 0).contains("original") && !outcome.calls[0].result.is_error);
    assert!(outcome.messages.iter().any(|message| message.contains("fix")), "{:?}", outcome.messages);
    for (output, expected) in [
        (json!({"stdout": "[x]", "stderr": "", "interrupted": false, "isImage": false}), "[x]"),
        (json!("[x]"), "original"),
    ] {
        let hooks = one("PostToolUse", says("PostToolUse", json!({"updatedToolOutput": output})));
        let outcome = World::new(&hooks, &rules, Vec::new()).bash("echo original").await;
        assert!(text(&outcome, 0).contains(expected), "{output}: {}", text(&outcome, 0));
    }
}

#[tokio::test]
async fn c_h_25_a_failure_has_its_own_event() {
    let log = |event: &str| one(event, command(&format!("cat >> log; echo ' {event}' >> log")));
    let mut hooks = log("PostToolUse");
    for event in ["PostToolUseFailure", "PreToolUse"] {
        hooks[event] = log(event)[event].clone();
    }
    let events = |world: &World| -> Vec<String> {
        let log = fs::read_to_string(world.path("log")).unwrap_or_default();
        log.lines().filter_map(|line| line.rsplit_once(' ')).map(|(_, event)| event.to_owned()).collect()
    };
    let world = World::new(&hooks, &json!({"allow": ["Bash(false)"]}), Vec::new());
    world.bash("false").await;
    assert_eq!(events(&world), ["PreToolUse", "PostToolUseFailure"]);
    let log = fs::read_to_string(world.path("log")).unwrap();
    assert!(log.contains(r#""error":"Exit code 1"#), "{log}");
    let denied = World::new(&hooks, &json!({"deny": ["Bash"]}), Vec::new());
    denied.bash("false").await;
    assert!(!events(&denied).iter().any(|event| event.starts_with("Post")));
    let invalid = World::new(&hooks, &json!({"allow": ["Bash"]}), Vec::new());
    invalid.run(&[("Bash", json!({"line": "false"}))]).await;
    assert_eq!(events(&invalid), [""; 0]);
}

#[tokio::test]
async fn c_h_26_a_batch_has_one_event_with_what_the_model_reads() {
    let mut hooks = one("PostToolBatch", command("cat > batch; echo >> batch"));
    hooks["PostToolUse"] = one("PostToolUse", command("echo x >> each"))["PostToolUse"].clone();
    let place = Place::new();
    place.file("w/a.txt", "alpha\n");
    let world = World::at(place, &hooks, &json!({}), Vec::new());
    let file = world.path("a.txt");
    let outcome =
        world.run(&[("Read", json!({"file_path": file})), ("Grep", json!({"pattern": "alpha"}))]).await;
    assert_eq!(fs::read_to_string(world.path("each")).unwrap().lines().count(), 2);
    let batch = fs::read_to_string(world.path("batch")).unwrap();
    assert_eq!(batch.lines().count(), 1);
    let batch: Value = serde_json::from_str(&batch).unwrap();
    let calls = batch["tool_calls"].as_array().unwrap();
    let names: Vec<&str> = calls.iter().filter_map(|call| call["tool_name"].as_str()).collect();
    assert_eq!(names, ["Read", "Grep"]);
    for (index, call) in calls.iter().enumerate() {
        assert_eq!(call["tool_response"], text(&outcome, index));
    }
}

#[tokio::test]
async fn c_h_27_a_request_is_answered_without_a_person() {
    let allow = says("PermissionRequest", json!({"decision": {"behavior": ALLOW}}));
    for (handler, runs) in [(allow, true), (command("exit 2"), false)] {
        let world = World::new(&one("PermissionRequest", handler), &json!({}), Vec::new());
        world.bash("touch ran").await;
        assert_eq!(world.ran(), runs);
    }
}

#[tokio::test]
async fn c_h_28_rules_that_a_hook_asks_for_hold_and_are_kept() {
    let update = |behavior: &str, destination: &str| {
        json!([{
            "type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "touch ran"}],
            "behavior": behavior, "destination": destination,
        }])
    };
    // The hook answers once: what runs the second time runs by the rule.
    let once = |update: Value| {
        let answer = json!({"hookSpecificOutput": {
            "hookEventName": "PermissionRequest",
            "decision": {"behavior": ALLOW, "updatedPermissions": update},
        }});
        command(&format!("test -e asked && exit 0; touch asked; echo '{answer}'"))
    };
    for destination in ["localSettings", "session"] {
        let hooks = one("PermissionRequest", once(update("allow", destination)));
        let world = World::new(&hooks, &json!({}), Vec::new());
        for _ in 0..2 {
            let _ = fs::remove_file(world.path("ran"));
            world.bash("touch ran").await;
            assert!(world.ran(), "{destination}");
        }
        let local = fs::read_to_string(world.place.local_file()).unwrap_or_default();
        assert_eq!(local.contains("Bash(touch ran)"), destination == "localSettings", "{local}");
    }
    let hooks = one("PermissionRequest", once(update("deny", "session")));
    let world = World::new(&hooks, &json!({}), Vec::new());
    // A rule that refuses holds at once, also against the yes that it came with.
    world.bash("touch ran").await;
    assert!(world.path("asked").exists() && !world.ran());
}

#[tokio::test]
async fn c_h_33_variables_of_a_session_start_reach_later_commands() {
    let hooks = one("SessionStart", command("echo 'export A=\"one two\"' >> \"$CLAUDE_ENV_FILE\""));
    let world = World::new(&hooks, &json!({"allow": ["Bash"]}), Vec::new());
    let mut start = (*world.context).clone();
    start.session_dir = Some(world.path("session"));
    let ctx = ToolContext::new(Arc::new(start));
    let said = world.loaded.hooks.fire("SessionStart", json!({"source": "startup"}), &ctx).await;
    let after = world.context.changed(&said.context_change.unwrap());
    let call = ToolUse::new("t", "Bash", json!({"command": "echo \"<$A>\""}));
    let outcome = world.pegboard.run(vec![call], Arc::new(after)).await;
    assert!(text(&outcome, 0).contains("<one two>"), "{}", text(&outcome, 0));
}

#[tokio::test]
async fn c_h_39_a_higher_source_switches_hooks_on_again() {
    for (user, project, runs) in [(true, Some(false), true), (true, None, false), (false, Some(true), false)]
    {
        let place = Place::new();
        place.project(&match project {
            Some(off) => json!({"disableAllHooks": off}),
            None => json!({}),
        });
        place.user(&json!({
            "disableAllHooks": user,
            "hooks": one("PreToolUse", command("exit 2")),
            "permissions": {},
        }));
        trust(&place);
        let loaded = place.layers().unwrap();
        assert_eq!(!loaded.hooks.config().is_empty(), runs, "{user} {project:?}");
    }
}

/// Accepts the project's own settings.
fn trust(place: &Place) {
    let settings = pegboard::settings::load(&place.request).unwrap();
    let store = pegboard::settings::TrustStore::new(place.request.locations.trust_file());
    store.accept(&settings.trust).unwrap();
}

#[tokio::test]
async fn c_h_40_hooks_see_absolute_paths() {
    let place = Place::new();
    place.file("w/src/a.rs", "fn a() {}\n").file("home/x", "mine\n");
    let world = World::at(
        place,
        &one("PreToolUse", command("line=$(cat); printf '%s\\n' \"$line\" >> log")),
        &json!({}),
        Vec::new(),
    );
    world.run(&[("Read", json!({"file_path": "src/a.rs"})), ("Read", json!({"file_path": "~/x"}))]).await;
    let log = fs::read_to_string(world.path("log")).unwrap();
    let mut paths: Vec<String> = log
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["tool_input"]["file_path"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    paths.sort();
    let home = world.place.request.locations.home.clone().unwrap();
    let expected = [home.join("x"), world.path("src/a.rs")].map(|path| path.to_str().unwrap().to_owned());
    assert_eq!(paths, expected);
}

#[tokio::test]
async fn a_registered_tool_of_a_server_answers_as_a_hook() {
    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Scan {
        line: String,
    }
    let tool = ToolBuilder::new("mcp__scan__check", "Looks at a line.")
        .effects(Effects::ReadOnly)
        .accesses(Accesses::nothing())
        .build(|input: Scan, _ctx| async move {
            let refuses = input.line.contains("ran");
            let said = if refuses { r#"{"decision":"block","reason":"says the server"}"# } else { "" };
            Ok(ToolOutput::new(said.to_owned()))
        })
        .unwrap();
    let handler = json!({"type": "mcp_tool", "server": "scan", "tool": "check", "input": {"line": "${tool_input.command}"}});
    let world = World::new(&one("PreToolUse", handler), &json!({"allow": ["Bash"]}), vec![tool]);
    let refused = world.bash("touch ran").await;
    assert!(text(&refused, 0).contains("says the server") && !world.ran(), "{}", text(&refused, 0));
    assert!(!world.bash("touch other").await.calls[0].result.is_error);
    assert!(world.path("other").exists());
}

#[tokio::test]
async fn hooks_of_an_untrusted_project_do_not_run_and_say_so() {
    let place = Place::new();
    place.project(&json!({"hooks": one("PreToolUse", command("touch pwned"))}));
    let loaded = place.layers().unwrap();
    assert!(loaded.hooks.config().is_empty());
    let ctx = ToolContext::new(Arc::new(context(&place)));
    let listed = loaded.hooks.config().list(None, None, &ctx);
    assert!(listed[0].off.as_deref().is_some_and(|why| why.contains("pegboard trust")), "{listed:?}");
    assert_eq!(listed[0].origin.line, Some(1));
    trust(&place);
    let settings = pegboard::settings::load(&place.request).unwrap();
    assert_eq!(loaded.reload_hooks(&settings), []);
    assert!(!loaded.hooks.config().is_empty());
}
