//! Settings of `.claude` folders, read in addition.

use pegboard_settings::{Compat, FileOutcome};
use pegboard_tool_core::{RuleEffect, SettingSource};
use serde_json::json;

use crate::world::{World, texts};

fn deny(rule: &str) -> String {
    json!({"permissions": {"deny": [rule]}}).to_string()
}

/// Both kinds of file for every source.
fn both() -> World {
    let world = World::new();
    world.user(&deny("u")).policy(&deny("y"));
    world.file("home/.claude/settings.json", &deny("cu"));
    world.file("etc/claude-code/managed-settings.json", &deny("cy"));
    world.file("etc/claude-code/managed-settings.d/1.json", &deny("cy1"));
    world.file("w/.claude/settings.json", &deny("cp"));
    world.file("w/.claude/settings.local.json", &deny("cl"));
    world
}

#[test]
fn a_project_that_has_only_a_claude_folder_is_read_and_that_is_said() {
    let world = both();
    let settings = world.load();
    assert_eq!(texts(&settings, RuleEffect::Deny), ["cu", "u", "cp", "cl", "cy", "cy1", "y"]);
    insta::assert_snapshot!(
        world.plain(&settings.notices[0].to_string()),
        @"/w: has `.claude/` and no `.pegboard/`; its `.claude` settings, and yours, are read too"
    );
}

#[test]
fn a_pegboard_folder_or_the_callers_word_decides() {
    let mut world = both();
    world.request.compat = Compat::Off;
    assert_eq!(texts(&world.load(), RuleEffect::Deny), ["u", "y"]);
    world.request.compat = Compat::Auto;
    world.project(&deny("p"));
    let settings = world.load();
    assert_eq!(texts(&settings, RuleEffect::Deny), ["u", "p", "y"]);
    assert!(settings.notices.is_empty());
    world.request.compat = Compat::Claude;
    let settings = world.load();
    assert_eq!(texts(&settings, RuleEffect::Deny), ["cu", "u", "cp", "p", "cl", "cy", "cy1", "y"]);
    assert!(settings.notices.is_empty());
}

#[test]
fn in_one_source_our_file_wins() {
    let mut world = World::new();
    world.request.compat = Compat::Claude;
    world.file("w/.claude/settings.json", &json!({"model": "theirs", "x": 1}).to_string());
    world.project(&json!({"model": "ours"}).to_string());
    let settings = world.trusted();
    assert_eq!((settings.value("model"), settings.value("x")), (Some(&json!("ours")), Some(&json!(1))));
}

#[test]
fn in_the_home_directory_the_users_own_file_is_no_project_file() {
    let mut world = World::new();
    world.file("home/.claude/settings.json", &json!({"permissions": {"allow": ["A"]}}).to_string());
    world.request.locations.working_directory = world.path("home");
    let settings = world.load();
    assert_eq!(texts(&settings, RuleEffect::Allow), ["A"]);
    assert_eq!(settings.rules[0].origin.source, SettingSource::User);
    assert!(settings.files.iter().any(|file| file.outcome == FileOutcome::Repeated));
}

#[test]
fn a_saved_rule_does_not_hide_the_claude_folder() {
    let world = both();
    let written =
        world.trusted().append_rule(SettingSource::Local, RuleEffect::Allow, "Bash(npm test)").unwrap();
    assert_eq!(written.file, world.path("w/.claude/settings.local.json"));
    let settings = world.load();
    assert_eq!(texts(&settings, RuleEffect::Allow), ["Bash(npm test)"]);
    assert!(texts(&settings, RuleEffect::Deny).contains(&"cp"));
}
