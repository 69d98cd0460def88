//! Trust by content: what an untrusted project contributes, what a change means, and the store.

use std::fs;

use pegboard_settings::{Standing, TrustError};
use pegboard_tool_core::{RuleEffect, SettingSource};
use serde_json::json;

use crate::world::{World, texts};

fn everything() -> String {
    json!({"permissions": {"allow": ["Bash(npm test)"], "ask": ["Bash(git push *)"], "deny": ["Bash(curl *)"],
        "additionalDirectories": ["../d"], "defaultMode": "acceptEdits", "disableBypassPermissionsMode": "disable"},
        "hooks": {"Stop": []}, "mcpServers": {"git": {"command": "x"}}, "env": {"A": "1"}})
    .to_string()
}

#[test]
fn an_untrusted_project_contributes_deny_and_ask_rules_only() {
    let world = World::new();
    world.project(&everything()).local(&everything());
    let settings = world.load();
    assert_eq!(texts(&settings, RuleEffect::Allow), [""; 0]);
    assert_eq!(texts(&settings, RuleEffect::Deny), ["Bash(curl *)", "Bash(curl *)"]);
    assert_eq!(texts(&settings, RuleEffect::Ask).len(), 2);
    assert!(
        settings.hooks.is_empty() && settings.directories.is_empty() && settings.bypass_disabled.is_none()
    );
    assert_eq!(
        (settings.merged.to_string().as_str(), settings.default_mode.as_str()),
        ("{\"permissions\":{}}", "default")
    );
    insta::assert_snapshot!(
        world.plain(&settings.notices[0].to_string()),
        @"/w: is not trusted; 12 entries beyond deny and ask rules are not used; look at them with `pegboard trust`"
    );

    let settings = world.trusted();
    assert_eq!(texts(&settings, RuleEffect::Allow).len(), 2);
    assert_eq!(
        (settings.hooks.len(), settings.directories.len(), settings.default_mode.as_str()),
        (2, 2, "acceptEdits")
    );
    assert_eq!(settings.value("mcpServers.git.command"), Some(&json!("x")));
    assert!(settings.notices.is_empty() && settings.trust.is_trusted());
}

#[test]
fn a_project_that_only_restricts_needs_no_trust() {
    let world = World::new();
    world.project(&json!({"$schema": "s", "permissions": {"deny": ["A"], "ask": ["B"]}}).to_string());
    let settings = world.load();
    assert!(settings.trust.is_trusted() && !settings.trust.is_needed() && settings.notices.is_empty());
    assert!(!world.request.locations.trust_file().exists());
}

#[test]
fn each_change_but_one_of_deny_or_ask_rules_ends_trust() {
    let world = World::new();
    world.project(&everything());
    world.trusted();
    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value: serde_json::Value = serde_json::from_str(&everything()).unwrap();
        change(&mut value);
        world.project(&value.to_string());
        !world.load().trust.is_trusted()
    };
    assert!(!changed(&|_| {}));
    assert!(!changed(&|value| value["permissions"]["deny"] = json!(["other"])));
    assert!(!changed(&|value| value["permissions"]["ask"] = json!([])));
    assert!(changed(&|value| value["permissions"]["allow"] = json!(["Bash(npm test)", "Bash"])));
    assert!(changed(&|value| value["permissions"]["allow"] = json!([])));
    assert!(changed(&|value| value["permissions"]["additionalDirectories"] = json!(["/"])));
    assert!(changed(&|value| value["permissions"]["defaultMode"] = json!("dontAsk")));
    assert!(changed(&|value| value["hooks"]["Stop"] = json!([{"hooks": []}])));
    assert!(changed(&|value| value["mcpServers"]["git"]["command"] = json!("evil")));
    assert!(changed(&|value| value["env"]["PATH"] = json!("/evil")));
    assert!(changed(&|value| value["unknown"] = json!(true)));
    assert!(!changed(&|_| {}));
    world.file("w/.mcp.json", &json!({"mcpServers": {"x": {"command": "evil"}}}).to_string());
    assert!(!world.load().trust.is_trusted());
}

#[test]
fn what_changed_is_shown() {
    let world = World::new();
    world.project(&json!({"permissions": {"allow": ["A", "B"]}}).to_string());
    world.trusted();
    world.project(&json!({"permissions": {"allow": ["B", "C"]}}).to_string());
    let settings = world.load();
    let Standing::Changed { added, removed } = &settings.trust.files[0].standing else {
        panic!("not changed: {:?}", settings.trust);
    };
    assert_eq!(
        (added[0].text.as_str(), removed[0].text.as_str()),
        ("allow rule: \"C\"", "allow rule: \"A\"")
    );
    assert_eq!((added.len(), removed.len()), (1, 1));
    insta::assert_snapshot!(
        world.plain(&settings.notices[0].to_string()),
        @"/w: its settings changed since you accepted them; 2 entries beyond deny and ask rules are not used; look at them with `pegboard trust`"
    );
}

