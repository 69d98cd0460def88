//! What tasks have to say while nobody asks: lines of a watch, and their end.

use super::task::TaskView;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// Most events that wait; of more, the oldest lines go, counted.
const MOST_EVENTS: usize = 1_000;

/// Something that the agent should be woken for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TaskEvent {
    /// A task ended, and nobody was told by a call.
    Ended(TaskView),
    /// A watch saw lines.
    Lines {
        /// Id of the watch.
        id: String,
        /// What it is for, in the model's words.
        description: Option<String>,
        /// The lines, each bounded.
        lines: Vec<String>,
        /// Lines before these that were dropped because there were too many.
        dropped: u64,
    },
}

impl TaskEvent {
    /// The text for the model.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Ended(task) => {
                let end = task.end.as_ref().map_or_else(|| "runs".to_owned(), |end| end.in_words());
                let what = task.description.as_ref().unwrap_or(&task.command);
                let what: String = what.lines().next().unwrap_or_default().chars().take(200).collect();
                let mut text = format!("Background task {} ({what}) {end}.", task.id);
                if let Some(path) = &task.output {
                    text.push_str(&format!(" Its output ({} bytes) is in {}", task.bytes, path.display()));
                }
                text
            }
            Self::Lines { id, description, lines, dropped } => {
                let what = description.as_deref().unwrap_or_default();
                let mut text = format!("Monitor {id} ({what}):\n");
                if *dropped > 0 {
                    text.push_str(&format!("... [{dropped} lines before these were dropped] ...\n"));
                }
                text.push_str(&lines.join("\n"));
                text
            }
        }
    }
}

/// The events that wait, bounded.
#[derive(Debug, Default)]
pub(crate) struct Events {
    queue: Mutex<VecDeque<TaskEvent>>,
    came: Notify,
}

impl Events {
    pub(crate) fn push(&self, event: TaskEvent) {
        {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            if queue.len() >= MOST_EVENTS {
                drop_lines(&mut queue);
            }
            queue.push_back(event);
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

/// Drops the oldest event that is not an end (or the oldest end), and counts its lines in the next one
/// of the same watch.
fn drop_lines(queue: &mut VecDeque<TaskEvent>) {
    let oldest = queue.iter().position(|event| matches!(event, TaskEvent::Lines { .. })).unwrap_or(0);
    let Some(TaskEvent::Lines { id, lines, dropped, .. }) = queue.remove(oldest) else { return };
    let lost = dropped + lines.len() as u64;
    let next = queue.iter_mut().find_map(|event| match event {
        TaskEvent::Lines { id: other, dropped, .. } if *other == id => Some(dropped),
        _ => None,
    });
    if let Some(dropped) = next {
        *dropped += lost;
    }
}
