//! How definitions are written.

/// Choices for [`crate::definitions()`].
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct DefinitionOptions {
    /// Whether the API is to hold the model to the schemas (Anthropic, OpenAI).
    pub strict: Strictness,
    /// What becomes of deferred tools.
    pub deferred: DeferredTools,
    /// Whether the prompt is cached up to the last definition (Anthropic).
    pub cache: Option<CacheTtl>,
    /// Whether examples of inputs are sent (Anthropic).
    pub examples: Examples,
}

/// Whether the API is to hold the model to the schemas.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "either it is or it is not")]
pub enum Strictness {
    /// No: schemas go as they are.
    #[default]
    Off,
    /// Where a schema can be said in the strict subset; the others go as they are, with a note.
    WherePossible,
}

/// What becomes of deferred tools.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "either they are marked or they are not")]
pub enum DeferredTools {
    /// They are offered like the others.
    #[default]
    Offered,
    /// They are marked, so that the API keeps them out of the prompt until they are searched for. For a
    /// request that offers a search; in a form that has no mark they are offered, with a note.
    Marked,
}

/// Whether examples are sent.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "either they are or they are not")]
pub enum Examples {
    /// With the definition.
    #[default]
    Sent,
    /// Not at all.
    LeftOut,
}

/// How long the API keeps a prompt.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum CacheTtl {
    /// Five minutes, the API's default.
    FiveMinutes,
    /// An hour.
    OneHour,
}

impl DefinitionOptions {
    /// Schemas as they are, nothing deferred, nothing cached.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with strict schemas where possible.
    #[must_use]
    pub fn with_strict(self, strict: Strictness) -> Self {
        Self { strict, ..self }
    }

    /// The same with deferred tools marked or offered.
    #[must_use]
    pub fn with_deferred(self, deferred: DeferredTools) -> Self {
        Self { deferred, ..self }
    }

    /// The same with a cache mark on the last definition.
    #[must_use]
    pub fn with_cache(self, ttl: CacheTtl) -> Self {
        Self { cache: Some(ttl), ..self }
    }

    /// The same with or without examples.
    #[must_use]
    pub fn with_examples(self, examples: Examples) -> Self {
        Self { examples, ..self }
    }
}
