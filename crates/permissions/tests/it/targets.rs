//! Safety on targets that are spelled so that they cannot be told.

use crate::world::World;
use pegboard_permissions::Engine;
use pegboard_tool_core::PermissionMode;
use pegboard_tool_core::ports::Verdict;
use serde_json::{Value, json};

#[test]
fn a_target_that_cannot_be_told_is_put_to_a_person_in_every_mode() {
    let lines = [
        "rm -rf \"$HOME\"; ls",
        "rm -rf $PWD",
        "rm -rf ${HOME:?}",
        "rm -rf \"$(pwd)\"",
        "D=/; rm -rf \"$D\"",
        "for d in / ; do rm -rf $d; done",
        "rm -rf {/,}",
        "rm -rf ~/*",
        "rm -rf .g*; ls -A",
        "rm -rf .[g]it",
        "rm -rf .??*",
        "D=.git; echo x > $D/config",
        "D=.git; cp a $D/config",
        "echo x > .g*/description",
        "echo x > $D",
    ];
    for line in lines {
        for (mode, rules) in [
            (PermissionMode::BypassPermissions, &[][..]),
            (PermissionMode::Default, &["allow Bash"][..]),
            (PermissionMode::AcceptEdits, &["allow Bash(rm *)", "allow Bash(ls *)"][..]),
        ] {
            let verdict = World::new().rules(rules).mode(mode).verdict(&format!("Bash: {line}"));
            assert_ne!(verdict, Verdict::Allow, "{mode}: {line}");
        }
        let verdict = World::new().mode(PermissionMode::DontAsk).verdict(&format!("Bash: {line}"));
        assert_ne!(verdict, Verdict::Allow, "{line}");
    }
    for harmless in ["rm -rf ./build", "rm a b", "echo x > out.txt", "cp a b"] {
        let bypass = World::new().mode(PermissionMode::BypassPermissions);
        assert_eq!(bypass.verdict(&format!("Bash: {harmless}")), Verdict::Allow, "{harmless}");
    }
}

#[test]
fn a_rule_under_an_alias_holds_like_one_under_the_name() {
    for rule in ["deny bash(touch:*)", "deny bash(touch *)", "deny bash"] {
        let world = World::new().rules(&["allow Bash", rule]);
        assert_eq!(world.verdict("Bash: touch x"), Verdict::Deny, "{rule}");
    }
    let world = World::new().rules(&["allow Read", "deny read(./secret)"]);
    assert_eq!(world.verdict("Read: secret"), Verdict::Deny);
}

#[test]
fn a_bare_rule_on_edit_or_read_holds_for_the_whole_family() {
    for tool in ["Write: a", "Edit: a"] {
        let verdict = |rules: &[&str], mode| World::new().rules(rules).mode(mode).verdict(tool);
        assert_eq!(verdict(&["deny Edit"], PermissionMode::BypassPermissions), Verdict::Deny, "{tool}");
        assert_eq!(verdict(&["ask Edit"], PermissionMode::AcceptEdits), Verdict::Ask, "{tool}");
        assert_eq!(verdict(&["allow Edit"], PermissionMode::Default), Verdict::Allow, "{tool}");
    }
    // A rule on one of them stays on that one.
    let world = World::new().rules(&["deny Write"]).mode(PermissionMode::AcceptEdits);
    assert_eq!((world.verdict("Write: a"), world.verdict("Edit: a")), (Verdict::Deny, Verdict::Allow));
    for tool in ["Grep: .", "Glob: .", "Read: a"] {
        assert_eq!(World::new().rules(&["deny Read"]).verdict(tool), Verdict::Deny, "{tool}");
    }
}

#[cfg(unix)]
#[test]
fn what_would_take_the_ground_away_is_held_under_every_name() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let mut world = World::new().mode(PermissionMode::BypassPermissions);
    world.root = root.join("w");
    world.home = root.join("home/u");
    for made in [&world.root.join("src"), &world.home, &root.join("git/.git/hooks")] {
        std::fs::create_dir_all(made).unwrap();
    }
    let link = |target: &std::path::Path, name: &str| {
        std::os::unix::fs::symlink(target, world.root.join(name)).unwrap();
    };
    link("/".as_ref(), "rootl");
    link("/proc/self/root".as_ref(), "rt");
    link(&root.join("git/.git"), "inner");
    link(&root.join("gone"), "stray");
    std::os::unix::fs::symlink(root.join("gone"), root.join("git/.git/hooks/pre-push")).unwrap();
    let home = world.home.display();
    let lines = [
        "rm -rf /proc/self/root/usr".to_owned(),
        "rm -rf /proc/thread-self/root/usr".to_owned(),
        "rm -rf /proc/1/root/usr".to_owned(),
        "rm -rf rt/usr".to_owned(),
        "rm -rf rootl/usr".to_owned(),
        "rmdir rootl/usr".to_owned(),
        "cd rootl && rm -rf usr".to_owned(),
        "cd rootl && rm -rf *".to_owned(),
        "rm -rf r*/usr".to_owned(),
        "rm -rf rootl/".to_owned(),
        "rm -rf /proc/self/root/*".to_owned(),
        format!("rm -rf /proc/self/root{home}"),
        "rm -rf /proc/self/cwd".to_owned(),
        "rm -rf /proc/self/cwd/".to_owned(),
        "rm -rf /proc/77/cwd/x".to_owned(),
        "find /proc/self/root/usr -delete".to_owned(),
        "find rootl/usr -delete".to_owned(),
        "find . -delete".to_owned(),
        "find . -mindepth 1 -delete".to_owned(),
        "find . -name '*' -delete".to_owned(),
        "find . -name '*.o' -o -delete".to_owned(),
        "mv . /tmp/elsewhere".to_owned(),
        format!("mv {home} /tmp/elsewhere"),
        "rsync -a --delete src/ rootl/usr".to_owned(),
        "rm inner/hooks/pre-push".to_owned(),
        "echo x > inner/config".to_owned(),
    ];
    for line in lines {
        assert_eq!(world.verdict(&format!("Bash: {line}")), Verdict::Ask, "{line}");
    }
    for harmless in [
        "rm -rf src",
        "rm rootl",
        "rm -rf rootl",
        "rm stray",
        "find . -name '*.o' -delete",
        "find src -delete",
        "mv src other",
        "rm -rf rootl/usr/share/nothing",
    ] {
        assert_eq!(world.verdict(&format!("Bash: {harmless}")), Verdict::Allow, "{harmless}");
    }
}

