//! What holds for every event and every mixture of decisions.

use crate::data::rows;
use pegboard_guard::{Answer, AnswerAllow, AnswerAsk, Event, Host, Options, Platform, Request, answer, read};
use pegboard_tool_core::ports::{Decision, DecisionStep, Verdict};
use proptest::prelude::*;
use serde_json::Value;

/// How strict an answer is, as its host reads it: 0 allow, 1 nothing, 2 ask, 3 deny.
fn strictness(host: Host, said: &Answer) -> u8 {
    if said.exit.code() == 2 {
        return 3;
    }
    if said.stdout.is_empty() {
        return 1;
    }
    let object: Value = serde_json::from_str(&said.stdout).unwrap();
    let inner = &object["hookSpecificOutput"];
    let word = match host {
        Host::Gemini => object["decision"].as_str(),
        Host::Claude | Host::Codex => {
            inner["permissionDecision"].as_str().or(inner["decision"]["behavior"].as_str())
        }
    };
    match word.unwrap() {
        "allow" => 0,
        "ask" => 2,
        "deny" => 3,
        other => panic!("{other}"),
    }
}

fn requests() -> Vec<Request> {
    let events = rows().into_iter().filter_map(|row| read(row.event.as_bytes(), None).ok());
    events
        .filter_map(|event| match event {
            Event::Gate(request) => Some(*request),
            Event::NoGate => None,
        })
        .collect()
}

fn decision() -> impl Strategy<Value = Decision> {
    let verdict = prop_oneof![Just(Verdict::Allow), Just(Verdict::Ask), Just(Verdict::Deny)];
    let step = prop_oneof![
        Just(DecisionStep::DenyRule),
        Just(DecisionStep::AskRule),
        Just(DecisionStep::Tool),
        Just(DecisionStep::Safety),
        Just(DecisionStep::Mode),
        Just(DecisionStep::AllowRule),
        Just(DecisionStep::Default),
    ];
    (verdict, step, ".{0,20}").prop_map(|(verdict, step, reason)| Decision::new(verdict, step, reason))
}

fn options() -> impl Strategy<Value = Options> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(denies, allows, windows)| {
        let mut options = Options::default();
        options.ask = if denies { AnswerAsk::Deny } else { AnswerAsk::Ask };
        options.allow = if allows { AnswerAllow::Yes } else { AnswerAllow::Never };
        options.platform = if windows { Platform::Windows } else { Platform::Unix };
        options
    })
}

proptest! {
    #[test]
    fn one_more_decision_never_loosens(
        at in any::<prop::sample::Index>(),
        decisions in prop::collection::vec(decision(), 0..6),
        more in decision(),
        options in options(),
    ) {
        let requests = requests();
        let request = at.get(&requests);
        let before = answer(request, &decisions, &options);
        let mut all = decisions.clone();
        all.push(more);
        let after = answer(request, &all, &options);
        // Too few decisions are a fault, which one more may mend.
        if !decisions.is_empty() && decisions.len() >= request.calls.len() {
            prop_assert!(strictness(request.host, &after) >= strictness(request.host, &before));
        }
    }

    #[test]
    fn a_deny_among_the_decisions_is_a_deny(
        at in any::<prop::sample::Index>(),
        decisions in prop::collection::vec(decision(), 8),
        options in options(),
    ) {
        let requests = requests();
        let request = at.get(&requests);
        let said = answer(request, &decisions, &options);
        let denies = |decision: &Decision| {
            decision.verdict == Verdict::Deny
                && matches!(decision.step, DecisionStep::DenyRule | DecisionStep::AskRule | DecisionStep::Tool | DecisionStep::Safety)
        };
        let level = strictness(request.host, &said);
        prop_assert!(!decisions.iter().any(denies) || level == 3);
        prop_assert!(level != 0 || decisions.iter().all(|decision| decision.verdict == Verdict::Allow));
        prop_assert!(said.exit.code() == 0 || said.stderr.starts_with("pegboard: "));
        prop_assert!(said.stderr.lines().count() <= 1);
        prop_assert!(serde_json::from_str::<Value>(&said.stderr).is_err());
        prop_assert!(said.exit.code() == 2 || said.stderr.is_empty());
    }

    #[test]
    fn any_bytes_are_an_event_or_a_deny(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        host in prop_oneof![Just(None), Just(Some(Host::Claude)), Just(Some(Host::Gemini)), Just(Some(Host::Codex))],
    ) {
        if let Err(fault) = read(&bytes, host) {
            let said = fault.kind.answer(fault.asked, Platform::Unix);
            prop_assert_eq!((said.exit.code(), said.stdout.as_str()), (2, ""));
        }
    }

    #[test]
    fn an_event_with_any_damage_is_an_event_or_a_deny(
        at in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        cut in 0_usize..8,
        put in prop::collection::vec(any::<u8>(), 0..8),
    ) {
        let rows = rows();
        let mut event = at.get(&rows).event.clone().into_bytes();
        let place = place.index(event.len() + 1);
        let end = (place + cut).min(event.len());
        event.splice(place..end, put);
        if let Err(fault) = read(&event, None) {
            prop_assert_eq!(fault.kind.answer(fault.asked, Platform::Unix).exit.code(), 2);
        }
    }

    #[test]
    fn any_patch_and_any_line_are_read_without_end(text in "(\\*\\*\\* |Begin Patch|End Patch|Add File: |Move to: |apply_patch|cd |&&|'|\n|a|\\$){0,40}") {
        for tool in ["apply_patch", "Bash"] {
            let event = serde_json::json!({"hook_event_name": "PreToolUse", "turn_id": "t", "model": "m", "cwd": "/w",
                "tool_name": tool, "tool_input": {"command": text}});
            prop_assert!(read(event.to_string().as_bytes(), None).is_ok());
        }
    }
}
