//! Parts of the rule engine that other layers need: single paths and hosts, and single rules.

use super::{GateCall, Verdict};
use crate::{AccessMode, ToolContext};
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// May this path or host be touched? For what a tool finds while it runs: hits of a search,
/// redirects, targets of links.
///
/// # Contract
/// - Answers only from rules and working directories; nobody is asked. `Ask` means "not without a person".
pub trait AccessPolicy: Debug + Send + Sync {
    /// May this absolute path be touched?
    fn path(&self, path: &Path, mode: AccessMode, ctx: &ToolContext) -> Verdict;

    /// May this host be reached?
    fn host(&self, host: &str, ctx: &ToolContext) -> Verdict;
}

const _: fn(&dyn AccessPolicy) = |_| ();

/// A text is no rule.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{rule}` is not a rule: {problem}")]
#[non_exhaustive]
pub struct RuleError {
    /// The text.
    pub rule: String,
    /// What is wrong, and what to write.
    pub problem: String,
}

impl RuleError {
    /// Says what is wrong with a rule.
    pub fn new(rule: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { rule: rule.into(), problem: problem.into() }
    }
}

/// Compiles single rules, for hooks' `if`, skills and agents.
pub trait RuleCompiler: Debug + Send + Sync {
    /// Compiles `rule`.
    ///
    /// # Errors
    /// When it is none.
    fn compile(&self, rule: &str) -> Result<Arc<dyn CompiledRule>, RuleError>;
}

const _: fn(&dyn RuleCompiler) = |_| ();

/// One compiled rule.
pub trait CompiledRule: Debug + Send + Sync {
    /// Whether the call is, or could be, one that the rule names: leans towards yes where it cannot tell.
    fn could_match(&self, call: &GateCall<'_>) -> bool;
}

const _: fn(&dyn CompiledRule) = |_| ();