#[test]
fn accepting_means_what_was_shown_not_what_came_since() {
    let world = World::new();
    world.project(&json!({"permissions": {"allow": ["A"]}}).to_string());
    let shown = world.load().trust;
    world.project(&json!({"permissions": {"allow": ["A", "Evil"]}}).to_string());
    world.store().accept(&shown).unwrap();
    assert!(!world.load().trust.is_trusted());
}

#[test]
fn trust_of_one_project_is_not_trust_of_a_copy() {
    let mut world = World::new();
    world.project(&everything()).file("w2/.pegboard/settings.json", &everything());
    world.trusted();
    world.request.locations.working_directory = world.path("w2");
    assert!(!world.load().trust.is_trusted());
}

#[test]
fn a_folder_of_a_repository_shares_the_trust_of_the_local_file_only() {
    let mut world = World::new();
    fs::create_dir_all(world.path("w/.git")).unwrap();
    world.local(&json!({"permissions": {"allow": ["L"]}}).to_string());
    world.file("w/sub/.pegboard/settings.json", "{}");
    world.trusted();
    world.request.locations.working_directory = world.path("w/sub");
    assert_eq!(texts(&world.load(), RuleEffect::Allow), ["L"]);
    world.file("w/sub/.pegboard/settings.json", &json!({"permissions": {"allow": ["Evil"]}}).to_string());
    assert_eq!(texts(&world.load(), RuleEffect::Allow), [""; 0]);
}

#[test]
fn revoking_and_listing() {
    let world = World::new();
    world.project(&everything());
    world.trusted();
    let listed = world.store().list().unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (world.plain(&listed[0].0).as_str(), world.plain(listed[0].1.folder()).as_str()),
        ("/w/.pegboard/settings.json", "/w")
    );
    assert_eq!(world.store().revoke(&world.path("other")).unwrap(), 0);
    assert_eq!(world.store().revoke(&world.path("w")).unwrap(), 1);
    assert!(!world.load().trust.is_trusted());
    assert!(world.store().list().unwrap().is_empty());
}

#[test]
fn a_store_that_cannot_be_relied_on_trusts_nothing() {
    let world = World::new();
    let file = world.request.locations.trust_file();
    world.project(&everything());
    world.trusted();
    let good = fs::read_to_string(&file).unwrap();
    let forged = good.replace("Bash(npm test)", "Bash").replacen("\"digest\": \"", "\"digest\": \"0", 1);
    for bad in ["", "[]", "{", &good.replace("\"version\": 1", "\"version\": 2"), &forged] {
        fs::write(&file, bad).unwrap();
        let settings = world.load();
        assert!(!settings.trust.is_trusted(), "{bad}");
        assert_eq!(settings.problems.len(), 1, "{bad}");
        assert!(matches!(world.store().accept(&settings.trust), Err(TrustError::Damaged { .. })));
    }
    fs::write(&file, &good).unwrap();
    assert!(world.load().trust.is_trusted());
}

#[cfg(unix)]
#[test]
fn the_store_is_private_and_no_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let world = World::new();
    let file = world.request.locations.trust_file();
    world.project(&everything());
    world.trusted();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let settings = world.load();
    assert!(!settings.trust.is_trusted());
    assert!(settings.problems[0].to_string().contains("others may write to it"), "{}", settings.problems[0]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(file.parent().unwrap(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(!world.load().trust.is_trusted());
    fs::set_permissions(file.parent().unwrap(), fs::Permissions::from_mode(0o700)).unwrap();
    assert!(world.load().trust.is_trusted());
    let moved = world.path("moved.json");
    fs::rename(&file, &moved).unwrap();
    symlink(&moved, &file).unwrap();
    assert!(!world.load().trust.is_trusted());
}

#[test]
fn untrusted_settings_cannot_choose_the_mode_of_the_user() {
    let world = World::new();
    world.user(&json!({"permissions": {"defaultMode": "plan"}}).to_string());
    world.project(&json!({"permissions": {"defaultMode": "auto"}}).to_string());
    let settings = world.load();
    assert_eq!((settings.default_mode.as_str(), settings.mode_origin.source), ("plan", SettingSource::User));
}
