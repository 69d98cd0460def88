//! The form of the OpenAI Responses API.

mod decode;
mod definitions;
mod encode;
mod stream;

pub(crate) use decode::{decode, message};
pub(crate) use definitions::definitions;
pub(crate) use encode::encode;
pub(crate) use stream::Stream;
