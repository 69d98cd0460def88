//! Where hooks come from: settings files, plugins, skills, agents.

use pegboard_tool_core::Origin;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A plugin that brings hooks.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct PluginPlace {
    /// Its name.
    pub name: String,
    /// Its folder, `${CLAUDE_PLUGIN_ROOT}`.
    pub root: PathBuf,
    /// Its folder for data, `${CLAUDE_PLUGIN_DATA}`.
    pub data: PathBuf,
    /// What the user configured for it.
    pub options: BTreeMap<String, String>,
    /// Whether the policy enables it, so that its hooks run where only those of the policy do.
    pub forced: bool,
}

impl PluginPlace {
    /// A plugin without options.
    pub fn new(name: impl Into<String>, root: impl Into<PathBuf>, data: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), root: root.into(), data: data.into(), ..Self::default() }
    }

    /// The same with one more option.
    #[must_use]
    pub fn with_option(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.insert(key.into(), value.into());
        self
    }

    /// The same, enabled by the policy.
    #[must_use]
    pub fn with_force(self) -> Self {
        Self { forced: true, ..self }
    }
}

/// What a `hooks` object is a part of.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum HookFrom {
    /// Settings; which ones is in the origin.
    #[default]
    Settings,
    /// A plugin, while it is enabled.
    Plugin(Arc<PluginPlace>),
    /// The head of a skill: from its invocation to the end of the session. Only here `once` has an effect.
    Skill(String),
    /// The head of an agent: only while that subagent runs. `Stop` means its `SubagentStop`.
    Agent {
        /// Its name.
        name: String,
        /// Id of the running subagent.
        agent_id: Arc<str>,
    },
}

impl HookFrom {
    /// What keeps copies apart: those of settings files are one, those of a plugin or skill are others.
    pub(crate) fn identity(&self) -> String {
        match self {
            Self::Settings => String::new(),
            Self::Plugin(plugin) => format!("plugin {}", plugin.name),
            Self::Skill(name) => format!("skill {name}"),
            Self::Agent { name, agent_id } => format!("agent {name} {agent_id}"),
        }
    }
}

/// One `hooks` object: event name to list of groups.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookSource {
    /// Source, file and line of the object.
    pub origin: Origin,
    /// The object.
    pub hooks: Value,
    /// What it is a part of.
    pub from: HookFrom,
    /// Lines of groups and handlers, by places such as `PreToolUse.0` and `PreToolUse.0.hooks.1`.
    pub lines: BTreeMap<String, u32>,
    /// Why nothing of it runs, as when the folder is not trusted. It is listed all the same.
    pub off: Option<String>,
}

impl HookSource {
    /// The hooks of a settings file.
    #[must_use]
    pub fn new(origin: Origin, hooks: Value) -> Self {
        Self { origin, hooks, from: HookFrom::Settings, lines: BTreeMap::new(), off: None }
    }

    /// The same as a part of something else.
    #[must_use]
    pub fn with_from(self, from: HookFrom) -> Self {
        Self { from, ..self }
    }

    /// The same with the lines of its parts.
    #[must_use]
    pub fn with_lines(self, lines: BTreeMap<String, u32>) -> Self {
        Self { lines, ..self }
    }

    /// The same, not running, and why.
    #[must_use]
    pub fn with_off(self, why: impl Into<String>) -> Self {
        Self { off: Some(why.into()), ..self }
    }

    /// Where a part of it stands.
    pub(crate) fn origin_at(&self, at: &str) -> Origin {
        match self.lines.get(at) {
            Some(line) => Origin::new(self.origin.source, self.origin.file.clone(), Some(*line)),
            None => self.origin.clone(),
        }
    }
}
