//! What is wrong with a rule that was written. One bad rule spoils no other.

use pegboard_tool_core::RuleText;
use std::fmt;

/// Something about a rule that the operator should know.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Problem {
    /// The rule, with file and line.
    pub rule: RuleText,
    /// What became of it.
    pub outcome: Outcome,
    /// What is wrong, and what to write.
    pub message: String,
}

/// What became of a rule with a problem.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a rule is in force or it is not")]
pub enum Outcome {
    /// It is not in force.
    Skipped,
    /// It is in force, and may mean something else than it looks.
    Kept,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = match self.outcome {
            Outcome::Skipped => "is skipped",
            Outcome::Kept => "is kept",
        };
        let RuleText { effect, text, origin, .. } = &self.rule;
        write!(f, "{origin}: {effect} rule `{text}` {outcome}: {}", self.message)
    }
}
