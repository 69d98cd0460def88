//! The narrowest rule that would let a call run, tried on the engine first; or why no rule would.

use crate::engine::Engine;
use pegboard_tool_core::ports::{Decision, DecisionStep, GateCall, PermissionGate, Verdict};
use pegboard_tool_core::{AccessMode, PermissionMode, ToolContext};
use serde_json::Value;
use std::fmt;
use std::path::{Component, Path};
use std::sync::Arc;

/// Allow rules that let a call run, found by trying.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The rules; all together let the call run.
    pub rules: Vec<String>,
}

/// Why no allow rule lets a call run.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum NoSuggestion {
    /// It runs already.
    AllowedAlready,
    /// Something stands that no allow rule lifts; each in words.
    Held(Vec<String>),
    /// No rule that was tried is narrow and lets it run.
    NothingFits,
}

impl fmt::Display for NoSuggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllowedAlready => f.write_str("none is needed: it runs already"),
            Self::Held(reasons) => write!(f, "none would help: {}", reasons.join("; ")),
            Self::NothingFits => f.write_str(
                "none that is narrow: what this call does cannot be told well enough to allow it by a rule",
            ),
        }
    }
}

impl Engine {
    /// The narrowest allow rules that would let `call` run. `decision` is this engine's own about it, with its trail.
    ///
    /// # Errors
    /// A [`NoSuggestion`] says why there are none.
    pub async fn suggest_rules(
        &self,
        call: &GateCall<'_>,
        decision: &Decision,
    ) -> Result<Suggestion, NoSuggestion> {
        if decision.verdict == Verdict::Allow {
            return Err(NoSuggestion::AllowedAlready);
        }
        let held = held(decision, call.ctx.mode);
        if !held.is_empty() {
            return Err(NoSuggestion::Held(held));
        }
        let mut drafts = own_drafts(call, decision);
        // Where nobody is asked, nothing is offered: look at the call as if somebody were.
        let asking = asking_context(call.ctx);
        let asked = GateCall::new(call.tool, call.input, call.effects, call.accesses, &asking)
            .with_check(call.check)
            .with_hook(call.hook)
            .with_caller(call.caller)
            .with_trail(true);
        let asked_decision = self.decide_now(&asked);
        drafts.extend(self.offers(&asked, &asked_decision).await.into_iter().map(|offer| offer.rules));
        let lets_it_run = |rules: &Vec<String>| {
            !rules.is_empty()
                && self.decide_with(call, rules).is_some_and(|decision| decision.verdict == Verdict::Allow)
        };
        match drafts.into_iter().find(lets_it_run) {
            Some(rules) => Ok(Suggestion { rules }),
            None => Err(NoSuggestion::NothingFits),
        }
    }
}

/// What stands against the call and is lifted by no allow rule.
fn held(decision: &Decision, mode: PermissionMode) -> Vec<String> {
    let mut reasons = Vec::new();
    for entry in decision.trail.iter().flatten() {
        if !matches!(entry.verdict, Some(Verdict::Ask | Verdict::Deny)) {
            continue;
        }
        let text = match (entry.step, &entry.rule) {
            (DecisionStep::DenyRule | DecisionStep::AskRule, Some(rule)) => format!(
                "the {} rule `{}` ({}) stands above every allow rule; narrow it or remove it",
                rule.effect, rule.text, rule.origin
            ),
            (DecisionStep::DenyRule | DecisionStep::AskRule | DecisionStep::Tool, None)
            | (DecisionStep::Tool, Some(_)) => entry.note.clone(),
            (DecisionStep::Safety, _) => {
                format!("a safety check stands in every mode and above every rule ({})", entry.note)
            }
            (DecisionStep::Mode, _) if mode == PermissionMode::Plan => entry.note.clone(),
            (
                DecisionStep::HookAsk
                | DecisionStep::HookAllow
                | DecisionStep::Mode
                | DecisionStep::AllowRule
                | DecisionStep::Default,
                _,
            ) => continue,
        };
        reasons.push(text);
    }
    reasons
}

fn asking_context(ctx: &ToolContext) -> ToolContext {
    if ctx.mode != PermissionMode::DontAsk {
        return ctx.clone();
    }
    let mut snapshot = (**ctx.snapshot()).clone();
    snapshot.mode = PermissionMode::Default;
    ctx.with_snapshot(Arc::new(snapshot))
}

/// Drafts that a settings file of the project can hold, narrowest first.
fn own_drafts(call: &GateCall<'_>, decision: &Decision) -> Vec<Vec<String>> {
    let text = |field: &str| call.input.get(field).and_then(Value::as_str);
    match call.tool.name.as_str() {
        "Read" | "Grep" | "Glob" | "LSP" | "Edit" | "Write" | "NotebookEdit" | "MultiEdit" => {
            below_project(call, decision).into_iter().collect()
        }
        "Agent" => text("subagent_type").map(|kind| vec![format!("Agent({kind})")]).into_iter().collect(),
        "Skill" => {
            let name = text("skill").map(|name| name.split(' ').next().unwrap_or(name));
            let forms = name.map(|name| [vec![format!("Skill({name})")], vec![format!("Skill({name} *)")]]);
            forms.into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// Rules that name the judged paths from the project's folder, when all lie in it.
fn below_project(call: &GateCall<'_>, decision: &Decision) -> Option<Vec<String>> {
    let mut rules = Vec::new();
    for path in decision.grant.paths.iter() {
        let tool = match path.mode {
            AccessMode::Read => "Read",
            AccessMode::Write => "Edit",
        };
        let pattern = relative_pattern(path.named.strip_prefix(&call.ctx.project_dir).ok()?)?;
        let rule = format!("{tool}(./{pattern})");
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    (!rules.is_empty()).then_some(rules)
}

/// A pattern that means exactly this path; `None` for what cannot be written as one.
fn relative_pattern(path: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for component in path.components() {
        let Component::Normal(name) = component else { return None };
        let mut part = String::new();
        for c in name.to_str()?.chars() {
            if matches!(c, '*' | '?' | '[' | ']' | '\\' | '!') {
                part.push('\\');
            }
            part.push(c);
        }
        parts.push(part);
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}
