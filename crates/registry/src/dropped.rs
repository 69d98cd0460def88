//! What did not get into a pool, and why.

use std::fmt;

/// A tool, or an alias of one, that was left out.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct Dropped {
    /// Name that is not there because of it.
    pub name: String,
    /// Why.
    pub reason: DropReason,
}

impl Dropped {
    pub(crate) fn new(name: impl Into<String>, reason: DropReason) -> Self {
        Self { name: name.into(), reason }
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.reason)
    }
}

/// Why something was left out.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum DropReason {
    /// Its gate is closed.
    GateClosed(String),
    /// Its factory says that it cannot be here.
    NotHere(String),
    /// The tool itself says that it cannot work here.
    Absent(String),
    /// A rule denies the whole tool.
    Denied(String),
    /// Another tool has the name.
    Duplicate {
        /// Who has it, in words.
        kept: String,
        /// Who does not get it, in words.
        lost: String,
    },
    /// It is an alias, and the name means something else.
    AliasTaken {
        /// Whose alias it would be.
        of: String,
        /// What the name means.
        by: String,
    },
    /// Its definition is none that a model API takes.
    BadDefinition(String),
    /// The tool that it stands for is not there.
    NoInner(String),
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GateClosed(why) | Self::NotHere(why) | Self::Absent(why) => f.write_str(why),
            Self::Denied(rule) => write!(f, "denied as a whole by {rule}"),
            Self::Duplicate { kept, lost } => write!(f, "{lost} is left out, the name belongs to {kept}"),
            Self::AliasTaken { of, by } => write!(f, "no alias of {of}, because the name means {by}"),
            Self::BadDefinition(problem) => write!(f, "cannot be offered: {problem}"),
            Self::NoInner(inner) => write!(f, "stands for {inner}, which is not there"),
        }
    }
}
