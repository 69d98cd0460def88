//! Control groups, of which only Linux has any.

/// The group of one tree: there is none.
#[derive(Clone, Debug)]
pub(crate) enum TreeGroup {}

impl TreeGroup {
    pub(crate) fn remove(&self) {
        match *self {}
    }
}
