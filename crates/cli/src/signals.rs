//! Signals that tell the process to end: by the person, by a supervisor, or because its terminal is gone.

/// Signals that are caught from the moment this is made, so that none comes between.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    caught: Vec<tokio::signal::unix::Signal>,
}

impl Signals {
    /// Catches them from now on. Must be called inside the runtime.
    #[cfg(unix)]
    pub(crate) fn install() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        // One that cannot be caught ends the process, as it would have without us.
        Self { caught: kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect() }
    }

    /// Catches them from now on.
    #[cfg(not(unix))]
    pub(crate) fn install() -> Self {
        Self {}
    }

    /// Waits until one arrives.
    #[cfg(unix)]
    pub(crate) async fn told_to_end(&mut self) {
        std::future::poll_fn(|context| {
            let told = self.caught.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
            if told { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
    }

    /// Waits until the person interrupts.
    #[cfg(not(unix))]
    pub(crate) async fn told_to_end(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
