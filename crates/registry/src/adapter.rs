//! How an input under another name becomes the tool's own.

use pegboard_tool_core::InvalidInput;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// Turns the input of an alias into the input of its tool. Pure: the same input gives the same result.
#[derive(Clone)]
pub struct InputAdapter(Arc<Adapt>);

type Adapt = dyn Fn(&Value) -> Result<Value, InvalidInput> + Send + Sync;

impl InputAdapter {
    /// An adapter from a function. An error is what the model reads; nothing runs then.
    pub fn new(adapt: impl Fn(&Value) -> Result<Value, InvalidInput> + Send + Sync + 'static) -> Self {
        Self(Arc::new(adapt))
    }

    /// Adapts `input`.
    ///
    /// # Errors
    /// When the input cannot be said in the tool's own form.
    pub fn adapt(&self, input: &Value) -> Result<Value, InvalidInput> {
        (self.0)(input)
    }
}

impl fmt::Debug for InputAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InputAdapter")
    }
}
