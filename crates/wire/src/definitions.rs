//! Definitions of tools in the form of a request, and the way back from what a model calls.

mod names;
mod note;
mod nulls;
mod options;
mod refs;
mod strict;

pub use names::NameMap;
pub use note::{DefinitionNote, DefinitionProblem};
use nulls::Nulls;
pub use options::{CacheTtl, DeferredTools, DefinitionOptions, Examples, Strictness};
pub(crate) use refs::inline;
use strict::{Dialect, StrictSchema, strict};

use crate::{WireForm, anthropic, gemini, openai_chat, openai_responses};
use pegboard_tool_core::ports::TurnEvent;
use pegboard_tool_core::{RawInput, ToolDefinition, ToolUse};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Definitions as they are sent, and what they changed.
///
/// Equal definitions, in one order and with equal options, give equal bytes. Schemas are changed only in the
/// copy that is sent: inputs are checked against the tool's own.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Definitions {
    /// The `tools` of the request.
    pub tools: Value,
    /// What could not be said as it was, by tool.
    pub notes: Vec<DefinitionNote>,
    /// Names as they are sent.
    pub names: NameMap,
    /// Fields of inputs that the model gives as null for absent, by name as sent.
    nulls: HashMap<Arc<str>, Nulls>,
}

/// One tool on its way into a form.
#[derive(Debug)]
pub(crate) struct Offered<'d> {
    pub(crate) definition: &'d ToolDefinition,
    /// Name as sent.
    pub(crate) name: Arc<str>,
    /// Whether it stays out of the prompt until it is searched for.
    pub(crate) is_deferred: bool,
}

/// Most tools that Anthropic takes as strict in one request, and most fields of all of them that may be absent.
const STRICT_TOOLS: usize = 20;
const STRICT_OPTIONAL: usize = 24;

/// What the forms write to while they write definitions.
#[derive(Debug, Default)]
pub(crate) struct Report {
    notes: Vec<DefinitionNote>,
    nulls: HashMap<Arc<str>, Nulls>,
    strict_tools: usize,
    strict_optional: usize,
}

impl Report {
    pub(crate) fn note(&mut self, tool: &Offered<'_>, problem: DefinitionProblem) {
        self.notes.push(DefinitionNote { tool: tool.definition.name.clone(), problem });
    }

    /// The schema of a tool for an OpenAI form, and whether it is strict.
    pub(crate) fn openai_schema(&mut self, tool: &Offered<'_>, options: &DefinitionOptions) -> (Value, bool) {
        let schema = &*tool.definition.input_schema;
        if options.strict == Strictness::WherePossible {
            match strict(schema, Dialect::OpenAi) {
                Ok(StrictSchema { schema, nulls, .. }) => {
                    if !nulls.is_empty() {
                        self.nulls.insert(Arc::clone(&tool.name), nulls);
                    }
                    return (schema, true);
                }
                Err(reason) => self.note(tool, DefinitionProblem::NotStrict { reason }),
            }
        }
        (self.root_object(tool, schema), false)
    }

    /// The schema of a tool for Anthropic's form, and whether it is strict.
    pub(crate) fn anthropic_schema(
        &mut self,
        tool: &Offered<'_>,
        options: &DefinitionOptions,
    ) -> (Value, bool) {
        let schema = &*tool.definition.input_schema;
        if options.strict == Strictness::WherePossible {
            match strict(schema, Dialect::Anthropic) {
                Ok(StrictSchema { schema, optional, .. })
                    if self.strict_tools < STRICT_TOOLS
                        && self.strict_optional + optional <= STRICT_OPTIONAL =>
                {
                    self.strict_tools += 1;
                    self.strict_optional += optional;
                    return (schema, true);
                }
                Ok(_) => {
                    let reason = format!(
                        "a request takes {STRICT_TOOLS} strict tools, with {STRICT_OPTIONAL} optional fields in all"
                    );
                    self.note(tool, DefinitionProblem::NotStrict { reason });
                }
                Err(reason) => self.note(tool, DefinitionProblem::NotStrict { reason }),
            }
        }
        (self.root_object(tool, schema), false)
    }

    /// A schema whose root holds no choice between schemas, which APIs refuse there.
    pub(crate) fn root_object(&mut self, tool: &Offered<'_>, schema: &Value) -> Value {
        let mut sent = schema.clone();
        if let Value::Object(root) = &mut sent {
            for keyword in ["anyOf", "oneOf", "allOf", "not", "enum"] {
                if root.shift_remove(keyword).is_some() {
                    self.note(tool, DefinitionProblem::Keyword { keyword: keyword.to_owned() });
                }
            }
        }
        sent
    }
}

/// Writes the definitions of `tools`, in their order, in `form`. No tool is left out: what a form cannot say
/// is said in the notes.
#[must_use]
pub fn definitions(tools: &[&ToolDefinition], form: WireForm, options: &DefinitionOptions) -> Definitions {
    let names = NameMap::new(form, tools.iter().map(|tool| &tool.name));
    let mut report = Report::default();
    let can_defer = form == WireForm::Anthropic && options.deferred == DeferredTools::Marked;
    let all_deferred = tools.iter().all(|tool| tool.deferred);
    let offered: Vec<Offered<'_>> = tools
        .iter()
        .enumerate()
        .map(|(index, tool)| {
            // The API refuses a request in which every tool is deferred.
            let is_kept = all_deferred && index == 0;
            let is_deferred = tool.deferred && can_defer && !is_kept;
            let offered = Offered { definition: tool, name: names.sent(&tool.name), is_deferred };
            if *offered.name != *tool.name.as_str() {
                report.note(&offered, DefinitionProblem::Renamed { sent: Arc::clone(&offered.name) });
            }
            if tool.deferred && !is_deferred && options.deferred == DeferredTools::Marked {
                report.note(&offered, DefinitionProblem::NotDeferred);
            }
            offered
        })
        .collect();
    let tools = match form {
        WireForm::Anthropic => anthropic::definitions(&offered, options, &mut report),
        WireForm::OpenAiChat => openai_chat::definitions(&offered, options, &mut report),
        WireForm::OpenAiResponses => openai_responses::definitions(&offered, options, &mut report),
        WireForm::Gemini => gemini::definitions(&offered, &mut report),
    };
    Definitions { tools, notes: report.notes, names, nulls: report.nulls }
}

impl Definitions {
    /// A call as the tool knows it: its own name, and no null where the strict form had to ask for one.
    #[must_use]
    pub fn restore(&self, mut call: ToolUse) -> ToolUse {
        if let (Some(nulls), RawInput::Json(input)) = (self.nulls.get(&call.name), &mut call.input) {
            nulls.strip(Arc::make_mut(input));
        }
        if let Some(name) = self.names.original(&call.name) {
            call.name = name.to_shared();
        }
        call
    }

    /// An event with its call as the tool knows it. (Pieces of an input stay as they came.)
    #[must_use]
    pub fn restore_event(&self, event: TurnEvent) -> TurnEvent {
        match event {
            TurnEvent::CallReady(call) => TurnEvent::CallReady(self.restore(call)),
            TurnEvent::CallStarted { id, name } => {
                let name = self.names.original(&name).map_or(name, |original| original.to_shared());
                TurnEvent::CallStarted { id, name }
            }
            other => other,
        }
    }
}
