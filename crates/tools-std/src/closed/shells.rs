//! Calls of other tools than Bash that hand a text to a POSIX shell, and what that shell is like when it reads it. Each
//! such text is judged as a line of Bash is.

use pegboard_tool_core::ToolContext;
use serde_json::Value;
use std::path::PathBuf;

/// A text that a shell is given.
#[derive(Debug)]
pub(super) struct Handed {
    pub(super) text: String,
    pub(super) reader: Reader,
}

/// The shell that reads a text.
#[derive(Clone, Debug)]
pub(super) enum Reader {
    /// A new one, which starts in the working directory, as hosts have it started.
    OfBash,
    /// A new one, which is bash without start-up files and starts in the working directory.
    New,
    /// One that stays, with whatever earlier code left in it. Where it is, when that is known.
    #[cfg_attr(not(feature = "terminal"), expect(dead_code, reason = "only Repl keeps a shell"))]
    Kept(Option<PathBuf>),
}

/// What the call of `tool` hands to a shell; `None` when it does not, or nobody knows.
pub(super) fn of(tool: &str, input: &Value, ctx: &ToolContext) -> Option<Handed> {
    let text = |field: &str| input.get(field)?.as_str().map(str::to_owned);
    let is = |field: &str, value: &str| input.get(field).and_then(Value::as_str) == Some(value);
    match tool {
        "Monitor" => Some(Handed { text: text("command")?, reader: Reader::OfBash }),
        // What is typed later may go to any program.
        "Tungsten" if is("action", "open") => Some(Handed { text: text("command")?, reader: Reader::New }),
        #[cfg(feature = "terminal")]
        "Repl" if is("language", "bash") => {
            Some(Handed { text: text("code")?, reader: Reader::Kept(crate::repl::folder(input, ctx)) })
        }
        _ => {
            let _only_repl_has_state = ctx;
            None
        }
    }
}
