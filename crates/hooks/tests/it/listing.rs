//! What would run for an event, and why the rest would not.

use crate::support::Place;
use pegboard_hooks::{HookConfig, HookOptions, HookSource, HookWatcher, Hooks};
use pegboard_tool_core::ports::{HookCall, HookRunner as _};
use pegboard_tool_core::{Origin, SettingSource, ToolName};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

fn config() -> HookConfig {
    let user = json!({
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "check.sh", "timeout": 5}]},
            {"matcher": "Task", "hooks": [{"type": "command", "command": "agents.sh", "onFailure": "block"}]},
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "stop.sh", "async": true}]}],
    });
    let project = json!({
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check.sh", "timeout": 5}]}],
    });
    let untrusted = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "evil.sh"}]}]});
    let file = |name: &str| Some(Arc::from(Path::new(name)));
    let lines = BTreeMap::from([("PreToolUse.0.hooks.0".to_owned(), 12)]);
    let sources = vec![
        HookSource::new(Origin::new(SettingSource::User, file("/u/settings.json"), Some(3)), user)
            .with_lines(lines),
        HookSource::new(Origin::new(SettingSource::Project, file("/w/settings.json"), Some(1)), project),
        HookSource::new(Origin::new(SettingSource::Local, file("/w/local.json"), Some(1)), untrusted)
            .with_off("the folder is not trusted"),
    ];
    let (config, problems) = HookConfig::from_sources(sources, &HookOptions::new());
    assert_eq!(problems, []);
    config
}

fn lines(event: Option<&str>, tool: Option<(&str, &[ToolName])>) -> String {
    let place = Place::new();
    let (input, ctx) = (json!({"command": "ls"}), place.ctx());
    let call = tool.map(|(tool, aliases)| HookCall::new(tool, aliases, "t", &input, &ctx));
    let listed = config().list(event, call.as_ref(), &ctx);
    let line = |one: &pegboard_hooks::Listed| {
        let why = one.off.as_deref().map(|why| format!(" -- {why}")).unwrap_or_default();
        format!("{} {}{why}", one.event, one.label)
    };
    listed.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn everything_is_listed_with_its_place_and_what_does_not_run_says_why() {
    insta::assert_snapshot!(lines(None, None), @r"
    PreToolUse check.sh (user /u/settings.json:12)
    PreToolUse agents.sh (user /u/settings.json:3)
    PreToolUse check.sh (project /w/settings.json:1)
    PreToolUse evil.sh (local /w/local.json:1) -- the folder is not trusted
    Stop stop.sh (user /u/settings.json:3)
    ");
    insta::assert_snapshot!(lines(Some("PreToolUse"), Some(("Bash", &[]))), @r"
    PreToolUse check.sh (user /u/settings.json:12) -- a later copy of it runs instead
    PreToolUse agents.sh (user /u/settings.json:3) -- its matcher does not fit `Bash`
    PreToolUse check.sh (project /w/settings.json:1)
    PreToolUse evil.sh (local /w/local.json:1) -- the folder is not trusted
    ");
    let alias = [ToolName::new("Task").unwrap()];
    insta::assert_snapshot!(lines(Some("PreToolUse"), Some(("Agent", &alias))), @r"
    PreToolUse check.sh (user /u/settings.json:12) -- its matcher does not fit `Agent`
    PreToolUse agents.sh (user /u/settings.json:3)
    PreToolUse check.sh (project /w/settings.json:1) -- its matcher does not fit `Agent`
    PreToolUse evil.sh (local /w/local.json:1) -- the folder is not trusted
    ");
}

#[derive(Debug, Default)]
struct Watcher(Mutex<Vec<String>>);

impl HookWatcher for Watcher {
    fn started(&self, event: &str, _handler: &str, message: &str) {
        self.0.lock().unwrap().push(format!("{event}: {message}"));
    }

    fn ended(&self, event: &str, _handler: &str) {
        self.0.lock().unwrap().push(format!("{event}: ended"));
    }
}

#[tokio::test]
async fn a_status_message_is_heard_while_its_handler_runs() {
    let place = Place::new();
    let handler = json!({"type": "command", "command": "exit 0", "statusMessage": "Checking..."});
    let layers = vec![(Origin::of(SettingSource::User), json!({"PreToolUse": [{"hooks": [handler]}]}))];
    let (config, _) = HookConfig::from_layers(layers, &HookOptions::new());
    let watcher = Arc::new(Watcher::default());
    let hooks = Hooks::new(config).with_watcher(Arc::clone(&watcher) as Arc<dyn HookWatcher>);
    let (input, ctx) = (json!({}), place.ctx());
    hooks.pre(&HookCall::new("Bash", &[], "t", &input, &ctx)).await;
    assert_eq!(*watcher.0.lock().unwrap(), ["PreToolUse: Checking...", "PreToolUse: ended"]);
}
