//! What Tungsten answers: the screen, and what is to know about it.

use crate::terminal::sessions::Terminal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Where the cursor is, from 1.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[schemars(inline)]
#[non_exhaustive]
pub struct Cursor {
    /// Row, from 1.
    pub row: u16,
    /// Column, from 1.
    pub col: u16,
    /// Whether the program hides it.
    pub hidden: bool,
}

/// A screen at one moment.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[schemars(inline)]
#[non_exhaustive]
pub struct ScreenView {
    /// Rows of the terminal.
    pub rows: u16,
    /// Columns of the terminal.
    pub cols: u16,
    /// The lines of the screen, without blanks at their ends and empty lines at the bottom.
    pub screen: String,
    /// Lines above the screen, as far as they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scrollback: Option<String>,
    /// Where the cursor is.
    pub cursor: Cursor,
    /// Title that the program gave its window.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Whether a full-screen program has the screen.
    #[serde(default)]
    pub full_screen: bool,
    /// How the program ended, when it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// What else is to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A terminal in a list.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[schemars(inline)]
#[non_exhaustive]
pub struct Listed {
    /// Name of the terminal.
    pub session: String,
    /// What was started in it.
    pub command: String,
    /// Rows of the terminal.
    pub rows: u16,
    /// Columns of the terminal.
    pub cols: u16,
    /// Title that the program gave its window.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// How the program ended, when it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

/// Output of [`super::Tungsten`].
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TungstenOutput {
    /// Name of the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Its screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<ScreenView>,
    /// The open terminals, of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Vec<Listed>>,
}

impl ScreenView {
    /// The screen of `terminal` now, with `history` lines above it.
    pub(crate) fn of(terminal: &Terminal, history: usize) -> Self {
        // The end first: what is on the screen is then all that the program printed.
        let ended = terminal.pty.end();
        let mut emulator = terminal.pty.shared.emulator();
        let above = emulator.history(history);
        let screen = emulator.lines().join("\n");
        let size = emulator.size();
        let (row, col) = emulator.screen().cursor_position();
        let (said, kept) = (emulator.said(), emulator.history_len());
        let mut notes = Vec::new();
        let all = said.dropped_lines + kept as u64;
        let scrolled = terminal.scrolled(all);
        let unseen = scrolled.saturating_sub(above.len() as u64);
        let is_full = emulator.screen().alternate_screen();
        if unseen > 0 && !is_full {
            let reach = usize::try_from(scrolled).unwrap_or(usize::MAX).min(kept);
            let lost = scrolled.saturating_sub(reach as u64);
            let mut note = format!("{unseen} more lines went off the top since the last look");
            if reach > above.len() {
                let _written = write!(note, "; `scrollback: {reach}` shows what is kept of them");
            }
            if lost > 0 {
                let _written = write!(note, "; {lost} of them are lost");
            }
            notes.push(note);
        }
        if emulator.failures > 0 {
            notes.push("the program printed something that broke the screen, which was cleared".to_owned());
        }
        Self {
            rows: size.rows,
            cols: size.cols,
            screen,
            scrollback: (history > 0).then(|| above.join("\n")),
            cursor: Cursor {
                row: row.saturating_add(1).min(size.rows),
                col: col.saturating_add(1).min(size.cols),
                hidden: emulator.screen().hide_cursor(),
            },
            title: said.title.clone(),
            full_screen: is_full,
            ended,
            notes,
        }
    }

    /// The line above the screen, for models and people.
    pub(crate) fn heading(&self, session: &str) -> String {
        let mut line = format!("[{session}: {} columns, {} rows", self.cols, self.rows);
        if !self.title.is_empty() {
            let _written = write!(line, ", title {:?}", self.title);
        }
        if self.full_screen {
            line.push_str(", full-screen program");
        }
        match &self.ended {
            Some(end) => line.push_str(&format!(", the program {end}")),
            None if self.cursor.hidden => line.push_str(", cursor hidden"),
            None => {
                let _written = write!(line, ", cursor at row {} column {}", self.cursor.row, self.cursor.col);
            }
        }
        line.push(']');
        line
    }

    /// What a model reads.
    pub(crate) fn text(&self, session: &str) -> String {
        let mut parts = vec![self.heading(session)];
        match &self.scrollback {
            Some(above) if !above.is_empty() => {
                parts.push(above.clone());
                parts.push("[the screen begins here]".to_owned());
            }
            _ => {}
        }
        parts.push(if self.screen.is_empty() {
            "[the screen is empty]".to_owned()
        } else {
            self.screen.clone()
        });
        parts.extend(self.notes.iter().map(|note| format!("[{note}]")));
        parts.join("\n")
    }
}

impl TungstenOutput {
    /// What a model reads.
    pub(crate) fn text(&self) -> String {
        if let Some(sessions) = &self.sessions {
            if sessions.is_empty() {
                return "No terminal is open.".to_owned();
            }
            let lines = sessions.iter().map(|listed| {
                let state = match &listed.ended {
                    Some(end) => format!("the program {end}"),
                    None => "running".to_owned(),
                };
                format!(
                    "{}: {} ({} columns, {} rows), {state}",
                    listed.session, listed.command, listed.cols, listed.rows
                )
            });
            return lines.collect::<Vec<_>>().join("\n");
        }
        match (&self.view, &self.session) {
            (Some(view), Some(session)) => view.text(session),
            _ => String::new(),
        }
    }
}
