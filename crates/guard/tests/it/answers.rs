//! The exact forms of answers.

use pegboard_guard::{
    Answer, AnswerAllow, AnswerAsk, Event, Gate, Host, Options, Platform, Request, answer, fault_answer, read,
};
use pegboard_tool_core::ports::{Decision, DecisionStep, Verdict};

fn request(host: Host, gate: Gate) -> Request {
    let name = match (host, gate) {
        (Host::Gemini, _) => "BeforeTool",
        (_, Gate::PreToolUse) => "PreToolUse",
        (_, Gate::PermissionRequest) => "PermissionRequest",
    };
    let more = if host == Host::Codex { r#","turn_id":"t","model":"m""# } else { "" };
    let tool = if host == Host::Gemini { "run_shell_command" } else { "Bash" };
    let event = format!(
        r#"{{"hook_event_name":"{name}","cwd":"/w","tool_name":"{tool}","tool_input":{{"command":"ls"}}{more}}}"#
    );
    let Ok(Event::Gate(request)) = read(event.as_bytes(), Some(host)) else { panic!("{event}") };
    *request
}

fn said(host: Host, gate: Gate, decision: (Verdict, DecisionStep), options: &Options) -> String {
    let decision = Decision::new(decision.0, decision.1, "because");
    line(&answer(&request(host, gate), &[decision], options))
}

fn line(answer: &Answer) -> String {
    format!("{} | {} | {}", answer.exit.code(), answer.stderr, answer.stdout)
}

const POINTS: [(Host, Gate); 5] = [
    (Host::Claude, Gate::PreToolUse),
    (Host::Claude, Gate::PermissionRequest),
    (Host::Gemini, Gate::PreToolUse),
    (Host::Codex, Gate::PreToolUse),
    (Host::Codex, Gate::PermissionRequest),
];

fn everywhere(decision: (Verdict, DecisionStep), options: &Options) -> String {
    POINTS.map(|(host, gate)| said(host, gate, decision, options)).join("\n")
}

fn unix() -> Options {
    let mut options = Options::default();
    options.platform = Platform::Unix;
    options
}

#[test]
fn a_deny_is_the_object_the_reason_and_the_code() {
    insta::assert_snapshot!(everywhere((Verdict::Deny, DecisionStep::DenyRule), &unix()), @r#"
    2 | pegboard: because | {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"pegboard: because"}}
    2 | pegboard: because | {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"pegboard: because"}}}
    2 | pegboard: because | {"decision":"deny","reason":"pegboard: because"}
    2 | pegboard: because | {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"pegboard: because"}}
    2 | pegboard: because | {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"pegboard: because"}}}
    "#);
}

#[test]
fn an_ask_is_what_the_host_can_be_made_to_do() {
    insta::assert_snapshot!(everywhere((Verdict::Ask, DecisionStep::Safety), &unix()), @r#"
    0 |  | {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"pegboard: because"}}
    0 |  | 
    0 |  | {"decision":"ask","systemMessage":"pegboard: because"}
    2 | pegboard: because; a person would have to be asked, and this host cannot be made to ask | {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"pegboard: because; a person would have to be asked, and this host cannot be made to ask"}}
    0 |  | 
    "#);
    let mut options = unix();
    options.ask = AnswerAsk::Deny;
    for (host, gate) in POINTS {
        let said = said(host, gate, (Verdict::Ask, DecisionStep::AskRule), &options);
        assert!(said.starts_with("2 | pegboard: because; a person"), "{said}");
    }
}

#[test]
fn an_allow_is_answered_only_when_asked_for_and_only_where_it_is_taken() {
    let mut options = unix();
    for decision in [(Verdict::Allow, DecisionStep::AllowRule), (Verdict::Ask, DecisionStep::Default)] {
        for (host, gate) in POINTS {
            assert_eq!(said(host, gate, decision, &options), "0 |  | ");
        }
    }
    options.allow = AnswerAllow::Yes;
    insta::assert_snapshot!(everywhere((Verdict::Allow, DecisionStep::AllowRule), &options), @r#"
    0 |  | {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"pegboard: because"}}
    0 |  | {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
    0 |  | 
    0 |  | 
    0 |  | {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}
    "#);
    for (host, gate) in POINTS {
        assert_eq!(said(host, gate, (Verdict::Ask, DecisionStep::Default), &options), "0 |  | ");
    }
    // Where Codex runs a command is not known.
    let inside = (Verdict::Allow, DecisionStep::Mode);
    assert_eq!(said(Host::Codex, Gate::PermissionRequest, inside, &options), "0 |  | ");
}

#[test]
fn a_fault_is_a_deny_by_code_and_on_windows_by_the_object() {
    let codex = Some((Host::Codex, Gate::PreToolUse));
    assert_eq!(line(&fault_answer("x", codex, Platform::Unix)), "2 | pegboard: x | ");
    assert_eq!(line(&fault_answer("x", None, Platform::Windows)), "2 | pegboard: x | ");
    let object = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"pegboard: x"}}"#;
    assert_eq!(line(&fault_answer("x", codex, Platform::Windows)), format!("0 |  | {object}"));
    let claude = Some((Host::Claude, Gate::PreToolUse));
    assert_eq!(line(&fault_answer("x", claude, Platform::Windows)), format!("2 | pegboard: x | {object}"));
}

#[test]
fn a_call_without_a_decision_is_a_deny() {
    let request = request(Host::Claude, Gate::PreToolUse);
    assert!(line(&answer(&request, &[], &unix())).starts_with("2 | pegboard: not every call"));
}

#[test]
fn several_reasons_are_one_line() {
    let request = request(Host::Gemini, Gate::PreToolUse);
    let deny = |reason: &'static str| Decision::new(Verdict::Deny, DecisionStep::DenyRule, reason);
    let ask = Decision::new(Verdict::Ask, DecisionStep::AskRule, "not this");
    let said = answer(&request, &[deny("one"), ask, deny("two\n{}"), deny("one")], &unix());
    assert_eq!(said.stderr, "pegboard: one; two\\n{}");
}
