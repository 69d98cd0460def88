//! What Glob and Grep share: where a search begins, which entries it meets, when it stops, and how
//! paths are shown.

pub(crate) mod limits;
pub(crate) mod problems;
pub(crate) mod root;
pub(crate) mod stop;
pub(crate) mod walk;
