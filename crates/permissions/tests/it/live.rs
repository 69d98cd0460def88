//! What happens while the engine is in use: links, offers, remembered rules, single paths and rules.

use crate::world::{World, parse};
use futures::executor::block_on;
use pegboard_permissions::{Engine, RuleKeeper, RuleScope};
use pegboard_tool_core::ports::{
    AccessPolicy, PermissionGate, RememberError, RuleCompiler, RuleOffer, Verdict,
};
use pegboard_tool_core::{AccessMode, ContextChange, PermissionMode};
use std::path::Path;
use std::sync::{Arc, Mutex};

fn offers(world: &World, call: &str) -> Vec<RuleOffer> {
    let (engine, _) = world.engine();
    let (tool, input) = parse(call);
    world.with_call(&tool, &input, |call| {
        let decision = engine.decide_now(call);
        block_on(engine.offers(call, &decision))
    })
}

#[test]
fn an_offer_names_only_what_needs_it() {
    let rules = |call| offers(&World::new(), call).into_iter().map(|offer| offer.rules).collect::<Vec<_>>();
    assert_eq!(rules("Bash: git status && npm test"), [["Bash(npm test)"], ["Bash(npm test *)"]]);
    assert_eq!(rules("Bash: python x.py"), [["Bash(python x.py)"]]);
    assert_eq!(rules("WebFetch: https://a.test/x"), [["WebFetch(domain:a.test)"]]);
    assert_eq!(rules("mcp__a__b"), [["mcp__a__b"]]);
    assert_eq!(rules("Edit: /w/a[1]"), [["Edit(//w/a\\[1\\])"]]);
    assert!(!offers(&World::new(), "Edit: /w/a")[0].permanent);
}

#[test]
fn nothing_is_offered_for_safety_rules_and_what_cannot_be_told() {
    for (rules, call) in [
        (&["ask Bash(make *)"][..], "Bash: make x"),
        (&[], "Bash: rm -rf /usr"),
        (&[], "Edit: /w/.git/config"),
        (&[], "Bash: $X"),
        (&[], "Bash: cd x && make > /etc/motd"),
        (&["deny Bash(make *)"], "Bash: make x"),
    ] {
        assert_eq!(offers(&World::new().rules(rules), call), [], "{call}");
    }
    assert_eq!(offers(&World::new().mode(PermissionMode::Plan), "Edit: /w/a"), []);
}

#[test]
fn a_remembered_rule_holds_at_once_and_counts_a_generation() {
    let world = World::new().rules(&["deny Bash(npm publish *)"]);
    let (engine, _) = world.engine();
    let (tool, input) = parse("Bash: npm test");
    assert_eq!(world.ask(&engine, &tool, &input).verdict, Verdict::Ask);
    let offer = RuleOffer::new(vec!["Bash(npm *)".into()], "", false);
    block_on(engine.remember(&offer, &world.context())).unwrap();
    assert_eq!(engine.generation(), 1);
    assert_eq!(world.ask(&engine, &tool, &input).verdict, Verdict::Allow);
    assert_eq!(world.ask(&engine, &tool, &parse("Bash: npm publish").1).verdict, Verdict::Deny);
    let bad = RuleOffer::new(vec!["Bash(".into()], "", false);
    assert!(block_on(engine.remember(&bad, &world.context())).is_err());
    assert_eq!(engine.generation(), 1);
}

/// Keeps rules in memory, or refuses.
#[derive(Debug, Default)]
struct Kept {
    rules: Mutex<Vec<String>>,
    refuses: bool,
}

#[async_trait::async_trait]
impl RuleKeeper for Kept {
    async fn keep(&self, rules: &[String]) -> Result<(), RememberError> {
        if self.refuses {
            return Err(RememberError::new("the disk is full"));
        }
        self.rules.lock().unwrap().extend_from_slice(rules);
        Ok(())
    }
}

