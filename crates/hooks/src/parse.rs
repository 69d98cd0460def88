//! From the JSON object of a handler to an [`Answer`], with everything that is wrong in it.

use crate::Answer;
use crate::event::{Block, EventKind};
use crate::events::ElicitationAction;
use crate::fields::is_harmless_sequence;
use pegboard_tool_core::ports::{HookDecision, PermissionAnswer};
use serde_json::{Map, Value};

/// Reads fields and collects faults. A `null` counts as absent.
struct Fields<'a> {
    object: &'a Map<String, Value>,
    faults: Vec<String>,
    known: bool,
}

impl<'a> Fields<'a> {
    fn new(object: &'a Map<String, Value>) -> Self {
        Self { object, faults: Vec::new(), known: false }
    }

    fn any(&mut self, name: &str) -> Option<&'a Value> {
        let value = self.object.get(name)?;
        self.known = true;
        Some(value).filter(|value| !value.is_null())
    }

    fn typed<T>(&mut self, name: &str, kind: &str, read: impl Fn(&'a Value) -> Option<T>) -> Option<T> {
        let value = self.any(name)?;
        let read = read(value);
        if read.is_none() {
            self.faults.push(format!("`{name}` must be {kind}"));
        }
        read
    }

    fn text(&mut self, name: &str) -> Option<String> {
        self.typed(name, "a string", |value| value.as_str().map(str::to_owned))
    }

    fn yes_no(&mut self, name: &str) -> Option<bool> {
        self.typed(name, "true or false", Value::as_bool)
    }

    /// Whether the turn is to stop, also when that is said with a word for `false`.
    fn stops(&mut self) -> bool {
        let given = self.yes_no("continue");
        let word = self.object.get("continue").and_then(Value::as_str);
        given == Some(false) || word.is_some_and(|word| word.trim().eq_ignore_ascii_case("false"))
    }

    fn object(&mut self, name: &str) -> Option<&'a Map<String, Value>> {
        self.typed(name, "an object", Value::as_object)
    }

    fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        self.typed(name, "a list of strings", |value| {
            value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
        })
    }

    fn action(&mut self) -> Option<ElicitationAction> {
        use ElicitationAction::{Accept, Cancel, Decline};
        self.typed("action", "accept, decline or cancel", |value| {
            let word = value.as_str()?;
            [Accept, Decline, Cancel].into_iter().find(|action| action.as_str() == word)
        })
    }

    /// The decision that a word stands for. A word that belongs elsewhere, is not written as it should be or is
    /// not known counts only as what makes things stricter; where a call can be refused, an unknown word refuses.
    fn decision(
        &mut self,
        name: &str,
        words: &[(&str, HookDecision)],
        event: EventKind,
    ) -> Option<HookDecision> {
        let value = self.any(name)?;
        let text = word_of(value);
        if let Some((_, decision)) = words.iter().find(|(word, _)| value.as_str() == Some(word)) {
            return Some(*decision);
        }
        let strict = strict_meaning(&text, event);
        let list: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let counts = match strict {
            Some(HookDecision::Deny) => "; it counts as a refusal",
            Some(_) => "; it counts as a question",
            None => "",
        };
        let short = crate::long_text::short(&text);
        self.faults.push(format!("`{name}` is `{short}`; use {}{counts}", list.join(", ")));
        strict
    }

    /// A decision in a place where none belongs: only what makes things stricter counts, and is a fault.
    fn misplaced(&mut self, name: &str, event: EventKind) -> Option<HookDecision> {
        let text = word_of(self.object.get(name).filter(|value| !value.is_null())?);
        let strict = strict_meaning(&text, event)?;
        let short = crate::long_text::short(&text);
        let belongs = match event.name {
            "PreToolUse" => "`permissionDecision` inside `hookSpecificOutput`",
            "PermissionRequest" => "`decision.behavior` inside `hookSpecificOutput`",
            _ => "`decision` at the top",
        };
        let counts = if strict == HookDecision::Deny { "a refusal" } else { "a question" };
        self.faults
            .push(format!("`{name}` is `{short}` and belongs elsewhere ({belongs}); it counts as {counts}"));
        Some(strict)
    }
}

/// The word that a value of a decision is, or is about.
fn word_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(object) => match object.get("behavior") {
            Some(Value::String(text)) => text.clone(),
            _ => value.to_string(),
        },
        other => other.to_string(),
    }
}

