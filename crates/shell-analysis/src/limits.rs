//! How much work a line may cost. Whatever is beyond makes the line opaque.

use std::cell::Cell;

/// Longest line that is looked at, in characters.
pub(crate) const MAX_CHARS: usize = 10_000;
/// Deepest nesting of brackets, compounds and texts within texts that is looked at.
pub(crate) const MAX_DEPTH: u32 = 50;
/// Most programs that start one another.
pub(crate) const MAX_STARTERS: usize = 40;
/// Steps for one line, all texts in it included.
pub(crate) const MAX_STEPS: u32 = 60_000;
/// Most commands that a report lists.
pub(crate) const MAX_COMMANDS: usize = 1_000;
/// Most words that one brace expansion makes.
pub(crate) const MAX_BRACES: usize = 256;
/// Longest value that is followed, in bytes.
pub(crate) const MAX_VALUE: usize = 20_000;

/// The steps that are left for a line.
#[derive(Debug)]
pub(crate) struct Budget(Cell<u32>);

impl Budget {
    pub(crate) fn new(steps: u32) -> Self {
        Self(Cell::new(steps))
    }

    /// Takes `steps`; false when they were not left, and from then on.
    pub(crate) fn spend(&self, steps: u32) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(steps));
        left > steps
    }

    /// Whether nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}
