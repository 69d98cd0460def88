//! The one question to a model that hooks, `WebFetch` and the classifier need.

use async_trait::async_trait;
use serde_json::Value;
use std::fmt::Debug;

/// A model gave no usable answer.
#[derive(Debug, thiserror::Error)]
#[error("the model gave no usable answer: {reason}")]
#[non_exhaustive]
pub struct AskError {
    /// Why.
    pub reason: String,
}

impl AskError {
    /// Says why.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// Asks a model.
#[async_trait]
pub trait Ask: Debug + Send + Sync {
    /// Puts `prompt` and gives an answer that fits `schema`.
    ///
    /// # Errors
    /// When there is no answer or it does not fit.
    async fn ask(&self, prompt: &str, schema: &Value) -> Result<Value, AskError>;

    /// The same to a model that is wanted by name. Default: whoever answers otherwise.
    ///
    /// # Errors
    /// As [`Ask::ask`].
    async fn ask_of(&self, _model: Option<&str>, prompt: &str, schema: &Value) -> Result<Value, AskError> {
        self.ask(prompt, schema).await
    }
}

const _: fn(&dyn Ask) = |_| ();
