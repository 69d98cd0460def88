//! On a terminal: a spinner for each running call, and a line when it is done.

use crate::events::outcome_name;
use crate::exit::one_line;
use crate::paint::Paint;
use crate::terminal::visible;
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

/// Most lines of an output that are shown; the rest is counted.
const SHOWN_LINES: usize = 12;
/// Most characters of a line that are shown.
const SHOWN_CHARS: usize = 160;

/// Spinners on stderr.
#[derive(Debug)]
pub(crate) struct Spinners {
    calls: Mutex<HashMap<String, Call>>,
    paint: Paint,
}

#[derive(Debug)]
struct Call {
    title: String,
    bar: Option<ProgressBar>,
    /// What the tool shows of its output.
    rendered: Option<String>,
}

impl Default for Spinners {
    fn default() -> Self {
        Self { calls: Mutex::default(), paint: Paint::for_stderr() }
    }
}

impl Observer for Spinners {
    fn event(&self, event: &Event<'_>) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Validated { id, title, .. } => {
                calls.insert((*id).to_owned(), Call { title: one_line(title), bar: None, rendered: None });
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
            Event::Rendered { id, text } => {
                if let Some(call) = calls.get_mut(*id) {
                    call.rendered = Some((*text).to_owned());
                }
            }
            Event::Finished { id, tool, outcome, duration, .. } => {
                let call = calls.remove(*id);
                let title = call.as_ref().map_or_else(|| one_line(tool), |call| call.title.clone());
                let rendered = call.as_ref().and_then(|call| call.rendered.as_deref()).unwrap_or_default();
                let below = shown(rendered, self.paint);
                if let Some(bar) = call.and_then(|call| call.bar) {
                    bar.finish_and_clear();
                    DISPLAY.remove(&bar);
                }
                let mark = if *outcome == Outcome::Succeeded { "+" } else { "!" };
                let took = if duration.is_zero() { String::new() } else { format!(", {duration:.1?}") };
                let line = format!("{mark} {title} ({}{took}){below}", outcome_name(*outcome));
                // Without a terminal there is nothing to print to, and nothing is lost: the result is on stdout.
                let _ = DISPLAY.println(line);
            }
            _ => {}
        }
    }

    fn wants_rendered(&self) -> bool {
        true
    }
}

/// The first lines of what a tool shows of its output, each on a line of its own and indented.
fn shown(text: &str, paint: Paint) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut below = String::new();
    for line in lines.iter().take(SHOWN_LINES) {
        let line: String = visible(line).chars().take(SHOWN_CHARS).collect();
        below.push_str("\n  | ");
        below.push_str(&paint.change(&line));
    }
    if lines.len() > SHOWN_LINES {
        below.push_str(&format!("\n  | ... {} more lines", lines.len() - SHOWN_LINES));
    }
    below
}

fn last_line(event: &serde_json::Value) -> Option<String> {
    let text = event.get("lastLine").or_else(|| event.get("last_line"))?.as_str()?;
    Some(one_line(text).chars().take(80).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_shown_in_bounds_and_cannot_move_the_cursor() {
        assert_eq!(shown("", Paint::off()), "");
        assert_eq!(shown("- a\n+ b\u{1b}[2K", Paint::off()), "\n  | - a\n  | + b\\u{1b}[2K");
        let many = shown(&"x\n".repeat(20), Paint::off());
        assert_eq!((many.lines().count(), many.ends_with("... 8 more lines")), (14, true));
        assert_eq!(shown(&"x".repeat(500), Paint::off()).chars().count(), "\n  | ".len() + SHOWN_CHARS);
    }
}
