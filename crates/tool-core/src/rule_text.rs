//! A permission rule as text with the place it was written at. The language is the gate's.

use crate::SettingSource;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Where something was written.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Origin {
    /// Which source.
    pub source: SettingSource,
    /// Which file, if it is one.
    pub file: Option<Arc<Path>>,
    /// Which line of it, from 1.
    pub line: Option<u32>,
}

impl Origin {
    /// A place in no file.
    #[must_use]
    pub fn of(source: SettingSource) -> Self {
        Self { source, file: None, line: None }
    }

    /// A line of a file.
    #[must_use]
    pub fn new(source: SettingSource, file: Option<Arc<Path>>, line: Option<u32>) -> Self {
        Self { source, file, line }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{} {}:{line}", self.source, file.display()),
            (Some(file), None) => write!(f, "{} {}", self.source, file.display()),
            (None, _) => write!(f, "{}", self.source),
        }
    }
}

/// What a rule does to the calls that it matches.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "gates must handle each effect")]
pub enum RuleEffect {
    /// Lets them run.
    Allow,
    /// Puts them to a person.
    Ask,
    /// Refuses them, finally.
    Deny,
}

impl fmt::Display for RuleEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}

/// A rule as written.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RuleText {
    /// Allow, ask or deny.
    pub effect: RuleEffect,
    /// The text, such as `Bash(git *)`.
    pub text: Arc<str>,
    /// Where it stands.
    pub origin: Origin,
    /// Folder at which a path that begins with `/` starts.
    pub anchor: Arc<Path>,
}

impl RuleText {
    /// A rule.
    pub fn new(
        effect: RuleEffect,
        text: impl Into<Arc<str>>,
        origin: Origin,
        anchor: impl Into<Arc<Path>>,
    ) -> Self {
        Self { effect, text: text.into(), origin, anchor: anchor.into() }
    }
}

impl RuleText {
    /// Whether the rule stays where only the policy's rules count: its own, those of the program, and of the command
    /// line those that only restrict.
    #[must_use]
    pub fn stays_under_policy_only(&self) -> bool {
        match self.origin.source {
            SettingSource::Policy | SettingSource::Builtin => true,
            SettingSource::Cli => self.effect != RuleEffect::Allow,
            SettingSource::Agent
            | SettingSource::Session
            | SettingSource::Command
            | SettingSource::User
            | SettingSource::Project
            | SettingSource::Local
            | SettingSource::Flag => false,
        }
    }
}

impl fmt::Display for RuleText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.effect, self.text, self.origin)
    }
}