#[test]
fn a_glob_that_finds_a_hidden_name_is_held_by_a_rule_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut world = World::new().rules(&["allow Bash", "deny Read(./.env)"]);
    world.root = folder.path().canonicalize().unwrap();
    for is_there in [false, true] {
        if is_there {
            std::fs::write(world.root.join(".env"), "").unwrap();
        }
        for line in ["cat ?env", "cat [.]env", "cat .e*", "cat .??v", "cat .[e]nv"] {
            assert_ne!(world.verdict(&format!("Bash: {line}")), Verdict::Allow, "{is_there}: {line}");
        }
    }
}

#[test]
fn a_line_without_a_command_runs_and_a_reason_names_the_part_that_asks() {
    for line in ["", "  ", "# nothing", "\n# a\n\t# b; rm -rf /\n"] {
        assert_eq!(World::new().verdict(&format!("Bash: {line}")), Verdict::Allow, "{line:?}");
    }
    for line in ["# a\nrm -rf x", "#\\\nrm x", "\"\"", "x=$(rm y) # a"] {
        assert_ne!(World::new().verdict(&format!("Bash: {line}")), Verdict::Allow, "{line:?}");
    }
    let world = World::new().rules(&["allow Bash(make *)"]);
    let reason = |line: &str| world.decide("Bash", &serde_json::json!({"command": line})).reason.to_string();
    assert_eq!(reason("ls && make x && curl http://x"), "no rule allows `curl http://x`");
    assert_eq!(
        reason(&format!("curl {}", "x".repeat(90))).chars().count(),
        "no rule allows `...`".len() + 80
    );
    assert_eq!(world.decide("Other", &serde_json::json!({})).reason, "no rule allows it");
}

#[test]
fn a_watch_of_an_address_is_held_by_rules_on_its_host() {
    let watch = |url: &str| format!("Monitor: {}", json!({"ws": {"url": url}, "description": "d"}));
    for (rules, url, expected) in [
        (&["allow Monitor"][..], "wss://a.test/x", Verdict::Allow),
        (&[], "wss://a.test/x", Verdict::Ask),
        (&["allow Monitor", "deny WebFetch(domain:a.test)"], "wss://a.test/x", Verdict::Deny),
        (&["allow Monitor", "deny WebFetch(domain:a.test)"], "WSS://A.TEST.:8443", Verdict::Deny),
        (&["allow Monitor", "deny WebFetch(domain:a.test)"], "wss://b.test@a.test/", Verdict::Deny),
        (&["allow Monitor", "deny WebFetch(domain:a.test)"], "wss://b.test/", Verdict::Allow),
        (&["allow Monitor", "deny WebFetch(domain:127.0.0.1)"], "ws://2130706433/", Verdict::Deny),
        (&["allow Monitor", "ask WebFetch(domain:*.a.test)"], "ws://x.a.test/", Verdict::Ask),
        // To fetch a page is less than to watch an address.
        (&["allow WebFetch(domain:a.test)"], "wss://a.test/x", Verdict::Ask),
        (&["allow WebFetch"], "wss://a.test/x", Verdict::Ask),
    ] {
        let world = World::new().rules(rules);
        assert_eq!(world.verdict(&watch(url)), expected, "{rules:?} {url}");
        let bypass = world.mode(PermissionMode::BypassPermissions).verdict(&watch(url));
        assert_eq!(bypass == Verdict::Deny, expected == Verdict::Deny, "{rules:?} {url}");
    }
    // No command, so nothing that a sandbox could hold.
    let world = World::new();
    let mut config = world.config();
    config.sandbox_allows_shell = true;
    let (engine, _) = Engine::new(config);
    let verdict = |input: Value| world.ask(&engine, "Monitor", &input).verdict;
    assert_eq!(verdict(json!({"command": "make", "description": "d"})), Verdict::Allow);
    assert_eq!(verdict(json!({"ws": {"url": "wss://a.test"}, "description": "d"})), Verdict::Ask);
}
