//! What everybody who answers keeps.

use super::{answers, context};
use pegboard_tool_core::CancellationToken;
use pegboard_tool_core::ports::{
    Approval, ApprovalRequest, Approver, Decision, DecisionStep, RuleOffer, Verdict,
};
use pegboard_tool_core::{DefinitionError, ToolName};
use serde_json::json;
use std::sync::Arc;

/// Runs the cases against the approver that `make` makes. Questions are put and cancelled.
///
/// # Panics
/// At the first case that the approver fails.
pub async fn approver_conformance<A: Approver>(make: impl Fn() -> A) {
    let approver = make();
    let Ok(request) = request() else { return };
    assert_eq!(approver.can_answer(), approver.can_answer(), "whether it can answer is no matter of chance");

    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let answer = answers("a cancelled question", approver.ask(&request, &cancelled)).await;
    assert_eq!(answer, Approval::NoAnswer, "a cancelled question has no answer");

    // Open together: whatever is answered is answered; the others end with the token.
    let cancel = context().cancel;
    let ask = |request| approver.ask(request, &cancel);
    let (a, b, c) = (ask(&request), ask(&request), ask(&request));
    let stop = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    let (a, b, c, ()) = answers("open questions", async { futures::join!(a, b, c, stop) }).await;
    for answer in [a, b, c] {
        if let Approval::Always(index) = answer {
            assert!(index < request.offers.len(), "\"always\" is for an offer that was made");
        }
        if !approver.can_answer() {
            assert_eq!(answer, Approval::NoAnswer, "who cannot answer does not");
        }
    }

    let mut without_offers = request.clone();
    without_offers.offers.clear();
    let approver = make();
    let cancel = CancellationToken::new();
    let asked = async { futures::join!(approver.ask(&without_offers, &cancel), async { cancel.cancel() }).0 };
    let answer = answers("a question without offers", asked).await;
    assert!(!matches!(answer, Approval::Always(_)), "without an offer there is no \"always\"");
}

fn request() -> Result<ApprovalRequest, DefinitionError> {
    let decision = Decision::new(Verdict::Ask, DecisionStep::Default, "no rule says anything");
    let input = Arc::new(json!({ "file_path": "\u{1b}[2Ja\0b", "content": "x".repeat(10_000) }));
    let name = ToolName::new("Fake")?;
    let mut request = ApprovalRequest::new("id".into(), name, input, "Fake".to_owned(), decision);
    request.offers = vec![RuleOffer::new(vec!["Fake".to_owned()], "all calls of Fake", false)];
    Ok(request)
}
