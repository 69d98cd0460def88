//! Live streams: bytes in any pieces in, events of a turn out.

mod api_error;
mod calls;
mod decoder;
mod entry;
mod error;
mod frames;
mod limits;
mod machine;
mod sse;
mod values;

pub(crate) use api_error::api_error;
pub(crate) use calls::{Calls, Slot};
pub use decoder::StreamDecoder;
pub use error::StreamError;
pub use limits::StreamLimits;
pub(crate) use machine::{Flow, Machine, value_of};
pub(crate) use values::ValueScan;
