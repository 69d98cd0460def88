//! [`ProcessTree`]: everything that one start brought about, and how to end it.

use crate::cgroup::TreeGroup;
use crate::interrupt::Interrupter;
use crate::members::Members;
use crate::signal::{self, End};
use std::process::ExitStatus;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often an ending tree is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// How long the system may take to remove what was killed.
const REMOVAL: Duration = Duration::from_secs(5);

/// How often a dropped tree is looked at, a millisecond between the looks.
const MOST_DROP_LOOKS: usize = 200;

/// How far an end reaches.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a two-way choice")]
pub enum Reach {
    /// The process group of the leader. A process that left it on purpose stays. (Commands of a
    /// `Confinement` always end as a whole.)
    Group,
    /// Group, session, everything that carries the mark, everything in the tree's control group, and
    /// their descendants. (Systems other than Linux know the group only.)
    Everything,
}

/// What the first process is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Leader {
    /// The command.
    Itself,
    /// The command's supervisor, which ends by itself when nothing is left of the command.
    Supervisor,
}

/// What a start brought about. Dropping it kills what is left, everything.
#[derive(Debug)]
pub struct ProcessTree {
    members: Members,
    is_confined: bool,
    /// Nothing is left, for certain.
    ended: bool,
}

impl ProcessTree {
    pub(crate) fn new(leader: u32, mark: String, leads: Leader) -> Self {
        let members = Members::new(leader, mark, leads);
        Self { members, is_confined: leads == Leader::Supervisor, ended: false }
    }

    pub(crate) fn in_group(mut self, group: Option<TreeGroup>) -> Self {
        self.is_confined |= group.is_some();
        self.members.set_group(group);
        self
    }

    /// Id of the first process: the command, or its supervisor.
    #[must_use]
    pub fn leader(&self) -> u32 {
        self.members.leader()
    }

    /// What interrupts the command.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter {
        Interrupter::new(self.members.leader(), self.members.leads())
    }

    /// Tells how the leader ended, as its owner has waited for it. A supervisor leaves with an exit code
    /// only after everything it started is gone, so that the process table need not be searched then;
    /// killed itself, it ends by a signal. Whatever else the leader is, nothing changes.
    pub fn leader_ended(&mut self, status: ExitStatus) {
        if self.members.leads() == Leader::Supervisor && status.code().is_some() {
            self.emptied();
            self.ended = true;
        }
    }

    /// Ends the tree: politely, and hard what lives after `grace`. Gives how many processes could
    /// not be removed, which is 0 unless the system is in trouble. Safe to drop: what is left is
    /// killed then.
    pub async fn end(mut self, reach: Reach, grace: Duration) -> usize {
        if self.ended {
            return 0;
        }
        let left = match reach {
            Reach::Group if !self.is_confined => {
                // INVARIANT: the number of a group is not given away while the group has members.
                if signal::group(self.members.leader(), End::Politely) {
                    self.wait_for_group(grace).await;
                    signal::group(self.members.leader(), End::Hard);
                }
                0
            }
            Reach::Group | Reach::Everything => self.end_everything(grace).await,
        };
        self.ended = true;
        left
    }

    async fn end_everything(&self, grace: Duration) -> usize {
        if self.strike(End::Politely, 0).await == 0 {
            return self.emptied();
        }
        let polite_until = Instant::now() + grace;
        while Instant::now() < polite_until {
            sleep(LOOK_AGAIN).await;
            if self.count().await == 0 {
                return self.emptied();
            }
        }
        let removed_by = Instant::now() + REMOVAL;
        let mut looks = 0;
        loop {
            // Again and again: a process may have been born between the look and the signal.
            let left = self.strike(End::Hard, looks).await;
            if left == 0 {
                return self.emptied();
            }
            if Instant::now() >= removed_by {
                return left;
            }
            looks += 1;
            sleep(LOOK_AGAIN).await;
        }
    }

    /// Nothing is left in it, so its control group can go.
    fn emptied(&self) -> usize {
        self.members.remove_group();
        0
    }

    async fn wait_for_group(&self, grace: Duration) {
        let until = Instant::now() + grace;
        while Instant::now() < until && self.members.group_lives() {
            sleep(LOOK_AGAIN).await;
        }
    }

    /// Signals every member; gives how many there were. `looks` tells how often it was done before.
    async fn strike(&self, end: End, looks: usize) -> usize {
        let members = self.members.clone();
        tokio::task::spawn_blocking(move || members.strike(end, looks)).await.unwrap_or(0)
    }

    async fn count(&self) -> usize {
        let members = self.members.clone();
        tokio::task::spawn_blocking(move || members.count()).await.unwrap_or(0)
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        // A killed process needs a moment to be gone, and may give birth until then.
        for looks in 0..MOST_DROP_LOOKS {
            if self.members.strike(End::Hard, looks) == 0 {
                self.members.remove_group();
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
