//! The table of modes: what each does to each kind of call.

use crate::world::World;
use pegboard_tool_core::PermissionMode;
use pegboard_tool_core::ports::Verdict::{self, Allow, Ask, Deny};

/// default, acceptEdits, plan, auto, dontAsk, bypassPermissions
const TABLE: &[(&str, &[&str], [Verdict; 6])] = &[
    ("Read: /w/a", &[], [Allow; 6]),
    ("Grep: /w", &[], [Allow; 6]),
    ("TodoWrite", &[], [Allow; 6]),
    ("Read: /etc/hosts", &[], [Ask, Ask, Ask, Ask, Deny, Allow]),
    ("Bash: ls -la", &[], [Allow; 6]),
    ("Edit: /w/a", &[], [Ask, Allow, Ask, Allow, Deny, Allow]),
    ("Edit: /w/a", &["allow Edit"], [Allow, Allow, Ask, Allow, Allow, Allow]),
    ("Edit: /tmp/a", &[], [Ask, Ask, Ask, Ask, Deny, Allow]),
    ("Bash: mkdir x", &[], [Ask, Allow, Ask, Ask, Deny, Allow]),
    ("Bash: mkdir x", &["allow Bash(mkdir *)"], [Allow, Allow, Ask, Allow, Allow, Allow]),
    ("Bash: make", &[], [Ask, Ask, Ask, Ask, Deny, Allow]),
    ("Bash: make", &["allow Bash(make)"], [Allow; 6]),
    ("Bash: make", &["allow Bash"], [Allow, Allow, Allow, Ask, Allow, Allow]),
    ("Bash: python x.py", &["allow Bash(python *)"], [Allow, Allow, Allow, Ask, Allow, Allow]),
    ("Edit: /w/.git/config", &["allow Edit"], [Ask, Ask, Ask, Ask, Deny, Ask]),
    ("Bash: rm -rf /usr", &["allow Bash(rm *)"], [Ask, Ask, Ask, Ask, Deny, Ask]),
    ("Bash: make", &["ask Bash(make)"], [Ask, Ask, Ask, Ask, Deny, Ask]),
    ("Bash: make", &["deny Bash(make)"], [Deny; 6]),
    ("AskUserQuestion", &["allow AskUserQuestion"], [Ask, Ask, Ask, Ask, Deny, Ask]),
    ("WebSearch", &[], [Ask, Ask, Ask, Ask, Deny, Allow]),
    ("mcp__a__b", &[], [Ask, Ask, Ask, Ask, Deny, Allow]),
    ("WebFetch: https://x.test/", &[], [Ask, Ask, Ask, Ask, Deny, Allow]),
];

#[test]
fn every_mode_treats_every_kind_of_call_as_documented() {
    let mut wrong = Vec::new();
    for (call, rules, expected) in TABLE {
        for (mode, expected) in PermissionMode::ALL.into_iter().zip(expected) {
            let found = World::new().rules(rules).mode(mode).verdict(call);
            if found != *expected {
                wrong.push(format!("{call} {rules:?} in {mode}: {found:?}, expected {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
