//! [`Confinement`]: the limits that all commands of a host share, and starting a command within them.

use crate::adopt::ConfinedTerminal;
use crate::bound::{Bound, Finding, Orphans, Report};
use crate::limits::Limits;
use crate::start::{Child, start_as};
use crate::supervisor::{self, Supervisor};
use crate::tree::{Leader, ProcessTree};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::sync::Arc;
use tokio::process::Command;

use crate::cgroup::TreeGroup;
#[cfg(target_os = "linux")]
use crate::cgroup::{Kind, SessionGroups};

/// Puts itself under the limits and becomes the program. Whatever fails, the program does not run.
/// POSIX `sh`: the limit of processes is `-u` in one and `-p` in another.
const STARTER: &str = r#"
while [ "$1" != -- ]; do
  case $1 in
    m=*) ulimit -d "${1#m=}" ;;
    p=*) (ulimit -u "${1#p=}") 2>/dev/null && ulimit -u "${1#p=}" || ulimit -p "${1#p=}" ;;
    *) echo 0 > "$1" ;;
  esac || { echo "pegboard: the limits of processes and memory could not be set; nothing was run" >&2; exit 126; }
  shift
done
shift
exec "$@"
"#;

/// Limits that all commands of a host share, by control groups where the system allows them, else by
/// resource limits. Keep one for as long as commands run.
#[derive(Debug)]
pub struct Confinement {
    limits: Limits,
    #[cfg(target_os = "linux")]
    groups: Option<Arc<SessionGroups>>,
    memory: Bound,
    processes: Bound,
}

/// How often a limit was hit since the confinement was made. Only control groups count.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Hits {
    /// Processes that the system killed because memory was used up.
    pub memory: u64,
    /// New processes that were refused.
    pub processes: u64,
}

