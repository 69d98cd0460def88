//! On a terminal: a spinner for each running call, and a line when it is done.

use crate::events::outcome_name;
use crate::exit::one_line;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pegboard::ports::{Event, Observer, Outcome, Phase};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// One display a process: questions must be able to get it out of their way.
static DISPLAY: LazyLock<MultiProgress> =
    LazyLock::new(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr()));

/// Runs `action` with the spinners out of the way.
pub(crate) fn suspend(action: &mut dyn FnMut()) {
    DISPLAY.suspend(action);
}

/// Spinners on stderr.
#[derive(Debug, Default)]
pub(crate) struct Spinners {
    calls: Mutex<HashMap<String, Call>>,
}

#[derive(Debug)]
struct Call {
    title: String,
    bar: Option<ProgressBar>,
}

impl Observer for Spinners {
    fn event(&self, event: &Event<'_>) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Validated { id, title, .. } => {
                calls.insert((*id).to_owned(), Call { title: one_line(title), bar: None });
            }
            Event::PhaseStarted { id, phase: Phase::Execute } => {
                if let Some(call) = calls.get_mut(*id) {
                    let bar = DISPLAY.add(ProgressBar::new_spinner());
                    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                        bar.set_style(style);
                    }
                    bar.set_message(call.title.clone());
                    bar.enable_steady_tick(Duration::from_millis(120));
                    call.bar = Some(bar);
                }
            }
            Event::Progress { id, event } => {
                let bar = calls.get(*id).and_then(|call| call.bar.as_ref().map(|bar| (call, bar)));
                if let Some((call, bar)) = bar
                    && let Some(line) = last_line(event)
                {
                    bar.set_message(format!("{}: {line}", call.title));
                }
            }
            Event::Finished { id, tool, outcome, duration, .. } => {
                let call = calls.remove(*id);
                let title = call.as_ref().map_or_else(|| one_line(tool), |call| call.title.clone());
                if let Some(bar) = call.and_then(|call| call.bar) {
                    bar.finish_and_clear();
                    DISPLAY.remove(&bar);
                }
                let mark = if *outcome == Outcome::Succeeded { "+" } else { "!" };
                let took = if duration.is_zero() { String::new() } else { format!(", {duration:.1?}") };
                let line = format!("{mark} {title} ({}{took})", outcome_name(*outcome));
                // Without a terminal there is nothing to print to, and nothing is lost: the result is on stdout.
                let _ = DISPLAY.println(line);
            }
            _ => {}
        }
    }
}

fn last_line(event: &serde_json::Value) -> Option<String> {
    let text = event.get("lastLine").or_else(|| event.get("last_line"))?.as_str()?;
    Some(one_line(text).chars().take(80).collect())
}
