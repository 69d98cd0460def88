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

    /// What is closed before any rule counts, as it is now; `None` when nothing is. Default: nothing.
    fn closed(&self, _ctx: &ToolContext) -> Option<Arc<dyn ClosedPaths>> {
        None
    }
}

const _: fn(&dyn AccessPolicy) = |_| ();

/// Paths that stay closed to every tool, whatever rules, modes and people say: those that a project's ignore files
/// name. A picture of one moment.
///
/// # Contract
/// - What cannot be told is closed.
/// - A reason is for the model: words that follow the path, such as "is closed by .pegboardignore". It names no
///   other path.
pub trait ClosedPaths: Debug + Send + Sync {
    /// Why this absolute path is closed, under the name given or where it leads; `None` when it is open.
    fn path(&self, path: &Path, mode: AccessMode) -> Option<String>;

    /// Why this folder may not be touched with all that it holds, itself apart; `None` when all of it is open.
    fn below(&self, folder: &Path, mode: AccessMode) -> Option<String>;
}

const _: fn(&dyn ClosedPaths) = |_| ();

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
