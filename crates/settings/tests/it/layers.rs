//! Sources, their order, their anchors, and how they merge.

use std::fs;

use pegboard_settings::{FileOutcome, FlagSettings, SettingSources};
use pegboard_tool_core::{RuleEffect, SettingSource, SourceOrder};
use serde_json::{Value, json};

use crate::world::{World, shown, texts};

#[test]
fn every_rule_has_source_file_line_and_anchor() {
    let mut world = World::new();
    world.user("{\"permissions\": {\n\"deny\": [\"U\"]}}");
    world.project("{\"permissions\": {\"allow\": [\n\"P1\",\n\n\"P2\"]}}");
    world.local("{\"permissions\": {\"ask\": [\"L\"]}}");
    world.policy("{\"permissions\": {\"deny\": [\"Y\"]}}");
    world.file("etc/pegboard/managed-settings.d/20-b.json", "{\"permissions\": {\"deny\": [\"Y2\"]}}");
    world.file("etc/pegboard/managed-settings.d/10-a.json", "{\"permissions\": {\"deny\": [\"Y1\"]}}");
    world.file("etc/pegboard/managed-settings.d/.hidden.json", "garbage");
    world.file("etc/pegboard/managed-settings.d/readme.txt", "garbage");
    world.file("elsewhere/extra.json", "{\"permissions\": {\"allow\": [\"F\"]}}");
    world.request.flags = vec![
        FlagSettings::File("../elsewhere/extra.json".into()),
        FlagSettings::Json("{\"permissions\": {\"ask\": [\"J\"]}}".into()),
    ];
    world.request.command_line.allow = vec!["C".into()];
    world.request.command_line.deny = vec!["D".into()];
    let settings = world.trusted();
    insta::assert_snapshot!(shown(&settings.rules, &world.base), @r"
    user home/.config/pegboard/settings.json:2 deny U @home/.config/pegboard
    project w/.pegboard/settings.json:2 allow P1 @w
    project w/.pegboard/settings.json:4 allow P2 @w
    local w/.pegboard/settings.local.json:1 ask L @w
    flag elsewhere/extra.json:1 allow F @elsewhere
    flag -:1 ask J @w
    cli -:- allow C @w
    cli -:- deny D @w
    policy etc/pegboard/managed-settings.json:1 deny Y @etc/pegboard
    policy etc/pegboard/managed-settings.d/10-a.json:1 deny Y1 @etc/pegboard/managed-settings.d
    policy etc/pegboard/managed-settings.d/20-b.json:1 deny Y2 @etc/pegboard/managed-settings.d
    ");
    assert!(settings.problems.is_empty() && settings.notices.is_empty());
}

#[test]
fn local_settings_stand_at_the_repository_root_and_are_anchored_where_the_run_starts() {
    let mut world = World::new();
    fs::create_dir_all(world.path("w/.git")).unwrap();
    fs::create_dir_all(world.path("w/sub")).unwrap();
    world
        .local("{\"permissions\": {\"deny\": [\"L\"]}}")
        .project("{\"permissions\": {\"deny\": [\"not read\"]}}");
    world.file("w/sub/.pegboard/settings.json", "{\"permissions\": {\"deny\": [\"P\"]}}");
    world.file("w/sub/.pegboard/settings.local.json", "{\"permissions\": {\"deny\": [\"not read\"]}}");
    world.request.locations.working_directory = world.path("w/sub");
    insta::assert_snapshot!(shown(&world.load().rules, &world.base), @r"
    project w/sub/.pegboard/settings.json:1 deny P @w/sub
    local w/.pegboard/settings.local.json:1 deny L @w/sub
    ");
}

#[test]
fn the_home_directory_is_no_repository_root() {
    let mut world = World::new();
    fs::create_dir_all(world.path("home/.git")).unwrap();
    world.file("home/a/.pegboard/settings.local.json", "{\"permissions\": {\"deny\": [\"L\"]}}");
    world.file("home/.pegboard/settings.local.json", "{\"permissions\": {\"deny\": [\"not read\"]}}");
    world.request.locations.working_directory = world.path("home/a");
    assert_eq!(texts(&world.load(), RuleEffect::Deny), ["L"]);
}

#[test]
fn setting_sources_select_what_is_read() {
    let mut world = World::new();
    let deny = |rule: &str| json!({"permissions": {"deny": [rule]}}).to_string();
    world.user(&deny("U")).project(&deny("P")).local(&deny("L")).policy(&deny("Y"));
    for (list, expected) in [("", "Y"), ("user", "U Y"), ("project", "P Y"), ("local,user", "U L Y")] {
        world.request.sources = list.parse().unwrap();
        assert_eq!(texts(&world.load(), RuleEffect::Deny).join(" "), expected, "sources {list:?}");
    }
    // A source that is not read cannot be broken either.
    world.project("garbage");
    world.request.sources = SettingSources::none();
    assert!(world.try_load().is_ok());
}

#[test]
fn lists_pool_objects_merge_and_scalars_come_from_the_highest_source() {
    let world = World::new();
    world.user(
        &json!({"model": "u", "env": {"A": "u", "B": "u"}, "list": [1, 2], "availableModels": ["u"],
        "permissions": {"allow": ["a"], "additionalDirectories": ["~/d", "/abs"]}})
        .to_string(),
    );
    world.project(
        &json!({"model": "p", "env": {"B": "p"}, "list": [2, 3], "availableModels": ["p"], "permissions": {"allow": ["b"],
        "additionalDirectories": ["../docs"]}, "scheduler": {"bashFailureCancelsSiblings": false}})
        .to_string(),
    );
    world.local(&json!({"permissions": {"allow": ["c"]}, "env": {"C": "l"}}).to_string());
    let settings = world.trusted();
    assert_eq!(texts(&settings, RuleEffect::Allow), ["a", "b", "c"]);
    let expected = json!({"model": "p", "env": {"A": "u", "B": "p", "C": "l"}, "list": [1, 2, 3], "availableModels": ["p"]});
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(settings.value(key), Some(value), "{key}");
    }
    assert_eq!(settings.value("scheduler.bashFailureCancelsSiblings"), Some(&Value::Bool(false)));
    assert_eq!(settings.value("permissions.allow"), None);
    let directories = settings.directory_paths();
    assert_eq!(directories, [world.path("home/d"), "/abs".into(), world.path("w/../docs")]);
}

#[test]
fn policy_beats_the_command_line_unless_the_other_order_is_chosen() {
    let mut world = World::new();
    world.policy(&json!({"permissions": {"defaultMode": "plan"}}).to_string());
    world.request.command_line.mode = Some("dontAsk".parse().unwrap());
    let settings = world.load();
    assert_eq!(
        (settings.default_mode.as_str(), settings.mode_origin.source),
        ("plan", SettingSource::Policy)
    );
    assert_eq!(settings.mode_origin.line, Some(1));
    world.request.order = SourceOrder::documented();
    let settings = world.load();
    assert_eq!(
        (settings.default_mode.as_str(), settings.mode_origin.source),
        ("dontAsk", SettingSource::Cli)
    );
}

#[test]
fn all_hooks_add_up_in_configuration_order_with_their_lines() {
    let world = World::new();
    let hooks = |name: &str| {
        format!("{{\"hooks\": {{\n\"Stop\": [\n{{\"hooks\": [\n{{\"command\": \"{name}\"}}]}}]}}}}")
    };
    world.policy(&hooks("y")).local(&hooks("l")).project(&hooks("p")).user(&hooks("u"));
    let settings = world.trusted();
    let order: Vec<_> = settings.hooks.iter().map(|layer| layer.origin.source.as_str()).collect();
    assert_eq!(order, ["user", "project", "local", "policy"]);
    let layer = &settings.hooks[0];
    assert_eq!(layer.hooks["Stop"][0]["hooks"][0]["command"], "u");
    assert_eq!(layer.origin_of("Stop", 0, None).line, Some(3));
    assert_eq!(layer.origin_of("Stop", 0, Some(0)).line, Some(4));
}

#[test]
fn switches_for_hooks() {
    let hook = json!({"Stop": []});
    let off = json!({"disableAllHooks": true, "hooks": hook}).to_string();
    let on = json!({"disableAllHooks": false, "hooks": hook}).to_string();
    let plain = json!({"hooks": hook}).to_string();
    let only_policy = json!({"allowManagedHooksOnly": true, "hooks": hook}).to_string();
    for (user, project, policy, expected) in [
        (&plain, &plain, &plain, "user project policy"),
        (&off, &plain, &plain, "policy"),
        (&off, &on, &plain, "user project policy"),
        (&plain, &plain, &off, ""),
        (&off, &plain, &on, "user project policy"),
        (&plain, &plain, &only_policy, "policy"),
        (&only_policy, &only_policy, &plain, "user project policy"),
    ] {
        let world = World::new();
        world.user(user).project(project).policy(policy);
        let settings = world.trusted();
        let left: Vec<_> = settings.hooks.iter().map(|layer| layer.origin.source.as_str()).collect();
        assert_eq!(left.join(" "), expected, "user {user} project {project} policy {policy}");
    }
}

#[test]
fn a_policy_can_let_only_its_own_rules_count() {
    let mut world = World::new();
    let lock =
        json!({"allowManagedPermissionRulesOnly": true, "permissions": {"allow": ["Read"]}}).to_string();
    world.user(&json!({"permissions": {"deny": ["Bash(y)"]}}).to_string());
    world.project(&json!({"permissions": {"allow": ["Bash(x)"]}}).to_string());
    world.request.command_line.allow = vec!["Write".into()];
    world.request.command_line.deny = vec!["WebFetch".into()];
    world.policy(&lock);
    let settings = world.trusted();
    assert_eq!(
        (texts(&settings, RuleEffect::Allow), texts(&settings, RuleEffect::Deny)),
        (vec!["Read"], vec!["WebFetch"])
    );
    assert!(settings.only_policy_rules.is_some());
    insta::assert_snapshot!(
        world.plain(&settings.notices[0].to_string()),
        @"/etc/pegboard/managed-settings.json:1: only rules of the policy count; left out: 3"
    );
    // Nobody else can ask for it.
    world.policy("{}").user(&lock);
    assert_eq!(texts(&world.load(), RuleEffect::Allow), ["Read", "Bash(x)", "Write"]);
}

#[test]
fn what_was_looked_for_is_told() {
    let world = World::new();
    world.project("{}");
    let files = world.load().files;
    let seen: Vec<_> = files
        .iter()
        .map(|file| {
            (
                file.source.as_str(),
                world.plain(file.path.to_str().unwrap()),
                file.outcome == FileOutcome::Read,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("user", "/home/.config/pegboard/settings.json".to_owned(), false),
            ("project", "/w/.pegboard/settings.json".to_owned(), true),
            ("local", "/w/.pegboard/settings.local.json".to_owned(), false),
            ("policy", "/etc/pegboard/managed-settings.json".to_owned(), false),
        ]
    );
}
