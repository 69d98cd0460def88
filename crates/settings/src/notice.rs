//! What an operator should hear of although loading went on: skipped entries, and choices that were made.

use std::fmt;
use std::path::PathBuf;

use pegboard_tool_core::Origin;

use crate::error::{Colon, place};

/// Something in the settings that was skipped. To be said each time, not once.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Problem {
    /// Source, file and line.
    pub origin: Origin,
    /// What is wrong and what happened to it; no full stop.
    pub text: String,
}

impl Problem {
    /// Describes what is wrong at `origin`.
    #[must_use]
    pub fn new(origin: Origin, text: impl Into<String>) -> Self {
        Self { origin, text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = place(self.origin.file.as_deref());
        // Errors of whole files carry their place in the text.
        if self.text.starts_with(&file) {
            return f.write_str(&self.text);
        }
        write!(f, "{file}{}: {}", Colon(self.origin.line), self.text)
    }
}

/// A choice that loading made and that a person may not expect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Notice {
    /// Files of `.claude` were read, because the project has `.claude/` and no `.pegboard/`.
    ReadsClaudeFiles {
        /// The project.
        folder: PathBuf,
    },
    /// The folder's allow rules, directories, hooks, MCP servers and scalars are not used.
    Untrusted {
        /// The project.
        folder: PathBuf,
        /// How many entries are left out.
        entries: usize,
        /// Whether an earlier state of it was accepted.
        changed: bool,
    },
    /// `defaultMode` of a repository's file asks for a mode that only a person may choose.
    ModeIgnored {
        /// The mode, as written.
        mode: String,
        /// Who asked for it.
        origin: Origin,
    },
    /// A mode was asked for and is switched off.
    ModeDisabled {
        /// The mode, as written.
        mode: String,
        /// Who switched it off.
        by: Origin,
    },
    /// Rules of other sources are left out, because the policy allows its own only.
    OnlyPolicyRules {
        /// How many rules are left out.
        rules: usize,
        /// The policy.
        by: Origin,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadsClaudeFiles { folder } => write!(
                f,
                "{}: has `.claude/` and no `.pegboard/`; its `.claude` settings, and yours, are read too",
                folder.display()
            ),
            Self::Untrusted { folder, entries, changed } => {
                let why =
                    if *changed { "its settings changed since you accepted them" } else { "is not trusted" };
                let (count, are) =
                    if *entries == 1 { ("1 entry", "is") } else { (&*format!("{entries} entries"), "are") };
                write!(
                    f,
                    "{}: {why}; {count} beyond deny and ask rules {are} not used; look at them with `pegboard trust`",
                    folder.display()
                )
            }
            Self::ModeIgnored { mode, origin } => write!(
                f,
                "{}{}: `defaultMode` `{mode}` is ignored in a project; the mode is `default`",
                place(origin.file.as_deref()),
                Colon(origin.line)
            ),
            Self::ModeDisabled { mode, by } => write!(
                f,
                "mode `{mode}` is switched off by {}{}; the mode is `default`",
                place(by.file.as_deref()),
                Colon(by.line)
            ),
            Self::OnlyPolicyRules { rules, by } => write!(
                f,
                "{}{}: only rules of the policy count; left out: {rules}",
                place(by.file.as_deref()),
                Colon(by.line)
            ),
        }
    }
}
