//! The processes of a tree: who they are, as far as the system shows it, and signalling all of them.

use crate::cgroup::TreeGroup;
use crate::signal::{self, End};
use crate::tree::Leader;

#[cfg(target_os = "linux")]
use crate::proc_table;

/// Looks after which a supervisor that has nothing to supervise is killed.
#[cfg(target_os = "linux")]
const MOST_SUPERVISOR_LOOKS: usize = 100;

/// How the members of a tree are known.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    leader: u32,
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "only the process table of Linux shows marks")
    )]
    mark: String,
    leads: Leader,
    #[cfg(target_os = "linux")]
    born: u64,
    #[cfg(target_os = "linux")]
    group: Option<TreeGroup>,
}

impl Members {
    pub(crate) fn new(leader: u32, mark: String, leads: Leader) -> Self {
        Self {
            leader,
            mark,
            leads,
            #[cfg(target_os = "linux")]
            born: proc_table::born(leader),
            #[cfg(target_os = "linux")]
            group: None,
        }
    }

    pub(crate) fn leader(&self) -> u32 {
        self.leader
    }

    pub(crate) fn leads(&self) -> Leader {
        self.leads
    }

    /// Of the process group of the leader alone, how many are known to live: one stands for any.
    fn count_of_group(&self) -> usize {
        usize::from(signal::group_lives(self.leader))
    }

    /// Signals the process group of the leader alone. What is killed as a group is gone for certain.
    fn strike_group(&self, end: End) -> usize {
        usize::from(signal::group(self.leader, end) && end != End::Hard)
    }
}

#[cfg(target_os = "linux")]
impl Members {
    pub(crate) fn set_group(&mut self, group: Option<TreeGroup>) {
        self.group = group;
    }

    /// Ids and times of birth.
    fn all(&self) -> Vec<(u32, u64)> {
        let mut all = proc_table::members(self.leader, &self.mark, self.born);
        if let Some(group) = &self.group {
            let inside = group.members().into_iter().map(|id| (id, proc_table::born(id)));
            all.extend(inside.filter(|(_, born)| *born > 0));
            all.sort_unstable();
            all.dedup();
        }
        all
    }

    pub(crate) fn count(&self) -> usize {
        if proc_table::is_ours() { self.all().len() } else { self.count_of_group() + self.listed().len() }
    }

    /// Signals every member; gives how many there were. `looks` tells how often it was done before.
    pub(crate) fn strike(&self, end: End, looks: usize) -> usize {
        if !proc_table::is_ours() {
            return self.strike_group(end) + self.strike_listed(end);
        }
        let members = self.all();
        if end == End::Hard
            && let Some(group) = &self.group
        {
            group.kill();
        }
        for (id, born) in &members {
            // A supervisor goes when its work is done; killed before, it would lose who is left.
            let is_at_work = self.leads == Leader::Supervisor && *id == self.leader;
            if !is_at_work || (end == End::Hard && looks > MOST_SUPERVISOR_LOOKS) {
                proc_table::signal_exactly(*id, *born, end);
            }
        }
        members.len()
    }

    pub(crate) fn group_lives(&self) -> bool {
        if proc_table::is_ours() {
            proc_table::group_lives(self.leader, self.born)
        } else {
            signal::group_lives(self.leader)
        }
    }

    pub(crate) fn remove_group(&self) {
        if let Some(group) = &self.group {
            group.remove();
        }
    }

    /// Who is in the control group, which the system tells in our numbers whatever table there is.
    fn listed(&self) -> Vec<u32> {
        self.group.as_ref().map(TreeGroup::members).unwrap_or_default()
    }

    fn strike_listed(&self, end: End) -> usize {
        if end == End::Hard
            && let Some(group) = &self.group
        {
            group.kill();
        }
        let listed = self.listed();
        for pid in listed.iter().filter_map(|id| signal::pid(*id)) {
            let _gone_is_fine = rustix::process::kill_process(pid, end.signal());
        }
        listed.len()
    }
}

#[cfg(not(target_os = "linux"))]
impl Members {
    pub(crate) fn set_group(&mut self, _group: Option<TreeGroup>) {}

    pub(crate) fn count(&self) -> usize {
        self.count_of_group()
    }

    /// Signals every member; gives how many there were.
    pub(crate) fn strike(&self, end: End, _looks: usize) -> usize {
        self.strike_group(end)
    }

    pub(crate) fn group_lives(&self) -> bool {
        signal::group_lives(self.leader)
    }

    pub(crate) fn remove_group(&self) {}
}
