//! Where tools come from that are not in the catalog, such as MCP servers.

use async_trait::async_trait;
use pegboard_tool_core::DynTool;
use std::fmt::Debug;
use std::sync::Arc;

/// A source of tools cannot say what it has.
#[derive(Debug, thiserror::Error)]
#[error("the tools of `{name}` cannot be listed: {problem}")]
#[non_exhaustive]
pub struct SourceError {
    /// Which source.
    pub name: String,
    /// What is wrong, in words for the operator.
    pub problem: String,
}

impl SourceError {
    /// A failure of the source `name`.
    pub fn new(name: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { name: name.into(), problem: problem.into() }
    }
}

/// Lists tools, and says when the list changed.
///
/// # Contract
/// - `list` may be called at any time and again after each change; it may be dropped half-way.
/// - A failure of `list` leaves the tools of this source out of the next pool; it is reported and takes no
///   other source with it.
/// - `changed` returns once for any number of changes since it last returned. A source that never changes
///   never returns. Dropping it loses no change.
#[async_trait]
pub trait ToolSource: Debug + Send + Sync {
    /// Name of the source, as configured.
    fn name(&self) -> &str;

    /// All tools it has now.
    ///
    /// # Errors
    /// When the list cannot be had.
    async fn list(&self) -> Result<Vec<Arc<dyn DynTool>>, SourceError>;

    /// Waits until the list may have changed.
    async fn changed(&self);
}

const _: fn(&dyn ToolSource) = |_| ();
