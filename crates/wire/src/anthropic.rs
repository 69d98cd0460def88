//! The form of the Anthropic Messages API.

mod decode;
mod definitions;
mod encode;

pub(crate) use decode::decode;
pub use definitions::{DefinitionNameError, MAX_NAME_BYTES, definitions};
pub use encode::{ResultMessage, encode_results};
