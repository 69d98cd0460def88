//! The languages: which program runs them, how it is started, and in which form it is given code.

use crate::terminal::environment;
use pegboard_tool_core::ToolContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A language.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[non_exhaustive]
pub enum ReplLanguage {
    /// Python 3.
    #[default]
    Python,
    /// JavaScript, by Node.
    Node,
    /// Bash.
    Bash,
}

const PYTHON: &str = include_str!("driver.py");
const NODE: &str = include_str!("driver.js");

/// Moves the two control channels away from where code expects its input and output: they arrive as standard input and
/// output, the code's own output as standard error.
const MOVED: &str = r#"exec "$@" 3<&0 4>&1 </dev/null >&2"#;
/// The same for a shell, which reads its requests as its own input.
const MOVED_SHELL: &str = r#"exec "$@" 4>&1 >&2"#;

/// Names that would run files at the start, or change how the interpreter reads its requests.
const REMOVED: [&str; 10] = [
    "NODE_OPTIONS",
    "NODE_REPL_EXTERNAL_MODULE",
    "NODE_REPL_HISTORY",
    "NODE_CHANNEL_FD",
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
    "HISTFILE",
    "PS0",
    "PS1",
    "PS2",
];

impl ReplLanguage {
    pub(crate) const ALL: [Self; 3] = [Self::Python, Self::Node, Self::Bash];

    /// The program, as it is looked for.
    pub(crate) fn program(self) -> &'static str {
        match self {
            Self::Python => "python3",
            Self::Node => "node",
            Self::Bash => "bash",
        }
    }

    /// As it is written in an input.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Node => "node",
            Self::Bash => "bash",
        }
    }

    /// The program to start.
    pub(crate) fn find(self, ctx: &ToolContext) -> Option<PathBuf> {
        let found = environment::program(ctx, self.program());
        if self == Self::Bash { found.or_else(|| environment::shell(ctx)) } else { found }
    }

    /// Arguments of `sh` that start `program`.
    pub(crate) fn arguments(self, program: PathBuf) -> Vec<std::ffi::OsString> {
        let (script, options): (&str, &[&str]) = match self {
            // Isolated: no file of the folder or the user runs before the first code.
            Self::Python => (MOVED, &["-I", "-u", "-c", PYTHON]),
            Self::Node => (MOVED, &["-e", NODE]),
            Self::Bash => (MOVED_SHELL, &["--noprofile", "--norc", "--noediting", "-i"]),
        };
        let mut arguments = vec!["-c".into(), script.into(), "sh".into(), program.into_os_string()];
        arguments.extend(options.iter().map(Into::into));
        arguments
    }

    /// The environment of the interpreter.
    pub(crate) fn environment(self, ctx: &ToolContext) -> Vec<(String, String)> {
        let mut all = environment::plain(ctx);
        all.retain(|(name, _)| !REMOVED.contains(&name.as_str()));
        all
    }

    /// What the interpreter is told before the first code.
    pub(crate) fn first_code(self) -> &'static str {
        match self {
            Self::Python | Self::Node => "",
            // Interactive, so that an interrupt ends the code and not the shell; without what people want of that.
            Self::Bash => {
                "PS1= PS2=; unset HISTFILE MAILCHECK PROMPT_COMMAND; set +o history +o histexpand; shopt -u checkwinsize"
            }
        }
    }

    /// A request to run `code`, which is answered by a line of `nonce`, `id` and the outcome.
    pub(crate) fn request(self, nonce: &str, id: u64, code: &str) -> Vec<u8> {
        match self {
            Self::Python | Self::Node => {
                let mut line = serde_json::json!({"nonce": nonce, "id": id, "code": code}).to_string();
                line.push('\n');
                line.into_bytes()
            }
            Self::Bash => {
                // Two lines: an interrupt drops the rest of the first one only.
                let mut lines = format!("eval {} </dev/null 4>&-\n", quoted(code)).into_bytes();
                lines.extend(answer(nonce, id));
                lines
            }
        }
    }

    /// What must be sent after an interrupt: a shell drops the line that it was at, which may be the answer.
    pub(crate) fn after_interrupt(self, nonce: &str, id: u64) -> Option<Vec<u8>> {
        match self {
            Self::Python | Self::Node => None,
            Self::Bash => Some(answer(nonce, id)),
        }
    }
}

/// The line by which a shell answers, which names its process too. An empty one stands before it: after a text that
/// ends too early the shell takes the next line for the rest of a command.
fn answer(nonce: &str, id: u64) -> Vec<u8> {
    format!("\n{{ builtin printf '%s %s %s %s\\n' {nonce} {id} \"$?\" \"$$\" >&4; }} 2>/dev/null\n")
        .into_bytes()
}

/// A text as one word of bash on one line.
fn quoted(text: &str) -> String {
    let mut word = String::with_capacity(text.len() + 16);
    word.push_str("$'");
    for letter in text.chars() {
        match letter {
            '\\' => word.push_str(r"\\"),
            '\'' => word.push_str(r"\'"),
            '\n' => word.push_str(r"\n"),
            letter => word.push(letter),
        }
    }
    word.push('\'');
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn bash_reads_a_quoted_text_as_it_was(text in "[^\0]{0,40}") {
            let script = format!("printf %s {}", quoted(&text));
            prop_assert!(!script.contains('\n'));
            let output = Command::new("bash").args(["-c", &script]).env("LC_ALL", "C.UTF-8").output().unwrap();
            prop_assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
        }
    }
}
