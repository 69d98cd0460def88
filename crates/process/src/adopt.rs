//! Trees of children that another library starts, such as one that makes terminals.

use crate::mark;
use crate::tree::{Leader, ProcessTree};
use std::ffi::{OsStr, OsString};

/// The mark of a tree whose first process is started elsewhere. Put [`TreeMark::value`] under
/// [`crate::MARK`] into the environment of the child, then make the tree.
#[derive(Debug)]
pub struct TreeMark {
    own: String,
}

impl TreeMark {
    /// A mark that no other tree of this machine has.
    #[must_use]
    pub fn fresh() -> Self {
        Self { own: mark::fresh() }
    }

    /// The value of the variable for the child; `outer` is what it would hold otherwise.
    #[must_use]
    pub fn value(&self, outer: Option<&OsStr>) -> OsString {
        mark::joined(outer, &self.own)
    }

    /// The tree of the child `leader`, which must lead a session of its own. Make it at once: before
    /// the child is waited for.
    #[must_use]
    pub fn tree(self, leader: u32) -> ProcessTree {
        ProcessTree::new(leader, self.own, Leader::Itself)
    }
}
