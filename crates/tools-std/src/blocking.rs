//! Work that waits for the disk, away from the threads that drive calls.

use pegboard_tool_core::{ErrorKind, ToolError};

/// Runs `work` on the blocking pool. It runs to its end even when the caller goes away.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) if error.is_panic() => {
            Err(ToolError::new(ErrorKind::Bug, "the tool crashed; this is a defect of it").with_source(error))
        }
        Err(_) => Err(ToolError::cancelled()),
    }
}
