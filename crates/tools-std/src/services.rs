//! What the tools get from outside.

use crate::settings::ToolSettings;
use pegboard_tool_core::ports::{AccessPolicy, Ask, CommandAnalyzer, FileHistory, Verdict};
use pegboard_tool_core::{AccessMode, ToolContext};
use std::path::Path;
use std::sync::Arc;

/// Services that the tools of this crate use. Cheap to clone.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Services {
    /// Which paths may be read; without it searches leave nothing out.
    pub access_policy: Option<Arc<dyn AccessPolicy>>,
    /// What a command line would run; without it every command line counts as unknown.
    pub analyzer: Option<Arc<dyn CommandAnalyzer>>,
    /// Keeps what files held before they are changed; without it nothing can be undone.
    pub history: Option<Arc<dyn FileHistory>>,
    /// Whether Edit and Write insist on a previous read.
    pub read_before_edit: ReadBeforeEdit,
    /// The one question to a model; without it WebFetch returns the page instead of an answer.
    pub ask: Option<Arc<dyn Ask>>,
    /// How command lines are started.
    #[cfg(unix)]
    pub shell: Arc<crate::shell::ShellStartup>,
    /// What the host set about single families of tools.
    pub settings: Arc<ToolSettings>,
}

/// Whether an existing file must have been read before it is changed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a two-way choice")]
pub enum ReadBeforeEdit {
    /// It must.
    #[default]
    Strict,
    /// It need not; one that was read must still not have changed since.
    Off,
}

impl Services {
    /// No services, strict about reading first.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a policy about single paths.
    #[must_use]
    pub fn with_access_policy(self, policy: Arc<dyn AccessPolicy>) -> Self {
        Self { access_policy: Some(policy), ..self }
    }

    /// The same with an analyzer of command lines.
    #[must_use]
    pub fn with_analyzer(self, analyzer: Arc<dyn CommandAnalyzer>) -> Self {
        Self { analyzer: Some(analyzer), ..self }
    }

    /// The same with a history of files.
    #[must_use]
    pub fn with_history(self, history: Arc<dyn FileHistory>) -> Self {
        Self { history: Some(history), ..self }
    }

    /// The same with another habit of reading first.
    #[must_use]
    pub fn with_read_before_edit(self, read_before_edit: ReadBeforeEdit) -> Self {
        Self { read_before_edit, ..self }
    }

    /// The same with a model to ask.
    #[must_use]
    pub fn with_ask(self, ask: Arc<dyn Ask>) -> Self {
        Self { ask: Some(ask), ..self }
    }

    /// The same with another start of command lines. The gate must be told of it, see there.
    #[must_use]
    #[cfg(unix)]
    pub fn with_shell(self, shell: crate::shell::ShellStartup) -> Self {
        Self { shell: Arc::new(shell), ..self }
    }

    /// The same with settings of the tools.
    #[must_use]
    pub fn with_settings(self, settings: ToolSettings) -> Self {
        Self { settings: Arc::new(settings), ..self }
    }

    /// Whether `path` may be read; without a policy it may.
    pub(crate) fn reading(&self, path: &Path, ctx: &ToolContext) -> Verdict {
        let policy = self.access_policy.as_ref();
        policy.map_or(Verdict::Allow, |policy| policy.path(path, AccessMode::Read, ctx))
    }

    /// Whether a rule forbids to read `path`.
    pub(crate) fn denies_reading(&self, path: &Path, ctx: &ToolContext) -> bool {
        self.reading(path, ctx) == Verdict::Deny
    }
}
