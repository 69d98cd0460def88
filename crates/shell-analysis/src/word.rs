//! A word of a command after expansion, as far as it can be told.

/// One word that a program gets, or several where [`Word::is_many`] says so.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Word {
    /// The value after expansion and quote removal; `None` when it cannot be told. A glob that is not quoted
    /// stands as written.
    pub(crate) value: Option<String>,
    /// What the value certainly begins with: the whole value when it is known.
    pub(crate) prefix: String,
    /// Whether it may stand for none or for several words: an unquoted expansion, an array, a glob.
    pub(crate) is_many: bool,
    /// Whether it holds a glob that is not quoted (`*`, `?`, `[`, extended patterns).
    pub(crate) has_glob: bool,
    /// Whether it begins with a tilde that is not quoted; the value keeps the tilde.
    pub(crate) has_tilde: bool,
    /// Byte offset of its source in the line.
    pub(crate) at: usize,
}

impl Word {
    /// A word whose value is known.
    pub(crate) fn known(value: impl Into<String>, at: usize) -> Self {
        let value = value.into();
        Self { prefix: value.clone(), value: Some(value), at, ..Self::default() }
    }

    /// A word of which nothing is known; `is_many` when it may stand for none or several.
    pub(crate) fn unknown(is_many: bool, at: usize) -> Self {
        Self { is_many, at, ..Self::default() }
    }
}
