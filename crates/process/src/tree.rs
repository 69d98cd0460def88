//! [`ProcessTree`]: everything that one start brought about, and how to end it.

use crate::signal::{self, End};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often an ending tree is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// How long the system may take to remove what was killed.
const REMOVAL: Duration = Duration::from_secs(2);

/// How often a dropped tree is looked at, a millisecond between the looks.
#[cfg(target_os = "linux")]
const MOST_DROP_LOOKS: usize = 200;

/// How far an end reaches.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a two-way choice")]
pub enum Reach {
    /// The process group of the leader. A process that left it on purpose stays.
    Group,
    /// Group, session, everything that carries the mark, and their descendants. (Systems other than
    /// Linux know the group only.)
    Everything,
}

/// What a start brought about. Dropping it kills what is left, everything.
#[derive(Debug)]
pub struct ProcessTree {
    leader: u32,
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "only the process table of Linux shows marks")
    )]
    mark: String,
    #[cfg(target_os = "linux")]
    born: u64,
    ended: bool,
}

impl ProcessTree {
    pub(crate) fn new(leader: u32, mark: String) -> Self {
        Self {
            leader,
            mark,
            #[cfg(target_os = "linux")]
            born: crate::proc_table::born(leader),
            ended: false,
        }
    }

    /// Id of the first process.
    #[must_use]
    pub fn leader(&self) -> u32 {
        self.leader
    }

    /// Ends the tree: politely, and hard what lives after `grace`. Gives how many processes could
    /// not be removed, which is 0 unless the system is in trouble. Safe to drop: what is left is
    /// killed then.
    pub async fn end(mut self, reach: Reach, grace: Duration) -> usize {
        let left = match reach {
            Reach::Group => {
                // INVARIANT: the number of a group is not given away while the group has members.
                if signal::group(self.leader, End::Politely) {
                    self.wait_for_group(grace).await;
                    signal::group(self.leader, End::Hard);
                }
                0
            }
            Reach::Everything => self.end_everything(grace).await,
        };
        self.ended = true;
        left
    }

    async fn end_everything(&self, grace: Duration) -> usize {
        if self.strike(End::Politely).await == 0 {
            return 0;
        }
        let polite_until = Instant::now() + grace;
        while Instant::now() < polite_until {
            sleep(LOOK_AGAIN).await;
            if self.count().await == 0 {
                return 0;
            }
        }
        let removed_by = Instant::now() + REMOVAL;
        loop {
            // Again and again: a process may have been born between the look and the signal.
            let left = self.strike(End::Hard).await;
            if left == 0 || Instant::now() >= removed_by {
                return left;
            }
            sleep(LOOK_AGAIN).await;
        }
    }

    async fn wait_for_group(&self, grace: Duration) {
        let until = Instant::now() + grace;
        while Instant::now() < until && self.group_lives() {
            sleep(LOOK_AGAIN).await;
        }
    }

    /// Signals every member; gives how many there were.
    async fn strike(&self, end: End) -> usize {
        #[cfg(target_os = "linux")]
        {
            let (leader, mark, born) = (self.leader, self.mark.clone(), self.born);
            tokio::task::spawn_blocking(move || strike(leader, &mark, born, end)).await.unwrap_or(0)
        }
        #[cfg(not(target_os = "linux"))]
        {
            usize::from(signal::group(self.leader, end))
        }
    }

    async fn count(&self) -> usize {
        #[cfg(target_os = "linux")]
        {
            let (leader, mark, born) = (self.leader, self.mark.clone(), self.born);
            let count = move || crate::proc_table::members(leader, &mark, born).len();
            tokio::task::spawn_blocking(count).await.unwrap_or(0)
        }
        #[cfg(not(target_os = "linux"))]
        {
            usize::from(self.group_lives())
        }
    }

    fn group_lives(&self) -> bool {
        #[cfg(target_os = "linux")]
        {
            crate::proc_table::group_lives(self.leader, self.born)
        }
        #[cfg(all(unix, not(target_os = "linux")))]
        {
            signal::group_lives(self.leader)
        }
        #[cfg(not(unix))]
        {
            false
        }
    }
}

/// Signals every member; gives how many there were.
#[cfg(target_os = "linux")]
fn strike(leader: u32, mark: &str, born: u64, end: End) -> usize {
    let members = crate::proc_table::members(leader, mark, born);
    for (id, born) in &members {
        crate::proc_table::signal_exactly(*id, *born, end);
    }
    members.len()
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        // A killed process needs a moment to be gone, and may give birth until then.
        #[cfg(target_os = "linux")]
        for _ in 0..MOST_DROP_LOOKS {
            if strike(self.leader, &self.mark, self.born, End::Hard) == 0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        #[cfg(not(target_os = "linux"))]
        signal::group(self.leader, End::Hard);
    }
}
