//! Settings that change while the layers are in use, and what "always" leaves behind.

use crate::place::Place;
use pegboard::ports::{GateCall, HookEvent, HookRunner as _, PermissionGate as _, Verdict};
use pegboard::settings::{LiveSettings, load};
use pegboard::{Accesses, ContextSnapshot, Effects, Loaded, ToolContext, ToolDefinition};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

fn verdict(loaded: &Loaded, place: &Place, tool: &str, input: Value) -> Verdict {
    let ctx = ToolContext::new(Arc::new(ContextSnapshot::new(place.work(), "s")));
    let tool = ToolDefinition::new(tool, "Does.", json!({"type": "object"})).unwrap();
    let call = GateCall::new(&tool, &input, Effects::Destructive, &Accesses::Everything, &ctx);
    loaded.engine.decide_now(&call).verdict
}

fn bash(loaded: &Loaded, place: &Place, line: &str) -> Verdict {
    verdict(loaded, place, "Bash", json!({"command": line}))
}

fn hook(command: &str) -> Value {
    json!({"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]})
}

/// The layers, and the settings that follow their files.
fn live(place: &Place) -> (Loaded, LiveSettings) {
    let loaded = place.layers().unwrap();
    let live =
        LiveSettings::new(place.request.clone(), &loaded.settings).with_rule_check(loaded.rule_check());
    (loaded, live)
}

#[test]
fn changed_rules_and_hooks_hold_from_then_on() {
    let place = Place::new();
    place.user(&json!({"permissions": {"allow": ["Bash(make *)"]}}));
    let (loaded, mut live) = live(&place);
    assert_eq!(bash(&loaded, &place, "make all"), Verdict::Allow);
    assert!(!loaded.hooks.interested(HookEvent::PreToolUse, "Bash", &[]));
    let before = loaded.engine.generation();
    place.user(&json!({"permissions": {"deny": ["Bash(make *)"]}, "hooks": hook("exit 0")}));
    assert_eq!(loaded.reload(live.reload()), [""; 0]);
    assert_eq!(bash(&loaded, &place, "make all"), Verdict::Deny);
    assert!(loaded.hooks.interested(HookEvent::PreToolUse, "Bash", &[]));
    assert!(loaded.engine.generation() > before, "calls that wait are decided again");
}

#[test]
fn a_file_that_became_bad_loses_what_allows_and_keeps_its_hooks() {
    let place = Place::new();
    place.user(&json!({"permissions": {"allow": ["Bash(make *)"], "deny": ["Bash(curl *)"]}, "hooks": hook("exit 0")}));
    let (loaded, mut live) = live(&place);
    place.file("home/settings.json", "{");
    let problems = loaded.reload(live.reload());
    assert!(problems[0].contains("settings.json:1"), "{problems:?}");
    assert_eq!(bash(&loaded, &place, "make all"), Verdict::Ask);
    assert_eq!(bash(&loaded, &place, "curl x"), Verdict::Deny);
    assert!(loaded.hooks.interested(HookEvent::PreToolUse, "Bash", &[]));
}

#[test]
fn a_bad_entry_of_a_policy_leaves_its_last_good_state() {
    let good = json!({"permissions": {"deny": ["Bash(curl *)"]}, "hooks": hook("exit 0")});
    for bad in [
        json!({"permissions": {"deny": ["Bash(curl"]}}),
        json!({"permissions": {"deny": []}, "hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}}),
    ] {
        let place = Place::new();
        place.policy(&good);
        let (loaded, mut live) = live(&place);
        place.policy(&bad);
        let problems = loaded.reload(live.reload());
        assert!(!problems.is_empty(), "{bad}");
        assert!(loaded.hooks.interested(HookEvent::PreToolUse, "Bash", &[]), "{bad}");
    }
}

#[test]
fn switches_of_a_policy_hold_at_once() {
    let place = Place::new();
    place.user(&json!({"permissions": {"allow": ["Bash(make *)", "Read(//opt/**)"]}}));
    let (loaded, mut live) = live(&place);
    let read = |loaded: &Loaded| verdict(loaded, &place, "Read", json!({"file_path": "/opt/x"}));
    assert_eq!(read(&loaded), Verdict::Allow);
    place.policy(
        &json!({"permissions": {"blockReadsOutsideWorkingDirectories": true, "disableAutoMode": "disable"}}),
    );
    loaded.reload(live.reload());
    assert_eq!(read(&loaded), Verdict::Ask);
    assert!(loaded.engine.switches().auto_is_off);
    place.policy(&json!({"allowManagedPermissionRulesOnly": true}));
    loaded.reload(live.reload());
    assert_eq!(bash(&loaded, &place, "make all"), Verdict::Ask);
}

#[test]
fn a_watched_file_counts_as_soon_as_it_is_written() {
    let place = Place::new();
    let (loaded, _) = live(&place);
    let (send, received) = channel();
    let watcher =
        loaded.watch(place.request.clone(), move |problems| drop(send.send(problems.to_vec()))).unwrap();
    place.user(&json!({"permissions": {"deny": ["Bash(make *)"]}}));
    while bash(&loaded, &place, "make all") != Verdict::Deny {
        received.recv_timeout(Duration::from_secs(60)).unwrap();
    }
    drop(watcher);
    assert!(received.recv().is_err(), "nobody watches any more");
}

#[tokio::test]
async fn c_p_36_always_adds_what_needed_it_and_nothing_else_changes() {
    let place = Place::new();
    let before = "{\n    \"model\": \"x\",\n    \"permissions\": {\"deny\": [\"Bash(curl *)\"], \"allow\": [ ]},\n    \"z\": [1,  2]\n}\n";
    place.file("w/.pegboard/settings.local.json", before);
    let settings = load(&place.request).unwrap();
    pegboard::settings::TrustStore::new(place.request.locations.trust_file())
        .accept(&settings.trust)
        .unwrap();
    let (loaded, mut live) = live(&place);
    let bash = ToolDefinition::new("Bash", "Runs.", json!({"type": "object"})).unwrap();
    let mut context = ContextSnapshot::new(place.work(), "s");
    context.trusted = true;
    let ctx = ToolContext::new(Arc::new(context));
    let input = json!({"command": "git status && npm test"});
    let call = GateCall::new(&bash, &input, Effects::Destructive, &Accesses::Everything, &ctx);
    let asked = loaded.engine.decide(&call).await;
    let offers = loaded.engine.offers(&call, &asked).await;
    let rules: Vec<_> = offers.iter().map(|offer| offer.rules.join(" ")).collect();
    assert_eq!(rules, ["Bash(npm test)", "Bash(npm test *)"]);
    loaded.engine.remember(&offers[0], &ctx).await.unwrap();
    let after = fs::read_to_string(place.local_file()).unwrap();
    assert_eq!(after, before.replace("[ ]", "[\"Bash(npm test)\" ]"));
    // What was kept counts as trusted, and is found again.
    assert_eq!(loaded.reload(live.reload()), [""; 0]);
    assert_eq!(loaded.engine.decide(&call).await.verdict, Verdict::Allow);
    // Taken out of the file, it ends.
    place.file("w/.pegboard/settings.local.json", "{}");
    loaded.reload(live.reload());
    assert_eq!(loaded.engine.decide(&call).await.verdict, Verdict::Ask);
    // An edit is allowed for the session only: no file is written.
    let edit = ToolDefinition::new("Edit", "Edits.", json!({"type": "object"})).unwrap();
    let input = json!({"file_path": place.work().join("a"), "old_string": "a", "new_string": "b"});
    let accesses = Accesses::write_file(place.work().join("a"));
    let call = GateCall::new(&edit, &input, Effects::Writes, &accesses, &ctx);
    let asked = loaded.engine.decide(&call).await;
    for offer in loaded.engine.offers(&call, &asked).await {
        assert!(!offer.permanent, "{offer:?}");
        loaded.engine.remember(&offer, &ctx).await.unwrap();
    }
    assert_eq!(loaded.engine.decide(&call).await.verdict, Verdict::Allow);
    assert_eq!(fs::read_to_string(place.local_file()).unwrap(), "{}");
}
