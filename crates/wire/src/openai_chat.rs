//! The form of the OpenAI Chat Completions API, and of the many servers that imitate it.

mod call;
mod decode;
mod definitions;
mod encode;
mod piece;
mod stream;

pub(crate) use decode::{arguments, decode, message};
pub(crate) use definitions::definitions;
pub(crate) use encode::encode;
pub(crate) use stream::Stream;
