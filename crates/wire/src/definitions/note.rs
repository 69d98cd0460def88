//! What a definition lost on its way into a form.

use pegboard_tool_core::ToolName;
use std::fmt;
use std::sync::Arc;

/// A tool whose definition could not be said as it is. It is offered all the same.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct DefinitionNote {
    /// Which tool.
    pub tool: ToolName,
    /// What it lost.
    pub problem: DefinitionProblem,
}

/// What a definition lost.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum DefinitionProblem {
    /// Its name: the API takes no such name.
    Renamed {
        /// Name as sent.
        sent: Arc<str>,
    },
    /// Strictness: its schema cannot be said in the strict subset.
    NotStrict {
        /// Why, with the place in the schema.
        reason: String,
    },
    /// A keyword of its schema, which the API refuses.
    Keyword {
        /// Which.
        keyword: String,
    },
    /// A reference in its schema leads nowhere, so that anything goes there.
    Reference {
        /// The reference.
        reference: String,
    },
    /// Its schema goes as plain JSON Schema: the subset of the API cannot say it.
    PlainSchema {
        /// Why.
        reason: String,
    },
    /// Deferral: the form has no mark for it, or no other tool is offered.
    NotDeferred,
}

impl fmt::Display for DefinitionNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the tool `{}` ", self.tool)?;
        match &self.problem {
            DefinitionProblem::Renamed { sent } => write!(f, "is sent as `{sent}`"),
            DefinitionProblem::NotStrict { reason } => write!(f, "is not strict: {reason}"),
            DefinitionProblem::Keyword { keyword } => {
                write!(f, "is sent without the `{keyword}` of its schema, which is checked all the same")
            }
            DefinitionProblem::Reference { reference } => {
                write!(
                    f,
                    "has the reference `{}` in its schema, which leads nowhere",
                    reference.escape_debug()
                )
            }
            DefinitionProblem::PlainSchema { reason } => {
                write!(f, "is sent with a plain JSON Schema: {reason}")
            }
            DefinitionProblem::NotDeferred => f.write_str("is offered at once, not deferred"),
        }
    }
}
