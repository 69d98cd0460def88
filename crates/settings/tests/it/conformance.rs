//! The statements of the public documents on settings, C-P-33 to C-P-38 (C-P-36 is tested with the layers wired).

use pegboard_settings::BrokenFiles;
use pegboard_tool_core::{RuleEffect, SettingSource};
use serde_json::json;

use crate::world::{World, texts};

#[test]
fn c_p_33_lists_of_all_sources_pool_and_the_nearest_mode_counts() {
    let world = World::new();
    world.user(r#"{"permissions": {"allow": ["Bash(a)"], "defaultMode": "plan"}}"#);
    world.project(r#"{"permissions": {"allow": ["Bash(b)"], "defaultMode": "acceptEdits"}}"#);
    world.local(r#"{"permissions": {"allow": ["Bash(c)"]}}"#);
    let settings = world.trusted();
    assert_eq!(texts(&settings, RuleEffect::Allow), ["Bash(a)", "Bash(b)", "Bash(c)"]);
    assert_eq!(settings.default_mode.as_str(), "acceptEdits");
}

#[test]
fn c_p_34_a_broken_project_file_takes_nothing_from_the_user() {
    let mut world = World::new();
    world.user(r#"{"permissions": {"deny": ["U"]}}"#).project(r#"{"permissions": {"allow": ["A"],}}"#);
    assert!(world.try_load().is_err());
    world.request.broken_files = BrokenFiles::Skip;
    assert_eq!(texts(&world.load(), RuleEffect::Deny), ["U"]);
    // What is text stays in the list; that `Bash(` is no rule is found by whoever compiles rules.
    world.project(r#"{"permissions": {"deny": ["Bash(", 5, "Read"]}}"#);
    let settings = world.load();
    assert_eq!(texts(&settings, RuleEffect::Deny), ["U", "Bash(", "Read"]);
    assert_eq!(settings.problems.len(), 1);
}

#[test]
fn c_p_35_an_untrusted_folder_only_restricts_and_that_is_said() {
    let world = World::new();
    world.project(r#"{"permissions": {"allow": ["Bash(npm test)"], "deny": ["Bash(curl *)"]}}"#);
    let settings = world.load();
    assert_eq!(texts(&settings, RuleEffect::Allow), [""; 0]);
    assert_eq!(texts(&settings, RuleEffect::Deny), ["Bash(curl *)"]);
    assert!(settings.notices.iter().any(|notice| notice.to_string().contains("is not trusted")));
}

#[test]
fn c_p_37_auto_in_a_project_leads_to_the_built_in_mode() {
    let world = World::new();
    world.user(r#"{"permissions": {"defaultMode": "plan"}}"#);
    world.project(r#"{"permissions": {"defaultMode": "auto"}}"#);
    assert_eq!(world.trusted().default_mode.as_str(), "default");
    let world = World::new();
    world.user(r#"{"permissions": {"defaultMode": "plan"}}"#);
    world.local(r#"{"permissions": {"defaultMode": "bypassPermissions"}}"#);
    assert_eq!(world.trusted().default_mode.as_str(), "default");
}

#[test]
fn c_p_38_a_policy_lock_leaves_only_rules_of_the_policy_and_saves_nothing() {
    let world = World::new();
    world.policy(
        &json!({"allowManagedPermissionRulesOnly": true, "permissions": {"allow": ["Read"]}}).to_string(),
    );
    world.user(r#"{"permissions": {"deny": ["Bash(y)"]}}"#);
    world.project(r#"{"permissions": {"allow": ["Bash(x)"]}}"#);
    let settings = world.trusted();
    let rules: Vec<&str> = settings.rules.iter().map(|rule| &*rule.text).collect();
    assert_eq!(rules, ["Read"]);
    let refused = settings.append_rule(SettingSource::Local, RuleEffect::Allow, "Bash(z)");
    assert!(refused.is_err() && !world.path("w/.pegboard/settings.local.json").exists());
}

#[test]
fn keys_of_a_policy_count_nowhere_else() {
    let switches = json!({"allowManagedPermissionRulesOnly": true, "allowManagedHooksOnly": true,
        "allowManagedMcpServersOnly": true, "strictPluginOnlyCustomization": true, "permissions": {"deny": ["U"]}});
    let world = World::new();
    world.user(&switches.to_string());
    let settings = world.load();
    assert_eq!(texts(&settings, RuleEffect::Deny), ["U"]);
    let none = (&settings.only_policy_rules, &settings.only_policy_hooks, &settings.only_policy_servers);
    assert_eq!(none, (&None, &None, &None));
    // They are told as keys without effect.
    assert_eq!(settings.layers.iter().flat_map(|layer| layer.unused_keys()).count(), 4);
    world.policy(&switches.to_string());
    let settings = world.load();
    assert!(settings.only_policy_rules.is_some() && settings.only_policy_hooks.is_some());
    assert!(settings.only_policy_servers.is_some());
}

#[test]
fn drop_ins_are_read_in_the_order_of_their_names() {
    let world = World::new();
    let mode = |mode: &str| json!({"permissions": {"defaultMode": mode, "deny": [mode]}}).to_string();
    world.policy(&mode("plan"));
    for (name, text) in [
        ("20-b.json", mode("dontAsk")),
        ("10-a.json", mode("acceptEdits")),
        (".30-hidden.json", "no JSON".to_owned()),
        ("40.txt", "no JSON".to_owned()),
        ("50.json.bak", "no JSON".to_owned()),
    ] {
        world.file(&format!("etc/pegboard/managed-settings.d/{name}"), &text);
    }
    let settings = world.load();
    assert_eq!(settings.default_mode.as_str(), "dontAsk");
    assert_eq!(texts(&settings, RuleEffect::Deny), ["plan", "acceptEdits", "dontAsk"]);
}
