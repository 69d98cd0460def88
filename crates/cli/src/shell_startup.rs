//! How command lines start: what the host's environment and the settings say of the shell, once for the tools and
//! for the rules, so that both judge the shell that runs.

use crate::exit::chain;
use crate::host;
use crate::tool_settings;
use pegboard::ShellFacts;
use pegboard::process::{Confinement, Limits};
use pegboard::settings::Settings;
use pegboard::tools_std::shell::snapshot::{Snapshot, SnapshotProblem, SnapshotRequest};
use pegboard::tools_std::shell::{CommandLimits, ShellStartup};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// How command lines start, and what of the wishes does not count.
pub(crate) struct Startup {
    pub(crate) shell: ShellStartup,
    pub(crate) problems: Vec<String>,
}

impl Startup {
    /// What the settings and the environment of this program say.
    pub(crate) fn of(settings: &Settings, home: Option<&Path>) -> Self {
        let vars = host::environment();
        // What is wrong with the settings is said where the tools are made.
        let wishes = tool_settings::of(settings).unwrap_or_default().shell;
        let CommandLimits { limits, mut problems, .. } = CommandLimits::of(&wishes, &vars);
        let mut shell = ShellStartup::of(&vars).with_limits(limits);
        if let (true, Some(home)) = (wishes.snapshot, home) {
            match snapshot(home, limits) {
                Ok(snapshot) => shell = shell.with_snapshot(Arc::clone(snapshot)),
                Err(problem) => problems.push(problem.clone()),
            }
        }
        Self { shell, problems }
    }

    /// The same for the rules.
    pub(crate) fn facts(&self) -> ShellFacts {
        ShellFacts::new(self.shell.is_bash(), self.shell.shadowed())
    }

    /// By which means limits of commands hold, one line each.
    pub(crate) fn report(&self) -> Vec<String> {
        Confinement::new(self.shell.limits).report().to_string().lines().map(str::to_owned).collect()
    }
}

/// What the start-up files of the user define. Taken once a process: tools and rules must know the same.
fn snapshot(home: &Path, limits: Limits) -> Result<&'static Arc<Snapshot>, &'static String> {
    static TAKEN: OnceLock<Result<Arc<Snapshot>, String>> = OnceLock::new();
    TAKEN.get_or_init(|| take(home, limits).map(Arc::new).map_err(|problem| chain(&problem))).as_ref()
}

/// Where captures are kept, whether or not they are taken now.
pub(crate) fn captures(home: &Path) -> PathBuf {
    SnapshotRequest::new(Arc::new(host::environment()), home).folder()
}

fn take(home: &Path, limits: Limits) -> Result<Snapshot, SnapshotProblem> {
    let request = SnapshotRequest::new(Arc::new(host::environment()), home).with_limits(limits);
    // On a thread and a runtime of its own, as callers may be within one.
    let taken = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(Snapshot::take(&request))
    });
    taken.join().unwrap_or_else(|_| Err(std::io::Error::other("the capture crashed").into()))
}
