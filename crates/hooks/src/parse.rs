//! From the JSON object of a handler to an [`Answer`], with everything that is wrong in it.

use crate::Answer;
use crate::event::EventKind;
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

    /// The decision that a word stands for. In a strict word letter case does not matter.
    fn decision(&mut self, name: &str, words: &[(&str, HookDecision)]) -> Option<HookDecision> {
        let given = self.text(name)?;
        if let Some((_, decision)) = words.iter().find(|(word, _)| *word == given) {
            return Some(*decision);
        }
        let list: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.faults.push(format!(
            "`{name}` is `{}`; use {}",
            crate::long_text::short(&given),
            list.join(", ")
        ));
        let close = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(given.trim()))?;
        Some(close.1).filter(|decision| *decision != HookDecision::Allow)
    }
}

/// Reads an object. The answer holds whatever could be read; with faults only its strict part counts.
pub(crate) fn read(object: &Map<String, Value>, event: EventKind) -> (Answer, Vec<String>) {
    let mut answer = Answer::silent();
    let mut top = Fields::new(object);
    if top.yes_no("continue") == Some(false) {
        answer.stop = Some(String::new());
    }
    let stop_reason = top.text("stopReason");
    if answer.stop.is_some() {
        let default = || "a hook stopped the turn".to_owned();
        answer.stop = Some(stop_reason.filter(|reason| !reason.is_empty()).unwrap_or_else(default));
    }
    top.yes_no("suppressOutput");
    top.yes_no("async");
    top.typed("asyncTimeout", "a number of milliseconds", Value::as_f64);
    // A sequence that could do harm is ignored as a whole.
    answer.fields.terminal_sequence =
        top.text("terminalSequence").filter(|text| !text.is_empty() && is_harmless_sequence(text));
    answer.system_message = top.text("systemMessage");
    answer.reason = top.text("reason");
    let words = [("approve", HookDecision::Allow), ("block", HookDecision::Deny)];
    answer.decision = top.decision("decision", &words);
    if matches!(event.name, "Stop" | "SubagentStop") && answer.decision.is_some() && answer.reason.is_none() {
        top.faults.push("`decision` needs a `reason`".to_owned());
        answer.decision = None;
    }
    let specific = top.object("hookSpecificOutput");
    let known = top.known;
    let mut faults = top.faults;
    if let Some(specific) = specific {
        faults.extend(read_specific(specific, event, &mut answer));
    } else if !known && !object.is_empty() {
        faults.push("no field is known".to_owned());
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
        "PreToolUse" => read_pre(&mut fields, answer),
        "PermissionRequest" => {
            if let Some(decision) = fields.object("decision") {
                let (permission, problems) = read_permission(decision);
                answer.permission = permission;
                fields.faults.extend(problems);
            }
        }
        "PostToolUse" => {
            let deprecated = fields.any("updatedMCPToolOutput").cloned();
            answer.updated_output = fields.any("updatedToolOutput").cloned().or(deprecated);
            answer.fields.classifier_context = fields.text("classifierContext");
        }
        _ => read_own(&mut fields, event, answer),
    }
    fields.faults
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

fn read_pre(fields: &mut Fields<'_>, answer: &mut Answer) {
    let words = [
        ("allow", HookDecision::Allow),
        ("ask", HookDecision::Ask),
        ("defer", HookDecision::Defer),
        ("deny", HookDecision::Deny),
    ];
    let reason = fields.text("permissionDecisionReason");
    let decision = fields.decision("permissionDecision", &words);
    // Both forms in one answer: the stricter one, with its reason.
    if decision.is_some() && decision >= answer.decision {
        answer.decision = decision;
        answer.reason = reason.or_else(|| answer.reason.take());
    }
    answer.updated_input = fields.object("updatedInput").cloned().map(Value::Object);
}

fn read_permission(object: &Map<String, Value>) -> (Option<PermissionAnswer>, Vec<String>) {
    let mut fields = Fields::new(object);
    let words = [("allow", HookDecision::Allow), ("deny", HookDecision::Deny)];
    let behavior = fields.decision("behavior", &words);
    if behavior.is_none() && fields.faults.is_empty() {
        fields.faults.push("`behavior` is missing; use allow, deny".to_owned());
    }
    let answer = match behavior {
        Some(HookDecision::Allow) => Some(PermissionAnswer::Allow {
            updated_input: fields.object("updatedInput").cloned().map(Value::Object),
            updated_permissions: fields
                .typed("updatedPermissions", "a list", |value| value.as_array().cloned())
                .unwrap_or_default(),
        }),
        Some(_) => Some(PermissionAnswer::Deny {
            message: fields.text("message"),
            interrupt: fields.yes_no("interrupt").unwrap_or(false),
        }),
        None => None,
    };
    (answer, fields.faults)
}
