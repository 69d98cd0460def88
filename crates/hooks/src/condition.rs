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
    Rule {
        /// Compiled.
        rule: Arc<dyn CompiledRule>,
        /// It is for a shell and says more than a program's name: a line with a variable or a substitution could
        /// become what it is for, so the handler runs.
        leans: bool,
    },
}

impl Condition {
    /// The condition of a compiled rule.
    pub(crate) fn of_rule(text: &str, rule: Arc<dyn CompiledRule>) -> Self {
        let pattern = text.trim().strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')'));
        let pattern = pattern.map(|pattern| pattern.trim_end_matches(['*', ':', ' ']).trim());
        let leans = pattern.is_some_and(|pattern| pattern.contains(char::is_whitespace));
        Self::Rule { rule, leans }
    }

    /// Whether the event knows no `if`.
    pub(crate) fn is_never(&self) -> bool {
        matches!(self, Self::Never)
    }

    /// Whether the handler is to run for the call; events without a call have none.
    pub(crate) fn holds(&self, call: Option<&HookCall<'_>>) -> bool {
        match (self, call) {
            (Self::Always, _) => true,
            (Self::Never, _) | (Self::Rule { .. }, None) => false,
            (Self::Rule { leans: true, .. }, Some(call)) if expands(call) => true,
            (Self::Rule { rule, .. }, Some(call)) => could_match(&**rule, call),
        }
    }
}

/// Whether a shell would put something else in place of a part of the line.
fn expands(call: &HookCall<'_>) -> bool {
    let line = call.input.get("command").and_then(Value::as_str).unwrap_or_default();
    let starts_name = |letter: char| letter.is_ascii_alphabetic() || "_({".contains(letter);
    let has_variable = line.split('$').skip(1).any(|after| after.starts_with(starts_name));
    call.tool == "Bash" && (has_variable || line.contains('`'))
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
