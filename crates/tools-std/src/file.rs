//! Files as the file tools see them: where a path leads, opening it safely, its text and encoding,
//! what the model has read of it, and replacing it in one step.

pub(crate) mod edit_engine;
pub(crate) mod encoding;
pub(crate) mod error;
pub(crate) mod judged;
pub(crate) mod kind;
pub(crate) mod ledger;
pub(crate) mod line_ends;
pub(crate) mod lines;
pub(crate) mod near_miss;
pub(crate) mod omission;
pub(crate) mod patch;
pub(crate) mod place;
pub(crate) mod python_json;
mod shown;
pub(crate) mod version;
