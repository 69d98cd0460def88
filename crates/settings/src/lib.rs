//! Finds, layers, trusts and writes back pegboard settings files, every value with its source, file and line.
//!
//! [`load`] reads the files of a run and gives plain values to each engine: rules to the gate, hooks to the hook runner,
//! everything else as one merged value. [`inline`] does the same for values that stand in no file. [`TrustStore`]
//! remembers which contents of a project a person accepted; [`Settings::append_rule`] saves an "always allow".
//! [`LiveSettings`] loads again while a session runs; the feature `watch` adds who says when.
//!
//! Not in here: what a rule or a hook means, environment variables (the caller looks them up, see
//! [`Locations::from_environment`]), printing, exit codes.
//!
//! ```
//! use pegboard_settings::inline;
//! use pegboard_tool_core::{SettingSource, SourceOrder};
//!
//! let project = serde_json::json!({"permissions": {"deny": ["Read(./.env)"], "defaultMode": "acceptEdits"}});
//! let order = SourceOrder::default();
//! let settings = inline(&[(SettingSource::Project, &project)], "/w".as_ref(), None, &order)?;
//! assert_eq!(&*settings.rules[0].text, "Read(./.env)");
//! assert_eq!(settings.default_mode.as_str(), "acceptEdits");
//! # Ok::<(), pegboard_settings::SettingsError>(())
//! ```

mod discover;
mod edit;
mod error;
mod folder;
mod git_programs;
mod inline;
mod layer;
mod live;
mod load;
mod locations;
mod lock;
mod merge;
mod notice;
mod parse;
mod read;
mod repository;
mod request;
mod settings;
mod trust;
mod trust_item;
mod trust_store;
#[cfg(feature = "watch")]
mod watch;
mod write;

pub use error::SettingsError;
pub use git_programs::repository_names_programs;
pub use inline::inline;
pub use layer::{Contribution, Layer};
pub use live::{LiveSettings, RuleCheck, Stamp};
pub use load::load;
pub use locations::Locations;
pub use notice::{Notice, Problem};
pub use read::MAX_FILE_BYTES;
pub use repository::repository_root;
pub use request::{BrokenFiles, CommandLine, Compat, FlagSettings, LoadRequest, SettingSources};
pub use settings::{Directory, FileOutcome, HookLayer, LookedFor, RefusedMode, Settings};
pub use trust::{Standing, TrustState, TrustedFile};
pub use trust_item::TrustItem;
pub use trust_store::{TrustError, TrustRecord, TrustStore};
#[cfg(feature = "watch")]
pub use watch::{WatchError, WatchOptions, Watcher};
pub use write::{Appended, WriteError, append_to_file};
