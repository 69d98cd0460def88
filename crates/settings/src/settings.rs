//! The result of loading: plain values for each engine, each with its source, and what an operator should hear.

use std::path::PathBuf;
use std::sync::Arc;

use pegboard_tool_core::{Origin, PermissionMode, RuleText, SettingSource};
use serde_json::Value;

use crate::layer::Layer;
use crate::notice::{Notice, Problem};
use crate::trust::TrustState;

/// All settings of a run. What an untrusted folder or a policy leaves out is already left out here.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Rules of all sources, lowest source first, then in the order of the file.
    pub rules: Vec<RuleText>,
    /// Hooks of all sources, in configuration order: lowest source first.
    pub hooks: Vec<HookLayer>,
    /// Directories beside the working directory.
    pub directories: Vec<Directory>,
    /// The mode to start in.
    pub default_mode: PermissionMode,
    /// Who set the mode; `builtin` when nobody did.
    pub mode_origin: Origin,
    /// A mode that somebody asked for and that is switched off. A command that was asked directly refuses to run.
    pub refused_mode: Option<RefusedMode>,
    /// Who switched `bypassPermissions` off.
    pub bypass_disabled: Option<Origin>,
    /// Who switched `auto` off.
    pub auto_disabled: Option<Origin>,
    /// Who switched hooks off. Hooks of the policy stay unless the policy itself did.
    pub hooks_disabled: Option<Origin>,
    /// The policy that lets only its own rules count; nothing may be written back then.
    pub only_policy_rules: Option<Origin>,
    /// The policy that lets only its own hooks run.
    pub only_policy_hooks: Option<Origin>,
    /// The policy that lets only its own MCP servers count.
    pub only_policy_servers: Option<Origin>,
    /// Whether reads outside the working directories ask.
    pub block_reads_outside: bool,
    /// Whether in `auto` mode every shell command goes to the classifier, whatever allow rules say.
    pub classify_all_shell: bool,
    /// Everything else, merged: objects key by key, lists joined without repeats, scalars from the highest source.
    /// Without hooks and rules, which stand above.
    pub merged: Value,
    /// What each file says, lowest source first, untrusted ones included.
    pub layers: Vec<Layer>,
    /// Choices that a person may not expect.
    pub notices: Vec<Notice>,
    /// What was skipped.
    pub problems: Vec<Problem>,
    /// Whether the folder's own settings count, and what it would contribute.
    pub trust: TrustState,
    /// What was looked for, in the order in which it was.
    pub files: Vec<LookedFor>,
    /// Whether `.claude` files were read in addition.
    pub(crate) reads_claude: bool,
    /// Where rules are written to; none for inline settings.
    pub(crate) write_back: Option<WriteBack>,
}

impl Settings {
    /// The merged value at a dotted path, such as `scheduler.bashFailureCancelsSiblings`.
    #[must_use]
    pub fn value(&self, dotted: &str) -> Option<&Value> {
        dotted.split('.').try_fold(&self.merged, |value, key| value.get(key))
    }

    /// The directories' paths.
    #[must_use]
    pub fn directory_paths(&self) -> Vec<PathBuf> {
        self.directories.iter().map(|directory| directory.path.clone()).collect()
    }
}

/// Hooks of one file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookLayer {
    /// Source, file and line of the `hooks` key.
    pub origin: Origin,
    /// The object under `hooks`: event name to list of groups.
    pub hooks: Value,
    /// The layer it is from, for the line of each entry.
    layer: Arc<Layer>,
}

impl HookLayer {
    pub(crate) fn new(layer: &Layer, hooks: &Value) -> Self {
        Self { origin: layer.origin(&["hooks"]), hooks: hooks.clone(), layer: Arc::new(layer.clone()) }
    }

    /// Where group `group` of `event` (and handler `handler` of it) stands.
    #[must_use]
    pub fn origin_of(&self, event: &str, group: usize, handler: Option<usize>) -> Origin {
        let group = group.to_string();
        match handler {
            Some(handler) => self.layer.origin(&["hooks", event, &group, "hooks", &handler.to_string()]),
            None => self.layer.origin(&["hooks", event, &group]),
        }
    }
}

/// A directory that counts as a working directory.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Directory {
    /// Absolute; `..` and links in it are not resolved. It need not exist.
    pub path: PathBuf,
    /// Who added it.
    pub origin: Origin,
}

/// A mode that was asked for although it is switched off.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RefusedMode {
    /// The mode.
    pub mode: PermissionMode,
    /// Who asked for it.
    pub asked_by: Origin,
    /// Who switched it off.
    pub disabled_by: Origin,
}

/// A file that was looked for.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LookedFor {
    /// What it would be.
    pub source: SettingSource,
    /// Where it was looked for.
    pub path: PathBuf,
    /// What came of it.
    pub outcome: FileOutcome,
}

/// What came of looking for a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a new outcome must be shown by every report")]
pub enum FileOutcome {
    /// It was read.
    Read,
    /// It is not there.
    Absent,
    /// It cannot be used and was skipped; a problem says why.
    Broken,
    /// It is the same file as one that was read for a lower source.
    Repeated,
}

/// Files and folders that write-back needs.
#[derive(Clone, Debug)]
pub(crate) struct WriteBack {
    pub(crate) user_file: Option<PathBuf>,
    pub(crate) project_file: PathBuf,
    pub(crate) local_file: PathBuf,
    pub(crate) project_root: PathBuf,
    pub(crate) local_root: PathBuf,
    pub(crate) state_directory: PathBuf,
    pub(crate) trust_file: PathBuf,
}
