//! What holds for `guard` with every input, tried on the command itself.

use crate::world::{Said, World};
use proptest::prelude::*;
use serde_json::{Value, json};

/// How strict an answer to Claude Code is: 0 allow, 1 nothing, 2 ask, 3 deny. `None` for what no answer may be.
fn strictness(said: &Said) -> Option<u8> {
    let is_reason = said.err.starts_with("pegboard: ") && said.err.lines().count() == 1;
    if said.code == 2 {
        return is_reason.then_some(3);
    }
    if said.code != 0 || !said.err.is_empty() {
        return None;
    }
    if said.out.is_empty() {
        return Some(1);
    }
    let object: Value = serde_json::from_str(&said.out).ok()?;
    match object["hookSpecificOutput"]["permissionDecision"].as_str()? {
        "allow" => Some(0),
        "ask" => Some(2),
        _ => None,
    }
}

fn event(world: &World, command: &str) -> Vec<u8> {
    let event = json!({"session_id": "s", "cwd": world.project(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": "c1"});
    event.to_string().into_bytes()
}

fn rule() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("Bash"),
        Just("Bash(rm *)"),
        Just("Bash(git *)"),
        Just("Bash(git push *)"),
        Just("Bash(make)"),
        Just("Read(./secret/**)"),
        Just("Edit(/out/**)"),
        Just("mcp__fs"),
    ]
}

fn command() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("ls"),
        Just("rm x"),
        Just("git push"),
        Just("git status"),
        Just("make"),
        Just("cat secret/k"),
        Just("echo a > out/x"),
        Just("$(make)"),
        Just("cd sub"),
    ];
    let joint = prop_oneof![Just(" && "), Just("; "), Just(" | "), Just("\n")];
    prop::collection::vec((part, joint), 1..4).prop_map(|parts| {
        let text: String = parts.iter().flat_map(|(part, joint)| [*part, *joint]).collect();
        text.trim_end_matches([' ', '&', ';', '|', '\n']).to_owned()
    })
}

proptest! {
    // Each case starts the command.
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_end_with_0_or_2_and_never_allow(
        bytes in prop::collection::vec(any::<u8>(), 0..80),
        place in any::<prop::sample::Index>(),
        cut in 0_usize..12,
        is_damaged in any::<bool>(),
    ) {
        let world = World::new();
        let mut input = bytes;
        if is_damaged {
            let mut whole = event(&world, "rm x");
            let place = place.index(whole.len());
            let end = (place + cut).min(whole.len());
            input.truncate(6);
            whole.splice(place..end, input.iter().copied());
            input = whole;
        }
        for args in [&["guard", "--deny", "Bash"][..], &["guard", "--agent", "codex"]] {
            let said = world.run(args, input.clone());
            prop_assert!(strictness(&said).is_some_and(|level| level >= 1), "[{}] {} {}", said.code, said.out, said.err);
        }
    }

    #[test]
    fn adding_a_deny_rule_never_loosens_an_answer(
        command in command(),
        allow in prop::collection::vec(rule(), 0..3),
        ask in prop::collection::vec(rule(), 0..2),
        deny in prop::collection::vec(rule(), 0..2),
        more in rule(),
    ) {
        let world = World::new();
        let answer = |deny: &[&str]| {
            let settings = json!({"permissions": {"allow": &allow, "ask": &ask, "deny": deny}}).to_string();
            world.run(&["guard", "--answer-allow", "--settings", &settings], event(&world, &command))
        };
        let before = answer(&deny);
        let after = answer(&[&deny[..], &[more]].concat());
        let (Some(before), Some(after)) = (strictness(&before), strictness(&after)) else {
            return Err(TestCaseError::fail(format!("{} | {}", before.err, after.err)));
        };
        prop_assert!(after >= before, "{command}: {before} became {after} by {more}");
    }
}
