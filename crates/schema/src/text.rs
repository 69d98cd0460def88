//! The one text that a model reads about an input that does not fit.

use crate::explain::Violations;
use crate::measure::MAX_DEPTH;
use crate::show;
use pegboard_tool_core::InvalidInput;
use serde_json::Value;

/// Violations that are listed, and characters of the list.
const LISTED: usize = 50;
const LIST_CHARS: usize = 6_000;

/// Largest example that is shown, in bytes.
const EXAMPLE_BYTES: usize = 1_000;

/// Whether all violations were looked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Extent {
    /// Everything.
    All,
    /// The first one only: the input is large.
    First,
}

/// An input that breaks its schema.
pub(crate) fn invalid(
    tool: &str,
    found: Violations,
    extent: Extent,
    example: Option<&Value>,
) -> InvalidInput {
    let mut text = format!("The input of {tool} does not fit its schema, so nothing was run.");
    match (extent, found.all) {
        (Extent::First, _) => text.push_str(" It is too large to list every problem; the first one:"),
        (Extent::All, 0 | 1) => text.push_str(" 1 problem:"),
        (Extent::All, all) => text.push_str(&format!(" {all} problems:")),
    }
    let mut listed = 0;
    for violation in found.kept.iter().take(LISTED) {
        let path = match violation.path.as_str() {
            "" => "the input".into(),
            path => show::cut(path, 200),
        };
        let line = format!("\n- {}: {}", path.escape_debug(), show::cut(&violation.message, 1_000));
        if listed > 0 && text.len() + line.len() > LIST_CHARS {
            break;
        }
        text.push_str(&line);
        listed += 1;
    }
    if found.all > listed {
        text.push_str(&format!("\n- and {} more", found.all - listed));
    }
    if let Some(example) = example.and_then(|example| show::whole(example, EXAMPLE_BYTES)) {
        text.push_str(&format!("\nAn input that fits: {example}"));
    }
    InvalidInput::with_violations(text, found.kept)
}

/// An input of too many levels.
pub(crate) fn too_deep(tool: &str) -> InvalidInput {
    InvalidInput::new(format!(
        "The input of {tool} is nested more than {MAX_DEPTH} levels deep, so nothing was run; make it flatter."
    ))
}

/// A schema that could not be compiled.
pub(crate) fn unusable_schema(tool: &str, problem: &str) -> InvalidInput {
    InvalidInput::new(format!(
        "{tool} cannot be called: its input schema is broken ({problem}). No other input will help; use another tool."
    ))
}
