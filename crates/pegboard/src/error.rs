//! What can go wrong while a runtime is put together.

/// A runtime cannot be put together. It is the host's turn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Nobody checks inputs.
    #[error("there is no input validator; turn on the feature `schema` or hand one to the builder")]
    NoValidator,
    /// A tool was left out of the pool.
    #[error("the tool `{name}` cannot be offered: {reason}")]
    Dropped {
        /// Which.
        name: String,
        /// Why.
        reason: String,
    },
}
