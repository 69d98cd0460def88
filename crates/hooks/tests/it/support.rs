//! A folder with scripts, a context in it, and a fifo to wait on.

use pegboard_hooks::{HookConfig, HookOptions, Hooks};
use pegboard_tool_core::{ContextSnapshot, Origin, SettingSource, ToolContext};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A folder of its own.
pub(crate) struct Place {
    pub(crate) dir: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A fifo of this name.
    pub(crate) fn fifo(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }

    pub(crate) fn snapshot(&self) -> ContextSnapshot {
        let mut snapshot = ContextSnapshot::new(self.dir.path(), "session-1");
        let env = [
            ("PATH", "/usr/bin:/bin"),
            ("OTEL_EXPORTER", "x"),
            ("CLAUDE_ENV_FILE", "/nowhere"),
            ("KEEP", "kept"),
        ];
        snapshot.env = Arc::new(
            env.map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into_iter()
                .collect::<BTreeMap<_, _>>(),
        );
        snapshot
    }

    pub(crate) fn ctx(&self) -> ToolContext {
        ToolContext::new(Arc::new(self.snapshot()))
    }
}

/// A runner of one layer.
pub(crate) fn hooks(config: Value) -> Hooks {
    let (config, problems) =
        HookConfig::from_layers(vec![(Origin::of(SettingSource::User), config)], &HookOptions::new());
    assert_eq!(problems, []);
    Hooks::new(config)
}

/// Commands on one event and matcher.
pub(crate) fn commands(event: &str, matcher: &str, commands: &[&str]) -> Value {
    let handlers: Vec<Value> =
        commands.iter().map(|command| json!({"type": "command", "command": command})).collect();
    json!({event: [{"matcher": matcher, "hooks": handlers}]})
}

/// A shell word.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Reads a fifo to its end, off the runtime.
pub(crate) async fn read_fifo(path: PathBuf) -> String {
    tokio::task::spawn_blocking(move || std::fs::read_to_string(path).unwrap()).await.unwrap()
}

/// Whether the process runs (a corpse does not).
pub(crate) fn lives(id: &str) -> bool {
    born(id).is_some()
}

/// A process that was seen alive. Its number may be another's later.
#[derive(Debug)]
pub(crate) struct Seen {
    id: String,
    born: Option<String>,
}

impl Seen {
    pub(crate) fn new(id: &str) -> Self {
        Self { id: id.to_owned(), born: born(id) }
    }

    pub(crate) fn lives(&self) -> bool {
        self.born.is_some() && self.born == born(&self.id)
    }
}

/// The time of a running process's birth.
fn born(id: &str) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    let born = rest.split_ascii_whitespace().nth(19)?.to_owned();
    (!rest.starts_with(['Z', 'X'])).then_some(born)
}
