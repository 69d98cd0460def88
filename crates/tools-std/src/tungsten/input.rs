//! What Tungsten is asked: an action and what belongs to it.

use crate::terminal::emulator::Size;
use crate::terminal::owner::check_name;
use crate::terminal::wait::Until;
use pegboard_tool_core::InvalidInput;
use regex::RegexBuilder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Most bytes that are typed at once.
const MOST_TYPED: usize = 64 * 1024;
/// Time of a wait when nothing is said, in milliseconds.
const DEFAULT_WAIT: u64 = 10_000;
/// Longest wait, in milliseconds.
const MOST_WAIT: u64 = 600_000;
/// Most lines above the screen in one result.
const MOST_SCROLLBACK: u32 = 1000;
/// Memory of a pattern, in bytes.
const MOST_PATTERN: usize = 1024 * 1024;

/// What to do.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[non_exhaustive]
pub enum TungstenAction {
    /// Start a program in a new terminal.
    Open,
    /// Type into a terminal.
    Send,
    /// Look at the screen.
    Read,
    /// Change the size.
    Resize,
    /// End the program and everything that it started.
    Close,
    /// Name the open terminals.
    List,
}

/// Input of [`super::Tungsten`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TungstenInput {
    /// `open` starts a program in a new terminal, `send` types, `read` looks at the screen, `resize`, `close`, `list`.
    pub action: TungstenAction,
    /// Name of the terminal. May be left out when only one is open; `open` then chooses a name.
    #[serde(default)]
    pub session: Option<String>,
    /// open: command line of bash to run in the terminal, such as `vim notes.txt`. An interactive bash when left out.
    #[serde(default)]
    pub command: Option<String>,
    /// send: text to type as it is; nothing in it is special, a line end is the Enter key. Typed before `keys`.
    #[serde(default)]
    pub text: Option<String>,
    /// send: text in which names between angle brackets are keys: `ls -l<Enter>`, `<C-c>`, `<Up>`, `<Esc>:wq<Enter>`,
    /// `<S-Tab>`, `<M-x>`, `<F5>`, `<PageDown>`; `<lt>` is a plain `<`.
    #[serde(default)]
    pub keys: Option<String>,
    /// open, resize: columns, 20 to 300. Default 80.
    #[serde(default)]
    #[schemars(range(min = 20, max = 300))]
    pub cols: Option<u16>,
    /// open, resize: rows, 5 to 100. Default 24.
    #[serde(default)]
    #[schemars(range(min = 5, max = 100))]
    pub rows: Option<u16>,
    /// Wait until this text is on the screen (`send`: after something new was printed).
    #[serde(default)]
    pub wait_for: Option<String>,
    /// Wait until this regular expression matches the screen; `^` and `$` are the ends of lines.
    #[serde(default)]
    pub wait_for_regex: Option<String>,
    /// Wait until nothing was printed for so many milliseconds.
    #[serde(default)]
    pub wait_idle: Option<u64>,
    /// Wait until the program has ended.
    #[serde(default)]
    pub wait_end: Option<bool>,
    /// Longest wait in milliseconds. Default 10000, at most 600000.
    #[serde(default)]
    pub timeout: Option<u64>,
    /// Lines above the screen to show too, at most 1000. Default 0.
    #[serde(default)]
    #[schemars(range(max = 1000))]
    pub scrollback: Option<u32>,
}

