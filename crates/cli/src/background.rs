//! The end of a turn: what background tasks had to say meanwhile goes to the model with the results. What still runs
//! gets a moment to end by itself, and is ended then; terminals and interpreters end at once.

#[cfg(unix)]
mod news;

use crate::print::Printer;
use crate::signals::Signals;
use pegboard::tool_core::SessionState;
#[cfg(unix)]
use pegboard::tools_std::shell::{TaskEvent, Tasks};
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

/// This system has no background tasks.
#[cfg(not(unix))]
pub(crate) fn news(_session: &SessionState, _printer: &Printer) -> Vec<String> {
    Vec::new()
}

/// What background tasks had to say until now, for the model; people read it on stderr.
#[cfg(unix)]
pub(crate) fn news(session: &SessionState, printer: &Printer) -> Vec<String> {
    let texts: Vec<String> = session.of::<Tasks>().take_events().iter().map(TaskEvent::text).collect();
    texts.iter().flat_map(|text| text.lines()).for_each(|line| printer.note(line));
    news::bounded(texts)
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
    let _the_results_are_printed = news(session, printer);
}
