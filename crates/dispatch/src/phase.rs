//! The seven phases in their order. Each takes the proof of the one before and gives the next.

pub(crate) mod approval;
pub(crate) mod change;
pub(crate) mod execute;
pub(crate) mod extract;
pub(crate) mod limits;
pub(crate) mod map;
pub(crate) mod permit;
pub(crate) mod post_hooks;
pub(crate) mod pre_hooks;
pub(crate) mod updates;
pub(crate) mod validate;
