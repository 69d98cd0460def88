//! [`Interrupter`]: what Ctrl-C does to a program in a terminal, for one that has none.

use crate::signal;
use crate::tree::Leader;

/// Interrupts the process group of a tree's command. Keep it no longer than the tree.
#[derive(Clone, Copy, Debug)]
pub struct Interrupter {
    leader: u32,
    leads: Leader,
}

impl Interrupter {
    pub(crate) fn new(leader: u32, leads: Leader) -> Self {
        Self { leader, leads }
    }

    /// Sends the signal. One that is over is fine; systems without such a signal do nothing.
    pub fn interrupt(self) {
        #[cfg(target_os = "linux")]
        let group = match self.leads {
            Leader::Itself => Some(self.leader),
            Leader::Supervisor => crate::proc_table::command_of(self.leader),
        };
        #[cfg(not(target_os = "linux"))]
        let group = (self.leads == Leader::Itself).then_some(self.leader);
        group.into_iter().for_each(signal::interrupt_group);
    }
}