/// What a word means, in any letter case, when it makes things stricter.
fn strict_meaning(word: &str, event: EventKind) -> Option<HookDecision> {
    match word.trim().to_lowercase().as_str() {
        "deny" | "denied" | "block" | "blocked" | "reject" | "refuse" | "false" | "no" => {
            Some(HookDecision::Deny)
        }
        "ask" => Some(HookDecision::Ask),
        "defer" if event.name == "PreToolUse" => Some(HookDecision::Defer),
        "" | "allow" | "approve" => None,
        _ => event.guards().then_some(HookDecision::Deny),
    }
}

/// A refusal, in the form that the event takes; nothing where nothing can be refused.
pub(crate) fn refusal(event: EventKind, reason: &str) -> Answer {
    match event.name {
        "PermissionRequest" => Answer {
            permission: Some(PermissionAnswer::Deny { message: Some(reason.to_owned()), interrupt: false }),
            ..Answer::silent()
        },
        _ if event.block == Block::Ignored => Answer::silent(),
        _ => Answer::decided(HookDecision::Deny, reason),
    }
}

/// Reads an object. The answer holds whatever could be read; with faults only its strict part counts.
pub(crate) fn read(object: &Map<String, Value>, event: EventKind) -> (Answer, Vec<String>) {
    let mut answer = Answer::silent();
    let mut top = Fields::new(object);
    let stops = top.stops();
    let stop_reason = top.text("stopReason").filter(|reason| !reason.is_empty());
    let stop = || stop_reason.unwrap_or_else(|| "a hook stopped the turn".to_owned());
    top.yes_no("suppressOutput");
    top.yes_no("async");
    top.typed("asyncTimeout", "a number of milliseconds", Value::as_f64);
    // A sequence that could do harm is ignored as a whole.
    answer.fields.terminal_sequence =
        top.text("terminalSequence").filter(|text| !text.is_empty() && is_harmless_sequence(text));
    answer.system_message = top.text("systemMessage");
    answer.reason = top.text("reason");
    let words = [("approve", HookDecision::Allow), ("block", HookDecision::Deny)];
    answer.decision = match event.name {
        // Its decision is an object in another place.
        "PermissionRequest" => top.misplaced("decision", event),
        _ => top.decision("decision", &words, event),
    };
    let elsewhere = top.misplaced("permissionDecision", event);
    if elsewhere > answer.decision {
        answer.decision = elsewhere;
        answer.reason = top.text("permissionDecisionReason").or_else(|| answer.reason.take());
    }
    if matches!(event.name, "Stop" | "SubagentStop") && answer.decision.is_some() && answer.reason.is_none() {
        top.faults.push("`decision` needs a `reason`".to_owned());
        answer.decision = None;
    }
    let specific = top.object("hookSpecificOutput");
    let known = top.known || !top.faults.is_empty();
    let mut faults = top.faults;
    let mut stops_inside = false;
    if let Some(specific) = specific {
        faults.extend(read_specific(specific, event, &mut answer));
        if Fields::new(specific).stops() {
            faults.push("`continue` belongs at the top".to_owned());
            stops_inside = true;
        }
    } else if !known && !object.is_empty() {
        faults.push("no field is known".to_owned());
    }
    if stops || stops_inside {
        answer.stop = Some(stop());
    }
    if event.name == "PermissionRequest" && answer.decision == Some(HookDecision::Deny) {
        let message = answer.reason.take();
        answer.decision = None;
        answer.permission = Some(match answer.permission.take() {
            Some(PermissionAnswer::Deny { message: own, interrupt }) => {
                PermissionAnswer::Deny { message: own.or(message), interrupt }
            }
            _ => PermissionAnswer::Deny { message, interrupt: false },
        });
    }
    (answer, faults)
}

fn read_specific(object: &Map<String, Value>, event: EventKind, answer: &mut Answer) -> Vec<String> {
    let mut fields = Fields::new(object);
    match fields.text("hookEventName") {
        Some(name) if name == event.name => {}
        Some(name) => {
            fields.faults.push(format!(
                "`hookEventName` is `{}`, the event is {}",
                crate::long_text::short(&name),
                event.name
            ));
        }
        None => fields.faults.push(format!("`hookEventName` is missing; it must be \"{}\"", event.name)),
    }
    answer.additional_context = fields.text("additionalContext").filter(|_| event.takes_context());
    match event.name {
        "PreToolUse" => read_pre(&mut fields, event, answer),
        "PermissionRequest" => {
            if let Some(Value::Object(decision)) = fields.any("decision") {
                let (permission, asks, problems) = read_permission(decision, event);
                answer.permission = permission;
                answer.decision = answer.decision.max(asks);
                fields.faults.extend(problems);
            } else {
                let said = fields.misplaced("decision", event);
                if said.is_none() {
                    fields.object("decision");
                }
                answer.decision = answer.decision.max(said);
            }
            answer.decision = answer.decision.max(fields.misplaced("permissionDecision", event));
        }
        "PostToolUse" => {
            let deprecated = fields.any("updatedMCPToolOutput").cloned();
            answer.updated_output = fields.any("updatedToolOutput").cloned().or(deprecated);
            answer.fields.classifier_context = fields.text("classifierContext");
            read_misplaced(&mut fields, event, answer);
        }
        _ => {
            read_own(&mut fields, event, answer);
            read_misplaced(&mut fields, event, answer);
        }
    }
    fields.faults
}

