//! Who is asked, in which order, and what an answer does.

use crate::world::{World, context, in_mode, text};
use async_trait::async_trait;
use pegboard_test_support::{FakeTool, ScriptedApprover, ScriptedGate, ScriptedHooks};
use pegboard_tool_core::ports::{
    Approval, ApprovalRequest, Approver, Decision, DecisionStep, Finished, GateCall, HookDecision,
    HookReport, HookReportOutcome, Outcome, PermissionAnswer, PermissionGate, PreOutcome, RememberError,
    RuleOffer, ToolInvoker, Verdict,
};
use pegboard_tool_core::{CancellationToken, PermissionMode, ToolContext, ToolUse};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

fn ask(step: DecisionStep) -> Decision {
    Decision::new(Verdict::Ask, step, "nothing was said")
}

fn safety() -> Decision {
    let mut decision = ask(DecisionStep::Safety);
    decision.safety = true;
    decision
}

fn offer() -> RuleOffer {
    RuleOffer::new(vec!["Echo".to_owned()], "all of Echo", false)
}

struct Asked {
    finished: Finished,
    questions: Vec<pegboard_tool_core::ports::ApprovalRequest>,
    ran: usize,
    world: World,
}

async fn asked(gate: ScriptedGate, approver: ScriptedApprover, hooks: ScriptedHooks) -> Asked {
    asked_in(PermissionMode::Default, gate, approver, hooks).await
}

async fn asked_in(
    mode: PermissionMode,
    gate: ScriptedGate,
    approver: ScriptedApprover,
    hooks: ScriptedHooks,
) -> Asked {
    let tool = FakeTool::new("Echo");
    let approver = Arc::new(approver);
    let world = World::with(&tool, Arc::new(gate), |config| {
        config.with_approver(Arc::clone(&approver) as _).with_hooks(Arc::new(hooks))
    });
    let finished = world.call_in("Echo", json!({ "a": 1 }), in_mode(mode)).await;
    Asked { finished, questions: approver.asked(), ran: tool.calls().len(), world }
}

#[tokio::test]
async fn yes_runs_the_call_once() {
    let gate = ScriptedGate::asking().offering(vec![offer()]);
    let Asked { finished, questions, world, .. } =
        asked(gate, ScriptedApprover::person([Approval::Once]), ScriptedHooks::new()).await;
    assert_eq!(finished.outcome, Outcome::Succeeded);
    assert_eq!(questions[0].offers, [offer()]);
    assert_eq!(world.observer.details("decided"), ["Allow at Default by person: no rule says anything"]);
}

