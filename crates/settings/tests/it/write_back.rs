//! Saving a rule: what it changes, what it refuses, and what survives many writers at once.

use std::fs;
use std::sync::Barrier;

use pegboard_settings::{WriteError, append_to_file};
use pegboard_tool_core::{RuleEffect, SettingSource};
use serde_json::json;

use crate::world::{World, texts};

#[test]
fn a_saved_rule_holds_at_the_next_load_and_creates_what_is_missing() {
    let world = World::new();
    let settings = world.load();
    for rule in ["Bash(npm test)", "Bash(echo \"a\\b\")"] {
        assert!(settings.append_rule(SettingSource::Local, RuleEffect::Allow, rule).unwrap().changed);
        assert!(!world.load().append_rule(SettingSource::Local, RuleEffect::Allow, rule).unwrap().changed);
    }
    let again = world.load();
    assert_eq!(texts(&again, RuleEffect::Allow), ["Bash(npm test)", "Bash(echo \"a\\b\")"]);
    assert!(again.trust.is_trusted());
    insta::assert_snapshot!(fs::read_to_string(world.path("w/.pegboard/settings.local.json")).unwrap(), @r#"
    {
      "permissions": {
        "allow": ["Bash(npm test)", "Bash(echo \"a\\b\")"]
      }
    }
    "#);
    let left: Vec<_> = fs::read_dir(world.path("w/.pegboard")).unwrap().collect();
    assert_eq!(left.len(), 1, "only the file itself");
}

#[test]
fn user_and_project_files_take_rules_too() {
    let world = World::new();
    world.project(&json!({"model": "m"}).to_string());
    let settings = world.trusted();
    settings.append_rule(SettingSource::User, RuleEffect::Deny, "U").unwrap();
    settings.append_rule(SettingSource::Project, RuleEffect::Allow, "P").unwrap();
    let settings = world.load();
    assert_eq!(
        (texts(&settings, RuleEffect::Deny), texts(&settings, RuleEffect::Allow)),
        (vec!["U"], vec!["P"])
    );
    for source in [SettingSource::Policy, SettingSource::Cli, SettingSource::Flag, SettingSource::Session] {
        let error = settings.append_rule(source, RuleEffect::Allow, "X").unwrap_err();
        assert!(matches!(error, WriteError::NoFile { .. }));
    }
}

#[test]
fn nothing_is_saved_in_an_untrusted_folder_or_under_a_policy_of_its_own_rules() {
    let world = World::new();
    let text = json!({"permissions": {"allow": ["A"]}}).to_string();
    world.project(&text);
    let settings = world.load();
    for source in [SettingSource::Local, SettingSource::Project] {
        for effect in [RuleEffect::Allow, RuleEffect::Deny] {
            let error = settings.append_rule(source, effect, "X").unwrap_err();
            assert!(matches!(error, WriteError::Untrusted { .. }));
        }
    }
    assert_eq!(fs::read_to_string(world.path("w/.pegboard/settings.json")).unwrap(), text);
    assert!(settings.append_rule(SettingSource::User, RuleEffect::Allow, "X").is_ok());
    world.policy(&json!({"allowManagedPermissionRulesOnly": true}).to_string());
    let error = world.load().append_rule(SettingSource::User, RuleEffect::Allow, "Y").unwrap_err();
    assert!(matches!(error, WriteError::OnlyPolicyRules));
}

#[test]
fn a_grant_does_not_accept_what_somebody_else_put_into_the_file() {
    let world = World::new();
    world.local(&json!({"permissions": {"allow": ["A"]}}).to_string());
    let settings = world.trusted();
    world.local(&json!({"permissions": {"allow": ["A", "Evil"]}}).to_string());
    settings.append_rule(SettingSource::Local, RuleEffect::Allow, "B").unwrap();
    let settings = world.load();
    assert!(!settings.trust.is_trusted());
    assert_eq!(texts(&settings, RuleEffect::Allow), [""; 0]);
    // Nor does a grant of a rule that somebody else has written already.
    let world = World::new();
    let settings = world.load();
    world.local(&json!({"permissions": {"allow": ["B"]}}).to_string());
    assert!(!settings.append_rule(SettingSource::Local, RuleEffect::Allow, "B").unwrap().changed);
    assert!(!world.load().trust.is_trusted());
}

#[test]
fn a_grant_does_not_bring_back_what_was_revoked() {
    let world = World::new();
    world.local(&json!({"permissions": {"allow": ["A"]}}).to_string());
    let settings = world.trusted();
    world.store().revoke(&world.path("w")).unwrap();
    settings.append_rule(SettingSource::Local, RuleEffect::Allow, "B").unwrap();
    assert_eq!(texts(&world.load(), RuleEffect::Allow), [""; 0]);
}

#[test]
fn a_file_that_cannot_take_a_rule_stays_as_it_is() {
    let world = World::new();
    let settings = world.load();
    let file = world.path("w/.pegboard/settings.local.json");
    for text in ["", "{", "{} // x", "[]", "{\"permissions\": 1}", "{\"permissions\": {\"allow\": \"A\"}}"] {
        world.local(text);
        assert!(settings.append_rule(SettingSource::Local, RuleEffect::Allow, "X").is_err(), "{text}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    fs::write(&file, b"{\"a\":\"\xff\"}").unwrap();
    assert!(settings.append_rule(SettingSource::Local, RuleEffect::Allow, "X").is_err());
    fs::write(&file, "{}").unwrap();
    for rule in ["", "  ", "A\0"] {
        let error = settings.append_rule(SettingSource::Local, RuleEffect::Allow, rule).unwrap_err();
        assert!(matches!(error, WriteError::NotARule { .. }));
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
}

#[cfg(unix)]
#[test]
fn no_link_is_written_through() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::fs::symlink;

    let refused = |world: &World| {
        let error = world.load().append_rule(SettingSource::Local, RuleEffect::Allow, "X").unwrap_err();
        assert!(matches!(error, WriteError::Io { .. }), "{error}");
    };
    // The file is a link to somebody's file.
    let world = World::new();
    world.file("victim.json", "{}");
    fs::create_dir(world.path("w/.pegboard")).unwrap();
    symlink(world.path("victim.json"), world.path("w/.pegboard/settings.local.json")).unwrap();
    refused(&world);
    assert_eq!(fs::read_to_string(world.path("victim.json")).unwrap(), "{}");
    // The file is a link to nothing: it must not be created there. (Loading refuses it as well.)
    let settings = {
        let world = World::new();
        let settings = world.load();
        fs::create_dir(world.path("w/.pegboard")).unwrap();
        symlink(world.path("new.json"), world.path("w/.pegboard/settings.local.json")).unwrap();
        assert!(settings.append_rule(SettingSource::Local, RuleEffect::Allow, "X").is_err());
        world.path("new.json").exists()
    };
    assert!(!settings);
    // The folder is a link to somebody's folder.
    let world = World::new();
    world.file("victim/settings.json", "{}");
    symlink(world.path("victim"), world.path("w/.pegboard")).unwrap();
    refused(&world);
    assert!(!world.path("victim/settings.local.json").exists());
    // A pipe does not hold us up.
    let world = World::new();
    let settings = world.load();
    fs::create_dir(world.path("w/.pegboard")).unwrap();
    let pipe = world.path("w/.pegboard/settings.local.json");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    assert!(settings.append_rule(SettingSource::Local, RuleEffect::Allow, "X").is_err());
}

#[cfg(unix)]
#[test]
fn the_mode_of_the_file_is_kept_and_a_new_one_is_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = World::new();
    let mode = |path: &str| fs::metadata(world.path(path)).unwrap().permissions().mode() & 0o7777;
    world.project("{}");
    fs::set_permissions(world.path("w/.pegboard/settings.json"), fs::Permissions::from_mode(0o664)).unwrap();
    let settings = world.load();
    settings.append_rule(SettingSource::Project, RuleEffect::Allow, "A").unwrap();
    settings.append_rule(SettingSource::Local, RuleEffect::Allow, "A").unwrap();
    assert_eq!(mode("w/.pegboard/settings.json"), 0o664);
    assert_eq!(mode("w/.pegboard/settings.local.json"), 0o600);
}

#[test]
fn concurrent_appends_lose_nothing_and_stay_trusted() {
    const WRITERS: usize = 8;
    const EACH: usize = 6;
    let world = World::new();
    let settings = world.load();
    let start = Barrier::new(WRITERS);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (settings, start) = (&settings, &start);
            scope.spawn(move || {
                start.wait();
                for number in 0..EACH {
                    let rule = format!("Bash({writer} {number})");
                    settings.append_rule(SettingSource::Local, RuleEffect::Allow, &rule).unwrap();
                }
            });
        }
    });
    let settings = world.load();
    assert!(settings.trust.is_trusted());
    let mut rules = texts(&settings, RuleEffect::Allow);
    rules.sort_unstable();
    rules.dedup();
    assert_eq!(rules.len(), WRITERS * EACH);
}