/// Decisions inside `hookSpecificOutput` that belong at the top.
fn read_misplaced(fields: &mut Fields<'_>, event: EventKind, answer: &mut Answer) {
    for (name, reason) in [("decision", "reason"), ("permissionDecision", "permissionDecisionReason")] {
        let said = fields.misplaced(name, event);
        if said > answer.decision {
            answer.decision = said;
            answer.reason = fields.text(reason).or_else(|| answer.reason.take());
        }
    }
}

/// Fields of events that are not about a call.
fn read_own(fields: &mut Fields<'_>, event: EventKind, answer: &mut Answer) {
    let own = &mut answer.fields;
    match event.name {
        "SessionStart" => {
            own.initial_user_message = fields.text("initialUserMessage");
            own.session_title = fields.text("sessionTitle");
            own.watch_paths = fields.texts("watchPaths");
            own.reload_skills = fields.yes_no("reloadSkills").unwrap_or(false);
        }
        "UserPromptSubmit" => {
            own.session_title = fields.text("sessionTitle");
            own.suppress_original_prompt = fields.yes_no("suppressOriginalPrompt").unwrap_or(false);
        }
        "MessageDisplay" => own.display_content = fields.text("displayContent"),
        "PermissionDenied" => own.retry = fields.yes_no("retry").unwrap_or(false),
        "CwdChanged" | "FileChanged" => own.watch_paths = fields.texts("watchPaths"),
        "WorktreeCreate" => own.worktree_path = fields.text("worktreePath"),
        "Elicitation" | "ElicitationResult" => {
            own.action = fields.action();
            own.content = fields.object("content").cloned().map(Value::Object);
        }
        _ => {}
    }
}

fn read_pre(fields: &mut Fields<'_>, event: EventKind, answer: &mut Answer) {
    let words = [
        ("allow", HookDecision::Allow),
        ("ask", HookDecision::Ask),
        ("defer", HookDecision::Defer),
        ("deny", HookDecision::Deny),
    ];
    let reason = fields.text("permissionDecisionReason");
    let decision = fields.decision("permissionDecision", &words, event);
    // Both forms in one answer: the stricter one, with its reason.
    if decision.is_some() && decision >= answer.decision {
        answer.decision = decision;
        answer.reason = reason.or_else(|| answer.reason.take());
    }
    let elsewhere = fields.misplaced("decision", event);
    if elsewhere > answer.decision {
        answer.decision = elsewhere;
        answer.reason = fields.text("reason").or_else(|| answer.reason.take());
    }
    answer.updated_input = fields.object("updatedInput").cloned().map(Value::Object);
}

/// The answer to a request, a wish that it be asked all the same, and faults.
fn read_permission(
    object: &Map<String, Value>,
    event: EventKind,
) -> (Option<PermissionAnswer>, Option<HookDecision>, Vec<String>) {
    let mut fields = Fields::new(object);
    let words = [("allow", HookDecision::Allow), ("deny", HookDecision::Deny)];
    let behavior = fields.decision("behavior", &words, event);
    if behavior.is_none() && fields.faults.is_empty() {
        fields.faults.push("`behavior` is missing; use allow, deny".to_owned());
    }
    let (answer, asks) = match behavior {
        Some(HookDecision::Allow) => {
            let updated_input = fields.object("updatedInput").cloned().map(Value::Object);
            let updated_permissions = fields
                .typed("updatedPermissions", "a list", |value| value.as_array().cloned())
                .unwrap_or_default();
            (Some(PermissionAnswer::Allow { updated_input, updated_permissions }), None)
        }
        Some(HookDecision::Deny) => {
            let message = fields.text("message");
            let interrupt = fields.yes_no("interrupt").unwrap_or(false);
            (Some(PermissionAnswer::Deny { message, interrupt }), None)
        }
        asks => (None, asks),
    };
    (answer, asks, fields.faults)
}
