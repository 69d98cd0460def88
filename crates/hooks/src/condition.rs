//! The `if` of a handler: one permission rule, leaning towards running the handler.

use pegboard_tool_core::ports::{CompiledRule, GateCall, HookCall};
use pegboard_tool_core::{Accesses, Effects, ToolDefinition};
use serde_json::{Value, json};
use std::sync::Arc;

/// A compiled `if`.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// There is none, or it could not be compiled: the handler runs.
    Always,
    /// The event knows no `if`: the handler never runs.
    Never,
    /// A rule.
    Rule(Arc<dyn CompiledRule>),
}

impl Condition {
    /// Whether the event knows no `if`.
    pub(crate) fn is_never(&self) -> bool {
        matches!(self, Self::Never)
    }

    /// Whether the handler is to run for the call; events without a call have none.
    pub(crate) fn holds(&self, call: Option<&HookCall<'_>>) -> bool {
        match (self, call) {
            (Self::Always, _) => true,
            (Self::Never, _) | (Self::Rule(_), None) => false,
            (Self::Rule(rule), Some(call)) => could_match(&**rule, call),
        }
    }
}

fn could_match(rule: &dyn CompiledRule, call: &HookCall<'_>) -> bool {
    let Ok(mut definition) = ToolDefinition::new(call.tool, "", json!({"type": "object"})) else {
        return true;
    };
    definition.aliases = call.aliases.to_vec();
    let accesses = accesses(call);
    let gate_call = GateCall::new(&definition, call.input, Effects::Destructive, &accesses, call.ctx);
    rule.could_match(&gate_call)
}

/// What a call of a public file tool touches, read from its input; of other tools nothing is known.
fn accesses(call: &HookCall<'_>) -> Accesses {
    let path = |name: &str| call.input.get(name).and_then(Value::as_str).map(|path| call.ctx.absolute(path));
    match call.tool {
        "Read" => path("file_path").map(Accesses::read_file),
        "Write" | "Edit" => path("file_path").map(Accesses::write_file),
        "NotebookEdit" => path("notebook_path").map(Accesses::write_file),
        "Glob" | "Grep" => Some(Accesses::read_tree(path("path").unwrap_or_else(|| call.ctx.cwd.clone()))),
        _ => None,
    }
    .unwrap_or(Accesses::Everything)
}
