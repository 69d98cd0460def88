//! Settings of command lines and background tasks.

use serde::Deserialize;

/// Settings of command lines and background tasks.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct ShellSettings {
    /// Whether the aliases, functions and options of the user's start-up files are captured and applied
    /// to each command. Off: no login shell is ever started.
    pub snapshot: bool,
    /// Memory of all commands of the session together, such as `4G` or bytes; `0` and `off`: no limit.
    /// `CLAUDE_CODE_TOOL_MEMORY_LIMIT` wins over it.
    pub memory_limit: Option<String>,
    /// Processes and threads of all commands of the session together; 0: no limit.
    pub process_limit: Option<u64>,
    /// Bytes of output after which a command is killed, 5 GiB when absent.
    pub max_output_bytes: Option<u64>,
}
