//! Commands in terminals, which another library starts.

use crate::cgroup::TreeGroup;
use crate::mark;
use crate::tree::{Leader, ProcessTree};
use std::ffi::{OsStr, OsString};

/// A command within a [`Confinement`](crate::Confinement) that a library which makes terminals is to
/// start. It must lead a session of its own.
#[derive(Debug)]
#[must_use]
pub struct ConfinedTerminal {
    words: Vec<OsString>,
    own: String,
    leader: Leader,
    group: Option<TreeGroup>,
}

impl ConfinedTerminal {
    pub(crate) fn new(words: Vec<OsString>, leader: Leader, group: Option<TreeGroup>) -> Self {
        Self { words, own: mark::fresh(), leader, group }
    }

    /// What to start: a program and its first arguments, which those of the command follow.
    #[must_use]
    pub fn words(&self) -> &[OsString] {
        &self.words
    }

    /// The value of the variable [`MARK`](crate::MARK) for the child; `outer` is what it would hold
    /// otherwise.
    #[must_use]
    pub fn mark(&self, outer: Option<&OsStr>) -> OsString {
        mark::joined(outer, &self.own)
    }

    /// Whether the child is to be started with the terminal as the one that controls it. A supervisor is
    /// not: the command behind it takes the terminal by itself.
    #[must_use]
    pub fn is_controlled(&self) -> bool {
        self.leader == Leader::Itself
    }

    /// The tree of the child `leader`. Make it at once: before the child is waited for.
    #[must_use]
    pub fn tree(mut self, leader: u32) -> ProcessTree {
        let own = std::mem::take(&mut self.own);
        ProcessTree::new(leader, own, self.leader).in_group(self.group.take())
    }
}

/// What was never started needs no group.
impl Drop for ConfinedTerminal {
    fn drop(&mut self) {
        self.group.iter().for_each(TreeGroup::remove);
    }
}
