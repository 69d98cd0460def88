//! Where settings files are looked for. The library is told; [`Locations::from_environment`] works it out from values
//! that the caller looks up.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Folder of pegboard's settings in a project.
pub(crate) const OUR_FOLDER: &str = ".pegboard";
/// Folder of the settings that are read in addition.
pub(crate) const CLAUDE_FOLDER: &str = ".claude";

/// Paths of everything that is not found from the working directory. All are absolute.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Locations {
    /// Where the run starts: project settings are looked for here.
    pub working_directory: PathBuf,
    /// Home directory: `~/` in directories, and never a project root.
    pub home: Option<PathBuf>,
    /// The user's file, usually `~/.config/pegboard/settings.json`.
    pub user_file: Option<PathBuf>,
    /// The organisation's file; the folder beside it that ends in `.d` is read too.
    pub policy_file: PathBuf,
    /// The user's file of the settings that are read in addition, usually `~/.claude/settings.json`.
    pub claude_user_file: Option<PathBuf>,
    /// The organisation's file of the settings that are read in addition.
    pub claude_policy_file: PathBuf,
    /// Where the trust store and locks are kept, usually `~/.local/state/pegboard`.
    pub state_directory: PathBuf,
}

impl Locations {
    /// The usual places for a run that starts in `working_directory`; `lookup` gives the value of an environment
    /// variable. Without a home directory there is no user file, and state lies below the policy folder, where an
    /// ordinary account cannot write: nothing is ever trusted then.
    #[must_use]
    pub fn from_environment(
        working_directory: impl Into<PathBuf>,
        lookup: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let folder = |name: &str| lookup(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        let under_home = |rest: &str| home.as_ref().map(|home| home.join(rest));
        let config = if cfg!(windows) { folder("APPDATA") } else { folder("XDG_CONFIG_HOME") };
        let state = if cfg!(windows) { folder("LOCALAPPDATA") } else { folder("XDG_STATE_HOME") };
        let policy = policy_folders();
        Self {
            working_directory: working_directory.into(),
            user_file: config
                .or_else(|| under_home(".config"))
                .map(|at| at.join("pegboard").join("settings.json")),
            policy_file: policy.0.join("managed-settings.json"),
            claude_user_file: folder("CLAUDE_CONFIG_DIR")
                .or_else(|| under_home(CLAUDE_FOLDER))
                .map(|at| at.join("settings.json")),
            claude_policy_file: policy.1.join("managed-settings.json"),
            state_directory: state
                .or_else(|| under_home(".local/state"))
                .map_or_else(|| policy.0.join("state"), |at| at.join("pegboard")),
            home,
        }
    }

    /// File of the trust store.
    #[must_use]
    pub fn trust_file(&self) -> PathBuf {
        self.state_directory.join("trust.json")
    }
}

/// Folders of the policy files: ours, and those read in addition.
fn policy_folders() -> (&'static Path, &'static Path) {
    if cfg!(windows) {
        (Path::new(r"C:\Program Files\pegboard"), Path::new(r"C:\Program Files\ClaudeCode"))
    } else if cfg!(target_os = "macos") {
        (
            Path::new("/Library/Application Support/pegboard"),
            Path::new("/Library/Application Support/ClaudeCode"),
        )
    } else {
        (Path::new("/etc/pegboard"), Path::new("/etc/claude-code"))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn locations(values: &[(&str, &str)]) -> Locations {
        Locations::from_environment("/w", |name| {
            values.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_usual_places() {
        let at = locations(&[("HOME", "/home/u")]);
        assert_eq!(at.user_file.as_deref(), Some(Path::new("/home/u/.config/pegboard/settings.json")));
        assert_eq!(at.claude_user_file.as_deref(), Some(Path::new("/home/u/.claude/settings.json")));
        assert_eq!(at.policy_file, Path::new("/etc/pegboard/managed-settings.json"));
        assert_eq!(at.claude_policy_file, Path::new("/etc/claude-code/managed-settings.json"));
        assert_eq!(at.trust_file(), Path::new("/home/u/.local/state/pegboard/trust.json"));
    }

    #[test]
    fn variables_move_them_when_absolute() {
        let at = locations(&[
            ("HOME", "/home/u"),
            ("XDG_CONFIG_HOME", "/c"),
            ("XDG_STATE_HOME", "relative"),
            ("CLAUDE_CONFIG_DIR", "/cc"),
        ]);
        assert_eq!(at.user_file.as_deref(), Some(Path::new("/c/pegboard/settings.json")));
        assert_eq!(at.claude_user_file.as_deref(), Some(Path::new("/cc/settings.json")));
        assert_eq!(at.state_directory, Path::new("/home/u/.local/state/pegboard"));
    }

    #[test]
    fn without_a_home_there_is_no_user_file() {
        let at = locations(&[]);
        assert_eq!((at.user_file, at.claude_user_file, at.home), (None, None, None));
    }
}