#[test]
fn a_file_is_never_seen_half_written() {
    let world = World::new();
    let file = world.path("w/.pegboard/settings.local.json");
    world.local("{}");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in 0..40 {
                append_to_file(&file, RuleEffect::Deny, &format!("Bash({number})"), &world.path("state"))
                    .unwrap();
            }
        });
        let mut seen = 0;
        while !writer.is_finished() {
            let rules = world.load().rules.len();
            assert!(rules >= seen, "rules went missing");
            seen = rules;
        }
    });
    assert_eq!(world.load().rules.len(), 40);
}

/// Where the writers of the test below find their world; not set in any other run.
const WRITER: &str = "PEGBOARD_TEST_WRITER";

/// Not a test by itself: one process of the next one.
#[test]
fn one_of_several_writers() {
    let Some(given) = std::env::var_os(WRITER) else { return };
    let given = given.into_string().unwrap();
    let (base, name) = given.split_once('|').unwrap();
    let file = std::path::Path::new(base).join("w/.pegboard/settings.local.json");
    for number in 0..25 {
        append_to_file(
            &file,
            RuleEffect::Allow,
            &format!("Bash({name} {number})"),
            &std::path::Path::new(base).join("state"),
        )
        .unwrap();
    }
}

#[test]
fn two_processes_lose_nothing_of_each_other() {
    let world = World::new();
    world.local(
        "{\n  \"kept\": {\"b\": 1, \"a\": [ 2 ]},\n  \"permissions\": {\"allow\": [\"Bash(first)\"]}\n}\n",
    );
    let start = |name: &str| {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "write_back::one_of_several_writers"])
            .env(WRITER, format!("{}|{name}", world.base.display()))
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut writers = [start("one"), start("two"), start("three")];
    for writer in &mut writers {
        assert!(writer.wait().unwrap().success());
    }
    let text = fs::read_to_string(world.path("w/.pegboard/settings.local.json")).unwrap();
    assert!(text.starts_with("{\n  \"kept\": {\"b\": 1, \"a\": [ 2 ]},\n"), "{text}");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rules = value["permissions"]["allow"].as_array().unwrap();
    assert_eq!(rules.len(), 1 + 3 * 25);
    let distinct: std::collections::HashSet<_> = rules.iter().collect();
    assert_eq!(distinct.len(), rules.len());
}
