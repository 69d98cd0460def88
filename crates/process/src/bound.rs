//! [`Report`]: by which means a confinement holds, and what they cannot do. For people.

use std::fmt;

/// How a limit is held.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Bound {
    /// No limit is set.
    Off,
    /// A control group of version 2 counts all commands together.
    CgroupV2,
    /// A control group of version 1 counts all commands together.
    CgroupV1,
    /// A resource limit, which each process has for itself (memory) or which counts every process of
    /// the user (processes).
    Rlimit,
    /// The system offers nothing that would hold.
    Nothing,
}

/// How all processes of a command are found when it ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// A control group of version 2: nothing leaves it, and it is killed at once.
    CgroupV2,
    /// A control group of version 1: nothing leaves it.
    CgroupV1,
    /// A supervisor to which lost children return.
    Supervisor,
    /// The process table: group, session, environment, parents.
    ProcessTable,
    /// The process group only.
    ProcessGroup,
}

/// What becomes of commands when the host itself is killed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Orphans {
    /// A supervisor of each command ends it.
    Ended,
    /// They live on.
    LiveOn,
}

/// By which means a confinement holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The limit of memory.
    pub memory: Bound,
    /// The limit of processes.
    pub processes: Bound,
    /// How a command's processes are found.
    pub finding: Finding,
    /// What happens when the host is killed.
    pub orphans: Orphans,
}

impl Report {
    pub(crate) fn new(memory: Bound, processes: Bound, finding: Finding, orphans: Orphans) -> Self {
        Self { memory, processes, finding, orphans }
    }

    /// Whether a limit that was asked for is not held, or not for all processes together.
    #[must_use]
    pub fn is_weaker_than_asked(&self) -> bool {
        [self.memory, self.processes].iter().any(|bound| matches!(bound, Bound::Rlimit | Bound::Nothing))
    }
}

/// Four lines, for an operator.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = match self.memory {
            Bound::Off => "no limit",
            Bound::CgroupV2 => "held for all commands together by a control group (version 2)",
            Bound::CgroupV1 => "held for all commands together by a control group (version 1)",
            Bound::Rlimit => {
                "held for each process by itself only (no writable control group): several processes may use more together"
            }
            Bound::Nothing => {
                "not held: the system offers no control group that can be written, and no resource limit"
            }
        };
        let processes = match self.processes {
            Bound::Off => "no limit",
            Bound::CgroupV2 => "held for all commands together by a control group (version 2)",
            Bound::CgroupV1 => "held for all commands together by a control group (version 1)",
            Bound::Rlimit => {
                "held by counting every process of the user (no writable control group): other programs of the user count too"
            }
            Bound::Nothing => {
                "not held: there is no control group that can be written, and resource limits do not bind this user"
            }
        };
        let finding = match self.finding {
            Finding::CgroupV2 => "all of a command's processes, at once, by a control group (version 2)",
            Finding::CgroupV1 => "all of a command's processes, by a control group (version 1)",
            Finding::Supervisor => {
                "all of a command's processes, by a supervisor that lost children return to"
            }
            Finding::ProcessTable => {
                "by group, session, environment and parents: not a process that left all four behind"
            }
            Finding::ProcessGroup => "the process group: not a process that left it",
        };
        let orphans = match self.orphans {
            Orphans::Ended => "a supervisor ends the commands",
            Orphans::LiveOn => "commands that run live on",
        };
        write!(f, "memory: {memory}\nprocesses: {processes}\nkilled at the end: {finding}\n")?;
        write!(f, "when the host itself is killed: {orphans}")
    }
}
