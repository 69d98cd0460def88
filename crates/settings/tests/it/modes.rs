//! The starting mode: who may choose which, and what switches one off.

use pegboard_tool_core::SettingSource;
use serde_json::json;

use crate::world::World;

#[test]
fn the_starting_mode() {
    let rows = [
        // user, project, command line, expected
        (None, None, None, "default"),
        (Some("plan"), None, None, "plan"),
        (Some("plan"), Some("acceptEdits"), None, "acceptEdits"),
        (Some("plan"), Some("acceptEdits"), Some("dontAsk"), "dontAsk"),
        (Some("manual"), None, None, "default"),
        (Some("auto"), None, None, "auto"),
        (Some("bypassPermissions"), None, None, "bypassPermissions"),
        // Ignored in a project, and then nobody's choice counts.
        (Some("plan"), Some("auto"), None, "default"),
        (Some("plan"), Some("bypassPermissions"), None, "default"),
        (Some("bypassPermissions"), Some("bypassPermissions"), None, "default"),
        (Some("plan"), Some("auto"), Some("plan"), "plan"),
        // A word that is no mode counts as not set.
        (Some("plan"), Some("Auto"), None, "plan"),
    ];
    for (user, project, command_line, expected) in rows {
        let mut world = World::new();
        let file = |mode: Option<&str>| {
            mode.map_or_else(|| json!({}), |mode| json!({"permissions": {"defaultMode": mode}}))
        };
        world.user(&file(user).to_string()).project(&file(project).to_string());
        world.request.command_line.mode = command_line.map(|mode| mode.parse().unwrap());
        let mode = world.trusted().default_mode;
        assert_eq!(
            mode.as_str(),
            expected,
            "user {user:?} project {project:?} command line {command_line:?}"
        );
    }
}

#[test]
fn a_mode_of_a_project_that_is_ignored_is_said() {
    let world = World::new();
    world.local("{\n\"permissions\": {\n\"defaultMode\": \"bypassPermissions\"}}");
    let settings = world.trusted();
    assert_eq!(settings.mode_origin.source, SettingSource::Builtin);
    insta::assert_snapshot!(
        world.plain(&settings.notices[0].to_string()),
        @"/w/.pegboard/settings.local.json:3: `defaultMode` `bypassPermissions` is ignored in a project; the mode is `default`"
    );
}

#[test]
fn any_source_can_switch_a_mode_off() {
    let locks = [
        ("bypassPermissions", json!({"permissions": {"disableBypassPermissionsMode": "disable"}})),
        ("auto", json!({"permissions": {"disableAutoMode": "disable"}})),
        ("auto", json!({"disableAutoMode": "disable"})),
    ];
    for (mode, lock) in locks {
        let lock = lock.to_string();
        for source in ["user", "project", "local", "policy"] {
            let mut world = World::new();
            match source {
                "user" => world.user(&lock),
                "project" => world.project(&lock),
                "local" => world.local(&lock),
                _ => world.policy(&lock),
            };
            world.request.command_line.mode = Some(mode.parse().unwrap());
            let settings = world.trusted();
            assert_eq!(settings.default_mode.as_str(), "default", "{mode} locked by {source}");
            let refused = settings.refused_mode.unwrap();
            assert_eq!(refused.asked_by.source, SettingSource::Cli);
            assert_eq!(refused.disabled_by.source.as_str(), source);
            world.request.command_line.mode = Some("plan".parse().unwrap());
            assert_eq!(world.load().default_mode.as_str(), "plan");
        }
    }
}

#[test]
fn reads_outside_can_be_made_to_ask() {
    let world = World::new();
    assert!(!world.load().block_reads_outside);
    world.user(&json!({"permissions": {"blockReadsOutsideWorkingDirectories": true}}).to_string());
    assert!(world.load().block_reads_outside);
}
