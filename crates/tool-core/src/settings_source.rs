//! Where a setting came from, and which source wins.

use std::fmt;
use std::str::FromStr;

/// Source of a rule or a setting. `Ord` is the precedence, lowest first; see [`SourceOrder`].
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize)]
#[serde(try_from = "String", into = "String")]
#[expect(clippy::exhaustive_enums, reason = "a new source must get its place in the order")]
pub enum SettingSource {
    /// Built into the program.
    Builtin,
    /// The definition of a subagent (`subagent` is accepted).
    Agent,
    /// Given during this session, in memory only.
    Session,
    /// A command or skill, for its turn.
    Command,
    /// The user's own file.
    User,
    /// The project's file, part of the repository.
    Project,
    /// The project's local file, not part of the repository.
    Local,
    /// A file or text given with `--settings`.
    Flag,
    /// Single options on the command line.
    Cli,
    /// The organisation's file (`managed` is accepted).
    Policy,
}

/// A text names no source.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "`{given}` is not a source; use policy, cli, flag, local, project, user, command, session, agent or builtin"
)]
#[non_exhaustive]
pub struct UnknownSource {
    /// What was given.
    pub given: String,
}

impl SettingSource {
    /// Every source, lowest precedence first.
    pub const ALL: [Self; 10] = [
        Self::Builtin,
        Self::Agent,
        Self::Session,
        Self::Command,
        Self::User,
        Self::Project,
        Self::Local,
        Self::Flag,
        Self::Cli,
        Self::Policy,
    ];

    /// The name that is printed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Agent => "agent",
            Self::Session => "session",
            Self::Command => "command",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Flag => "flag",
            Self::Cli => "cli",
            Self::Policy => "policy",
        }
    }
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SettingSource {
    type Err = UnknownSource;

    fn from_str(text: &str) -> Result<Self, UnknownSource> {
        match text {
            "managed" => return Ok(Self::Policy),
            "subagent" => return Ok(Self::Agent),
            _ => {}
        }
        let found = Self::ALL.into_iter().find(|source| source.as_str() == text);
        found.ok_or_else(|| UnknownSource { given: text.to_owned() })
    }
}

impl TryFrom<String> for SettingSource {
    type Error = UnknownSource;

    fn try_from(text: String) -> Result<Self, UnknownSource> {
        text.parse()
    }
}

impl From<SettingSource> for String {
    fn from(source: SettingSource) -> Self {
        source.as_str().to_owned()
    }
}

/// Which source wins where only one value can hold.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct SourceOrder {
    lowest_first: [SettingSource; 10],
}

impl SourceOrder {
    /// pegboard's own order: the organisation's policy wins over everything.
    #[must_use]
    pub fn pegboard() -> Self {
        Self { lowest_first: SettingSource::ALL }
    }

    /// The order of the public documents: policy over user, the command line over both.
    #[must_use]
    pub fn documented() -> Self {
        use SettingSource::{Agent, Builtin, Cli, Command, Flag, Local, Policy, Project, Session, User};
        Self { lowest_first: [Builtin, Agent, Session, Command, User, Project, Local, Policy, Flag, Cli] }
    }

    /// Place of `source`; a higher one wins.
    #[must_use]
    pub fn rank(&self, source: SettingSource) -> usize {
        self.lowest_first.iter().position(|at| *at == source).unwrap_or(0)
    }
}

impl Default for SourceOrder {
    fn default() -> Self {
        Self::pegboard()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_orders_differ_only_in_who_wins_over_policy() {
        let (ours, documented) = (SourceOrder::pegboard(), SourceOrder::documented());
        assert!(ours.rank(SettingSource::Policy) > ours.rank(SettingSource::Cli));
        assert!(documented.rank(SettingSource::Policy) < documented.rank(SettingSource::Flag));
        for source in SettingSource::ALL {
            assert_eq!(source.to_string().parse(), Ok(source));
            assert!(documented.rank(source) < 10);
        }
        assert_eq!("managed".parse(), Ok(SettingSource::Policy));
        assert_eq!("subagent".parse(), Ok(SettingSource::Agent));
    }
}
