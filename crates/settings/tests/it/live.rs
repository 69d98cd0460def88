//! Loading again while a session runs: what became bad keeps what restricts and loses what allows.

use std::fs;
use std::sync::Arc;

use pegboard_settings::{LiveSettings, Settings};
use pegboard_tool_core::{RuleEffect, SettingSource};
use serde_json::json;

use crate::world::{World, texts};

const FULL: &str = r#"{"permissions": {"allow": ["A"], "ask": ["K"], "deny": ["D"], "additionalDirectories": ["/d"],
    "defaultMode": "acceptEdits", "disableBypassPermissionsMode": "disable",
    "blockReadsOutsideWorkingDirectories": true}, "autoMode": {"classifyAllShell": true},
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}, "env": {"X": "1"}}"#;

fn live(world: &World) -> (LiveSettings, Settings) {
    let settings = world.load();
    (LiveSettings::new(world.request.clone(), &settings), settings)
}

fn rules(settings: &Settings) -> [Vec<String>; 3] {
    [RuleEffect::Allow, RuleEffect::Ask, RuleEffect::Deny]
        .map(|effect| texts(settings, effect).into_iter().map(str::to_owned).collect())
}

#[test]
fn a_changed_file_counts_as_it_is_now() {
    let world = World::new();
    world.user(r#"{"permissions": {"deny": ["A"]}}"#);
    let (mut live, _) = live(&world);
    world.user(r#"{"permissions": {"allow": ["C"], "deny": ["B"]}}"#);
    let settings = live.reload();
    assert_eq!(rules(&settings), [vec!["C"], vec![], vec!["B"]]);
    assert!(settings.problems.is_empty());
    fs::remove_file(world.request.locations.user_file.as_ref().unwrap()).unwrap();
    assert_eq!(rules(&live.reload()), [[""; 0]; 3]);
}

#[test]
fn a_file_that_became_bad_keeps_what_restricts() {
    for bad in ["{", "", "[]", r#"{"permissions": []}"#, "{} // x", "{\"a\":1,\"a\":2}"] {
        let world = World::new();
        world.user(FULL);
        let (mut live, before) = live(&world);
        assert!(before.block_reads_outside && before.classify_all_shell && before.bypass_disabled.is_some());
        world.user(bad);
        for _ in 0..2 {
            let settings = live.reload();
            assert_eq!(rules(&settings), [vec![], vec!["K"], vec!["D"]], "{bad}");
            assert_eq!((settings.hooks.len(), settings.directories.len()), (1, 0), "{bad}");
            assert!(
                settings.block_reads_outside
                    && settings.classify_all_shell
                    && settings.bypass_disabled.is_some()
            );
            assert_eq!((settings.default_mode.as_str(), settings.value("env")), ("default", None), "{bad}");
            assert_eq!(settings.problems.len(), 1, "{bad}");
        }
        // Mended, it counts again.
        world.user(r#"{"permissions": {"allow": ["A2"]}}"#);
        assert_eq!(rules(&live.reload()), [vec!["A2"], vec![], vec![]], "{bad}");
    }
}

#[test]
fn the_problem_names_file_and_line_and_says_what_stays() {
    let world = World::new();
    world.user(FULL);
    let (mut live, _) = live(&world);
    world.user("{\n \"a\": 1,\n}");
    let settings = live.reload();
    insta::assert_snapshot!(world.plain(&settings.problems[0].to_string()), @r"
        /home/.config/pegboard/settings.json:2:8: trailing commas are not allowed; settings are strict JSON; its last deny and ask rules and hooks stay, its allow rules end
        ");
}

#[test]
fn a_file_that_was_never_good_gives_nothing() {
    let world = World::new();
    let (mut live, _) = live(&world);
    world.user("{");
    let settings = live.reload();
    assert_eq!(rules(&settings), [[""; 0]; 3]);
    assert_eq!(settings.problems.len(), 1);
}

#[test]
fn a_policy_that_became_bad_keeps_its_locks() {
    let policy = |allow: &str| {
        json!({"allowManagedPermissionRulesOnly": true, "allowManagedHooksOnly": true,
            "permissions": {"allow": [allow], "deny": ["D"]}})
        .to_string()
    };
    for bad in [
        "{",
        r#"{"permissions": {"deny": [5]}}"#,
        r#"{"permissions": {"deny": ["Bad("]}}"#,
        r#"{"allowManagedHooksOnly": "yes"}"#,
    ] {
        let world = World::new();
        world.policy(&policy("A")).user(FULL);
        let (live, _) = live(&world);
        let mut live = live.with_rule_check(Arc::new(|rule| match rule.text.ends_with('(') {
            true => Err("no rule".to_owned()),
            false => Ok(()),
        }));
        world.policy(bad);
        let settings = live.reload();
        assert_eq!(rules(&settings), [vec![], vec![], vec!["D"]], "{bad}");
        assert!(settings.only_policy_rules.is_some() && settings.only_policy_hooks.is_some(), "{bad}");
        assert!(settings.hooks.is_empty(), "{bad}");
        world.policy(&policy("A2"));
        assert_eq!(rules(&live.reload()), [vec!["A2"], vec![], vec!["D"]], "{bad}");
    }
}

#[test]
fn what_changed_in_a_project_is_untrusted_until_accepted() {
    let world = World::new();
    world.project(r#"{"permissions": {"allow": ["A"], "deny": ["D"]}}"#);
    let settings = world.trusted();
    let mut live = LiveSettings::new(world.request.clone(), &settings);
    assert_eq!(rules(&settings), [vec!["A"], vec![], vec!["D"]]);
    world.project(r#"{"permissions": {"allow": ["A", "Evil"], "deny": []}}"#);
    assert_eq!(rules(&live.reload()), [[""; 0]; 3]);
    let settings = world.load();
    world.store().accept(&settings.trust).unwrap();
    assert_eq!(rules(&live.reload()), [vec!["A", "Evil"], vec![], vec![]]);
    // An untrusted file that becomes bad does not get more than it had.
    world.project(r#"{"permissions": {"deny": ["D2"]}, "hooks": {"Stop": [{"hooks": []}]}}"#);
    assert_eq!(live.reload().hooks.len(), 0);
    world.project("{");
    let settings = live.reload();
    assert_eq!((rules(&settings), settings.hooks.len()), ([vec![], vec![], vec!["D2".to_owned()]], 0));
}

#[test]
fn a_rule_that_was_saved_counts_after_the_next_load() {
    let world = World::new();
    let (mut live, settings) = live(&world);
    settings.append_rule(SettingSource::Local, RuleEffect::Allow, "A").unwrap();
    let settings = live.reload();
    assert_eq!(rules(&settings), [vec!["A"], vec![], vec![]]);
    assert!(settings.trust.is_trusted());
}

#[test]
fn where_nothing_can_be_loaded_everything_that_allows_ends() {
    let world = World::new();
    world.user(FULL);
    let (mut live, _) = live(&world);
    fs::remove_dir_all(world.path("w")).unwrap();
    let settings = live.reload();
    assert_eq!(rules(&settings), [vec![], vec!["K"], vec!["D"]]);
    assert_eq!(settings.problems.len(), 1);
    fs::create_dir(world.path("w")).unwrap();
    assert_eq!(rules(&live.reload()), [vec!["A"], vec!["K"], vec!["D"]]);
}

#[test]
fn deny_rules_of_claude_files_do_not_end_when_a_folder_appears() {
    let world = World::new();
    world.file("w/.claude/settings.json", r#"{"permissions": {"deny": ["D"]}}"#);
    let (mut live, settings) = live(&world);
    assert_eq!(texts(&settings, RuleEffect::Deny), ["D"]);
    world.file("w/.pegboard/settings.json", "{}");
    assert_eq!(texts(&live.reload(), RuleEffect::Deny), ["D"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_became_a_pipe_or_a_loop_is_a_bad_file() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let world = World::new();
    world.user(FULL);
    let (mut live, _) = live(&world);
    let file = world.request.locations.user_file.clone().unwrap();
    fs::remove_file(&file).unwrap();
    mknodat(CWD, &file, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    assert_eq!(rules(&live.reload()), [vec![], vec!["K"], vec!["D"]]);
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("settings.json", &file).unwrap();
    assert_eq!(rules(&live.reload()), [vec![], vec!["K"], vec!["D"]]);
}
