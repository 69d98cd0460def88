//! Pages and searches of the web.

use crate::Services;
use crate::families::Made;

/// The tools of this family.
pub(crate) fn tools(_services: &Services) -> Made {
    Ok(Vec::new())
}
