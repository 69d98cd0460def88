//! What a call knows about its surroundings: values of a moment, and handles to the session.

use crate::resolve::without_dots;
use crate::{CancellationToken, ContextChange, PermissionMode, SessionState};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The values of one moment. They change only between batches, by a [`ContextChange`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContextSnapshot {
    /// Working directory, absolute.
    pub cwd: PathBuf,
    /// Directory where the session started, absolute; stays when `cwd` moves.
    pub project_dir: PathBuf,
    /// The user's home directory, when known.
    pub home: Option<PathBuf>,
    /// Working directories beside `project_dir`, absolute.
    pub directories: Vec<PathBuf>,
    /// Permission mode.
    pub mode: PermissionMode,
    /// Mode to return to when plan mode ends.
    pub mode_before_plan: Option<PermissionMode>,
    /// Id of the session.
    pub session_id: Arc<str>,
    /// Folder of the session, when it has one: large results are in `tool-results` below it.
    pub session_dir: Option<PathBuf>,
    /// Environment of child processes, complete: nothing is inherited beside it.
    pub env: Arc<BTreeMap<String, String>>,
    /// Values of tool families, see [`ContextChange::Extension`].
    pub extensions: BTreeMap<String, Value>,
    /// Counts the changes; a call that was decided under another generation is decided again.
    pub generation: u64,
    /// Id of the subagent that calls, when it is one.
    pub agent_id: Option<Arc<str>>,
    /// Whether the folder is trusted.
    pub trusted: bool,
    /// State of the session, shared by all its contexts.
    pub session: Arc<SessionState>,
}

impl ContextSnapshot {
    /// A context in `cwd` with an empty environment, untrusted, in the default mode.
    pub fn new(cwd: impl Into<PathBuf>, session_id: impl Into<Arc<str>>) -> Self {
        let cwd = cwd.into();
        Self {
            project_dir: cwd.clone(),
            cwd,
            home: None,
            directories: Vec::new(),
            mode: PermissionMode::Default,
            mode_before_plan: None,
            session_id: session_id.into(),
            session_dir: None,
            env: Arc::default(),
            extensions: BTreeMap::new(),
            generation: 0,
            agent_id: None,
            trusted: false,
            session: Arc::default(),
        }
    }

    /// The context after `change`, with the next generation.
    #[must_use]
    pub fn changed(&self, change: &ContextChange) -> Self {
        let mut next = self.clone();
        next.apply(change);
        next.generation += 1;
        next
    }

    fn apply(&mut self, change: &ContextChange) {
        match change {
            ContextChange::Cwd(path) => self.cwd.clone_from(path),
            ContextChange::Env(changes) => {
                let env = Arc::make_mut(&mut self.env);
                for (name, value) in changes {
                    match value {
                        Some(value) => env.insert(name.clone(), value.clone()),
                        None => env.remove(name),
                    };
                }
            }
            ContextChange::Extension { name, value: Value::Null } => {
                self.extensions.remove(name);
            }
            ContextChange::Extension { name, value } => {
                self.extensions.insert(name.clone(), value.clone());
            }
            ContextChange::AddDirectory(path) => {
                if !self.directories.contains(path) {
                    self.directories.push(path.clone());
                }
            }
            ContextChange::Mode(mode) => self.change_mode(*mode),
            ContextChange::All(changes) => changes.iter().for_each(|change| self.apply(change)),
        }
    }

    fn change_mode(&mut self, mode: PermissionMode) {
        match (self.mode, mode) {
            (PermissionMode::Plan, PermissionMode::Plan) => {}
            (before, PermissionMode::Plan) => self.mode_before_plan = Some(before),
            _ => self.mode_before_plan = None,
        }
        self.mode = mode;
    }

    /// `path` made absolute against the working directory: `~` is the home directory, `.` and `..`
    /// are removed by the text alone, links are not followed.
    pub fn absolute(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        let joined = match (path.strip_prefix("~"), &self.home) {
            (Ok(below), Some(home)) => home.join(below),
            _ => self.cwd.join(path),
        };
        without_dots(&joined)
    }
}

/// What is handed to a call: a snapshot and the call's own cancellation. Cheap to clone.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolContext {
    snapshot: Arc<ContextSnapshot>,
    /// Cancels this call.
    pub cancel: CancellationToken,
    /// Id of the call as received; empty before there is one.
    pub call_id: Arc<str>,
    /// Whether a hook may leave this call open for the host: only where it is the single one of its message.
    pub may_defer: bool,
}

impl ToolContext {
    /// A context over `snapshot` that nobody cancels yet.
    #[must_use]
    pub fn new(snapshot: Arc<ContextSnapshot>) -> Self {
        Self { snapshot, cancel: CancellationToken::new(), call_id: Arc::from(""), may_defer: false }
    }

    /// The same context, cancelled by `cancel`.
    #[must_use]
    pub fn with_cancel(&self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self.clone() }
    }

    /// The same context for one call.
    #[must_use]
    pub fn for_call(&self, call_id: Arc<str>, cancel: CancellationToken) -> Self {
        Self { snapshot: Arc::clone(&self.snapshot), cancel, call_id, may_defer: self.may_defer }
    }

    /// The same context, with or without leave to defer.
    #[must_use]
    pub fn with_defer(&self, may_defer: bool) -> Self {
        Self { may_defer, ..self.clone() }
    }

    /// The same context with other values.
    #[must_use]
    pub fn with_snapshot(&self, snapshot: Arc<ContextSnapshot>) -> Self {
        Self { snapshot, ..self.clone() }
    }

    /// The values, shared.
    #[must_use]
    pub fn snapshot(&self) -> &Arc<ContextSnapshot> {
        &self.snapshot
    }
}

impl Deref for ToolContext {
    type Target = ContextSnapshot;

    fn deref(&self) -> &ContextSnapshot {
        &self.snapshot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_absolute_by_text_alone() {
        let mut context = ContextSnapshot::new("/w", "s");
        context.home = Some("/home/u".into());
        for (given, expected) in [
            ("a/b", "/w/a/b"),
            ("./a/../b", "/w/b"),
            ("../../../x", "/x"),
            ("~/x", "/home/u/x"),
            ("~", "/home/u"),
            ("~x", "/w/~x"),
            ("/a//b/", "/a/b"),
        ] {
            assert_eq!(context.absolute(given), PathBuf::from(expected), "{given}");
        }
    }

    #[test]
    fn every_change_is_a_new_generation() {
        let context = ContextSnapshot::new("/w", "s");
        let next = context.changed(&ContextChange::All(vec![
            ContextChange::Cwd("/w/sub".into()),
            ContextChange::Env(vec![("A".into(), Some("1".into()))]),
            ContextChange::Mode(PermissionMode::Plan),
        ]));
        assert_eq!((next.generation, next.cwd.as_path()), (1, Path::new("/w/sub")));
        assert_eq!(next.env.get("A").map(String::as_str), Some("1"));
        assert_eq!((next.mode, next.mode_before_plan), (PermissionMode::Plan, Some(PermissionMode::Default)));
        assert_eq!(context.generation, 0);
    }
}
