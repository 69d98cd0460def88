//! Safety on targets that are spelled so that they cannot be told.

use crate::world::World;
use pegboard_tool_core::PermissionMode;
use pegboard_tool_core::ports::Verdict;

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