#[test]
fn a_kept_rule_ends_with_its_file_and_a_granted_one_with_the_session() {
    let world = World::new();
    let keeper = Arc::new(Kept::default());
    let mut config = world.config();
    config.keeper = Some(Arc::<Kept>::clone(&keeper));
    let (engine, _) = Engine::new(config);
    let verdict = |call: &str| {
        let (tool, input) = parse(call);
        world.ask(&engine, &tool, &input).verdict
    };
    let remember = |rule: &str, permanent| {
        let offer = RuleOffer::new(vec![rule.into()], "", permanent);
        block_on(engine.remember(&offer, &world.context()))
    };
    remember("Bash(kept)", true).unwrap();
    remember("Bash(granted)", false).unwrap();
    assert!(remember("Bash(", true).is_err());
    assert_eq!(*keeper.rules.lock().unwrap(), ["Bash(kept)"]);
    assert_eq!((verdict("Bash: kept"), verdict("Bash: granted")), (Verdict::Allow, Verdict::Allow));
    // The file was read again, and somebody has taken the rule out.
    assert!(engine.replace_rules(Vec::new()).is_empty());
    assert_eq!((verdict("Bash: kept"), verdict("Bash: granted")), (Verdict::Ask, Verdict::Allow));
}

#[test]
fn a_rule_that_cannot_be_kept_holds_for_the_session_and_that_is_said() {
    let world = World::new();
    let mut config = world.config();
    config.keeper = Some(Arc::new(Kept { refuses: true, ..Kept::default() }));
    let (engine, _) = Engine::new(config);
    let offer = RuleOffer::new(vec!["Bash(make)".into()], "", true);
    let error = block_on(engine.remember(&offer, &world.context())).unwrap_err();
    assert!(error.to_string().contains("the disk is full"));
    let (tool, input) = parse("Bash: make");
    assert_eq!(world.ask(&engine, &tool, &input).verdict, Verdict::Allow);
}

#[test]
fn switches_move_with_the_rules() {
    let world = World::new();
    let (engine, _) = world.engine();
    let read =
        |engine: &Engine| world.ask(engine, "Read", &serde_json::json!({"file_path": "/opt/x"})).verdict;
    let grant = RuleOffer::new(vec!["Read(//opt/**)".into()], "", false);
    block_on(engine.remember(&grant, &world.context())).unwrap();
    assert_eq!(read(&engine), Verdict::Allow);
    let mut switches = engine.switches();
    switches.asks_before_reads_outside = true;
    engine.replace(Vec::new(), switches);
    assert_eq!(read(&engine), Verdict::Ask);
    switches.asks_before_reads_outside = false;
    engine.replace(Vec::new(), switches);
    assert_eq!(read(&engine), Verdict::Allow);
    // Where only the policy's rules count, grants of the session do not.
    switches.scope = RuleScope::PolicyOnly;
    engine.replace(world.rules.clone(), switches);
    assert_eq!(read(&engine), Verdict::Ask);
    assert!(block_on(engine.remember(&grant, &world.context())).is_err());
    assert_eq!(engine.generation(), 4);
}

#[test]
fn auto_is_not_entered_where_it_is_switched_off() {
    let world = World::new();
    let mut config = world.config();
    config.auto_is_off = true;
    let (engine, _) = Engine::new(config);
    assert!(!engine.permits_change(&ContextChange::Mode(PermissionMode::Auto), &world.context()));
    assert!(world.engine().0.permits_change(&ContextChange::Mode(PermissionMode::Auto), &world.context()));
}

#[test]
fn single_paths_and_hosts_are_answered_without_asking() {
    let world = World::new().rules(&[
        "deny Read(.env)",
        "allow Read(//opt/x/**)",
        "deny WebFetch(domain:a.test)",
        "allow WebFetch(domain:b.test)",
    ]);
    let (engine, _) = world.engine();
    let ctx = world.context();
    for (path, mode, expected) in [
        ("/w/a", AccessMode::Read, Verdict::Allow),
        ("/w/x/.env", AccessMode::Read, Verdict::Deny),
        ("/w/.env", AccessMode::Write, Verdict::Deny),
        ("/opt/x/y", AccessMode::Read, Verdict::Allow),
        ("/etc/hosts", AccessMode::Read, Verdict::Ask),
        ("/w/a", AccessMode::Write, Verdict::Ask),
        ("/w/.git/config", AccessMode::Write, Verdict::Ask),
    ] {
        assert_eq!(engine.path(Path::new(path), mode, &ctx), expected, "{path} {mode:?}");
    }
    for (host, expected) in [
        ("A.test.", Verdict::Deny),
        ("b.test", Verdict::Allow),
        ("c.test", Verdict::Ask),
        ("*", Verdict::Ask),
    ] {
        assert_eq!(engine.host(host, &ctx), expected, "{host}");
    }
}

