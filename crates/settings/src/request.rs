//! What a caller asks for: which sources, what the command line adds, how broken files are treated.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::str::FromStr;

use pegboard_tool_core::{PermissionMode, SourceOrder};

use crate::error::SettingsError;
use crate::locations::Locations;

/// Everything that [`load`](crate::load) works from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadRequest {
    /// Where files are looked for.
    pub locations: Locations,
    /// Which of the personal and project files are read.
    pub sources: SettingSources,
    /// Values of `--settings`, in order; a later one wins over an earlier one.
    pub flags: Vec<FlagSettings>,
    /// What the command line says directly.
    pub command_line: CommandLine,
    /// Whether `.claude` files are read in addition.
    pub compat: Compat,
    /// What becomes of a file that cannot be used.
    pub broken_files: BrokenFiles,
    /// Who wins for scalars.
    pub order: SourceOrder,
}

impl LoadRequest {
    /// Reads every source at `locations`, refuses broken files, and reads `.claude` files where a project has only these.
    #[must_use]
    pub fn new(locations: Locations) -> Self {
        Self {
            locations,
            sources: SettingSources::default(),
            flags: Vec::new(),
            command_line: CommandLine::default(),
            compat: Compat::default(),
            broken_files: BrokenFiles::default(),
            order: SourceOrder::default(),
        }
    }
}

/// Which files are read. Policy and `--settings` always are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct SettingSources {
    /// The user's file.
    pub user: bool,
    /// The project's shared file.
    pub project: bool,
    /// The project's local file.
    pub local: bool,
}

impl SettingSources {
    /// None of them.
    #[must_use]
    pub fn none() -> Self {
        Self { user: false, project: false, local: false }
    }
}

impl Default for SettingSources {
    fn default() -> Self {
        Self { user: true, project: true, local: true }
    }
}

impl FromStr for SettingSources {
    type Err = SettingsError;

    /// Reads a list such as `user,project`; the empty text is no source.
    fn from_str(text: &str) -> Result<Self, SettingsError> {
        let mut sources = Self::none();
        for name in text.split(',').map(str::trim).filter(|_| !text.trim().is_empty()) {
            match name {
                "user" => sources.user = true,
                "project" => sources.project = true,
                "local" => sources.local = true,
                _ => return Err(SettingsError::UnknownSource { name: name.to_owned() }),
            }
        }
        Ok(sources)
    }
}

/// One value of `--settings`.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the two forms of the option")]
pub enum FlagSettings {
    /// A file; relative to the working directory.
    File(PathBuf),
    /// JSON text.
    Json(String),
}

impl FlagSettings {
    /// Tells the two apart: what begins with `{` is JSON.
    #[must_use]
    pub fn from_argument(argument: &OsStr) -> Self {
        match argument.to_str() {
            Some(text) if text.trim_start().starts_with('{') => Self::Json(text.to_owned()),
            _ => Self::File(PathBuf::from(argument)),
        }
    }
}

/// Single options of the command line.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CommandLine {
    /// `--allow`.
    pub allow: Vec<String>,
    /// `--ask`.
    pub ask: Vec<String>,
    /// `--deny`.
    pub deny: Vec<String>,
    /// `--add-dir`; relative to the working directory.
    pub directories: Vec<PathBuf>,
    /// `--mode`.
    pub mode: Option<PermissionMode>,
}

/// Whether `.claude` files are read in addition.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the choice is complete")]
pub enum Compat {
    /// When the project has `.claude/` and no `.pegboard/`; said as a notice.
    #[default]
    Auto,
    /// Always.
    Claude,
    /// Never.
    Off,
}

/// What becomes of a file that cannot be read, is not JSON, or has a known key of the wrong shape.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the choice is complete")]
pub enum BrokenFiles {
    /// Loading fails.
    #[default]
    Refuse,
    /// The file is skipped with a [`Problem`](crate::Problem). Policy files are refused all the same.
    Skip,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_a_list_or_nothing() {
        assert_eq!("".parse::<SettingSources>().unwrap(), SettingSources::none());
        assert_eq!("user, project,local".parse::<SettingSources>().unwrap(), SettingSources::default());
        let error = "user,managed".parse::<SettingSources>().unwrap_err();
        insta::assert_snapshot!(
            error,
            @"`managed` is not a setting source; write a list of `user`, `project` and `local`, or nothing"
        );
        assert!("user,,local".parse::<SettingSources>().is_err());
    }

    #[test]
    fn an_argument_in_braces_is_json() {
        let of = |text: &str| FlagSettings::from_argument(OsStr::new(text));
        assert_eq!(of(" {}"), FlagSettings::Json(" {}".to_owned()));
        assert_eq!(of("a.json"), FlagSettings::File("a.json".into()));
    }
}