impl Confinement {
    /// Sets the limits up; without any nothing is touched. Blocks for some milliseconds.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        #[cfg(target_os = "linux")]
        {
            let is_asked = limits != Limits::none();
            let groups = if is_asked { SessionGroups::make(limits).map(Arc::new) } else { None };
            let bound = |limit: Option<u64>, kind: Option<Kind>, otherwise| match (limit, kind) {
                (None, _) => Bound::Off,
                (Some(_), Some(Kind::V2)) => Bound::CgroupV2,
                (Some(_), Some(Kind::V1)) => Bound::CgroupV1,
                (Some(_), None) => otherwise,
            };
            let groups_ref = groups.as_deref();
            let memory = bound(limits.memory, groups_ref.and_then(SessionGroups::memory_kind), Bound::Rlimit);
            // The superuser is not bound by the number of processes.
            let by_user = if rustix::process::getuid().is_root() { Bound::Nothing } else { Bound::Rlimit };
            let processes =
                bound(limits.processes, groups_ref.and_then(SessionGroups::processes_kind), by_user);
            Self { limits, groups, memory, processes }
        }
        #[cfg(not(target_os = "linux"))]
        {
            let otherwise = if cfg!(unix) { Bound::Rlimit } else { Bound::Nothing };
            let bound = |limit: Option<u64>| if limit.is_some() { otherwise } else { Bound::Off };
            Self { limits, memory: bound(limits.memory), processes: bound(limits.processes) }
        }
    }

    /// The same limits without control groups: what systems without them do.
    #[must_use]
    pub fn without_groups(limits: Limits) -> Self {
        let memory = if limits.memory.is_some() { Bound::Rlimit } else { Bound::Off };
        let processes = if limits.processes.is_some() { Bound::Rlimit } else { Bound::Off };
        Self {
            limits,
            #[cfg(target_os = "linux")]
            groups: None,
            memory,
            processes,
        }
    }

    /// The limits that were asked for.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// By which means it holds.
    #[must_use]
    pub fn report(&self) -> Report {
        let is_supervised = Supervisor::of_this_process().is_some();
        let orphans = if is_supervised { Orphans::Ended } else { Orphans::LiveOn };
        Report::new(self.memory, self.processes, self.finding(is_supervised), orphans)
    }

    fn finding(&self, is_supervised: bool) -> Finding {
        #[cfg(target_os = "linux")]
        if let Some(kind) = self.groups.as_ref().and_then(|groups| groups.for_tree().ok()).map(|group| {
            group.remove();
            group.kind()
        }) {
            return match kind {
                Kind::V2 => Finding::CgroupV2,
                Kind::V1 => Finding::CgroupV1,
            };
        }
        if is_supervised {
            return Finding::Supervisor;
        }
        #[cfg(target_os = "linux")]
        if crate::proc_table::is_ours() {
            return Finding::ProcessTable;
        }
        Finding::ProcessGroup
    }

    /// How often the limits were hit.
    #[must_use]
    pub fn hits(&self) -> Hits {
        #[cfg(target_os = "linux")]
        if let Some(groups) = &self.groups {
            let (memory, processes) = groups.hits();
            return Hits { memory, processes };
        }
        Hits::default()
    }

    /// A command that will run `program`, to which the caller adds arguments (not `arg0`), environment
    /// as a whole, folder and streams.
    ///
    /// # Errors
    /// When there is no such program, or the system refuses another control group.
    pub fn command(&self, program: &Path) -> io::Result<Confined> {
        let Words { words, leader, group } = self.words(program, Place::Anywhere)?;
        let mut words = words.into_iter();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        Ok(Confined { command, leader, group })
    }

    /// A command that will run `program` in a terminal, for a library that makes terminals and starts
    /// what is in them.
    ///
    /// # Errors
    /// As [`Confinement::command`].
    pub fn terminal_command(&self, program: &Path) -> io::Result<ConfinedTerminal> {
        let Words { words, leader, group } = self.words(program, Place::Terminal)?;
        Ok(ConfinedTerminal::new(words, leader, group))
    }

    /// Supervisor, starter and program, as far as they are needed.
    fn words(&self, program: &Path, place: Place) -> io::Result<Words> {
        if program.is_absolute() {
            std::fs::metadata(program)?;
        }
        let mut words: Vec<OsString> = Vec::new();
        let mut leader = Leader::Itself;
        #[cfg(target_os = "linux")]
        let group = self.groups.as_ref().map(SessionGroups::for_tree).transpose()?;
        #[cfg(not(target_os = "linux"))]
        let group = None;
        if let Some(supervisor) = Supervisor::of_this_process() {
            words.extend(supervisor.words());
            #[cfg(target_os = "linux")]
            words.extend(group.iter().flat_map(supervisor::group_words));
            if place == Place::Terminal {
                words.extend(supervisor.terminal_words());
            }
            words.push(supervisor::PROGRAM_FOLLOWS.into());
            leader = Leader::Supervisor;
        }
        let orders = self.orders(
            #[cfg(target_os = "linux")]
            group.as_ref(),
        );
        if !orders.is_empty() {
            words.extend(["/bin/sh", "-c", STARTER, "sh"].map(OsString::from));
            words.extend(orders);
            words.push("--".into());
        }
        words.push(program.as_os_str().to_owned());
        Ok(Words { words, leader, group })
    }

    /// What the starter is told, before the program.
    fn orders(&self, #[cfg(target_os = "linux")] group: Option<&TreeGroup>) -> Vec<OsString> {
        let mut orders = Vec::new();
        #[cfg(target_os = "linux")]
        if let Some(group) = group {
            orders.extend(group.joins().iter().map(|file| file.as_os_str().to_owned()));
        }
        if let (Some(bytes), Bound::Rlimit) = (self.limits.memory, self.memory) {
            orders.push(format!("m={}", (bytes / 1024).max(1)).into());
        }
        if let (Some(most), Bound::Rlimit) = (self.limits.processes, self.processes) {
            // The system counts what the user has already.
            orders.push(format!("p={}", most.saturating_add(processes_of_user())).into());
        }
        orders
    }
}

#[cfg(target_os = "linux")]
fn processes_of_user() -> u64 {
    crate::proc_table::threads_of(rustix::process::getuid().as_raw())
}

#[cfg(not(target_os = "linux"))]
fn processes_of_user() -> u64 {
    // Unknown here; a limit below what runs already would let nothing start.
    1024
}

/// How a command is started.
struct Words {
    words: Vec<OsString>,
    leader: Leader,
    group: Option<TreeGroup>,
}

/// Where a command runs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    Anywhere,
    /// In a terminal that it is to control.
    Terminal,
}

/// A command within a [`Confinement`], not started yet.
#[derive(Debug)]
#[must_use]
pub struct Confined {
    command: Command,
    leader: Leader,
    group: Option<TreeGroup>,
}

impl Confined {
    /// The command, for arguments, environment, folder and streams.
    pub fn command(&mut self) -> &mut Command {
        &mut self.command
    }

    /// Adds an argument of the program.
    pub fn arg(&mut self, arg: impl AsRef<OsStr>) -> &mut Self {
        self.command.arg(arg);
        self
    }

    /// Starts it, as [`start`](crate::start) does. Its tree always ends as a whole.
    ///
    /// # Errors
    /// As [`start`](crate::start).
    pub fn start(mut self) -> io::Result<(Child, ProcessTree)> {
        let command = std::mem::replace(&mut self.command, Command::new(""));
        let (child, tree) = start_as(command, self.leader)?;
        Ok((child, tree.in_group(self.group.take())))
    }
}

/// What was never started needs no group.
impl Drop for Confined {
    fn drop(&mut self) {
        self.group.iter().for_each(TreeGroup::remove);
    }
}