#[test]
fn a_single_rule_leans_towards_a_match() {
    let world = World::new();
    let (engine, _) = world.engine();
    assert!(engine.compile("Bash(").is_err());
    for (rule, call, expected) in [
        ("Bash(git *)", "Bash: ls && git push", true),
        ("Bash(git *)", "Bash: ls", false),
        ("Bash(git *)", "Bash: $X", true),
        ("Edit(*.ts)", "Edit: /w/a.ts", true),
        ("Edit(*.ts)", "Edit: /w/a.rs", false),
        ("Write", "Edit: /w/a.rs", false),
    ] {
        let compiled = engine.compile(rule).unwrap();
        let (tool, input) = parse(call);
        assert_eq!(
            world.with_call(&tool, &input, |call| compiled.could_match(call)),
            expected,
            "{rule} {call}"
        );
    }
}

#[test]
fn bypass_is_entered_only_where_it_was_made_available() {
    let world = World::new();
    let (engine, _) = world.engine();
    let ctx = world.context();
    assert!(!engine.permits_change(&ContextChange::Mode(PermissionMode::BypassPermissions), &ctx));
    assert!(engine.permits_change(&ContextChange::Mode(PermissionMode::Plan), &ctx));
    assert!(!engine.permits_change(&ContextChange::AddDirectory("/etc".into()), &ctx));
}

#[cfg(unix)]
#[test]
fn both_the_link_and_where_it_leads_are_judged() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let mut world = World::new();
    world.root = top.join("w");
    world.home = top.join("home");
    std::fs::create_dir_all(world.root.join("project")).unwrap();
    std::fs::create_dir_all(world.home.join(".ssh")).unwrap();
    std::fs::write(world.home.join(".ssh/id_rsa"), "k").unwrap();
    symlink(world.home.join(".ssh/id_rsa"), world.root.join("project/key")).unwrap();
    let allowed = world.clone().rules(&["allow Read(./project/**)"]);
    assert_eq!(allowed.verdict("Read: project/key"), Verdict::Ask);
    assert_eq!(allowed.rules(&["deny Read(~/.ssh/**)"]).verdict("Read: project/key"), Verdict::Deny);
    let decision = world.decide("Read", &serde_json::json!({"file_path": "project/key"}));
    assert_eq!(
        decision.grant.canonical(&world.root.join("project/key")),
        Some(world.home.join(".ssh/id_rsa").as_path())
    );
}

#[test]
fn folders_to_move_to_are_a_list_of_whole_paths() {
    let to = |rules: &[&str], folder: &str| {
        let world = World::new().rules(rules);
        let (engine, problems) = world.engine();
        assert!(problems.is_empty(), "{problems:?}");
        engine.folder_change(Path::new(folder), &world.context())
    };
    for (rules, folder, expected) in [
        (&[][..], "/opt", Verdict::Allow),
        (&["deny Cd"], "/w/a", Verdict::Deny),
        (&["allow Cd(./src/**)"], "/w/src", Verdict::Allow),
        (&["allow Cd(./src/**)"], "/w/src/a/b", Verdict::Allow),
        (&["allow Cd(./src/**)"], "/w/other", Verdict::Deny),
        (&["allow Cd(./*)"], "/w/a", Verdict::Allow),
        (&["allow Cd(./*)"], "/w/a/b", Verdict::Deny),
        (&["allow Cd(//**)", "deny Cd(//opt/x)"], "/opt/X", Verdict::Deny),
        (&["allow Cd(//**)", "deny Cd(//opt/x)"], "/opt/x/y", Verdict::Allow),
        (&["ask Cd(//opt/**)"], "/opt", Verdict::Ask),
    ] {
        assert_eq!(to(rules, folder), expected, "{rules:?} {folder}");
    }
}
