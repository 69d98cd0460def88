//! Small tools: waiting, and what tests of a host need.

use crate::Services;
use crate::families::Made;

/// The tools of this family.
pub(crate) fn tools(_services: &Services) -> Made {
    Ok(Vec::new())
}
