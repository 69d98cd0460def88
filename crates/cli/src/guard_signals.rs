//! Signals that would end `guard` with a code that hosts take for consent. Caught, they are a deny.

/// Signals that are caught from the moment this is made until the process ends.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    caught: Vec<tokio::signal::unix::Signal>,
}

impl Signals {
    /// Catches from now on what can be caught, also after it is dropped. Must be called inside the runtime. (KILL and
    /// STOP cannot be; ILL, FPE and SEGV must not be.)
    #[cfg(unix)]
    pub(crate) fn install() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let caught = ending().filter_map(|raw| signal(SignalKind::from_raw(raw)).ok());
        Self { caught: caught.collect() }
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
            let mut is_told = false;
            for signal in &mut self.caught {
                is_told |= signal.poll_recv(context).is_ready();
            }
            if is_told { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
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

/// Numbers of the signals that end a process which does not catch them, as far as they may be caught.
#[cfg(unix)]
fn ending() -> impl Iterator<Item = i32> {
    use rustix::process::Signal;
    const EVERYWHERE: [Signal; 15] = [
        Signal::HUP,
        Signal::INT,
        Signal::QUIT,
        Signal::TRAP,
        Signal::ABORT,
        Signal::BUS,
        Signal::SYS,
        Signal::USR1,
        Signal::USR2,
        Signal::ALARM,
        Signal::TERM,
        Signal::VTALARM,
        Signal::PROF,
        Signal::XCPU,
        Signal::XFSZ,
    ];
    #[cfg(target_os = "linux")]
    let more = {
        // The C library keeps the first ones for itself.
        let first = if cfg!(target_env = "musl") { 35 } else { 34 };
        [Signal::IO.as_raw(), Signal::POWER.as_raw(), STACK_FAULT].into_iter().chain(first..=64)
    };
    #[cfg(not(target_os = "linux"))]
    let more = std::iter::empty();
    EVERYWHERE.into_iter().map(Signal::as_raw).chain(more)
}

/// A signal that nothing sends by itself. Not every processor has it; where it has not, the number is another one of these.
#[cfg(target_os = "linux")]
const STACK_FAULT: i32 = 16;
