//! [`ToolCaller`]: how `mcp_tool` handlers reach a tool, and [`InvokerCaller`], which takes the pipeline.

use async_trait::async_trait;
use pegboard_tool_core::ports::{Outcome, ToolInvoker};
use pegboard_tool_core::{Caller, ToolContext, ToolUse};
use serde_json::Value;
use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// A tool could not be called, or failed.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolCallError {
    /// The server is not connected or has no such tool.
    #[error("{text}")]
    NotThere {
        /// In words.
        text: String,
    },
    /// The tool ran and failed, or was refused.
    #[error("{text}")]
    Failed {
        /// In words.
        text: String,
    },
}

/// Calls tools of connected servers.
///
/// # Contract
/// - Never starts a server or a login.
/// - No hooks run on the call; rules hold.
/// - Ends soon after `ctx.cancel`.
#[async_trait]
pub trait ToolCaller: Debug + Send + Sync {
    /// Calls a tool and gives the text that it answers.
    ///
    /// # Errors
    /// When it is not there, is refused or fails.
    async fn call(
        &self,
        server: &str,
        tool: &str,
        input: Value,
        ctx: &ToolContext,
    ) -> Result<String, ToolCallError>;
}

const _: fn(&dyn ToolCaller) = |_| ();

/// Calls through the pipeline, under the name `mcp__server__tool` and as [`Caller::Hook`]. The pipeline is made
/// after the hooks, so it is handed in later.
#[derive(Default)]
pub struct InvokerCaller {
    invoker: OnceLock<Weak<dyn ToolInvoker>>,
}

impl InvokerCaller {
    /// Calls nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls through `invoker` from now on; the first one counts. It is not kept alive.
    pub fn bind(&self, invoker: &Arc<dyn ToolInvoker>) {
        let _first_counts = self.invoker.set(Arc::downgrade(invoker));
    }
}

impl Debug for InvokerCaller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InvokerCaller").field("is_bound", &self.invoker.get().is_some()).finish()
    }
}

/// The name of a server's tool in the pool. A server of a plugin is written `plugin:name:server`.
pub(crate) fn pool_name(server: &str, tool: &str) -> String {
    let part = |text: &str| -> String {
        let keep = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        text.chars().map(|letter| if keep(letter) { letter } else { '_' }).collect()
    };
    format!("mcp__{}__{}", part(server), part(tool))
}

#[async_trait]
impl ToolCaller for InvokerCaller {
    async fn call(
        &self,
        server: &str,
        tool: &str,
        input: Value,
        ctx: &ToolContext,
    ) -> Result<String, ToolCallError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let Some(invoker) = self.invoker.get().and_then(Weak::upgrade) else {
            return Err(ToolCallError::NotThere { text: "no tools are connected here".to_owned() });
        };
        let name = pool_name(server, tool);
        let id = format!("hook_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let call = ToolUse::new(id, name.as_str(), input).with_caller(Caller::Hook);
        let finished = invoker.invoke(call, ctx.clone()).await;
        let text = finished.result.joined_text();
        match finished.outcome {
            Outcome::Succeeded if !finished.result.is_error => Ok(text),
            Outcome::Invalid => {
                Err(ToolCallError::NotThere { text: format!("`{name}` cannot be called: {text}") })
            }
            _ => Err(ToolCallError::Failed { text: format!("`{name}`: {text}") }),
        }
    }
}