#[tokio::test]
async fn no_in_all_its_forms() {
    let deny = |comment: Option<&str>| Approval::Deny { comment: comment.map(str::to_owned) };
    let mut told = String::new();
    for (who, approver) in [
        ("person, no", ScriptedApprover::person([deny(None)])),
        ("person, no with a comment", ScriptedApprover::person([deny(Some("use b"))])),
        ("person, interrupt", ScriptedApprover::person([Approval::Interrupt])),
        ("person, no answer", ScriptedApprover::person([Approval::NoAnswer])),
        ("program, no", ScriptedApprover::program([deny(None)])),
        ("program, no with a comment", ScriptedApprover::program([deny(Some("not today"))])),
        ("nobody there", ScriptedApprover::absent()),
    ] {
        let Asked { finished, ran, .. } = asked(ScriptedGate::asking(), approver, ScriptedHooks::new()).await;
        assert_eq!((finished.outcome, ran), (Outcome::Refused, 0), "{who}");
        let stop = finished.stop.as_deref().unwrap_or("goes on");
        told += &format!("{who}: {} [{stop}]\n", text(&finished));
    }
    insta::assert_snapshot!(told, @"
    person, no: The user refused the call. [a call was refused]
    person, no with a comment: The call was refused: use b [goes on]
    person, interrupt: The user refused the call and stopped the turn. [the turn was interrupted]
    person, no answer: Permission denied: no rule says anything; the call needs an approval and nobody gave one. [goes on]
    program, no: The call was refused: no rule says anything [goes on]
    program, no with a comment: The call was refused: not today [goes on]
    nobody there: Permission denied: no rule says anything; the call needs an approval and nobody gave one. [goes on]
    ");
}

#[tokio::test]
async fn always_takes_the_offer_into_force() {
    let tool = FakeTool::new("Echo");
    for (gate, answer, kept, notices) in [
        (ScriptedGate::asking().offering(vec![offer()]), 0, 1, 0),
        (ScriptedGate::asking().offering(vec![offer()]).forgetful(), 0, 0, 1),
        (ScriptedGate::asking(), 7, 0, 1),
    ] {
        let gate = Arc::new(gate);
        let approver = Arc::new(ScriptedApprover::person([Approval::Always(answer)]));
        let world = World::with(&tool, Arc::clone(&gate) as _, |config| config.with_approver(approver));
        let finished = world.call("Echo", json!({})).await;
        assert_eq!(finished.outcome, Outcome::Succeeded, "whatever happens to the rule, it runs this once");
        assert_eq!(gate.remembered().len(), kept);
        assert_eq!(world.observer.details("notice").len(), notices);
    }
}

#[tokio::test]
async fn safety_is_for_a_person_only_and_never_always() {
    let gate = || ScriptedGate::always(safety()).offering(vec![offer()]).classifying(true);
    let yes = || PermissionAnswer::Allow { updated_input: None, updated_permissions: Vec::new() };
    let hooks = || ScriptedHooks::new().permission(yes());
    for mode in PermissionMode::ALL.into_iter().filter(|mode| *mode != PermissionMode::DontAsk) {
        let program = asked_in(mode, gate(), ScriptedApprover::program([Approval::Once]), hooks()).await;
        assert_eq!((program.finished.outcome, program.ran), (Outcome::Refused, 0), "{mode}");
        assert!(program.questions.is_empty());
        let person = asked_in(mode, gate(), ScriptedApprover::person([Approval::Once]), hooks()).await;
        assert_eq!((person.finished.outcome, person.ran), (Outcome::Succeeded, 1), "{mode}");
        assert!(person.questions[0].offers.is_empty());
    }
}

#[tokio::test]
async fn dont_ask_turns_an_ask_into_a_no_and_calls_nobody() {
    let yes = PermissionAnswer::Allow { updated_input: None, updated_permissions: Vec::new() };
    let approver = ScriptedApprover::person([Approval::Once]);
    let gate = ScriptedGate::asking().classifying(true);
    let hooks = ScriptedHooks::new().permission(yes);
    let asked = asked_in(PermissionMode::DontAsk, gate, approver, hooks).await;
    assert_eq!((asked.finished.outcome, asked.ran, asked.questions.len()), (Outcome::Refused, 0, 0));
    assert_eq!(asked.finished.stop, None);
}

#[tokio::test]
async fn hooks_answer_before_the_classifier_and_the_approver() {
    let deny = |interrupt| PermissionAnswer::Deny { message: Some("not here".to_owned()), interrupt };
    for (interrupt, stop) in [(false, None), (true, Some("not here"))] {
        let approver = ScriptedApprover::person([Approval::Once]);
        let hooks = ScriptedHooks::new().permission(deny(interrupt));
        let asked = asked(ScriptedGate::asking(), approver, hooks).await;
        assert_eq!((asked.finished.outcome, asked.questions.len()), (Outcome::Refused, 0));
        assert_eq!(text(&asked.finished), "A hook refused the call: not here");
        assert_eq!(asked.finished.stop.as_deref(), stop);
    }
}

#[tokio::test]
async fn the_classifier_answers_only_in_auto_and_only_when_nothing_was_said() {
    for (mode, step, answer, asks) in [
        (PermissionMode::Auto, DecisionStep::Default, true, 0),
        (PermissionMode::Auto, DecisionStep::Default, false, 1),
        (PermissionMode::Auto, DecisionStep::AskRule, true, 1),
        (PermissionMode::Auto, DecisionStep::HookAsk, true, 1),
        (PermissionMode::Default, DecisionStep::Default, true, 1),
    ] {
        let gate = ScriptedGate::always(ask(step)).classifying(answer);
        let approver = ScriptedApprover::person([Approval::Once]);
        let asked = asked_in(mode, gate, approver, ScriptedHooks::new()).await;
        assert_eq!(asked.questions.len(), asks, "{mode} {step:?} {answer}");
        assert_eq!(asked.ran, 1);
    }
}

/// Denies what has the key `evil`, asks about everything else.
fn wary() -> ScriptedGate {
    ScriptedGate::deciding(|call| {
        if call.input.get("evil").is_some() {
            return Decision::new(Verdict::Deny, DecisionStep::DenyRule, "evil is denied");
        }
        let mut decision = ask(DecisionStep::Default);
        decision.by_rule = call.input.get("rule").is_some();
        decision.safety = call.input.get("safety").is_some();
        decision
    })
}

#[tokio::test]
async fn a_replaced_input_is_validated_and_judged_again() {
    for (input, outcome, ran, asks) in [
        (json!({ "b": 2 }), Outcome::Succeeded, 1, 1),
        (json!({ "evil": 1 }), Outcome::Refused, 0, 1),
        (json!({ "unfit": 1 }), Outcome::Invalid, 0, 1),
        (json!("no object"), Outcome::Invalid, 0, 1),
        (json!({ "rule": 1 }), Outcome::Succeeded, 1, 2),
        (json!({ "safety": 1 }), Outcome::Succeeded, 1, 2),
    ] {
        let approver = ScriptedApprover::person([Approval::Modified(input.clone()), Approval::Once]);
        let asked = asked(wary(), approver, ScriptedHooks::new()).await;
        assert_eq!(
            (asked.finished.outcome, asked.ran, asked.questions.len()),
            (outcome, ran, asks),
            "{input}"
        );
        assert_eq!(*asked.finished.input, input);
    }
}

#[tokio::test]
async fn an_input_that_is_replaced_for_ever_is_refused() {
    let again = std::iter::repeat_n(Approval::Modified(json!({ "rule": 1 })), 100);
    let asked = asked(wary(), ScriptedApprover::person(again), ScriptedHooks::new()).await;
    assert_eq!((asked.finished.outcome, asked.ran), (Outcome::Refused, 0));
    assert!(asked.questions.len() < 20);
}

#[tokio::test]
async fn a_hook_that_replaces_the_input_while_it_answers_is_judged_again() {
    let allow =
        |input: Value| PermissionAnswer::Allow { updated_input: Some(input), updated_permissions: vec![] };
    for (input, outcome, asks) in [
        (json!({ "b": 2 }), Outcome::Succeeded, 0),
        (json!({ "evil": 1 }), Outcome::Refused, 0),
        (json!({ "rule": 1 }), Outcome::Succeeded, 1),
    ] {
        let approver = ScriptedApprover::person([Approval::Once]);
        let hooks = ScriptedHooks::new().permission(allow(input.clone()));
        let asked = asked(wary(), approver, hooks).await;
        assert_eq!((asked.finished.outcome, asked.questions.len()), (outcome, asks), "{input}");
    }
}

#[tokio::test]
async fn a_yes_holds_for_the_same_call_only() {
    let questions = |input: Value| async move {
        let approver = Arc::new(ScriptedApprover::person([Approval::Once]));
        let tool = FakeTool::new("Echo").backfills();
        let world = World::with(&tool, Arc::new(ScriptedGate::asking()), |config| {
            config.with_approver(Arc::clone(&approver) as _)
        });
        world.call_in("Echo", input, context()).await;
        approver.asked()[0].fingerprint
    };
    let first = questions(json!({ "file_path": "a" })).await;
    assert_eq!(first, questions(json!({ "file_path": "a" })).await);
    assert_ne!(first, questions(json!({ "file_path": "b" })).await);
}

#[tokio::test]
async fn an_approved_call_is_not_asked_about_again_when_the_rules_moved() {
    use pegboard_tool_core::ports::{Step, ToolInvoker};
    let (tool, gate) = (FakeTool::new("Echo"), Arc::new(ScriptedGate::asking()));
    let approver = Arc::new(ScriptedApprover::person([Approval::Once]));
    let world =
        World::with(&tool, Arc::clone(&gate) as _, |config| config.with_approver(Arc::clone(&approver) as _));
    let call = pegboard_tool_core::ToolUse::new("id", "Echo", json!({}));
    let Step::Next(prepared) = world.dispatcher.validate(call, &context()) else { panic!("valid") };
    let Step::Next(ready) = world.dispatcher.decide(prepared, &context()).await else { panic!("approved") };
    gate.bump();
    let finished = world.dispatcher.execute(ready, context()).await;
    assert_eq!((finished.outcome, approver.asked().len()), (Outcome::Succeeded, 1));
}

/// Answers `always` to the call `first` when `second` is asked about too; `second` waits for ever.
#[derive(Debug, Default)]
struct TwoQuestions {
    both_open: Notify,
    closed: AtomicBool,
}

#[async_trait]
impl Approver for TwoQuestions {
    async fn ask(&self, request: &ApprovalRequest, cancel: &CancellationToken) -> Approval {
        if &*request.tool_use_id == "first" {
            self.both_open.notified().await;
            return Approval::Always(0);
        }
        self.both_open.notify_one();
        cancel.cancelled().await;
        self.closed.store(true, Ordering::Relaxed);
        Approval::NoAnswer
    }

    fn is_person(&self) -> bool {
        true
    }
}

/// Asks about everything until an offer was accepted; then allows the input `2`, if the offer covers it.
#[derive(Debug)]
struct Granting {
    covers: bool,
    granted: AtomicBool,
}

#[async_trait]
impl PermissionGate for Granting {
    async fn decide(&self, call: &GateCall<'_>) -> Decision {
        let covered = self.covers && self.granted.load(Ordering::Relaxed) && call.input["n"] == json!(2);
        if covered {
            Decision::new(Verdict::Allow, DecisionStep::AllowRule, "granted")
        } else {
            ask(DecisionStep::Default)
        }
    }

    async fn offers(&self, _call: &GateCall<'_>, _decision: &Decision) -> Vec<RuleOffer> {
        vec![offer()]
    }

    async fn remember(&self, _offer: &RuleOffer, _ctx: &ToolContext) -> Result<(), RememberError> {
        self.granted.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn generation(&self) -> u64 {
        u64::from(self.granted.load(Ordering::Relaxed))
    }
}

#[tokio::test]
async fn a_grant_releases_the_waiting_calls_that_it_covers() {
    for covers in [true, false] {
        let tool = FakeTool::new("Echo");
        let gate = Arc::new(Granting { covers, granted: AtomicBool::new(false) });
        let approver = Arc::new(TwoQuestions::default());
        let world = World::with(&tool, gate, |config| config.with_approver(Arc::clone(&approver) as _));
        let context = context();
        let first = async {
            let call = ToolUse::new("first", "Echo", json!({"n": 1}));
            let finished = world.dispatcher.invoke(call, context.clone()).await;
            if !covers {
                assert!(!approver.closed.load(Ordering::Relaxed));
                context.cancel.cancel();
            }
            finished
        };
        let second =
            world.dispatcher.invoke(ToolUse::new("second", "Echo", json!({"n": 2})), context.clone());
        let (first, second) = tokio::join!(first, second);
        assert_eq!(first.outcome, Outcome::Succeeded, "{}", text(&first));
        let expected = if covers { Outcome::Succeeded } else { Outcome::Cancelled };
        assert_eq!(second.outcome, expected, "{}", text(&second));
        assert!(approver.closed.load(Ordering::Relaxed));
        assert_eq!(tool.calls().len(), if covers { 2 } else { 1 });
    }
}

#[tokio::test]
async fn rules_that_a_hook_asks_for_are_put_in_force() {
    let rule = json!({"toolName": "Bash", "ruleContent": "npm test"});
    let update = |kind: &str, behavior: &str, destination: &str| json!({"type": kind, "rules": [rule], "behavior": behavior, "destination": destination});
    for (updates, kept, notices) in [
        (vec![update("addRules", "allow", "localSettings")], 1, 0),
        (vec![update("addRules", "deny", "session"), update("addRules", "allow", "session")], 2, 0),
        (vec![update("removeRules", "allow", "session"), update("addRules", "allow", "userSettings")], 0, 2),
    ] {
        let gate = Arc::new(ScriptedGate::asking());
        let yes = PermissionAnswer::Allow { updated_input: None, updated_permissions: updates };
        let hooks = Arc::new(ScriptedHooks::new().permission(yes));
        let tool = FakeTool::new("Echo");
        let world = World::with(&tool, Arc::clone(&gate) as _, |config| config.with_hooks(hooks));
        let finished = world.call("Echo", json!({})).await;
        assert_eq!(finished.outcome, Outcome::Succeeded);
        let remembered = gate.remembered();
        assert_eq!(remembered.len(), kept);
        assert!(remembered.iter().all(|offer| offer.rules == ["Bash(npm test)"]));
        assert_eq!(world.observer.details("notice").len(), notices);
    }
}

#[tokio::test]
async fn what_became_of_hooks_for_a_request_reaches_the_observer() {
    let report = HookReport::new("check.sh", HookReportOutcome::Crashed, std::time::Duration::ZERO);
    let hooks = Arc::new(ScriptedHooks::new().permission_reports(vec![report]));
    let approver = Arc::new(ScriptedApprover::person([Approval::Once]));
    let world = World::with(&FakeTool::new("Echo"), Arc::new(ScriptedGate::asking()), |config| {
        config.with_approver(approver).with_hooks(hooks)
    });
    assert_eq!(world.call("Echo", json!({})).await.outcome, Outcome::Succeeded);
    assert_eq!(world.observer.details("hooks_ran"), ["PermissionRequest 1 []"]);
}

#[tokio::test]
async fn why_a_hook_asks_is_told_when_nobody_can_be_asked() {
    for mode in [PermissionMode::Default, PermissionMode::DontAsk] {
        let mut said = PreOutcome::default();
        said.decision = Some(HookDecision::Ask);
        said.reason = Some("it touches the payroll".to_owned());
        let hooks = Arc::new(ScriptedHooks::new().pre(said));
        let gate = Arc::new(ScriptedGate::asking());
        let world = World::with(&FakeTool::new("Echo"), gate, |config| config.with_hooks(hooks));
        let finished = world.call_in("Echo", json!({}), in_mode(mode)).await;
        assert_eq!(finished.outcome, Outcome::Refused);
        assert!(text(&finished).contains("it touches the payroll"), "{}", text(&finished));
        let decided = world.observer.details("decided").join("\n");
        assert!(decided.contains("it touches the payroll"), "{decided}");
    }
}
