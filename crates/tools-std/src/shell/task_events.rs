//! What tasks have to say while nobody asks: lines of a watch, and their end.

use super::task::{TaskView, short};
use crate::foreign::OF_OTHERS;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// Most lines of one watch that wait; of more, the oldest are dropped and counted.
const MOST_LINES: usize = 200;

/// Something that the agent should be woken for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TaskEvent {
    /// A task ended, and no call said so.
    Ended(TaskView),
    /// A watch saw lines.
    #[non_exhaustive]
    Lines {
        /// Id of the watch.
        id: String,
        /// What it is for, in the model's words.
        description: String,
        /// The host at the other end of a connection, which wrote the lines; `None` for a command.
        from: Option<String>,
        /// The lines, at most 200, each at most 1,000 characters.
        lines: VecDeque<String>,
        /// Lines before these that were dropped because there were too many.
        dropped: u64,
    },
}

impl TaskEvent {
    /// The text for the model.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a text cannot fail.
        let _never_fails = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        match self {
            Self::Ended(task) => {
                let end = task.end.as_ref().map_or_else(|| "runs".to_owned(), |end| end.in_words());
                let what = short(task.description.as_ref().unwrap_or(&task.command));
                write!(text, "Background task {} ({what}) {end}.", task.id)?;
                if let Some(path) = &task.output {
                    write!(text, " Its output ({} bytes) is in {}", task.bytes, path.display())?;
                }
                task.notices.iter().try_for_each(|notice| write!(text, " [{notice}]"))
            }
            Self::Lines { id, description, from, lines, dropped } => {
                write!(text, "{id} ({})", short(description))?;
                if let Some(host) = from {
                    write!(text, ", messages from {host}, {OF_OTHERS}")?;
                }
                text.push(':');
                if *dropped > 0 {
                    write!(text, "\n... [{dropped} lines before these were dropped] ...")?;
                }
                // So that no message looks like words of ours.
                let mark = if from.is_some() { "> " } else { "" };
                lines.iter().try_for_each(|line| write!(text, "\n{mark}{line}"))
            }
        }
    }
}

/// The events that wait: at most one of lines for each watch, and one end for each task.
#[derive(Debug, Default)]
pub(crate) struct Events {
    queue: Mutex<VecDeque<TaskEvent>>,
    came: Notify,
}

impl Events {
    pub(crate) fn ended(&self, task: TaskView) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).push_back(TaskEvent::Ended(task));
        self.came.notify_one();
    }

    /// Adds a line of a watch to those that wait.
    pub(crate) fn line(&self, watch: &str, what: &str, line: String) {
        self.add(watch, what, None, line);
    }

    /// Adds a message from `host` to those that wait.
    #[cfg(feature = "web")]
    pub(crate) fn message(&self, watch: &str, what: &str, host: &str, line: String) {
        self.add(watch, what, Some(host), line);
    }

    fn add(&self, watch: &str, what: &str, from: Option<&str>, line: String) {
        {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            let waiting = queue.iter_mut().find_map(|event| match event {
                TaskEvent::Lines { id, lines, dropped, .. } if id == watch => Some((lines, dropped)),
                _ => None,
            });
            match waiting {
                Some((lines, dropped)) => {
                    if lines.len() >= MOST_LINES {
                        lines.pop_front();
                        *dropped += 1;
                    }
                    lines.push_back(line);
                }
                None => queue.push_back(TaskEvent::Lines {
                    id: watch.to_owned(),
                    description: what.to_owned(),
                    from: from.map(str::to_owned),
                    lines: VecDeque::from([line]),
                    dropped: 0,
                }),
            }
        }
        self.came.notify_one();
    }

    pub(crate) fn take(&self) -> Vec<TaskEvent> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }

    /// Waits until there is one. Safe to drop.
    pub(crate) async fn wait(&self) {
        loop {
            let came = self.came.notified();
            if !self.queue.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                return;
            }
            came.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_bounded_and_counted() {
        let events = Events::default();
        (0..1_000).for_each(|n| events.line("monitor_1", "a log", format!("line {n}")));
        events.line("monitor_2", "another", "one".to_owned());
        let taken = events.take();
        let [TaskEvent::Lines { lines, dropped, .. }, other] = &taken[..] else { panic!("{taken:?}") };
        assert_eq!((lines.len(), *dropped), (200, 800));
        assert_eq!((lines[0].as_str(), lines[199].as_str()), ("line 800", "line 999"));
        assert!(taken[0].text().starts_with(
            "monitor_1 (a log):\n... [800 lines before these were dropped] ...\nline 800\nline 801\n"
        ));
        assert_eq!(other.text(), "monitor_2 (another):\none");
        assert!(events.take().is_empty());
    }
}
