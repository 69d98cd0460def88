//! Waiting that ends when the call is cancelled, without cutting off somebody who cleans up.

use futures::future::{Either, select};
use pegboard_tool_core::CancellationToken;
use std::pin::pin;
use std::time::Duration;

/// Waits for `work`. After `cancel` fires, `work` gets `grace` to end by itself, because whoever watches
/// the token may have processes to end. `None` when it was cancelled, whether or not `work` answered.
pub(crate) async fn unless_cancelled<T>(
    cancel: &CancellationToken,
    grace: Duration,
    work: impl Future<Output = T>,
) -> Option<T> {
    let work = pin!(work);
    let answer = match select(work, pin!(cancel.cancelled())).await {
        Either::Left((answer, _)) => Some(answer),
        Either::Right(((), work)) => tokio::time::timeout(grace, work).await.ok(),
    };
    if cancel.is_cancelled() { None } else { answer }
}
