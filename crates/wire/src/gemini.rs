//! The form of the Google Gemini API.

mod decode;
mod definitions;
mod encode;
mod own_id;
mod schema;
mod stream;

pub(crate) use decode::{decode, message};
pub(crate) use definitions::definitions;
pub(crate) use encode::encode;
pub(crate) use stream::Stream;