impl TungstenInput {
    /// What is wrong with the input as a whole.
    pub(crate) fn check(&self) -> Result<(), InvalidInput> {
        use TungstenAction::{Close, Open, Read, Resize, Send};
        let fields = [
            ("command", self.command.is_some(), &[Open][..]),
            ("text", self.text.is_some(), &[Send]),
            ("keys", self.keys.is_some(), &[Send]),
            ("cols", self.cols.is_some(), &[Open, Resize]),
            ("rows", self.rows.is_some(), &[Open, Resize]),
            ("wait_for", self.wait_for.is_some(), &[Open, Send, Read, Resize]),
            ("wait_for_regex", self.wait_for_regex.is_some(), &[Open, Send, Read, Resize]),
            ("wait_idle", self.wait_idle.is_some(), &[Open, Send, Read, Resize]),
            ("wait_end", self.wait_end.is_some(), &[Open, Send, Read, Resize]),
            ("timeout", self.timeout.is_some(), &[Open, Send, Read, Resize]),
            ("scrollback", self.scrollback.is_some(), &[Open, Send, Read, Resize, Close]),
            ("session", self.session.is_some(), &[Open, Send, Read, Resize, Close]),
        ];
        if let Some((field, ..)) =
            fields.iter().find(|(_, is_given, actions)| *is_given && !actions.contains(&self.action))
        {
            return Err(InvalidInput::new(format!(
                "`{field}` means nothing to `{}`; leave it out",
                self.verb()
            )));
        }
        if let Some(name) = &self.session {
            check_name(name).map_err(InvalidInput::new)?;
        }
        let typed = [&self.text, &self.keys].into_iter().flatten();
        if self.action == Send && typed.clone().all(String::is_empty) {
            return Err(InvalidInput::new("`send` has nothing to type; give `text` or `keys`"));
        }
        if typed.map(String::len).sum::<usize>() > MOST_TYPED {
            return Err(InvalidInput::new(format!(
                "more than {MOST_TYPED} bytes cannot be typed at once; write them to a file"
            )));
        }
        if let Some(command) = &self.command {
            crate::input::check_text("command", command)?;
        }
        if self.action == Resize && self.cols.is_none() && self.rows.is_none() {
            return Err(InvalidInput::new("`resize` needs `cols` or `rows`"));
        }
        if self.cols.is_some_and(|cols| !(20..=300).contains(&cols)) {
            return Err(InvalidInput::new("`cols` must be 20 to 300"));
        }
        if self.rows.is_some_and(|rows| !(5..=100).contains(&rows)) {
            return Err(InvalidInput::new("`rows` must be 5 to 100"));
        }
        self.until().map(drop).map_err(InvalidInput::new)
    }

    /// The action as it is written.
    pub(crate) fn verb(&self) -> &'static str {
        match self.action {
            TungstenAction::Open => "open",
            TungstenAction::Send => "send",
            TungstenAction::Read => "read",
            TungstenAction::Resize => "resize",
            TungstenAction::Close => "close",
            TungstenAction::List => "list",
        }
    }

    /// The size that is asked for, from what it is now.
    pub(crate) fn size(&self, now: Size) -> Size {
        Size { rows: self.rows.unwrap_or(now.rows), cols: self.cols.unwrap_or(now.cols) }
    }

    /// What is waited for.
    ///
    /// # Errors
    /// When it is several things, or the pattern is none.
    pub(crate) fn until(&self) -> Result<Until, String> {
        let mut all = Vec::new();
        if let Some(text) = &self.wait_for {
            if text.trim().is_empty() {
                return Err("`wait_for` is blank; use `wait_idle` to wait for silence".to_owned());
            }
            all.push(Until::Text(text.trim_end().to_owned()));
        }
        if let Some(pattern) = &self.wait_for_regex {
            let built = RegexBuilder::new(pattern).multi_line(true).size_limit(MOST_PATTERN).build();
            all.push(Until::Pattern(
                built.map_err(|error| format!("`wait_for_regex` is no pattern: {error}"))?,
            ));
        }
        all.extend(self.wait_idle.map(|idle| Until::Silence(Duration::from_millis(idle.min(MOST_WAIT)))));
        all.extend(self.wait_end.filter(|end| *end).map(|_| Until::End));
        if all.len() > 1 {
            let text = "give one of `wait_for`, `wait_for_regex`, `wait_idle` and `wait_end`";
            return Err(text.to_owned());
        }
        let is_look = self.action == TungstenAction::Read;
        Ok(all.pop().unwrap_or(if is_look { Until::Now } else { Until::Settled }))
    }

    /// How long is waited at most.
    pub(crate) fn most_wait(&self) -> Duration {
        Duration::from_millis(self.timeout.unwrap_or(DEFAULT_WAIT).min(MOST_WAIT))
    }

    /// Lines above the screen that are shown.
    pub(crate) fn scrollback(&self) -> usize {
        usize::try_from(self.scrollback.unwrap_or(0).min(MOST_SCROLLBACK)).unwrap_or(0)
    }
}
