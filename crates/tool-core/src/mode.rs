//! Permission modes, as users write them.

use std::fmt;
use std::str::FromStr;

/// The baseline policy of a session.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::exhaustive_enums, reason = "a new mode must be decided about in every gate")]
pub enum PermissionMode {
    /// Reads inside the working directories run, everything else asks.
    #[default]
    Default,
    /// As default, and file edits inside the working directories run.
    AcceptEdits,
    /// Reading only; changes go to a person.
    Plan,
    /// A classifier answers what would ask.
    Auto,
    /// What would ask is denied.
    DontAsk,
    /// What reaches the mode step runs.
    BypassPermissions,
}

/// A text names no mode.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "`{given}` is not a permission mode; use default, acceptEdits, plan, auto, dontAsk or bypassPermissions"
)]
#[non_exhaustive]
pub struct UnknownMode {
    /// What was given.
    pub given: String,
}

impl PermissionMode {
    /// Every mode.
    pub const ALL: [Self; 6] =
        [Self::Default, Self::AcceptEdits, Self::Plan, Self::Auto, Self::DontAsk, Self::BypassPermissions];

    /// The name in settings, hooks and messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Plan => "plan",
            Self::Auto => "auto",
            Self::DontAsk => "dontAsk",
            Self::BypassPermissions => "bypassPermissions",
        }
    }
}

impl fmt::Display for PermissionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for PermissionMode {
    type Err = UnknownMode;

    /// Reads a mode; `manual` is `default`.
    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        if text == "manual" {
            return Ok(Self::Default);
        }
        let found = Self::ALL.into_iter().find(|mode| mode.as_str() == text);
        found.ok_or_else(|| UnknownMode { given: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_then_parsing_a_mode_gives_it_back() {
        for mode in PermissionMode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
            assert_eq!(serde_json::to_value(mode).unwrap(), mode.as_str());
        }
        assert_eq!("manual".parse(), Ok(PermissionMode::Default));
        assert!("Default".parse::<PermissionMode>().is_err());
    }
}
