//! [`EventOutcome`]: what all handlers of one event said, merged.

use crate::EventFields;
use pegboard_tool_core::ContextChange;
use pegboard_tool_core::ports::{
    HookDecision, HookReport, PermissionAnswer, PermissionOutcome, PostOutcome, PreOutcome,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What all handlers of one event said, merged by strictness.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EventOutcome {
    /// The strictest decision (`PreToolUse`); `None` when nobody said anything.
    pub decision: Option<HookDecision>,
    /// Reasons of that decision, joined.
    pub reason: Option<String>,
    /// The whole input, replaced.
    pub updated_input: Option<Arc<Value>>,
    /// Another structured output, not yet checked for its shape.
    pub updated_output: Option<Value>,
    /// An answer in place of the approver (`PermissionRequest`).
    pub permission: Option<PermissionAnswer>,
    /// What the event announces must not happen, and why.
    pub blocked: Option<String>,
    /// The turn stops; the text is for the user.
    pub stop: Option<String>,
    /// Texts for the model.
    pub additional_context: Vec<String>,
    /// Texts for the user.
    pub system_messages: Vec<String>,
    /// Answers that only this event takes.
    pub fields: EventFields,
    /// Variables that handlers left for later commands.
    pub context_change: Option<ContextChange>,
    /// One a handler, in configuration order.
    pub reports: Vec<HookReport>,
}

impl EventOutcome {
    /// As JSON, without what nobody said; the reports come last.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        let mut put = |name: &str, value: Value| {
            if !value.is_null() && value != json!([]) {
                map.insert(name.to_owned(), value);
            }
        };
        put("decision", json!(self.decision));
        put("reason", json!(self.reason));
        put("updatedInput", json!(self.updated_input.as_deref()));
        put("updatedToolOutput", json!(self.updated_output));
        put("permission", self.permission.as_ref().map_or(Value::Null, permission_json));
        put("blocked", json!(self.blocked));
        put("stop", json!(self.stop));
        put("additionalContext", json!(self.additional_context));
        put("systemMessages", json!(self.system_messages));
        for (name, value) in self.fields.to_map() {
            put(&name, value);
        }
        if let Some(ContextChange::Env(variables)) = &self.context_change {
            put("env", variables.iter().map(|(name, value)| (name.clone(), json!(value))).collect());
        }
        let reports: Vec<Value> = self.reports.iter().map(report_json).collect();
        map.insert("handlers".to_owned(), Value::Array(reports));
        Value::Object(map)
    }

    /// As the port wants it for `PreToolUse`.
    pub(crate) fn into_pre(self) -> PreOutcome {
        let mut outcome = PreOutcome::default();
        outcome.decision = self.decision;
        outcome.reason = self.reason;
        outcome.updated_input = self.updated_input;
        outcome.additional_context = self.additional_context;
        outcome.system_messages = self.system_messages;
        outcome.stop = self.stop;
        outcome.reports = self.reports;
        outcome
    }

    /// As the port wants it for `PermissionRequest`.
    pub(crate) fn into_permission(self) -> PermissionOutcome {
        let mut outcome = PermissionOutcome::default();
        outcome.answer = self.permission;
        outcome.system_messages = self.system_messages;
        outcome.reports = self.reports;
        outcome
    }

    /// As the port wants it for events after which nothing is decided.
    pub(crate) fn into_post(self) -> PostOutcome {
        let mut outcome = PostOutcome::default();
        outcome.additional_context = self.additional_context;
        outcome.system_messages = self.system_messages;
        outcome.updated_output = self.updated_output;
        outcome.stop = self.stop;
        // Whoever fires an event about a call by its name hears of the decision here.
        outcome.blocked = self.blocked.or_else(|| {
            let refused = self.decision == Some(HookDecision::Deny);
            refused.then(|| self.reason.unwrap_or_else(|| "a hook refused the call".to_owned()))
        });
        outcome.fields = self.fields.to_map();
        outcome.context_change = self.context_change;
        outcome.reports = self.reports;
        outcome
    }
}

fn permission_json(answer: &PermissionAnswer) -> Value {
    match answer {
        PermissionAnswer::Allow { updated_input, updated_permissions } => {
            let mut map = Map::from_iter([("behavior".to_owned(), json!("allow"))]);
            if let Some(input) = updated_input {
                map.insert("updatedInput".to_owned(), input.clone());
            }
            if !updated_permissions.is_empty() {
                map.insert("updatedPermissions".to_owned(), json!(updated_permissions));
            }
            Value::Object(map)
        }
        PermissionAnswer::Deny { message, interrupt } => {
            json!({"behavior": "deny", "message": message, "interrupt": interrupt})
        }
    }
}

fn report_json(report: &HookReport) -> Value {
    json!({
        "handler": report.handler,
        "outcome": report.outcome,
        "decision": report.decision,
        "notice": report.notice,
        "durationMs": u64::try_from(report.duration.as_millis()).unwrap_or(u64::MAX),
    })
}
