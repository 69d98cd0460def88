//! Counts the blocks of the classifier: three in a row, or twenty in all, bring a person back.

use std::sync::atomic::{AtomicU32, Ordering};

const IN_A_ROW: u32 = 3;
const IN_TOTAL: u32 = 20;

/// How often the classifier has refused.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    in_a_row: AtomicU32,
    in_total: AtomicU32,
}

impl Refusals {
    /// Whether the classifier has refused so often that a person is asked instead.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.in_a_row.load(Ordering::Relaxed) >= IN_A_ROW || self.in_total.load(Ordering::Relaxed) >= IN_TOTAL
    }

    /// An action was allowed, by whomever.
    pub(crate) fn end_run(&self) {
        self.in_a_row.store(0, Ordering::Relaxed);
    }

    /// Counts one answer.
    pub(crate) fn count(&self, answer: Option<bool>) {
        match answer {
            Some(true) => self.end_run(),
            Some(false) => {
                self.in_a_row.fetch_add(1, Ordering::Relaxed);
                self.in_total.fetch_add(1, Ordering::Relaxed);
            }
            None => {}
        }
    }
}
