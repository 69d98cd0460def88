//! The end of a turn: what still runs in the background gets a moment to end by itself, and is ended then;
//! terminals and interpreters end at once.

use crate::print::Printer;
use crate::signals::Signals;
use pegboard::tool_core::SessionState;
#[cfg(unix)]
use pegboard::tools_std::shell::Tasks;
#[cfg(unix)]
use std::time::Duration;

/// How long background tasks may go on after the results were printed.
#[cfg(unix)]
const GRACE: Duration = Duration::from_secs(5);

/// How the turn ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum After {
    /// By itself.
    Turn,
    /// By a signal: nothing is waited for.
    Interrupt,
}

/// This system has no background tasks.
#[cfg(not(unix))]
pub(crate) async fn finish(
    _session: &SessionState,
    _after: After,
    _signals: &mut Signals,
    _printer: &Printer,
) {
}

/// Ends the background tasks of a session, and says on stderr what they had to say.
#[cfg(unix)]
pub(crate) async fn finish(session: &SessionState, after: After, signals: &mut Signals, printer: &Printer) {
    let tasks = session.of::<Tasks>();
    let runs = tasks.list().iter().filter(|task| task.end.is_none()).count();
    if runs > 0 && after == After::Turn {
        let seconds = GRACE.as_secs();
        let tasks_run = if runs == 1 {
            "a background task still runs".to_owned()
        } else {
            format!("{runs} background tasks still run")
        };
        printer.note(&format!("{tasks_run}; what has not ended in {seconds} s is ended"));
        tokio::select! {
            _ended = tasks.finish(GRACE) => {}
            () = signals.told_to_end() => {}
        }
    }
    // Whatever a signal left.
    tasks.stop_all().await;
    pegboard::tools_std::terminal::close_all(session, None).await;
    pegboard::tools_std::lsp::stop_language_servers(session).await;
    for event in tasks.take_events() {
        event.text().lines().for_each(|line| printer.note(line));
    }
}
