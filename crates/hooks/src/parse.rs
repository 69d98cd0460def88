//! From the JSON object of a handler to an [`Answer`], with everything that is wrong in it.

use crate::Answer;
use crate::event::EventKind;
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
    top.text("terminalSequence");
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
    answer.additional_context = fields.text("additionalContext");
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
        }
        _ => {}
    }
    fields.faults
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
